#include "faithful/metrics/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "faithful/metrics/checks_internal.h"

namespace faithful {

Summary summarize(std::span<const double> values) {
  metrics::check_finite("values", values);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(values.size());
  if (values.empty()) return {0, kNone, kNone};
  // From the first value, so that equal values have exactly that mean and no deviation.
  double sum = 0, squares = 0;
  for (const double value : values) sum += value - values[0];
  const double mean = values[0] + sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {values.size(), mean, values.size() < 2 ? kNone : std::sqrt(squares / (count - 1))};
}

double quantile(std::span<const double> values, double share) {
  assert(share >= 0 && share <= 1);
  metrics::check_finite("values", values);
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

std::vector<double> ranks(std::span<const double> values) {
  metrics::check_finite("values", values);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> places(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) places[order[i]] = static_cast<double>(begin + 1 + end) / 2;
    begin = end;
  }
  return places;
}

}  // namespace faithful
