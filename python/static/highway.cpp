// The part of Highway that is not in its headers: which instruction sets this machine has. Debian has it as a shared
// library only, and a wheel brings all it needs. A test compares the answer with that of the program, which asks
// libhwy.

#include <atomic>

#include <hwy/targets.h>

namespace hwy {

namespace {

std::atomic<std::int64_t> disabled{0};

#if HWY_ARCH_X86
// What each set stands for is in Highway's documentation; the compiler's run time also asks whether the system keeps
// the wide registers.
std::int64_t machine_targets() {
  const auto all = [](auto... has) { return (... && (has != 0)); };
#define HAS(feature) __builtin_cpu_supports(feature)
  std::int64_t targets = 0;
  if (!all(HAS("ssse3"))) return targets;
  targets |= HWY_SSSE3;
  if (!all(HAS("sse4.1"), HAS("sse4.2"), HAS("pclmul"), HAS("aes"))) return targets;
  targets |= HWY_SSE4;
  if (!all(HAS("avx"), HAS("avx2"), HAS("fma"), HAS("f16c"), HAS("bmi"), HAS("bmi2"), HAS("lzcnt"))) return targets;
  targets |= HWY_AVX2;
  if (!all(HAS("avx512f"), HAS("avx512vl"), HAS("avx512dq"), HAS("avx512bw"))) return targets;
  targets |= HWY_AVX3;
  if (all(HAS("avx512vnni"), HAS("avx512vbmi"), HAS("avx512vbmi2"), HAS("avx512vpopcntdq"), HAS("avx512bitalg"),
          HAS("vpclmulqdq"), HAS("vaes"), HAS("gfni")))
    targets |= HWY_AVX3_DL;
#undef HAS
  return targets;
}
#else
std::int64_t machine_targets() {
  return HWY_ENABLED_BASELINE;
}
#endif

}  // namespace

std::int64_t SupportedTargets() {
  static const std::int64_t machine = machine_targets() | HWY_EMU128 | HWY_SCALAR;
  const std::int64_t left = machine & ~disabled.load();
  return left != 0 ? left : HWY_STATIC_TARGET;
}

void DisableTargets(std::int64_t targets) {
  disabled = targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
