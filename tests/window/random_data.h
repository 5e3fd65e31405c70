#pragma once

// Random timelines and settings for the property tests of this room.

#include <string>

#include "faithful/base/random.h"
#include "faithful/data/dataset.h"
#include "faithful/window/split.h"

namespace faithful::testing {

// A timeline with a few anomalous spans; a part of it stands still, so that windows repeat to the bit.
inline Series random_series(const std::string& name, std::size_t length, std::size_t channels, Random& random) {
  Series series;
  series.name = name;
  series.values = Matrix<float>(length, channels);
  series.labels.assign(length, 0);
  for (float& value : series.values.values) value = static_cast<float>(random.normal());
  const std::size_t still = random.below(length + 1), until = still + random.below(length - still + 1);
  for (std::size_t t = still; t < until; ++t)
    for (std::size_t c = 0; c < channels; ++c) series.values(t, c) = 0.5F;
  for (std::size_t spans = random.below(5); spans > 0; --spans) {
    const std::size_t begin = random.below(length), end = std::min(length, begin + 1 + random.below(1 + length / 8));
    std::fill(series.labels.begin() + static_cast<std::ptrdiff_t>(begin),
              series.labels.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
  }
  return series;
}

struct RandomCase {
  Dataset dataset;
  SplitOptions options;
};

inline RandomCase random_case(SplitKind kind, Random& random) {
  RandomCase made;
  SplitOptions& options = made.options;
  options.kind = kind;
  options.window.length = 1 + random.below(12);
  options.window.stride = 1 + random.below(options.window.length + 3);
  options.window.label_rule = static_cast<LabelRule>(random.below(3));
  options.seed = random.bits64();
  options.block_windows = 5 + random.below(3);
  Dataset& dataset = made.dataset;
  dataset.name = "random";
  dataset.channels = numbered_channels(1 + random.below(3));
  dataset.classes = {"normal", "anomalous"};
  const std::size_t count = 1 + random.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = options.window.length * (1 + random.below(60)) + random.below(options.window.length);
    dataset.series.push_back(random_series("series " + std::to_string(i), length, dataset.channels.size(), random));
  }
  if (count >= 2 && random.below(3) == 0) options.together = {{"series 0", "series 1"}};
  return made;
}

}  // namespace faithful::testing
