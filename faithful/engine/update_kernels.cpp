// What an update does to all weights: the sum of the shards' gradients, its square, and AdamW's step.

#include "faithful/engine/dispatch_internal.h"
#include "faithful/engine/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "faithful/engine/update_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace faithful::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(tag, i) for whole vectors, and then for halves, quarters, .. of one until all n elements have had theirs.
template <std::size_t kMost = HWY_LANES(float), class Body>
HWY_INLINE void for_each_weight(std::size_t n, const Body& body, std::size_t i = 0) {
  for (; i + kMost <= n; i += kMost) body(hn::CappedTag<float, kMost>(), i);
  if constexpr (kMost > 1) {
    if (i < n) for_each_weight<kMost / 2>(n, body, i);
  }
}

// Four sums in double, so that none waits for the one before; the numbers that are left join the first one by one.
double squared_sum(const float* const* gradients, std::size_t shards, std::size_t n) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  constexpr std::size_t kLanes = HWY_LANES(double), kSums = 4;
  hn::Vec<decltype(d)> sums[kSums];
  HWY_UNROLL(4)
  for (std::size_t k = 0; k < kSums; ++k) sums[k] = hn::Zero(d);
  std::size_t i = 0;
  for (; i + kSums * kLanes <= n; i += kSums * kLanes) {
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < kSums; ++k) {
      auto g = hn::LoadU(narrow, gradients[0] + i + k * kLanes);
      for (std::size_t s = 1; s < shards; ++s) g = hn::Add(g, hn::LoadU(narrow, gradients[s] + i + k * kLanes));
      const auto wide = hn::PromoteTo(d, g);
      sums[k] = hn::MulAdd(wide, wide, sums[k]);
    }
  }
  const auto all = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  double square = hn::GetLane(hn::SumOfLanes(d, all));
  for (; i < n; ++i) {
    float g = 0;
    for (std::size_t s = 0; s < shards; ++s) g += gradients[s][i];
    square += static_cast<double>(g) * static_cast<double>(g);
  }
  return square;
}

void adamw(const float* const* gradients, std::size_t shards, float factor, std::size_t n, const AdamWStep<float>& step,
           float* weights, float* first, float* second) {
  for_each_weight(n, [&](auto d, std::size_t i) HWY_ATTR {
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

HWY_EXPORT(squared_sum);
double squared_sum(const float* const* gradients, std::size_t shards, std::size_t n) {
  return FAITHFUL_KERNEL(squared_sum)(gradients, shards, n);
}

HWY_EXPORT(adamw);
void adamw(const float* const* gradients, std::size_t shards, float factor, std::size_t n, const AdamWStep<float>& step,
           float* weights, float* first, float* second) {
  return FAITHFUL_KERNEL(adamw)(gradients, shards, factor, n, step, weights, first, second);
}

}  // namespace faithful::engine
#endif
