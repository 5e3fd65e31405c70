#include "faithful/base/limits.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

Limits with_memory(Limits limits) {
  if (limits.input_bytes == 0) limits.input_bytes = usable_memory() / 2;
  if (limits.training_bytes == 0) limits.training_bytes = usable_memory();
  return limits;
}

Limits& current_limits() {
  static Limits limits = [] {
    const char* lifted = std::getenv("FAITHFUL_NO_LIMITS");
    const std::string_view text = lifted == nullptr ? "" : lifted;
    return text.empty() || text == "0" ? with_memory({}) : no_limits();
  }();
  return limits;
}

// The number in a file such as a container's memory.max; kAny where there is none.
std::size_t number_in(const char* path) {
  unsigned long long number = 0;
  FILE* file = std::fopen(path, "re");
  if (file == nullptr) return kAny;
  const bool found = std::fscanf(file, "%llu", &number) == 1;
  std::fclose(file);
  return found ? number : kAny;
}

}  // namespace

std::size_t usable_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  std::size_t memory = pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : kAny;
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    memory = std::min(memory, number_in(path));
  rlimit bound{};
  if (::getrlimit(RLIMIT_AS, &bound) == 0 && bound.rlim_cur != RLIM_INFINITY)
    memory = std::min<std::size_t>(memory, bound.rlim_cur);
  return memory;
}

const Limits& limits() {
  return current_limits();
}

void set_limits(const Limits& limits) {
  current_limits() = with_memory(limits);
}

Limits no_limits() {
  return {.inflated_freely = kAny,
          .inflation = kAny,
          .input_bytes = kAny,
          .config_bytes = kAny,
          .config_name = kAny,
          .period = kAny,
          .training_bytes = kAny,
          .devices = true};
}

std::size_t inflated_limit(std::size_t stored) {
  const Limits& all = limits();
  std::size_t inflated = 0;
  if (__builtin_mul_overflow(stored, all.inflation, &inflated)) inflated = kAny;
  return std::min(all.input_bytes, std::max(all.inflated_freely, inflated));
}

std::string limits_hint() {
  return fmt::format("if you trust it, lift the limits: {}, or FAITHFUL_NO_LIMITS=1", field_text("no_limits"));
}

}  // namespace faithful
