#pragma once

// Series for the tests of this room.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/data/dataset.h"
#include "faithful/window/windows.h"

namespace faithful::testing {

// Waves of classes 0 .. classes - 1, faster from class to class, with noise.
inline Dataset waves(const std::vector<std::size_t>& lengths, std::size_t channels, std::size_t classes = 2,
                     double noise = 0.3) {
  Dataset dataset{.name = "waves", .channels = numbered_channels(channels)};
  for (std::size_t k = 0; k < classes; ++k) dataset.classes.push_back("class " + std::to_string(k));
  Random random(3);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Series series{.name = std::to_string(i), .part = DataPart::kTrain, .values = Matrix<float>(lengths[i], channels)};
    series.label = static_cast<std::int32_t>(i % classes);
    const double step = 0.3 + 0.4 * static_cast<double>(series.label), phase = random.uniform(0, 6);
    for (std::size_t t = 0; t < lengths[i]; ++t)
      for (std::size_t c = 0; c < channels; ++c)
        series.values(t, c) =
            static_cast<float>(std::sin(step * static_cast<double>(t + c) + phase) + noise * random.normal());
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

// All windows of a data set, unscaled; length 0: every series whole. The data set must outlive them.
inline Windows all_windows(const Dataset& dataset, WindowOptions window = {.length = 0}) {
  if (window.length == 0) {
    for (const Series& series : dataset.series) window.length = std::max(window.length, series.length());
    window.stride = window.length;
  }
  const std::size_t channels = dataset.channels.size();
  const Scaler scaler(
      {ScalerKind::kNone, {std::vector<float>(channels, 0.0F), std::vector<float>(channels, 1.0F)}, {}});
  return std::move(cut_windows(Split::hold_out_all(dataset, window), scaler).test);
}

}  // namespace faithful::testing
