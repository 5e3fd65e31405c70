// Kernels in which every column goes its own way: batch norm and depthwise convolution.

#include <algorithm>

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

constexpr std::size_t kTaps = 5;         // whose weights stay in registers
constexpr std::size_t kRowsAtOnce = 32;  // with those that their taps see, they stay in the first-level cache

// A tap sees row t + shift of x for row t of the result; the rows from first() to end() of the result have one to see.
struct Tap {
  std::ptrdiff_t shift, positions;
  std::ptrdiff_t first() const { return std::max<std::ptrdiff_t>(0, -shift); }
  std::ptrdiff_t end() const { return std::clamp<std::ptrdiff_t>(positions - shift, 0, positions); }
};
HWY_INLINE Tap tap_of(const Depthwise& of, std::size_t k) {
  const auto from_middle = static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(of.kernel / 2);
  return {from_middle * static_cast<std::ptrdiff_t>(of.dilation), static_cast<std::ptrdiff_t>(of.positions)};
}

// Cuts rows begin .. end - 1: five(k, ..) gets those that all of the taps k .. k + 4 see, one(k, ..) the others of each
// of these taps, and all rows of the taps that are left.
template <class Five, class One>
void visit_taps(const Depthwise& of, std::ptrdiff_t begin, std::ptrdiff_t end, const Five& five, const One& one) {
  std::size_t k = 0;
  for (; k + kTaps <= of.kernel; k += kTaps) {
    const std::ptrdiff_t inner = std::clamp(tap_of(of, k).first(), begin, end);
    const std::ptrdiff_t last = std::clamp(tap_of(of, k + kTaps - 1).end(), inner, end);
    five(k, inner, last);
    for (std::size_t each = k; each < k + kTaps; ++each) {
      one(each, begin, inner);
      one(each, last, end);
    }
  }
  for (; k < of.kernel; ++k) one(k, begin, end);
}

// Rows begin .. end - 1 of one sample, one tap after the other, added to y.
void add_tap(const Depthwise& of, std::size_t k, const float* x, const float* weights, std::ptrdiff_t begin,
             std::ptrdiff_t end, float* y) {
  const Tap tap = tap_of(of, k);
  const auto width = static_cast<std::ptrdiff_t>(of.width);
  for (std::ptrdiff_t t = std::max(begin, tap.first()); t < std::min(end, tap.end()); ++t) {
    const float* from = x + (t + tap.shift) * width;
    float* to = y + t * width;
    for_columns(of.width, [&](auto d, std::size_t c) HWY_ATTR {
      const auto weight = hn::LoadU(d, weights + k * of.width + c);
      hn::StoreU(hn::MulAdd(hn::LoadU(d, from + c), weight, hn::LoadU(d, to + c)), d, to + c);
    });
  }
}

// The same for kTaps taps from k on, of rows that all of them see.
void add_taps(const Depthwise& of, std::size_t k, const float* x, const float* weights, std::ptrdiff_t begin,
              std::ptrdiff_t end, float* y) {
  const auto width = static_cast<std::ptrdiff_t>(of.width), step = static_cast<std::ptrdiff_t>(of.dilation) * width;
  for_columns(of.width, [&](auto d, std::size_t c) HWY_ATTR {
    const float* w = weights + k * of.width + c;
    const auto w0 = hn::LoadU(d, w), w1 = hn::LoadU(d, w + of.width), w2 = hn::LoadU(d, w + 2 * of.width),
               w3 = hn::LoadU(d, w + 3 * of.width), w4 = hn::LoadU(d, w + 4 * of.width);
    const float* from = x + (begin + tap_of(of, k).shift) * width + c;
    float* to = y + begin * width + c;
    for (std::ptrdiff_t t = begin; t < end; ++t, from += width, to += width) {
      auto sum = hn::MulAdd(hn::LoadU(d, from), w0, hn::LoadU(d, to));
      sum = hn::MulAdd(hn::LoadU(d, from + step), w1, sum);
      sum = hn::MulAdd(hn::LoadU(d, from + 2 * step), w2, sum);
      sum = hn::MulAdd(hn::LoadU(d, from + 3 * step), w3, sum);
      sum = hn::MulAdd(hn::LoadU(d, from + 4 * step), w4, sum);
      hn::StoreU(sum, d, to);
    }
  });
}

void depthwise(const Depthwise& of, const float* x, const float* weights, bool add, float* y) {
  for (std::size_t first = 0; first < of.positions; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, of.positions - first);
    if (!add) std::fill_n(y + first * of.width, count * of.width, 0.0F);
    const auto begin = static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(count);
    visit_taps(
        of, begin, end,
        [&](std::size_t k, std::ptrdiff_t from, std::ptrdiff_t to) { add_taps(of, k, x, weights, from, to, y); },
        [&](std::size_t k, std::ptrdiff_t from, std::ptrdiff_t to) { add_tap(of, k, x, weights, from, to, y); });
  }
}

// dweights of one tap += the sum over rows begin .. end - 1 of dy times what the tap sees.
void add_tap_gradient(const Depthwise& of, std::size_t k, const float* x, const float* dy, std::ptrdiff_t begin,
                      std::ptrdiff_t end, float* dweights) {
  const Tap tap = tap_of(of, k);
  const auto width = static_cast<std::ptrdiff_t>(of.width);
  begin = std::max(begin, tap.first());
  end = std::min(end, tap.end());
  if (begin >= end) return;
  for_columns(of.width, [&](auto d, std::size_t c) HWY_ATTR {
    auto sum = hn::LoadU(d, dweights + k * of.width + c);
    for (std::ptrdiff_t t = begin; t < end; ++t) {
      sum = hn::MulAdd(hn::LoadU(d, dy + t * width + c), hn::LoadU(d, x + (t + tap.shift) * width + c), sum);
    }
    hn::StoreU(sum, d, dweights + k * of.width + c);
  });
}

void add_tap_gradients(const Depthwise& of, std::size_t k, const float* x, const float* dy, std::ptrdiff_t begin,
                       std::ptrdiff_t end, float* dweights) {
  const auto width = static_cast<std::ptrdiff_t>(of.width), step = static_cast<std::ptrdiff_t>(of.dilation) * width;
  for_columns(of.width, [&](auto d, std::size_t c) HWY_ATTR {
    float* w = dweights + k * of.width + c;
    auto w0 = hn::LoadU(d, w), w1 = hn::LoadU(d, w + of.width), w2 = hn::LoadU(d, w + 2 * of.width),
         w3 = hn::LoadU(d, w + 3 * of.width), w4 = hn::LoadU(d, w + 4 * of.width);
    const float* from = x + (begin + tap_of(of, k).shift) * width + c;
    const float* at = dy + begin * width + c;
    for (std::ptrdiff_t t = begin; t < end; ++t, from += width, at += width) {
      const auto g = hn::LoadU(d, at);
      w0 = hn::MulAdd(g, hn::LoadU(d, from), w0);
      w1 = hn::MulAdd(g, hn::LoadU(d, from + step), w1);
      w2 = hn::MulAdd(g, hn::LoadU(d, from + 2 * step), w2);
      w3 = hn::MulAdd(g, hn::LoadU(d, from + 3 * step), w3);
      w4 = hn::MulAdd(g, hn::LoadU(d, from + 4 * step), w4);
    }
    hn::StoreU(w0, d, w);
    hn::StoreU(w1, d, w + of.width);
    hn::StoreU(w2, d, w + 2 * of.width);
    hn::StoreU(w3, d, w + 3 * of.width);
    hn::StoreU(w4, d, w + 4 * of.width);
  });
}

void depthwise_weights(const Depthwise& of, const float* x, const float* dy, float* dweights) {
  for (std::size_t first = 0; first < of.positions; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, of.positions - first);
    const auto begin = static_cast<std::ptrdiff_t>(first), end = begin + static_cast<std::ptrdiff_t>(count);
    visit_taps(
        of, begin, end,
        [&](std::size_t k, std::ptrdiff_t from, std::ptrdiff_t to) {
          add_tap_gradients(of, k, x, dy, from, to, dweights);
        },
        [&](std::size_t k, std::ptrdiff_t from, std::ptrdiff_t to) {
          add_tap_gradient(of, k, x, dy, from, to, dweights);
        });
  }
}

}  // namespace faithful::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::engine {

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
