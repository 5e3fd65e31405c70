#include "faithful/base/cpu.h"

#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>
#include <hwy/targets.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

struct NamedTarget {
  const char* name;
  std::int64_t targets;  // Highway's bits; a smaller bit is a better target
};

constexpr NamedTarget kTargets[] = {{"avx512", HWY_AVX3 | HWY_AVX3_DL},
                                    {"avx2", HWY_AVX2},
                                    {"sse4", HWY_SSE4},
                                    {"neon", HWY_NEON},
                                    {"scalar", HWY_EMU128 | HWY_SCALAR}};

// What the machine has, read before anything is disabled.
std::int64_t machine_targets() {
  static const std::int64_t targets = hwy::SupportedTargets();
  return targets;
}

std::string choose() {
  const std::vector<std::string> names = instruction_sets();
  const char* wanted = std::getenv("FAITHFUL_ISA");
  if (wanted == nullptr || *wanted == '\0') return names.front();
  std::int64_t better = 0;
  for (const auto& [name, targets] : kTargets) {
    if (std::string(wanted) == name && (targets & machine_targets()) != 0) {
      hwy::DisableTargets(better);
      hwy::GetChosenTarget().DeInit();
      return name;
    }
    better |= targets;
  }
  reject({{"FAITHFUL_ISA"}, fmt::format("one of {}", fmt::join(names, ", ")), quote(wanted)});
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const auto& [name, targets] : kTargets) {
    if ((targets & machine_targets()) != 0) names.emplace_back(name);
  }
  return names;
}

std::string instruction_set() {
  static const std::string chosen = choose();
  return chosen;
}

}  // namespace faithful
