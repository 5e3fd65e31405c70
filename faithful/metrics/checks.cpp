#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/checks_internal.h"

namespace faithful::metrics {

void check_same_size(const char* what, std::size_t size, const char* other, std::size_t other_size) {
  if (size == other_size) return;
  reject({{what}, fmt::format("as many as {} ({})", other, other_size), fmt::format("{}", size)});
}

void check_finite(const char* what, std::span<const double> values) {
  const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  if (bad == values.end()) return;
  reject({{what}, "finite numbers", fmt::format("{} at index {}", *bad, bad - values.begin())});
}

void check_flags(const char* what, std::span<const std::uint8_t> flags) {
  const auto bad = std::find_if(flags.begin(), flags.end(), [](std::uint8_t f) { return f > 1; });
  if (bad == flags.end()) return;
  reject({{what}, "0 or 1", fmt::format("{} at index {}", *bad, bad - flags.begin())});
}

void check_weights(std::span<const double> weights, std::size_t samples) {
  if (weights.empty()) return;
  check_same_size("weights", weights.size(), "samples", samples);
  const auto bad = std::find_if(weights.begin(), weights.end(), [](double w) { return !std::isfinite(w) || w < 0; });
  if (bad == weights.end()) return;
  reject({{"weights"}, "finite numbers from 0", fmt::format("{} at index {}", *bad, bad - weights.begin())});
}

void check_classes(const char* what, std::span<const std::int32_t> labels, std::size_t classes) {
  for (const std::int32_t label : labels) {
    if (label >= 0 && static_cast<std::size_t>(label) < classes) continue;
    reject({{what},
            fmt::format("classes from 0 to {}", static_cast<std::int64_t>(classes) - 1),
            fmt::format("{}", label)});
  }
}

void check_share(const char* what, double share) {
  if (!(share > 0 && share < 1)) reject({{what}, "a number between 0 and 1", fmt::format("{}", share)});
}

}  // namespace faithful::metrics
