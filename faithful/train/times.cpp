#include "faithful/train/times.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/data/times.h"

namespace faithful {

namespace {

std::string place_of(const Dataset& dataset) {
  return dataset.source.empty() ? dataset.name : dataset.source;
}

double median_step(const TrainingPart& part) {
  const Dataset& dataset = part.dataset();
  std::vector<std::uint64_t> steps;
  for (const Piece& piece : part.pieces()) {
    const std::vector<std::int64_t>& times = dataset.series[piece.series].times;
    for (std::size_t t = piece.begin + 1; t < piece.end; ++t)
      steps.push_back(nanoseconds_between(times[t - 1], times[t]));
  }
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  if (!steps.empty()) std::nth_element(steps.begin(), middle, steps.end());
  if (steps.empty() || *middle == 0)
    reject({{place_of(dataset)},
            "timestamps that go on, for positions that are times",
            "a median step of 0",
            field_text("positions", "index")});
  return static_cast<double>(*middle);
}

// In units of a step.
double longest_span(const Windows& windows, double step) {
  double longest = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::int64_t* times = windows.dataset().series[windows[i].series].times.data() + windows[i].begin;
    longest =
        std::max(longest, static_cast<double>(nanoseconds_between(times[0], times[windows[i].length - 1])) / step);
  }
  return longest;
}

}  // namespace

std::vector<std::string> settle_times(ModelConfig& config, const TrainingPart& part, const Windows& train) {
  const Dataset& dataset = part.dataset();
  for (const Series& series : dataset.series)
    if (series.times.empty())
      reject({{place_of(dataset)},
              "timestamps, for positions that are times",
              fmt::format("none in series {}", quote(series.name)),
              field_text("positions", "index")});
  config.position.time_step = median_step(part);
  std::vector<std::string> notes = {
      fmt::format("positions are times in units of the median step, {} s", config.position.time_step * 1e-9)};
  settle_position(config, longest_span(train, config.position.time_step), notes);
  return notes;
}

}  // namespace faithful
