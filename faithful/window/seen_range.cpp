#include "faithful/window/seen_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace faithful {

namespace {

// [C]: 1 where something was read of the channel in every window, else 0.
std::vector<float> always_read(const Windows& windows) {
  const Dataset& dataset = windows.dataset();
  std::vector<float> always(dataset.channels.size(), 1);
  for (std::size_t c = 0; c < always.size(); ++c)
    for (std::size_t i = 0; i < windows.size() && always[c] > 0; ++i) {
      const Window& one = windows[i];
      if (dataset.series[one.series].is_silent(c, {one.begin, one.begin + one.length})) always[c] = 0;
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
