#include "faithful/trained/readings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

std::string to_string(PredictionStatus status) {
  switch (status) {
    case PredictionStatus::kOk:
      return "ok";
    case PredictionStatus::kOutOfRange:
      return "out_of_range";
    case PredictionStatus::kInvalid:
      return "invalid";
  }
  return {};
}

void take_further(const TrainedModel& model, std::span<const float> values, std::size_t sample,
                  FurthestReading& so_far) {
  const Scale& scale = model.scaler.common;
  for (std::size_t c = 0; c < values.size(); ++c) {
    double distance = 0;
    if (model.seen.known()) {
      distance = distance_outside(model.seen, c, values[c]);
    } else if (!std::isnan(values[c])) {
      const double scaled = std::fabs((static_cast<double>(values[c]) - scale.shift[c]) * scale.factor[c]);
      distance = kFarOutside * scaled / (1 + scaled);
    }
    if (distance > so_far.distance) so_far = {distance, sample, c, values[c]};
  }
}

PredictionCheck check_prediction(const TrainedModel& model, const FurthestReading& furthest,
                                 std::span<const std::uint8_t> is_read, std::span<const float> probabilities) {
  PredictionCheck check{.furthest = furthest, .nothing_read = std::ranges::count(is_read, 0) == std::ssize(is_read)};
  for (std::size_t c = 0; c < model.seen.always.size() && !check.silent; ++c)
    if (is_read[c] == 0 && model.seen.always[c] > 0) check.silent = c;
  const bool finite = std::ranges::all_of(probabilities, [](float p) { return std::isfinite(p); });
  if (!finite || check.nothing_read) {
    check.status = PredictionStatus::kInvalid;
  } else if (furthest.distance > kFarOutside || check.silent) {
    check.status = PredictionStatus::kOutOfRange;
  }
  return check;
}

PredictionCheck check_prediction(const TrainedModel& model, const Series& series, const Range& samples,
                                 std::span<const float> probabilities) {
  FurthestReading furthest;
  for (std::size_t t = samples.begin; t < samples.end; ++t) take_further(model, series.values.row(t), t, furthest);
  std::vector<std::uint8_t> is_read(model.channels.size());
  for (std::size_t c = 0; c < is_read.size(); ++c) is_read[c] = series.is_silent(c, samples) ? 0 : 1;
  return check_prediction(model, furthest, is_read, probabilities);
}

std::string reason_text(const TrainedModel& model, const PredictionCheck& check) {
  const FurthestReading& found = check.furthest;
  if (check.status == PredictionStatus::kOk) return {};
  if (!check.refused.empty()) return "the model does not take the times of the window: " + check.refused;
  if (check.nothing_read) return "nothing was read: all values are missing";
  if (check.silent && found.distance <= kFarOutside)
    return fmt::format("{} has no reading; in training every window had one", model.channels[*check.silent]);
  if (found.distance == 0) return "the score is not a finite number, though all readings are";
  std::string text = fmt::format("{} reads {} at sample {}", model.channels[found.channel], found.value, found.sample);
  if (model.seen.known())
    text += fmt::format("; training saw {} to {}", model.seen.low[found.channel], model.seen.high[found.channel]);
  return text;
}

void require_scores(const TrainedModel& model, const Windows& windows, const Matrix<float>& probabilities) {
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::span<const float> row = probabilities.row(i);
    if (std::ranges::all_of(row, [](float p) { return std::isfinite(p); })) continue;
    const Window& window = windows[i];
    const Series& series = windows.dataset().series[window.series];
    const PredictionCheck check = check_prediction(model, series, {window.begin, window.begin + window.length}, row);
    reject({{fmt::format("{}: series {}", windows.dataset().place(), quote(series.name))},
            "readings that the model can score",
            reason_text(model, check)});
  }
}

std::string far_readings_note(const TrainedModel& model, const Dataset& dataset) {
  if (!model.seen.known()) return {};
  std::size_t far = 0;
  PredictionCheck worst{.status = PredictionStatus::kOutOfRange};
  std::string worst_series;
  for (const Series& series : dataset.series)
    for (std::size_t t = 0; t < series.length(); ++t) {
      FurthestReading reading;
      take_further(model, series.values.row(t), t, reading);
      if (reading.distance <= kFarOutside) continue;
      ++far;
      if (reading.distance <= worst.furthest.distance) continue;
      worst.furthest = reading;
      worst_series = series.name;
    }
  if (far == 0) return {};
  return fmt::format(
      "{} of {} samples have readings far outside of what training has seen, so predictions there may mean little: "
      "series {}, {}",
      far, dataset.rows(), quote(worst_series), reason_text(model, worst));
}

}  // namespace faithful
