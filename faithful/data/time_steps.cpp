#include "faithful/data/time_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "faithful/base/progress.h"
#include "faithful/data/times.h"

namespace faithful {

namespace {

double in_seconds(double nanoseconds) {
  return nanoseconds / 1e9;
}

}  // namespace

void StepSummary::add_step(std::uint64_t nanoseconds) {
  const double seconds = in_seconds(static_cast<double>(nanoseconds));
  if (usual == 0 || seconds <= kGapSteps * usual) return;
  ++gaps;
  longest_gap = std::max(longest_gap, seconds);
}

StepSummary summarize_steps(const std::vector<const Series*>& series) {
  constexpr double kEven = 0.01;
  std::vector<std::uint64_t> steps;
  for (const Series* one : series)
    for (std::size_t t = 1; t < one->times.size(); ++t)
      steps.push_back(nanoseconds_between(one->times[t - 1], one->times[t]));
  StepSummary found;
  if (steps.empty()) return found;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  const auto usual = static_cast<double>(*middle);
  found.usual = in_seconds(usual);
  const auto uneven = std::ranges::count_if(
      steps, [&](std::uint64_t step) { return std::abs(static_cast<double>(step) - usual) > kEven * usual; });
  found.uneven = static_cast<double>(uneven) / static_cast<double>(steps.size());
  for (const std::uint64_t step : steps) found.add_step(step);
  return found;
}

StepSummary summarize_steps(const Dataset& dataset) {
  std::vector<const Series*> series;
  for (const Series& one : dataset.series) series.push_back(&one);
  return summarize_steps(series);
}

std::string gaps_note(const Dataset& dataset) {
  return gaps_note(summarize_steps(dataset));
}

std::string gaps_note(const StepSummary& steps) {
  if (steps.gaps == 0) return "";
  return fmt::format("the times have {} {}, the longest {}: windows reach across {}", steps.gaps,
                     steps.gaps == 1 ? "gap" : "gaps", duration_text(steps.longest_gap),
                     steps.gaps == 1 ? "it" : "them");
}

}  // namespace faithful
