#pragma once

// The model that predictions are measured with: that of DESIGN.md's step (38 channels, windows of 100, 2 layers), with
// the DFT encoding, as a file holds it.

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/predict/model_file.h"

namespace faithful::bench {

inline TrainedModel step_model(std::size_t width) {
  ModelConfig config;
  config.channels = 38;
  config.length = 100;
  config.classes = 3;
  config.width = width;
  config.heads = width > 128 ? 8 : 4;
  config.period = width < config.length ? config.length : 0;
  TrainedModel model{.classifier = Classifier<float>(config)};
  model.classifier.initialize(1);
  model.channels = numbered_channels(config.channels);
  model.classes = {"normal", "worn", "broken"};
  model.window = {.length = config.length, .stride = 1};
  model.shortest_window = config.length;
  model.scaler.common = {std::vector<float>(config.channels, 0.0F), std::vector<float>(config.channels, 1.0F)};
  return model;
}

inline std::vector<float> random_values(std::size_t count) {
  Random random(1);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

}  // namespace faithful::bench
