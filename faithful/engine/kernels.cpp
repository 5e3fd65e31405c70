#include "faithful/engine/kernels.h"

#include "faithful/engine/dispatch_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "faithful/engine/kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace faithful::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using Single = hn::CappedTag<float, 1>;
constexpr std::size_t kLanes = HWY_LANES(float);

// Calls body(tag, i) for whole vectors and then for the elements left over, one by one with a tag of one lane.
template <class Body>
HWY_INLINE void for_each(std::size_t n, const Body& body) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) body(Wide(), i);
  for (; i < n; ++i) body(Single(), i);
}

// Sums body(tag, i): lanes first, then the elements left over; always in the same order.
template <class Body>
HWY_INLINE float sum_of(std::size_t n, const Body& body) {
  const Wide d;
  auto even = hn::Zero(d), odd = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    even = hn::Add(even, body(d, i));
    odd = hn::Add(odd, body(d, i + kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) even = hn::Add(even, body(d, i));
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; i < n; ++i) sum += hn::GetLane(body(Single(), i));
  return sum;
}

// Of N vectors in step: ((c0 x + c1) x + ...). Each instruction stands beside others that need not wait for it; one
// vector at a time, most of what the processor looks ahead at would wait for each other.
template <class D, std::size_t N, std::size_t Count>
HWY_INLINE void polynomial(D d, const float (&coefficients)[Count], const hn::Vec<D> (&x)[N], hn::Vec<D> (&p)[N]) {
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) p[u] = hn::Set(d, coefficients[0]);
  HWY_UNROLL(8)
  for (std::size_t c = 1; c < Count; ++c) {
    HWY_UNROLL(4)
    for (std::size_t u = 0; u < N; ++u) p[u] = hn::MulAdd(p[u], x[u], hn::Set(d, coefficients[c]));
  }
}

// x becomes e^x = 2^k e^r with k = round(x / ln 2), so |r| <= ln 2 / 2; e^r by a polynomial fitted for least relative
// error (3e-9). Adding 1.5 * 2^23 rounds to whole numbers, and with 127 more the lowest bits are the exponent of 2^k
// already: for k = -127, which everything below ends at, that of 0. ln 2 is subtracted in two parts, the first with few
// enough bits that k times it is exact. x must not be above 88.37. What is no number stays none.
template <class D, std::size_t N>
HWY_INLINE void exp_of(D d, hn::Vec<D> (&x)[N]) {
  using V = hn::Vec<D>;
  constexpr float kTerms[] = {0.0013814597623422742F,
                              0.008368716575205326F,
                              0.04166838899254799F,
                              0.1666652113199234F,
                              0.4999999403953552F,
                              1.0F,
                              1.0F};
  const hn::RebindToSigned<D> di;
  const V rounder = hn::Set(d, 12583039.0F);
  const V least = hn::Set(d, -88.02969F);
  V shifted[N], r[N];
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) {
    const V clamped = hn::IfThenElse(hn::Lt(x[u], least), least, x[u]);  // Max may take either of NaN and a number
    shifted[u] = hn::MulAdd(clamped, hn::Set(d, 1.44269504F), rounder);
    const V k = hn::Sub(shifted[u], rounder);
    r[u] = hn::NegMulAdd(k, hn::Set(d, 0.693359375F), clamped);
    r[u] = hn::NegMulAdd(k, hn::Set(d, -2.12194440e-4F), r[u]);
  }
  polynomial(d, kTerms, r, x);
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u)
    x[u] = hn::Mul(x[u], hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted[u]))));
}

template <class D>
HWY_INLINE hn::Vec<D> exp_of(D d, hn::Vec<D> x) {
  hn::Vec<D> one[] = {x};
  exp_of(d, one);
  return one[0];
}

// Φ(-|x|) = e^(-x²/2) R(|x|), R a polynomial in t = 1 / (1 + 0.35 |x|) fitted for least relative error (3.2e-8) up to
// |x| = 14. The same exponential gives the density for the slope.
template <std::size_t N, class D>
HWY_INLINE void gelu_at(D d, const float* x, float* y, float* slope) {
  using V = hn::Vec<D>;
  constexpr float kTerms[] = {-0.0291459465F, 0.143971775F, -0.255714411F, 0.159174335F, -0.0231099519F,
                              0.105508052F,   0.119832856F, 0.139861871F,  0.139621404F};
  const V one = hn::Set(d, 1.0F);
  V at[N], bell[N], t[N], p[N];
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) {
    at[u] = hn::LoadU(d, x + u * hn::Lanes(d));
    bell[u] = hn::Mul(hn::Mul(at[u], at[u]), hn::Set(d, -0.5F));
    t[u] = hn::Div(one, hn::MulAdd(hn::Abs(at[u]), hn::Set(d, 0.35F), one));
  }
  exp_of(d, bell);
  polynomial(d, kTerms, t, p);
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) {
    const V tail = hn::Mul(hn::Mul(p[u], t[u]), bell[u]);
    const V below = hn::IfNegativeThenElse(at[u], tail, hn::Sub(one, tail));
    const V value = hn::Mul(at[u], below);
    if (slope != nullptr)
      hn::StoreU(hn::MulAdd(hn::Mul(at[u], hn::Set(d, 0.398942280F)), bell[u], below), d, slope + u * hn::Lanes(d));
    hn::StoreU(value, d, y + u * hn::Lanes(d));
  }
}

void exponential(const float* x, std::size_t n, float* y) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(exp_of(d, hn::Min(hn::Set(d, 88.37626F), hn::LoadU(d, x + i))), d, y + i); });
}

void gelu(const float* x, std::size_t n, float* y, float* slope) {
  constexpr std::size_t kInStep = 4;  // measured (bench_kernels); more would run out of registers
  const auto slope_at = [slope](std::size_t i) { return slope == nullptr ? nullptr : slope + i; };
  std::size_t i = 0;
  for (; i + kInStep * kLanes <= n; i += kInStep * kLanes) gelu_at<kInStep>(Wide(), x + i, y + i, slope_at(i));
  for (; i + kLanes <= n; i += kLanes) gelu_at<1>(Wide(), x + i, y + i, slope_at(i));
  for (; i < n; ++i) gelu_at<1>(Single(), x + i, y + i, slope_at(i));
}

void relu(const float* x, std::size_t n, float* y) {
  for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto at = hn::LoadU(d, x + i);
    hn::StoreU(hn::IfThenElseZero(hn::Gt(at, hn::Zero(d)), at), d, y + i);
  });
}

void relu_backward(const float* y, std::size_t n, float* dy) {
  for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto on = hn::Gt(hn::LoadU(d, y + i), hn::Zero(d));
    hn::StoreU(hn::IfThenElseZero(on, hn::LoadU(d, dy + i)), d, dy + i);
  });
}

void rescale(float factor, std::size_t n, float* x) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, x + i); });
}

// Some rows at a time, each pass over all of them: the reductions of a row end while the next row's are under way.
constexpr std::size_t kSoftmaxRows = 8;

void softmax_group(float* x, std::size_t rows, std::size_t n, std::size_t stride) {
  const Wide d;
  const auto lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  const std::size_t whole = n / kLanes * kLanes;
  // What is left behind the whole vectors: read and written in place where the rows have room for one vector more, else
  // by way of a vector of its own.
  const bool roomy = stride >= whole + kLanes;
  const auto inside = hn::FirstN(d, n - whole);
  alignas(64) float rest[kLanes];
  std::fill_n(rest, kLanes, -std::numeric_limits<float>::infinity());
  const auto load_rest = [&](const float* row) HWY_ATTR {
    if (roomy) return hn::IfThenElse(inside, hn::LoadU(d, row + whole), lowest);
    for (std::size_t i = whole; i < n; ++i) rest[i - whole] = row[i];
    return hn::Load(d, rest);
  };
  const auto store_rest = [&](auto powers, float* row) HWY_ATTR {
    if (roomy) return hn::StoreU(powers, d, row + whole);
    alignas(64) float all[kLanes];
    hn::Store(powers, d, all);
    for (std::size_t i = whole; i < n; ++i) row[i] = all[i - whole];
  };
  float most[kSoftmaxRows], scale[kSoftmaxRows];
  for (std::size_t r = 0; r < rows; ++r) {
    const float* row = x + r * stride;
    auto even = whole < n ? load_rest(row) : lowest, odd = lowest;
    std::size_t j = 0;
    for (; j + 2 * kLanes <= whole; j += 2 * kLanes) {
      even = hn::Max(even, hn::LoadU(d, row + j));
      odd = hn::Max(odd, hn::LoadU(d, row + j + kLanes));
    }
    if (j < whole) even = hn::Max(even, hn::LoadU(d, row + j));
    most[r] = hn::GetLane(hn::MaxOfLanes(d, hn::Max(even, odd)));
    // Masked throughout: all e^x are 0. Highway's emulated vectors take no maximum below the least finite number.
    if (most[r] <= std::numeric_limits<float>::lowest()) most[r] = 0;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = x + r * stride;
    const auto greatest = hn::Set(d, most[r]);
    auto sum = hn::Zero(d);
    for (std::size_t j = 0; j < whole; j += kLanes) {
      const auto e = exp_of(d, hn::Sub(hn::LoadU(d, row + j), greatest));
      hn::StoreU(e, d, row + j);
      sum = hn::Add(sum, e);
    }
    if (whole < n) {
      const auto e = exp_of(d, hn::Sub(load_rest(row), greatest));
      store_rest(e, row);
      sum = hn::Add(sum, e);
    }
    const float all = hn::GetLane(hn::SumOfLanes(d, sum));
    scale[r] = all == 0 ? 0.0F : 1.0F / all;
  }
  const std::size_t written = roomy ? whole + (whole < n ? kLanes : 0) : n;
  for (std::size_t r = 0; r < rows; ++r) rescale(scale[r], written, x + r * stride);
}

void softmax_rows(float* x, std::size_t rows, std::size_t n, std::size_t stride) {
  for (std::size_t r = 0; r < rows; r += kSoftmaxRows) {
    softmax_group(x + r * stride, std::min(kSoftmaxRows, rows - r), n, stride);
  }
}

void softmax_backward(const float* p, std::size_t n, float* g) {
  const float mean =
      sum_of(n, [&](auto d, std::size_t i) HWY_ATTR { return hn::Mul(hn::LoadU(d, p + i), hn::LoadU(d, g + i)); });
  for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, p + i), hn::Sub(hn::LoadU(d, g + i), hn::Set(d, mean))), d, g + i);
  });
}

float normalize(const float* x, const float* residual, std::size_t n, float epsilon, const float* gain,
                const float* offset, float* unit, float* y) {
  const float count = static_cast<float>(n);
  const float mean = sum_of(n,
                            [&](auto d, std::size_t i) HWY_ATTR {
                              auto z = hn::LoadU(d, x + i);
                              if (residual != nullptr) z = hn::Add(z, hn::LoadU(d, residual + i));
                              hn::StoreU(z, d, unit + i);
                              return z;
                            }) /
                     count;
  const float variance = sum_of(n,
                                [&](auto d, std::size_t i) HWY_ATTR {
                                  const auto z = hn::Sub(hn::LoadU(d, unit + i), hn::Set(d, mean));
                                  return hn::Mul(z, z);
                                }) /
                         count;
  const float scale = 1.0F / std::sqrt(variance + epsilon);
  for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto u = hn::Mul(hn::Sub(hn::LoadU(d, unit + i), hn::Set(d, mean)), hn::Set(d, scale));
    hn::StoreU(u, d, unit + i);
    hn::StoreU(hn::MulAdd(u, hn::LoadU(d, gain + i), hn::LoadU(d, offset + i)), d, y + i);
  });
  return scale;
}

void normalize_backward(const float* dy, const float* unit, std::size_t n, float scale, const float* gain, float* dz,
                        float* dgain, float* doffset) {
  const float count = static_cast<float>(n);
  const float mean =
      sum_of(n, [&](auto d, std::size_t i) HWY_ATTR { return hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, gain + i)); }) /
      count;
  const float slope = sum_of(n,
                             [&](auto d, std::size_t i) HWY_ATTR {
                               const auto g = hn::LoadU(d, dy + i), along = hn::Mul(g, hn::LoadU(d, unit + i));
                               hn::StoreU(hn::Add(hn::LoadU(d, dgain + i), along), d, dgain + i);
                               hn::StoreU(hn::Add(hn::LoadU(d, doffset + i), g), d, doffset + i);
                               return hn::Mul(along, hn::LoadU(d, gain + i));
                             }) /
                      count;
  for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto g = hn::Sub(hn::Mul(hn::LoadU(d, dy + i), hn::LoadU(d, gain + i)), hn::Set(d, mean));
    hn::StoreU(hn::Mul(hn::Set(d, scale), hn::NegMulAdd(hn::LoadU(d, unit + i), hn::Set(d, slope), g)), d, dz + i);
  });
}

void add(const float* x, std::size_t n, float* y) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::LoadU(d, x + i)), d, y + i); });
}

void multiply(const float* x, std::size_t n, float* y) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, y + i), hn::LoadU(d, x + i)), d, y + i); });
}

#if HWY_TARGET == HWY_SCALAR

void dropout_factors(const DropoutPlace& place, std::size_t n, float keep, float* factors) {
  reference::dropout_factors(place, n, keep, factors);
}

#else

using Words = hn::Vec<hn::ScalableTag<std::uint32_t> >;

// The upper halves of the 64-bit products: those of odd lanes stand in place, those of even lanes are shifted down.
HWY_INLINE Words multiply_high(Words x, Words factor) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::ScalableTag<std::uint64_t> wide;
  const auto even = hn::MulEven(x, factor);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, x))), factor);
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
}

// philox() of faithful/base/random.h, one call per lane.
void dropout_factors(const DropoutPlace& place, std::size_t n, float keep, float* factors) {
  const hn::ScalableTag<std::uint32_t> d;
  const Wide df;
  const Words multiplier0 = hn::Set(d, 0xD2511F53), multiplier1 = hn::Set(d, 0xCD9E8D57);
  const Words half = hn::Set(d, 0xFFFF), dropped = hn::Set(d, place.dropped);
  alignas(64) float chunk[128];
  for (std::size_t first = 0; first < n; first += 128) {
    for (std::size_t j = 0; j < 16; j += kLanes) {
      Words words[4] = {hn::Iota(d, static_cast<std::uint32_t>(first / 8 + j)), hn::Set(d, place.operation),
                        hn::Set(d, place.sample), hn::Set(d, place.step)};
      std::uint32_t key0 = place.key[0], key1 = place.key[1];
      for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
        const Words high0 = multiply_high(words[0], multiplier0), high1 = multiply_high(words[2], multiplier1);
        const Words low0 = hn::Mul(words[0], multiplier0), low1 = hn::Mul(words[2], multiplier1);
        words[0] = hn::Xor(hn::Xor(high1, words[1]), hn::Set(d, key0));
        words[2] = hn::Xor(hn::Xor(high0, words[3]), hn::Set(d, key1));
        words[1] = low1;
        words[3] = low0;
      }
      for (std::size_t e = 0; e < 8; ++e) {
        const Words bits = e % 2 == 0 ? hn::And(words[e / 2], half) : hn::ShiftRight<16>(words[e / 2]);
        const auto drop = hn::RebindMask(df, hn::Lt(bits, dropped));
        hn::Store(hn::IfThenZeroElse(drop, hn::Set(df, keep)), df, chunk + 16 * e + j);
      }
    }
    std::copy_n(chunk, std::min<std::size_t>(128, n - first), factors + first);
  }
}

#endif

void add_rows(const float* x, std::size_t rows, std::size_t columns, std::size_t stride, float* y) {
  for (std::size_t r = 0; r < rows; ++r) add(x + r * stride, columns, y);
}

void adamw(const float* const* gradients, std::size_t shards, float factor, std::size_t n, const AdamWStep<float>& step,
           float* weights, float* first, float* second) {
  for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
    auto g = hn::LoadU(d, gradients[0] + i);
    for (std::size_t s = 1; s < shards; ++s) g = hn::Add(g, hn::LoadU(d, gradients[s] + i));
    g = hn::Mul(g, hn::Set(d, factor));
    const auto m = hn::MulAdd(hn::Set(d, step.beta1), hn::LoadU(d, first + i), hn::Mul(hn::Set(d, step.fresh1), g));
    const auto v =
        hn::MulAdd(hn::Set(d, step.beta2), hn::LoadU(d, second + i), hn::Mul(hn::Mul(hn::Set(d, step.fresh2), g), g));
    const auto below = hn::MulAdd(hn::Sqrt(v), hn::Set(d, step.second_scale), hn::Set(d, step.epsilon));
    const auto change = hn::Div(hn::Mul(hn::Set(d, step.rate), m), below);
    hn::StoreU(m, d, first + i);
    hn::StoreU(v, d, second + i);
    hn::StoreU(hn::Sub(hn::Mul(hn::LoadU(d, weights + i), hn::Set(d, step.keep)), change), d, weights + i);
  });
}

}  // namespace faithful::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::engine {

HWY_EXPORT(exponential);
void exponential(const float* x, std::size_t n, float* y) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(exponential)(x, n, y);
}

HWY_EXPORT(gelu);
void gelu(const float* x, std::size_t n, float* y, float* slope) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(gelu)(x, n, y, slope);
}

HWY_EXPORT(relu);
void relu(const float* x, std::size_t n, float* y) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(relu)(x, n, y);
}

HWY_EXPORT(relu_backward);
void relu_backward(const float* y, std::size_t n, float* dy) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(relu_backward)(y, n, dy);
}

HWY_EXPORT(softmax_rows);
void softmax_rows(float* x, std::size_t rows, std::size_t n, std::size_t stride) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(softmax_rows)(x, rows, n, stride);
}

HWY_EXPORT(softmax_backward);
void softmax_backward(const float* p, std::size_t n, float* d) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(softmax_backward)(p, n, d);
}

HWY_EXPORT(normalize);
float normalize(const float* x, const float* residual, std::size_t n, float epsilon, const float* gain,
                const float* offset, float* unit, float* y) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(normalize)(x, residual, n, epsilon, gain, offset, unit, y);
}

HWY_EXPORT(normalize_backward);
void normalize_backward(const float* dy, const float* unit, std::size_t n, float scale, const float* gain, float* dz,
                        float* dgain, float* doffset) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(normalize_backward)(dy, unit, n, scale, gain, dz, dgain, doffset);
}

HWY_EXPORT(add);
void add(const float* x, std::size_t n, float* y) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(add)(x, n, y);
}

HWY_EXPORT(multiply);
void multiply(const float* x, std::size_t n, float* y) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(multiply)(x, n, y);
}

HWY_EXPORT(rescale);
void rescale(float factor, std::size_t n, float* x) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(rescale)(factor, n, x);
}

HWY_EXPORT(dropout_factors);
void dropout_factors(const DropoutPlace& place, std::size_t n, float keep, float* factors) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(dropout_factors)(place, n, keep, factors);
}

HWY_EXPORT(add_rows);
void add_rows(const float* x, std::size_t rows, std::size_t columns, std::size_t stride, float* y) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(add_rows)(x, rows, columns, stride, y);
}

HWY_EXPORT(adamw);
void adamw(const float* const* gradients, std::size_t shards, float factor, std::size_t n, const AdamWStep<float>& step,
           float* weights, float* first, float* second) {
  obey_instruction_set();
  return HWY_DYNAMIC_DISPATCH(adamw)(gradients, shards, factor, n, step, weights, first, second);
}

}  // namespace faithful::engine
#endif
