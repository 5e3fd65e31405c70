#include "faithful/window/seen_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace faithful {

namespace {

// [C]: 1 where every window has a value of the channel, else 0.
std::vector<float> always_read(const Windows& windows) {
  const Dataset& dataset = windows.dataset();
  std::vector<std::vector<Window>> of_series(dataset.series.size());
  for (std::size_t i = 0; i < windows.size(); ++i) of_series[windows[i].series].push_back(windows[i]);
  std::vector<float> always(dataset.channels.size(), 1);
  for (std::size_t n = 0; n < of_series.size(); ++n) {
    const Matrix<float>& values = dataset.series[n].values;
    std::vector<std::size_t> next(values.rows + 1, values.rows);  // [T + 1]: the next sample with a value
    for (std::size_t c = 0; c < always.size() && !of_series[n].empty(); ++c) {
      for (std::size_t t = values.rows; t-- > 0;) next[t] = std::isnan(values(t, c)) ? next[t + 1] : t;
      const auto is_silent = [&](const Window& one) { return next[one.begin] >= one.begin + one.length; };
      if (std::ranges::any_of(of_series[n], is_silent)) always[c] = 0;
    }
  }
  return always;
}

}  // namespace

SeenRange measure_seen(const TrainingPart& part, const Windows& windows) {
  const Dataset& dataset = part.dataset();
  const std::size_t channels = dataset.channels.size();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  SeenRange seen{std::vector<float>(channels, kInfinity), std::vector<float>(channels, -kInfinity),
                 always_read(windows)};
  for (const Piece& piece : part.pieces())
    for (std::size_t t = piece.begin; t < piece.end; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        const float value = dataset.series[piece.series].values(t, c);
        if (std::isnan(value)) continue;
        seen.low[c] = std::min(seen.low[c], value);
        seen.high[c] = std::max(seen.high[c], value);
      }
  for (std::size_t c = 0; c < channels; ++c)
    if (seen.low[c] > seen.high[c]) seen.low[c] = seen.high[c] = 0;
  return seen;
}

double distance_outside(const SeenRange& seen, std::size_t channel, float value) {
  const double low = seen.low[channel], high = seen.high[channel];
  if (std::isnan(value) || (value >= low && value <= high)) return 0;
  const double width = high > low ? high - low : std::clamp(1e-3 * std::fabs(high), 1e-3, 0.1);
  return (value < low ? low - value : value - high) / width;
}

}  // namespace faithful
