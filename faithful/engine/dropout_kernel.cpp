#include <algorithm>

#include "faithful/engine/dispatch_internal.h"
#include "faithful/engine/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "faithful/engine/dropout_kernel.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace faithful::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
  const hn::ScalableTag<float> df;
  const Words multiplier0 = hn::Set(d, 0xD2511F53), multiplier1 = hn::Set(d, 0xCD9E8D57);
  const Words half = hn::Set(d, 0xFFFF), dropped = hn::Set(d, place.dropped);
  alignas(64) float chunk[128];
  for (std::size_t first = 0; first < n; first += 128) {
    for (std::size_t j = 0; j < 16; j += HWY_LANES(float)) {
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

}  // namespace faithful::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::engine {

HWY_EXPORT(dropout_factors);
void dropout_factors(const DropoutPlace& place, std::size_t n, float keep, float* factors) {
  return FAITHFUL_KERNEL(dropout_factors)(place, n, keep, factors);
}

}  // namespace faithful::engine
#endif
