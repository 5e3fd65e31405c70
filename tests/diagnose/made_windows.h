#pragma once

#include <string>
#include <utility>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/window/split.h"
#include "faithful/window/windows.h"

namespace faithful::testing {

// Series of these lengths, of random numbers.
inline Dataset noise(std::size_t channels, const std::vector<std::size_t>& lengths) {
  Dataset dataset{.name = "noise", .channels = numbered_channels(channels)};
  Random random(3);
  for (const std::size_t length : lengths) {
    Series series{.name = std::to_string(dataset.series.size()), .values = Matrix<float>(length, channels)};
    for (float& value : series.values.values) value = static_cast<float>(random.normal());
    for (std::size_t t = 0; t < length; ++t) series.times.push_back(static_cast<std::int64_t>(t * t));
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

// Windows as they are, not scaled.
inline Windows cut(const Dataset& dataset, const WindowOptions& options) {
  const std::vector<float> zeros(dataset.channels.size(), 0.0F), ones(dataset.channels.size(), 1.0F);
  const Scaler scaler(ScalerRecord{ScalerKind::kNone, {zeros, ones}, {}});
  return std::move(cut_windows(Split::hold_out_all(dataset, options), scaler).test);
}

}  // namespace faithful::testing
