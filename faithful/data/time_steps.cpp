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

bool UsualStep::differs(double step) const {
  constexpr double kEven = 0.01;
  return (step > 0 || tick == sample) && std::abs(step - tick) > kEven * tick;
}

UsualStep usual_step(std::vector<std::uint64_t> steps) {
  if (steps.empty()) return {};
  const auto median = [](const auto begin, const auto end) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    return static_cast<double>(*middle);
  };
  const double all = median(steps.begin(), steps.end());
  if (all > 0) return {all, all};
  const auto moving = std::partition(steps.begin(), steps.end(), [](std::uint64_t step) { return step == 0; });
  if (moving == steps.end()) return {};
  // Of n + 1 samples with m + 1 different times, m of the n steps move.
  const double share = static_cast<double>(steps.end() - moving + 1) / static_cast<double>(steps.size() + 1);
  const double tick = median(moving, steps.end());
  return {share * tick, tick};
}

void StepSummary::add_step(std::uint64_t nanoseconds) {
  constexpr double kAlike = 4.0 / 3;
  const double seconds = in_seconds(static_cast<double>(nanoseconds));
  ++steps;
  if (!usual.is_gap(seconds)) {
    const bool alike = seconds * kAlike >= usual.tick && seconds <= kAlike * usual.tick;
    changed += alike || usual.tick != usual.sample ? 0 : 1;  // of a coarse clock, single steps say nothing
    return;
  }
  ++gaps;
  longest_gap = std::max(longest_gap, seconds);
}

StepSummary summarize_steps(const std::vector<const Series*>& series) {
  std::vector<std::uint64_t> steps;
  for (const Series* one : series)
    for (std::size_t t = 1; t < one->times.size(); ++t)
      steps.push_back(nanoseconds_between(one->times[t - 1], one->times[t]));
  if (steps.empty()) return {};
  const UsualStep usual = usual_step(steps);
  StepSummary found{.usual = {in_seconds(usual.sample), in_seconds(usual.tick)}};
  const auto uneven =
      std::ranges::count_if(steps, [&](std::uint64_t step) { return usual.differs(static_cast<double>(step)); });
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
  constexpr double kMany = 0.1;
  const double changed = steps.steps == 0 ? 0 : static_cast<double>(steps.changed) / static_cast<double>(steps.steps);
  if (steps.gaps == 0 && changed > kMany)
    return fmt::format(
        "{:.0f} % of the steps in time differ from the usual {:.3g} s by more than a third: windows cover "
        "different times",
        100 * changed, steps.usual.sample);
  if (steps.gaps == 0) return "";
  return fmt::format("the times have {} {}, the longest {}: windows reach across {}", steps.gaps,
                     steps.gaps == 1 ? "gap" : "gaps", duration_text(steps.longest_gap),
                     steps.gaps == 1 ? "it" : "them");
}

}  // namespace faithful
