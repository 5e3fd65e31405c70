#include "faithful/data/time_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "faithful/base/progress.h"
#include "faithful/data/times.h"

namespace faithful {

StepSummary summarize_steps(const std::vector<const Series*>& series) {
  constexpr double kSecond = 1e9, kEven = 0.01;
  std::vector<std::uint64_t> steps;
  for (const Series* one : series)
    for (std::size_t t = 1; t < one->times.size(); ++t)
      steps.push_back(nanoseconds_between(one->times[t - 1], one->times[t]));
  StepSummary found;
  if (steps.empty()) return found;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  const auto usual = static_cast<double>(*middle);
  found.usual = usual / kSecond;
  const auto uneven = std::ranges::count_if(
      steps, [&](std::uint64_t step) { return std::abs(static_cast<double>(step) - usual) > kEven * usual; });
  found.uneven = static_cast<double>(uneven) / static_cast<double>(steps.size());
  for (const std::uint64_t step : steps) {
    if (usual == 0 || static_cast<double>(step) <= kGapSteps * usual) continue;
    ++found.gaps;
    found.longest_gap = std::max(found.longest_gap, static_cast<double>(step) / kSecond);
  }
  return found;
}

StepSummary summarize_steps(const Dataset& dataset) {
  std::vector<const Series*> series;
  for (const Series& one : dataset.series) series.push_back(&one);
  return summarize_steps(series);
}

std::string gaps_note(const Dataset& dataset) {
  const StepSummary steps = summarize_steps(dataset);
  if (steps.gaps == 0) return "";
  return fmt::format("the times have {} {}, the longest {}: windows reach across {}", steps.gaps,
                     steps.gaps == 1 ? "gap" : "gaps", duration_text(steps.longest_gap),
                     steps.gaps == 1 ? "it" : "them");
}

}  // namespace faithful
