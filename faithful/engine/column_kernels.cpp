// Kernels in which every column goes its own way: sums of rows, batch norm and depthwise convolution.

#include <algorithm>
#include <type_traits>

#include "faithful/engine/dispatch_internal.h"
#include "faithful/engine/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "faithful/engine/column_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace faithful::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(tag, i) for whole vectors, and then for halves, quarters, .. of one until all n elements have had theirs.
template <std::size_t kLanes = HWY_LANES(float), class Body>
HWY_INLINE void for_columns(std::size_t n, const Body& body, std::size_t i = 0) {
  const hn::CappedTag<float, kLanes> d;
  for (; i + kLanes <= n; i += kLanes) body(d, i);
  if constexpr (kLanes > 1) {
    if (i < n) for_columns<kLanes / 2>(n, body, i);
  }
}

// Some columns stay in registers while all rows pass by. Sums of a column run over the rows in their order.
void add_rows(const float* x, std::size_t rows, std::size_t columns, std::size_t stride, float* y) {
  constexpr std::size_t kBeside = 4 * HWY_LANES(float);
  const hn::ScalableTag<float> whole;
  std::size_t c = 0;
  for (; c + kBeside <= columns; c += kBeside) {
    hn::Vec<decltype(whole)> sums[4];
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < 4; ++v) sums[v] = hn::LoadU(whole, y + c + v * HWY_LANES(float));
    for (std::size_t r = 0; r < rows; ++r) {
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < 4; ++v)
        sums[v] = hn::Add(sums[v], hn::LoadU(whole, x + r * stride + c + v * HWY_LANES(float)));
    }
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < 4; ++v) hn::StoreU(sums[v], whole, y + c + v * HWY_LANES(float));
  }
  for_columns(
      columns,
      [&](auto d, std::size_t i) HWY_ATTR {
        auto sum = hn::LoadU(d, y + i);
        for (std::size_t r = 0; r < rows; ++r) sum = hn::Add(sum, hn::LoadU(d, x + r * stride + i));
        hn::StoreU(sum, d, y + i);
      },
      c);
}

// --- Batch norm: products and sums are rounded each for itself, as in the twins ---

void add_squares(const float* x, const float* mean, std::size_t n, float* sums) {
  for_columns(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto off = hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, mean + i));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::Mul(off, off)), d, sums + i);
  });
}

void standardize(const Standardization<float>& of, const float* x, std::size_t n, float* unit, float* y) {
  for_columns(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto u = hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, of.mean + i)), hn::LoadU(d, of.scale + i));
    hn::StoreU(u, d, unit + i);
    hn::StoreU(hn::Add(hn::Mul(u, hn::LoadU(d, of.gain + i)), hn::LoadU(d, of.offset + i)), d, y + i);
  });
}

void add_slopes(const float* dy, const float* unit, std::size_t n, float* sums, float* slopes) {
  for_columns(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto g = hn::LoadU(d, dy + i);
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), g), d, sums + i);
    hn::StoreU(hn::Add(hn::LoadU(d, slopes + i), hn::Mul(g, hn::LoadU(d, unit + i))), d, slopes + i);
  });
}

void standardize_backward(const StandardizationBackward<float>& of, const float* dy, const float* unit, std::size_t n,
                          bool add, float* dx) {
  for_columns(n, [&](auto d, std::size_t i) HWY_ATTR {
    const auto from_mean = hn::Sub(hn::LoadU(d, dy + i), hn::LoadU(d, of.mean + i));
    const auto off = hn::Sub(from_mean, hn::Mul(hn::LoadU(d, unit + i), hn::LoadU(d, of.slope + i)));
    const auto g = hn::Mul(hn::LoadU(d, of.factor + i), off);
    hn::StoreU(add ? hn::Add(hn::LoadU(d, dx + i), g) : g, d, dx + i);
  });
}

// --- Depthwise convolution ---

constexpr std::size_t kMostTaps = 5;     // that go together: their weights, and what they see, stay in registers
constexpr std::size_t kRowsAtOnce = 64;  // with those that their taps see, they stay in the first-level cache

// The numbers of some columns: a whole vector, part of one, or a whole vector and what is said beside it.
template <class D>
struct Whole {
  using V = hn::Vec<D>;
  HWY_INLINE V zero() const { return hn::Zero(D()); }
  HWY_INLINE V load(const float* from) const { return hn::LoadU(D(), from); }
  HWY_INLINE void store(V v, float* to) const { hn::StoreU(v, D(), to); }
  static HWY_INLINE V multiply_add(V x, V y, V sum) { return hn::MulAdd(x, y, sum); }
};
template <class D>
struct Part {
  using V = hn::Vec<D>;
  hn::Mask<D> inside;
  HWY_INLINE V zero() const { return hn::Zero(D()); }
  HWY_INLINE V load(const float* from) const { return hn::MaskedLoad(inside, D(), from); }
  HWY_INLINE void store(V v, float* to) const { hn::BlendedStore(v, inside, D(), to); }
  static HWY_INLINE V multiply_add(V x, V y, V sum) { return hn::MulAdd(x, y, sum); }
};

template <class D, class Second>
struct Beside {
  struct V {
    hn::Vec<D> first, second;
  };
  Whole<D> first;
  Second second;
  HWY_INLINE V zero() const { return {first.zero(), second.zero()}; }
  HWY_INLINE V load(const float* from) const { return {first.load(from), second.load(from + hn::Lanes(D()))}; }
  HWY_INLINE void store(V v, float* to) const {
    first.store(v.first, to);
    second.store(v.second, to + hn::Lanes(D()));
  }
  static HWY_INLINE V multiply_add(V x, V y, V sum) {
    return {hn::MulAdd(x.first, y.first, sum.first), hn::MulAdd(x.second, y.second, sum.second)};
  }
};

// Calls body(lanes, first column) until all columns have had theirs.
template <class Body>
HWY_INLINE void for_lanes(std::size_t width, const Body& body) {
#if HWY_MAX_BYTES == 64  // AVX-512 loads and stores part of a vector as fast as all of it, and has registers for two
  using D = hn::ScalableTag<float>;
  constexpr std::size_t kLanes = HWY_LANES(float);
  std::size_t c = 0;
  for (; c + 2 * kLanes <= width; c += 2 * kLanes) body(Beside<D, Whole<D> >{}, c);
  const Part<D> part{hn::FirstN(D(), (width - c) % kLanes)};
  if (c + kLanes < width) return body(Beside<D, Part<D> >{{}, part}, c);
  if (c + kLanes == width) return body(Whole<D>{}, c);
  if (c < width) body(part, c);
#else
  for_columns(width, [&](auto d, std::size_t c) HWY_ATTR { body(Whole<decltype(d)>{}, c); });
#endif
}

// Calls visit(row t, what the taps k .. k + N - 1 see from there) for the rows begin .. end - 1, at the columns c of
// x [positions, width]: zeros outside. Rows that are a dilation apart follow each other, so that each is loaded once.
template <std::size_t N, class Lanes, class Visit>
HWY_INLINE void for_seen(const Depthwise& of, std::size_t k, const Lanes& lanes, const float* x, std::ptrdiff_t begin,
                         std::ptrdiff_t end, const Visit& visit) {
  const auto positions = static_cast<std::ptrdiff_t>(of.positions), width = static_cast<std::ptrdiff_t>(of.width),
             step = static_cast<std::ptrdiff_t>(of.dilation);
  const std::ptrdiff_t shift = (static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(of.kernel / 2)) * step;
  const auto row = [&](std::ptrdiff_t t)
                       HWY_ATTR { return t >= 0 && t < positions ? lanes.load(x + t * width) : lanes.zero(); };
  for (std::ptrdiff_t first = begin; first < std::min(begin + step, end); ++first) {
    typename Lanes::V seen[N];
    HWY_UNROLL(5)
    for (std::size_t n = 1; n < N; ++n) seen[n] = row(first + shift + static_cast<std::ptrdiff_t>(n - 1) * step);
    for (std::ptrdiff_t t = first; t < end; t += step) {
      HWY_UNROLL(5)
      for (std::size_t n = 0; n + 1 < N; ++n) seen[n] = seen[n + 1];
      seen[N - 1] = row(t + shift + static_cast<std::ptrdiff_t>(N - 1) * step);
      visit(t, seen);
    }
  }
}

template <std::size_t N>
void add_taps(const Depthwise& of, std::size_t k, const float* x, const float* weights, std::ptrdiff_t begin,
              std::ptrdiff_t end, bool add, float* y) {
  for_lanes(of.width, [&](auto lanes, std::size_t c) HWY_ATTR {
    using V = typename decltype(lanes)::V;
    V w[N];
    HWY_UNROLL(5)
    for (std::size_t n = 0; n < N; ++n) w[n] = lanes.load(weights + (k + n) * of.width + c);
    for_seen<N>(of, k, lanes, x + c, begin, end, [&](std::ptrdiff_t t, const V(&seen)[N]) HWY_ATTR {
      float* to = y + static_cast<std::size_t>(t) * of.width + c;
      V sum = add ? lanes.load(to) : lanes.zero();
      HWY_UNROLL(5)
      for (std::size_t n = 0; n < N; ++n) sum = lanes.multiply_add(seen[n], w[n], sum);
      lanes.store(sum, to);
    });
  });
}

template <std::size_t N>
void add_tap_gradients(const Depthwise& of, std::size_t k, const float* x, const float* dy, std::ptrdiff_t begin,
                       std::ptrdiff_t end, float* dweights) {
  for_lanes(of.width, [&](auto lanes, std::size_t c) HWY_ATTR {
    using V = typename decltype(lanes)::V;
    V w[N];
    HWY_UNROLL(5)
    for (std::size_t n = 0; n < N; ++n) w[n] = lanes.load(dweights + (k + n) * of.width + c);
    for_seen<N>(of, k, lanes, x + c, begin, end, [&](std::ptrdiff_t t, const V(&seen)[N]) HWY_ATTR {
      const V g = lanes.load(dy + static_cast<std::size_t>(t) * of.width + c);
      HWY_UNROLL(5)
      for (std::size_t n = 0; n < N; ++n) w[n] = lanes.multiply_add(g, seen[n], w[n]);
    });
    HWY_UNROLL(5)
    for (std::size_t n = 0; n < N; ++n) lanes.store(w[n], dweights + (k + n) * of.width + c);
  });
}

// Calls visit(integral_constant N, k, begin, end): some rows at a time, N taps from k on.
template <class Visit>
void for_taps(const Depthwise& of, const Visit& visit) {
  for (std::size_t first = 0; first < of.positions; first += kRowsAtOnce) {
    const auto begin = static_cast<std::ptrdiff_t>(first);
    const auto end = static_cast<std::ptrdiff_t>(std::min(first + kRowsAtOnce, of.positions));
    std::size_t k = 0;
    for (; k + kMostTaps <= of.kernel; k += kMostTaps) {
      visit(std::integral_constant<std::size_t, kMostTaps>(), k, begin, end);
    }
    for (; k < of.kernel; ++k) visit(std::integral_constant<std::size_t, 1>(), k, begin, end);
  }
}

void depthwise(const Depthwise& of, const float* x, const float* weights, bool add, float* y) {
  for_taps(of, [&](auto count, std::size_t k, std::ptrdiff_t begin, std::ptrdiff_t end) {
    add_taps<count()>(of, k, x, weights, begin, end, add || k > 0, y);
  });
}

void depthwise_weights(const Depthwise& of, const float* x, const float* dy, float* dweights) {
  for_taps(of, [&](auto count, std::size_t k, std::ptrdiff_t begin, std::ptrdiff_t end) {
    add_tap_gradients<count()>(of, k, x, dy, begin, end, dweights);
  });
}

}  // namespace faithful::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::engine {

HWY_EXPORT(add_rows);
void add_rows(const float* x, std::size_t rows, std::size_t columns, std::size_t stride, float* y) {
  return FAITHFUL_KERNEL(add_rows)(x, rows, columns, stride, y);
}

HWY_EXPORT(add_squares);
void add_squares(const float* x, const float* mean, std::size_t n, float* sums) {
  return FAITHFUL_KERNEL(add_squares)(x, mean, n, sums);
}

HWY_EXPORT(standardize);
void standardize(const Standardization<float>& of, const float* x, std::size_t n, float* unit, float* y) {
  return FAITHFUL_KERNEL(standardize)(of, x, n, unit, y);
}

HWY_EXPORT(add_slopes);
void add_slopes(const float* dy, const float* unit, std::size_t n, float* sums, float* slopes) {
  return FAITHFUL_KERNEL(add_slopes)(dy, unit, n, sums, slopes);
}

HWY_EXPORT(standardize_backward);
void standardize_backward(const StandardizationBackward<float>& of, const float* dy, const float* unit, std::size_t n,
                          bool add, float* dx) {
  return FAITHFUL_KERNEL(standardize_backward)(of, dy, unit, n, add, dx);
}

HWY_EXPORT(depthwise);
void depthwise(const Depthwise& of, const float* x, const float* weights, bool add, float* y) {
  return FAITHFUL_KERNEL(depthwise)(of, x, weights, add, y);
}

HWY_EXPORT(depthwise_weights);
void depthwise_weights(const Depthwise& of, const float* x, const float* dy, float* dweights) {
  return FAITHFUL_KERNEL(depthwise_weights)(of, x, dy, dweights);
}

}  // namespace faithful::engine
#endif
