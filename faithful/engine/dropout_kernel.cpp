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

// philox() of faithful/base/random.h, one call per lane; two vectors in step, so that one need not wait for its rounds.
constexpr std::size_t kInStep = 2;

HWY_INLINE void draw_words(const DropoutPlace& place, std::uint32_t first_call, Words (&words)[kInStep][4]) {
  const hn::ScalableTag<std::uint32_t> d;
  const Words multiplier0 = hn::Set(d, 0xD2511F53), multiplier1 = hn::Set(d, 0xCD9E8D57);
  HWY_UNROLL(2)
  for (std::size_t v = 0; v < kInStep; ++v) {
    words[v][0] = hn::Iota(d, first_call + static_cast<std::uint32_t>(v * HWY_LANES(float)));
    words[v][1] = hn::Set(d, place.operation);
    words[v][2] = hn::Set(d, place.sample);
    words[v][3] = hn::Set(d, place.step);
  }
  std::uint32_t key0 = place.key[0], key1 = place.key[1];
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
    HWY_UNROLL(2)
    for (std::size_t v = 0; v < kInStep; ++v) {
      Words(&w)[4] = words[v];
      const Words high0 = multiply_high(w[0], multiplier0), high1 = multiply_high(w[2], multiplier1);
      const Words low0 = hn::Mul(w[0], multiplier0), low1 = hn::Mul(w[2], multiplier1);
      w[0] = hn::Xor(hn::Xor(high1, w[1]), hn::Set(d, key0));
      w[2] = hn::Xor(hn::Xor(high0, w[3]), hn::Set(d, key1));
      w[1] = low1;
      w[3] = low0;
    }
  }
}

void dropout_factors(const DropoutPlace& place, std::size_t n, float keep, float* factors) {
  constexpr std::size_t kNumbers = 256, kCalls = kNumbers / 8, kCallsOfChunk = 16;  // a chunk has 128 numbers
  const hn::ScalableTag<std::uint32_t> d;
  const hn::ScalableTag<float> df;
  const Words half = hn::Set(d, 0xFFFF), dropped = hn::Set(d, place.dropped);
  float last[kNumbers];
  for (std::size_t first = 0; first < n; first += kNumbers) {
    float* to = n - first >= kNumbers ? factors + first : last;
    for (std::size_t j = 0; j < kCalls; j += kInStep * HWY_LANES(float)) {
      Words words[kInStep][4];
      draw_words(place, static_cast<std::uint32_t>(first / 8 + j), words);
      HWY_UNROLL(2)
      for (std::size_t v = 0; v < kInStep; ++v) {
        const std::size_t call = j + v * HWY_LANES(float);
        float* at = to + call / kCallsOfChunk * 128 + call % kCallsOfChunk;
        HWY_UNROLL(8)
        for (std::size_t e = 0; e < 8; ++e) {
          const Words bits = e % 2 == 0 ? hn::And(words[v][e / 2], half) : hn::ShiftRight<16>(words[v][e / 2]);
          const auto drop = hn::RebindMask(df, hn::Lt(bits, dropped));
          hn::StoreU(hn::IfThenZeroElse(drop, hn::Set(df, keep)), df, at + 16 * e);
        }
      }
    }
    if (to == last) std::copy_n(last, n - first, factors + first);
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
