#include "faithful/window/seen_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace faithful {

SeenRange measure_seen(const TrainingPart& part) {
  const Dataset& dataset = part.dataset();
  const std::size_t channels = dataset.channels.size();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  SeenRange seen{std::vector<float>(channels, kInfinity), std::vector<float>(channels, -kInfinity),
                 std::vector<float>(channels, 1)};
  for (const Piece& piece : part.pieces())
    for (std::size_t t = piece.begin; t < piece.end; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        const float value = dataset.series[piece.series].values(t, c);
        if (std::isnan(value)) {
          seen.always[c] = 0;
          continue;
        }
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
  const double width = high > low ? high - low : std::max(1e-3, 1e-3 * std::fabs(high));
  return (value < low ? low - value : value - high) / width;
}

}  // namespace faithful
