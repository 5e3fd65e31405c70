#include "faithful/base/cpu.h"

#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>
#include <hwy/targets.h>

#include "faithful/base/cpu_internal.h"
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
                                    {"ssse3", HWY_SSSE3},
                                    {"neon", HWY_NEON},
                                    {"scalar", HWY_EMU128 | HWY_SCALAR}};

// What the machine has, read before anything is disabled.
std::int64_t machine_targets() {
  static const std::int64_t targets = hwy::SupportedTargets();
  return targets;
}

// Disables what is better than the one wanted.
std::string choose(const std::string& wanted) {
  const std::vector<std::string> names = instruction_sets();  // of the machine, before any is disabled
  std::int64_t better = 0;
  for (const auto& [name, targets] : kTargets) {
    if (wanted == name && (targets & machine_targets()) != 0) {
      hwy::DisableTargets(better);
      hwy::GetChosenTarget().DeInit();
      return name;
    }
    better |= targets;
  }
  reject({{"FAITHFUL_ISA"}, fmt::format("one of {}", fmt::join(names, ", ")), quote(wanted)});
}

std::string choose_first() {
  const char* wanted = std::getenv("FAITHFUL_ISA");
  return wanted == nullptr || *wanted == '\0' ? instruction_sets().front() : choose(wanted);
}

std::string& chosen_set() {
  static std::string chosen = choose_first();
  return chosen;
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
  return chosen_set();
}

void use_instruction_set(const std::string& name) {
  chosen_set() = choose(name);
}

}  // namespace faithful
