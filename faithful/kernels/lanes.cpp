#include <algorithm>
#include <limits>

#include "faithful/engine/dispatch_internal.h"
#include "faithful/kernels/lanes_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "faithful/kernels/lanes.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace faithful::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using Vector = hn::Vec<Wide>;
constexpr std::size_t kLanes = HWY_LANES(float);

std::size_t lanes_here() {
  return kLanes;
}

// The samples of each lane that count: begin <= t < end.
struct Counting {
  float begin[kMostLanes], end[kMostLanes], length[kMostLanes];
  std::size_t first, last;  // of all lanes together, first <= t < last
};

Counting counting_of(const Lanes& lanes, bool differences, bool padded, std::size_t kernel_reach) {
  Counting all{{}, {}, {}, lanes.length, 0};
  for (std::size_t i = 0; i < kLanes; ++i) {
    const auto length = static_cast<std::size_t>(lanes.lengths[i]);
    const std::size_t end = length > 0 && differences ? length - 1 : length;
    const std::size_t cut = padded || end <= 2 * kernel_reach ? 0 : kernel_reach;
    all.begin[i] = static_cast<float>(cut);
    all.end[i] = static_cast<float>(end - cut);
    all.length[i] = static_cast<float>(end);
    all.first = std::min(all.first, cut);
    all.last = std::max(all.last, end - cut);
  }
  all.first = std::min(all.first, all.last);
  return all;
}

// Sample 0 of the sum of the channels, with zeros before and after.
const float* sum_of(const std::vector<std::uint32_t>& channels, bool differences, Lanes& lanes) {
  const Wide d;
  const std::vector<float>& from = differences ? lanes.changes : lanes.series;
  const std::size_t before = lanes.reach * kLanes, all = lanes.sum.size();
  if (channels.size() == 1) return from.data() + channels[0] * all + before;
  const float* first = from.data() + channels[0] * all;
  for (std::size_t at = before; at < all - before; at += kLanes) {
    Vector sum = hn::LoadU(d, first + at);
    for (std::size_t c = 1; c < channels.size(); ++c)
      sum = hn::Add(sum, hn::LoadU(d, from.data() + channels[c] * all + at));
    hn::StoreU(sum, d, lanes.sum.data() + at);
  }
  return lanes.sum.data() + before;
}

// The products of samples first .. last - 1; minus infinity where a sample does not count.
void products_into(const RocketKernel& kernel, const float* sum, const Counting& counting, float* out) {
  const Wide d;
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(kernel.dilation * kLanes);
  const auto [a, b, c] = kernel.places;
  const Vector begin = hn::LoadU(d, counting.begin), end = hn::LoadU(d, counting.end), three = hn::Set(d, 3.0F);
  const Vector none = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (std::size_t t = counting.first; t < counting.last; ++t) {
    const float* from = sum + t * kLanes - static_cast<std::ptrdiff_t>(kHalf) * step;
    const auto tap = [&](std::size_t i) { return hn::LoadU(d, from + static_cast<std::ptrdiff_t>(i) * step); };
    Vector all = tap(0);
    HWY_UNROLL(8)
    for (std::size_t i = 1; i < kTaps; ++i) all = hn::Add(all, tap(i));
    const Vector chosen = hn::Add(hn::Add(tap(a), tap(b)), tap(c));
    const Vector now = hn::Set(d, static_cast<float>(t));
    const auto counts = hn::And(hn::Ge(now, begin), hn::Lt(now, end));
    hn::StoreU(hn::IfThenElse(counts, hn::Sub(hn::Mul(three, chosen), all), none), d, out + t * kLanes);
  }
}

// The four features of kMany biases.
template <std::size_t kMany>
HWY_INLINE void pool_into(const float* product, const Counting& counting, const float* biases, float* out) {
  const Wide d;
  const Vector zero = hn::Zero(d), one = hn::Set(d, 1.0F);
  Vector bias[kMany], count[kMany], sum[kMany], place[kMany], run[kMany], longest[kMany];
  for (std::size_t i = 0; i < kMany; ++i) {
    bias[i] = hn::Set(d, biases[i]);
    count[i] = sum[i] = place[i] = run[i] = longest[i] = zero;
  }
  Vector now = hn::Set(d, static_cast<float>(counting.first));
  for (std::size_t t = counting.first; t < counting.last; ++t) {
    const Vector z = hn::LoadU(d, product + t * kLanes);
    HWY_UNROLL(2)
    for (std::size_t i = 0; i < kMany; ++i) {
      const Vector above = hn::Sub(z, bias[i]);
      const auto positive = hn::Gt(above, zero);
      count[i] = hn::Add(count[i], hn::IfThenElseZero(positive, one));
      sum[i] = hn::Add(sum[i], hn::Max(above, zero));
      place[i] = hn::Add(place[i], hn::IfThenElseZero(positive, now));
      run[i] = hn::IfThenElseZero(positive, hn::Add(run[i], one));
      longest[i] = hn::Max(longest[i], run[i]);
    }
    now = hn::Add(now, one);
  }
  const Vector samples = hn::Max(hn::Sub(hn::LoadU(d, counting.end), hn::LoadU(d, counting.begin)), one);
  const Vector length = hn::Max(hn::LoadU(d, counting.length), one);
  for (std::size_t i = 0; i < kMany; ++i, out += 4 * kLanes) {
    const auto some = hn::Gt(count[i], zero);
    const Vector found = hn::Max(count[i], one);
    hn::StoreU(hn::Div(count[i], samples), d, out);
    hn::StoreU(hn::Div(sum[i], found), d, out + kLanes);
    hn::StoreU(hn::IfThenElse(some, hn::Div(hn::Div(place[i], found), length), hn::Set(d, -1.0F)), d, out + 2 * kLanes);
    hn::StoreU(hn::Div(longest[i], samples), d, out + 3 * kLanes);
  }
}

float* rocket_into(const RocketKernel& kernel, Lanes& lanes, float* out) {
  const Counting counting = counting_of(lanes, kernel.differences, kernel.padded, kHalf * kernel.dilation);
  const float* sum = sum_of(kernel.channels, kernel.differences, lanes);
  products_into(kernel, sum, counting, lanes.product.data());
  const std::size_t count = kernel.biases.size();
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2, out += 8 * kLanes)
    pool_into<2>(lanes.product.data(), counting, kernel.biases.data() + i, out);
  for (; i < count; ++i, out += 4 * kLanes) pool_into<1>(lanes.product.data(), counting, kernel.biases.data() + i, out);
  return out;
}

// Adds to `gained` [8, N] of the first kernel whose product is `best`.
HWY_INLINE void award(const Vector (&products)[kCompeting], Vector best, Vector prize, float* gained) {
  const Wide d;
  HWY_UNROLL(8)
  for (std::size_t k = 0; k < kCompeting; ++k) {
    const auto wins = hn::Eq(products[k], best);
    hn::StoreU(hn::Add(hn::LoadU(d, gained + k * kLanes), hn::IfThenElseZero(wins, prize)), d, gained + k * kLanes);
    prize = hn::IfThenZeroElse(wins, prize);
  }
}

float* hydra_into(const HydraGroup& group, Lanes& lanes, float* out) {
  const Wide d;
  const Counting counting = counting_of(lanes, group.differences, true, 0);
  const float* sum = sum_of(group.channels, group.differences, lanes);
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(group.dilation * kLanes);
  const Vector zero = hn::Zero(d), one = hn::Set(d, 1.0F), end = hn::LoadU(d, counting.end);
  std::fill_n(out, 2 * kCompeting * kLanes, 0.0F);
  for (std::size_t t = counting.first; t < counting.last; ++t) {
    const float* from = sum + t * kLanes - static_cast<std::ptrdiff_t>(kHalf) * step;
    // Less the sample itself, which the weights of sum 0 allow: where nothing changes, products are 0 and not rounding.
    const Vector here = hn::LoadU(d, sum + t * kLanes);
    Vector taps[2 * kHalf], products[kCompeting];
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < 2 * kHalf; ++i) {
      const std::size_t place = i < kHalf ? i : i + 1;
      taps[i] = hn::Sub(hn::LoadU(d, from + static_cast<std::ptrdiff_t>(place) * step), here);
    }
    HWY_UNROLL(8)
    for (std::size_t k = 0; k < kCompeting; ++k) {
      const float* weights = group.weights.data() + k * kTaps;
      products[k] = hn::Mul(taps[0], hn::Set(d, weights[0]));
      HWY_UNROLL(7)
      for (std::size_t i = 1; i < 2 * kHalf; ++i)
        products[k] = hn::MulAdd(taps[i], hn::Set(d, weights[i < kHalf ? i : i + 1]), products[k]);
    }
    Vector most = products[0], least = products[0];
    HWY_UNROLL(7)
    for (std::size_t k = 1; k < kCompeting; ++k) {
      most = hn::Max(most, products[k]);
      least = hn::Min(least, products[k]);
    }
    const auto counts = hn::Lt(hn::Set(d, static_cast<float>(t)), end);
    award(products, most, hn::IfThenElseZero(counts, hn::Max(most, zero)), out);
    award(products, least, hn::IfThenElseZero(counts, one), out + kCompeting * kLanes);
  }
  const Vector factor =
      hn::Div(hn::Set(d, static_cast<float>(lanes.length)), hn::Max(hn::LoadU(d, counting.length), one));
  for (std::size_t i = 0; i < 2 * kCompeting; ++i, out += kLanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, out), factor), d, out);
  return out;
}

void features_here(const KernelTable& table, Lanes& lanes, float* out) {
  for (const RocketKernel& kernel : table.rocket) out = rocket_into(kernel, lanes, out);
  for (const HydraGroup& group : table.hydra) out = hydra_into(group, lanes, out);
}

}  // namespace faithful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::kernels {

HWY_EXPORT(lanes_here);
HWY_EXPORT(features_here);

std::size_t lane_count() {
  return FAITHFUL_KERNEL(lanes_here)();
}

void features_of_lanes(const KernelTable& table, Lanes& lanes, float* out) {
  FAITHFUL_KERNEL(features_here)(table, lanes, out);
}

}  // namespace faithful::kernels
#endif
