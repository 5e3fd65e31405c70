#include "bench/fma_peak.h"

#include <cstddef>

#include "bench/clock.h"
#include "faithful/engine/dispatch_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_peak.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace faithful::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kChains = 12;  // enough to hide the latency of each, few enough for 16 registers

// Runs `count` multiply-adds on each of the chains; returns their floating-point operations.
double multiply_adds(std::size_t count, float* result) {
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> sums[kChains];
  HWY_UNROLL(12)
  for (std::size_t c = 0; c < kChains; ++c) sums[c] = hn::Set(d, static_cast<float>(c));
  const auto factor = hn::Set(d, 0.999F), term = hn::Set(d, 0.001F);
  for (std::size_t i = 0; i < count; ++i) {
    HWY_UNROLL(12)
    for (std::size_t c = 0; c < kChains; ++c) sums[c] = hn::MulAdd(sums[c], factor, term);
  }
  auto all = hn::Zero(d);
  HWY_UNROLL(12)
  for (std::size_t c = 0; c < kChains; ++c) all = hn::Add(all, sums[c]);
  *result = hn::GetLane(hn::SumOfLanes(d, all));
  return 2.0 * static_cast<double>(count * kChains * hn::Lanes(d));
}

}  // namespace faithful::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::bench {

HWY_EXPORT(multiply_adds);
double fma_peak(double turn) {
  engine::obey_instruction_set();
  constexpr std::size_t kCount = 100'000;
  float result = 0;
  double spent = 0, done = 0;
  while (spent < turn) spent += seconds([&] { done += HWY_DYNAMIC_DISPATCH(multiply_adds)(kCount, &result); });
  return result == result ? done / spent : 0;
}

}  // namespace faithful::bench
#endif
