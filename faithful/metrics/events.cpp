#include "faithful/metrics/events.h"

#include <algorithm>

#include "faithful/base/error.h"
#include "faithful/metrics/checks_internal.h"
#include "faithful/metrics/summary.h"

namespace faithful {

namespace {

struct Run {
  std::size_t begin, end;  // points begin .. end-1
};

// The maximal runs of equal values, one after another.
std::vector<Run> runs_of(std::span<const std::uint8_t> values) {
  std::vector<Run> runs;
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && values[end] == values[begin]) ++end;
    runs.push_back({begin, end});
    begin = end;
  }
  return runs;
}

// The first point of a run that is set; its end where none is.
std::size_t first_set(std::span<const std::uint8_t> values, const Run& run) {
  const auto begin = values.begin();
  return static_cast<std::size_t>(
      std::find(begin + static_cast<std::ptrdiff_t>(run.begin), begin + static_cast<std::ptrdiff_t>(run.end), 1) -
      begin);
}

void check_timeline(const Timeline& line) {
  metrics::check_same_size("flags", line.flags.size(), "truth", line.truth.size());
  metrics::check_flags("truth", line.truth);
  metrics::check_flags("flags", line.flags);
  if (line.times.empty()) return;
  metrics::check_same_size("times", line.times.size(), "truth", line.truth.size());
  metrics::check_finite("times", line.times);
  if (!std::is_sorted(line.times.begin(), line.times.end()))
    reject({{"times"}, "times that never decrease", "an earlier time after a later one"});
}

double time_between(const Timeline& line, std::size_t from, std::size_t to) {
  return line.times.empty() ? static_cast<double>(to - from) : line.times[to] - line.times[from];
}

}  // namespace

double EventScores::precision() const {
  return metrics::ratio(static_cast<double>(detected), static_cast<double>(detected + false_alarms));
}
double EventScores::recall() const {
  return metrics::ratio(static_cast<double>(detected), static_cast<double>(events));
}
double EventScores::f1() const {
  return metrics::ratio(2 * static_cast<double>(detected), static_cast<double>(detected + false_alarms + events));
}

std::optional<double> EventScores::mean_delay() const {
  if (delays.empty()) return std::nullopt;
  return summarize(delays).mean;
}

std::optional<double> EventScores::median_delay() const {
  if (delays.empty()) return std::nullopt;
  return quantile(delays, 0.5);
}

EventScores event_scores(std::span<const Timeline> timelines) {
  EventScores scores;
  for (const Timeline& line : timelines) {
    check_timeline(line);
    for (const Run& run : runs_of(line.truth)) {
      if (line.truth[run.begin] == 0) continue;
      ++scores.events;
      const std::size_t first = first_set(line.flags, run);
      if (first == run.end) continue;
      ++scores.detected;
      scores.delays.push_back(time_between(line, run.begin, first));
    }
    for (const Run& run : runs_of(line.flags)) {
      if (line.flags[run.begin] == 1 && first_set(line.truth, run) == run.end) ++scores.false_alarms;
    }
  }
  return scores;
}

std::vector<std::size_t> stretches(std::span<const Timeline> timelines) {
  std::vector<std::size_t> numbers;
  std::size_t number = 0;
  for (const Timeline& line : timelines) {
    check_timeline(line);
    for (const Run& run : runs_of(line.truth)) numbers.insert(numbers.end(), run.end - run.begin, number++);
  }
  return numbers;
}

Confusion point_adjusted_confusion(std::span<const Timeline> timelines) {
  Confusion sum;
  for (const Timeline& line : timelines) {
    check_timeline(line);
    std::vector<std::uint8_t> flags(line.flags.begin(), line.flags.end());
    for (const Run& run : runs_of(line.truth)) {
      if (line.truth[run.begin] == 0 || first_set(line.flags, run) == run.end) continue;
      std::fill(flags.begin() + static_cast<std::ptrdiff_t>(run.begin),
                flags.begin() + static_cast<std::ptrdiff_t>(run.end), std::uint8_t{1});
    }
    sum += confusion(line.truth, flags);
  }
  return sum;
}

}  // namespace faithful
