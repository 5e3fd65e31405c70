#include "faithful/evaluate/thresholds.h"

#include <algorithm>
#include <cassert>
#include <deque>

#include "faithful/data/time_steps.h"
#include "faithful/data/times.h"
#include "faithful/evaluate/scores.h"
#include "faithful/metrics/confusion.h"

namespace faithful {

namespace {

// From the first time to the last, in ns. A gap counts as a usual step.
double watched_nanoseconds(std::span<const std::int64_t> times) {
  std::vector<std::uint64_t> steps;
  for (std::size_t t = 1; t < times.size(); ++t) steps.push_back(nanoseconds_between(times[t - 1], times[t]));
  const UsualStep usual = usual_step(steps);
  double sum = 0;
  for (const std::uint64_t step : steps) {
    const auto length = static_cast<double>(step);
    sum += usual.is_gap(length) ? usual.tick : length;
  }
  return sum;
}

// What windows first .. last cover, in days; 0 where there are no times.
double days_of(const Windows& windows, const Range& stretch) {
  const Window &first = windows[stretch.begin], &last = windows[stretch.end - 1];
  const std::vector<std::int64_t>& times = windows.dataset().series[first.series].times;
  constexpr double kDay = 86'400e9;
  if (times.empty()) return 0;
  return watched_nanoseconds(std::span(times).subspan(first.begin, last.begin + last.length - first.begin)) / kDay;
}

bool has_times(const Windows& windows) {
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (windows.dataset().series[windows[i].series].times.empty()) return false;
  return true;
}

}  // namespace

ThresholdCurve threshold_curve(std::span<const ScoredWindows> parts) {
  std::deque<std::vector<std::uint8_t>> truths;  // that timelines point into
  std::vector<ScoredTimeline> timelines;
  double samples = 0, days = 0;
  bool timed = true;
  for (const auto& [windows, scores] : parts) {
    assert(scores.size() == windows->size());
    const std::vector<std::uint8_t>& truth = truths.emplace_back(flags_of(windows->labels()));
    timed = timed && has_times(*windows);
    for (const Range& stretch : stretches_of(*windows)) {
      const Window &first = (*windows)[stretch.begin], &last = (*windows)[stretch.end - 1];
      timelines.push_back({std::span(scores).subspan(stretch.begin, stretch.length()),
                           std::span(truth).subspan(stretch.begin, stretch.length())});
      samples += static_cast<double>(last.begin + last.length - first.begin);
      days += days_of(*windows, stretch);
    }
  }
  return threshold_curve(timelines, samples, timed ? days : 0);
}

}  // namespace faithful
