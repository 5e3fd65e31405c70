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

// Calls body(tag, i) for whole vectors, and then for halves, quarters, .. of one until all n elements have had theirs.
template <std::size_t kMost = kLanes, class Body>
HWY_INLINE void for_each(std::size_t n, const Body& body, std::size_t i = 0) {
  for (; i + kMost <= n; i += kMost) body(hn::CappedTag<float, kMost>(), i);
  if constexpr (kMost > 1) {
    if (i < n) for_each<kMost / 2>(n, body, i);
  }
}

// p = ((p x + c0) x + c1) ..., N vectors in step: each instruction stands beside others that need not wait for it. One
// vector at a time, most of what the processor looks ahead at would wait for each other.
template <class D, std::size_t N, std::size_t Count>
HWY_INLINE void add_terms(D d, const float (&coefficients)[Count], const hn::Vec<D> (&x)[N], hn::Vec<D> (&p)[N]) {
  HWY_UNROLL(8)
  for (std::size_t c = 0; c < Count; ++c) {
    HWY_UNROLL(4)
    for (std::size_t u = 0; u < N; ++u) p[u] = hn::MulAdd(p[u], x[u], hn::Set(d, coefficients[c]));
  }
}

// What factor e^(x / unit) is made of: 2^k times the value at r = x - k bit, where k = round(x / bit) and bit = ln 2
// unit. |r| is at most bit / 2, and there a polynomial is fitted for least relative error (1.1e-7); its value at 0 is
// exact.
struct PowerTerms {
  float bit, rest;  // with fused multiply-add: bit as a float, and what is left; else the first has few enough bits
                    // that k times it is exact
  float per_bit, highest, lower[5];
};
#if HWY_NATIVE_FMA
constexpr float kLn2 = 0.693147182F, kRestOfLn2 = -1.90465421e-9F;
#else
constexpr float kLn2 = 0.693359375F, kRestOfLn2 = -2.12194440e-4F;
#endif

// x becomes factor e^(x / unit), x / unit from -88.03 to 88.37. Adding 1.5 * 2^23 rounds to whole numbers, and with 127
// more the lowest bits are the exponent of 2^k already: for k = -127, that of 0. Leaving out the rest of ln 2 costs k
// times 1.9e-9 of the result. What is no number stays none.
template <bool kWithRest, class D, std::size_t N>
HWY_INLINE void power_of(D d, const PowerTerms& of, hn::Vec<D> (&x)[N]) {
  using V = hn::Vec<D>;
  const hn::RebindToSigned<D> di;
  const V rounder = hn::Set(d, 12583039.0F);
  V shifted[N], r[N];
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) {
    shifted[u] = hn::MulAdd(x[u], hn::Set(d, of.per_bit), rounder);
    const V k = hn::Sub(shifted[u], rounder);
    r[u] = hn::NegMulAdd(k, hn::Set(d, of.bit), x[u]);
    if (kWithRest || !HWY_NATIVE_FMA) r[u] = hn::NegMulAdd(k, hn::Set(d, of.rest), r[u]);
    x[u] = hn::Set(d, of.highest);
  }
  add_terms(d, of.lower, r, x);
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u)
    x[u] = hn::Mul(x[u], hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted[u]))));
}

// e^x; 0 below -88.03. x must not be above 88.37.
constexpr PowerTerms kPower = {
    kLn2, kRestOfLn2, 1.44269504F, 0.00831250126F, {0.0418903315F, 0.166671154F, 0.499992303F, 1.0F, 1.0F}};
template <bool kWithRest, class D>
HWY_INLINE hn::Vec<D> exp_of(D d, hn::Vec<D> x) {
  const auto least = hn::Set(d, -88.02969F);
  hn::Vec<D> one[] = {hn::IfThenElse(hn::Lt(x, least), least, x)};  // Max may take either of NaN and a number
  power_of<kWithRest>(d, kPower, one);
  return one[0];
}

// x Φ(x) = max(x, 0) - a Φ(-a) with a = |x|, and Φ(-a) = e^(-a²/2) P(a) / Q(a), fitted for least relative error (5e-9)
// up to a = 13.268, from where on e^(-a²/2) is 0 in float. P and Q are divided by their highest coefficients, whose
// quotient is the factor of the exponential. That also gives the density for the slope.
constexpr float kFactor = 0.39894795F;
constexpr PowerTerms kBell = {-2 * kLn2,
                              -2 * kRestOfLn2,
                              -0.72134752F,
                              -0.000103632979F,
                              {0.00104450387F, -0.0083116394F, 0.0498677261F, -0.199473975F, kFactor}};
template <std::size_t N, class D>
HWY_INLINE void gelu_at(D d, const float* x, float* y, float* slope) {
  using V = hn::Vec<D>;
  constexpr float kAbove[] = {45.0991129F, 108.37473F, 124.372434F};
  constexpr float kBelow[] = {46.0833508F, 118.536126F, 165.650864F, 99.2362551F};
  const V farthest = hn::Set(d, 13.268F);
  V at[N], a[N], bell[N], p[N], q[N];
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) {
    at[u] = hn::LoadU(d, x + u * hn::Lanes(d));
    const V distance = hn::Abs(at[u]);
    a[u] = hn::IfThenElse(hn::Gt(distance, farthest), farthest, distance);
    bell[u] = hn::Mul(a[u], a[u]);
  }
  power_of<false>(d, kBell, bell);
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) p[u] = hn::Add(a[u], hn::Set(d, 9.94585076F));
  add_terms(d, kAbove, a, p);
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) q[u] = hn::Add(a[u], hn::Set(d, 9.94672457F));
  add_terms(d, kBelow, a, q);
  HWY_UNROLL(4)
  for (std::size_t u = 0; u < N; ++u) {
    const V tail = hn::Div(hn::Mul(p[u], bell[u]), q[u]);
    if (slope != nullptr) {
      const V below = hn::IfNegativeThenElse(at[u], tail, hn::Sub(hn::Set(d, 1.0F), tail));
      const V density = hn::Mul(bell[u], hn::Set(d, 0.398942280F / kFactor));
      hn::StoreU(hn::MulAdd(at[u], density, below), d, slope + u * hn::Lanes(d));
    }
    hn::StoreU(hn::NegMulAdd(a[u], tail, hn::Max(at[u], hn::Zero(d))), d, y + u * hn::Lanes(d));
  }
}

void exponential(const float* x, std::size_t n, float* y) {
  for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
    hn::StoreU(exp_of<true>(d, hn::Min(hn::Set(d, 88.37626F), hn::LoadU(d, x + i))), d, y + i);
  });
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
      const auto e = exp_of<false>(d, hn::Sub(hn::LoadU(d, row + j), greatest));
      hn::StoreU(e, d, row + j);
      sum = hn::Add(sum, e);
    }
    if (whole < n) {
      const auto e = exp_of<false>(d, hn::Sub(load_rest(row), greatest));
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

// Sums body(tag, i, r) over i for R rows side by side, so that no sum waits for another; in the same order for any R.
template <std::size_t R, class Body>
HWY_INLINE void sums_of(std::size_t n, const Body& body, float (&sums)[R]) {
  const Wide d;
  hn::Vec<Wide> lanes[R];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < R; ++r) lanes[r] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < R; ++r) lanes[r] = hn::Add(lanes[r], body(d, i, r));
  }
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < R; ++r) sums[r] = hn::GetLane(hn::SumOfLanes(d, lanes[r]));
  for (; i < n; ++i) {
    for (std::size_t r = 0; r < R; ++r) sums[r] += hn::GetLane(body(Single(), i, r));
  }
}

// Calls body(integral_constant R, first row) for R = 4 rows at a time and then for the rows left over, one by one.
template <class Body>
HWY_INLINE void for_rows(std::size_t rows, const Body& body) {
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) body(std::integral_constant<std::size_t, 4>(), r);
  for (; r < rows; ++r) body(std::integral_constant<std::size_t, 1>(), r);
}

template <std::size_t R>
HWY_INLINE void softmax_backward_rows(const float* p, std::size_t n, std::size_t stride, float* g) {
  float means[R];
  sums_of(
      n,
      [&](auto d, std::size_t i, std::size_t r)
          HWY_ATTR { return hn::Mul(hn::LoadU(d, p + r * stride + i), hn::LoadU(d, g + r * stride + i)); },
      means);
  for (std::size_t r = 0; r < R; ++r) {
    const float* p_row = p + r * stride;
    float* g_row = g + r * stride;
    const float mean = means[r];
    for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
      const auto from_mean = hn::Sub(hn::LoadU(d, g_row + i), hn::Set(d, mean));
      hn::StoreU(hn::Mul(hn::LoadU(d, p_row + i), from_mean), d, g_row + i);
    });
  }
}

void softmax_backward(const float* p, std::size_t rows, std::size_t n, std::size_t stride, float* g) {
  for_rows(rows, [&](auto some, std::size_t r)
                     HWY_ATTR { softmax_backward_rows<some()>(p + r * stride, n, stride, g + r * stride); });
}

template <std::size_t R>
HWY_INLINE void normalize_rows(const Normalization<float>& of, std::size_t first) {
  const std::size_t n = of.width;
  const float* x = of.x + first * of.x_stride;
  const float* residual = of.residual == nullptr ? nullptr : of.residual + first * of.residual_stride;
  float* unit = of.unit + first * n;
  float* y = of.y + first * n;
  float means[R], variances[R];
  sums_of(
      n,
      [&](auto d, std::size_t i, std::size_t r) HWY_ATTR {
        auto z = hn::LoadU(d, x + r * of.x_stride + i);
        if (residual != nullptr) z = hn::Add(z, hn::LoadU(d, residual + r * of.residual_stride + i));
        hn::StoreU(z, d, unit + r * n + i);
        return z;
      },
      means);
  for (float& mean : means) mean /= static_cast<float>(n);
  sums_of(
      n,
      [&](auto d, std::size_t i, std::size_t r) HWY_ATTR {
        const auto z = hn::Sub(hn::LoadU(d, unit + r * n + i), hn::Set(d, means[r]));
        return hn::Mul(z, z);
      },
      variances);
  for (std::size_t r = 0; r < R; ++r) {
    const float mean = means[r], scale = 1.0F / std::sqrt(variances[r] / static_cast<float>(n) + of.epsilon);
    for_each(n, [&](auto d, std::size_t i) HWY_ATTR {
      const auto u = hn::Mul(hn::Sub(hn::LoadU(d, unit + r * n + i), hn::Set(d, mean)), hn::Set(d, scale));
      hn::StoreU(u, d, unit + r * n + i);
      hn::StoreU(hn::MulAdd(u, hn::LoadU(d, of.gain + i), hn::LoadU(d, of.offset + i)), d, y + r * n + i);
    });
    of.scales[first + r] = scale;
  }
}

void normalize(const Normalization<float>& of) {
  for_rows(of.rows, [&](auto some, std::size_t r) HWY_ATTR { normalize_rows<some()>(of, r); });
}

// Of R rows at column i: adds to the gradients of gain and offset there, and to the sums of each row.
template <std::size_t R, class D>
HWY_INLINE void normalize_backward_at(D d, const Normalization<float>& of, const float* dy, const float* unit,
                                      std::size_t i, float* dgain, float* doffset, hn::Vec<D> (&means)[R],
                                      hn::Vec<D> (&slopes)[R]) {
  const auto gain = hn::LoadU(d, of.gain + i);
  auto to_gain = hn::LoadU(d, dgain + i), to_offset = hn::LoadU(d, doffset + i);
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < R; ++r) {
    const auto g = hn::LoadU(d, dy + r * of.width + i), along = hn::Mul(g, hn::LoadU(d, unit + r * of.width + i));
    to_gain = hn::Add(to_gain, along);
    to_offset = hn::Add(to_offset, g);
    means[r] = hn::MulAdd(g, gain, means[r]);
    slopes[r] = hn::MulAdd(along, gain, slopes[r]);
  }
  hn::StoreU(to_gain, d, dgain + i);
  hn::StoreU(to_offset, d, doffset + i);
}

template <std::size_t R>
HWY_INLINE void normalize_backward_rows(const Normalization<float>& of, std::size_t first, const float* dy, float* dz,
                                        std::size_t dz_stride, float* dgain, float* doffset) {
  const Wide d;
  const std::size_t n = of.width;
  const float* unit = of.unit + first * n;
  hn::Vec<Wide> means[R], slopes[R];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < R; ++r) means[r] = slopes[r] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) normalize_backward_at(d, of, dy, unit, i, dgain, doffset, means, slopes);
  const Single one;
  hn::Vec<Single> rest_means[R], rest_slopes[R];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < R; ++r) rest_means[r] = rest_slopes[r] = hn::Zero(one);
  for (; i < n; ++i) normalize_backward_at(one, of, dy, unit, i, dgain, doffset, rest_means, rest_slopes);
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < R; ++r) {
    const auto over_row = [&](auto lanes, auto rest) HWY_ATTR {
      return (hn::GetLane(hn::SumOfLanes(d, lanes)) + hn::GetLane(rest)) / static_cast<float>(n);
    };
    const float mean = over_row(means[r], rest_means[r]), slope = over_row(slopes[r], rest_slopes[r]);
    const float scale = of.scales[first + r];
    for_each(n, [&](auto tag, std::size_t j) HWY_ATTR {
      const auto g = hn::Mul(hn::LoadU(tag, dy + r * n + j), hn::LoadU(tag, of.gain + j));
      const auto off =
          hn::NegMulAdd(hn::LoadU(tag, unit + r * n + j), hn::Set(tag, slope), hn::Sub(g, hn::Set(tag, mean)));
      hn::StoreU(hn::Mul(hn::Set(tag, scale), off), tag, dz + r * dz_stride + j);
    });
  }
}

void normalize_backward(const Normalization<float>& of, const float* dy, std::size_t first, std::size_t rows, float* dz,
                        std::size_t dz_stride, float* dgain, float* doffset) {
  for_rows(rows, [&](auto some, std::size_t r) HWY_ATTR {
    normalize_backward_rows<some()>(of, first + r, dy + (first + r) * of.width, dz + r * dz_stride, dz_stride, dgain,
                                    doffset);
  });
}

void add(const float* x, std::size_t n, float* y) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::LoadU(d, x + i)), d, y + i); });
}

void add_into(const float* x, const float* y, std::size_t n, float* z) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i); });
}

void multiply_into(const float* x, const float* y, std::size_t n, float* z) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i); });
}

void multiply(const float* x, std::size_t n, float* y) {
  for_each(n, [&](auto d, std::size_t i)
                  HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, y + i), hn::LoadU(d, x + i)), d, y + i); });
}

}  // namespace faithful::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::engine {

HWY_EXPORT(exponential);
void exponential(const float* x, std::size_t n, float* y) {
  return FAITHFUL_KERNEL(exponential)(x, n, y);
}

HWY_EXPORT(gelu);
void gelu(const float* x, std::size_t n, float* y, float* slope) {
  return FAITHFUL_KERNEL(gelu)(x, n, y, slope);
}

HWY_EXPORT(relu);
void relu(const float* x, std::size_t n, float* y) {
  return FAITHFUL_KERNEL(relu)(x, n, y);
}

HWY_EXPORT(relu_backward);
void relu_backward(const float* y, std::size_t n, float* dy) {
  return FAITHFUL_KERNEL(relu_backward)(y, n, dy);
}

HWY_EXPORT(softmax_rows);
void softmax_rows(float* x, std::size_t rows, std::size_t n, std::size_t stride) {
  return FAITHFUL_KERNEL(softmax_rows)(x, rows, n, stride);
}

HWY_EXPORT(softmax_backward);
void softmax_backward(const float* p, std::size_t rows, std::size_t n, std::size_t stride, float* d) {
  return FAITHFUL_KERNEL(softmax_backward)(p, rows, n, stride, d);
}

HWY_EXPORT(normalize);
void normalize(const Normalization<float>& of) {
  return FAITHFUL_KERNEL(normalize)(of);
}

HWY_EXPORT(normalize_backward);
void normalize_backward(const Normalization<float>& of, const float* dy, std::size_t first, std::size_t rows, float* dz,
                        std::size_t dz_stride, float* dgain, float* doffset) {
  return FAITHFUL_KERNEL(normalize_backward)(of, dy, first, rows, dz, dz_stride, dgain, doffset);
}

HWY_EXPORT(add);
void add(const float* x, std::size_t n, float* y) {
  return FAITHFUL_KERNEL(add)(x, n, y);
}

HWY_EXPORT(add_into);
void add_into(const float* x, const float* y, std::size_t n, float* z) {
  return FAITHFUL_KERNEL(add_into)(x, y, n, z);
}

HWY_EXPORT(multiply_into);
void multiply_into(const float* x, const float* y, std::size_t n, float* z) {
  return FAITHFUL_KERNEL(multiply_into)(x, y, n, z);
}

HWY_EXPORT(multiply);
void multiply(const float* x, std::size_t n, float* y) {
  return FAITHFUL_KERNEL(multiply)(x, n, y);
}

HWY_EXPORT(rescale);
void rescale(float factor, std::size_t n, float* x) {
  return FAITHFUL_KERNEL(rescale)(factor, n, x);
}

}  // namespace faithful::engine
#endif
