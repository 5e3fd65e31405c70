#pragma once

// The model that predictions are measured with: that of DESIGN.md's step (38 channels, windows of 100, 2 layers), with
// the DFT encoding, as a file holds it.

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/model/infer.h"
#include "faithful/trained/model_file.h"

namespace faithful::bench {

inline TrainedModel step_model(std::size_t width) {
  ModelConfig config;
  config.input.channels = 38;
  config.input.length = 100;
  config.input.classes = 3;
  config.body.width = width;
  config.body.heads = width > 128 ? 8 : 4;
  config.position.own.set("period", width < config.input.length ? config.input.length : std::size_t{0});
  Classifier<float> classifier(config);
  classifier.initialize(1);
  TrainedModel model{.predictor = std::make_shared<Transformer>(std::move(classifier))};
  model.channels = numbered_channels(config.input.channels);
  model.classes = {"normal", "worn", "broken"};
  model.window = {.length = config.input.length, .stride = 1};
  model.shortest_window = config.input.length;
  model.scaler.common = {std::vector<float>(config.input.channels, 0.0F),
                         std::vector<float>(config.input.channels, 1.0F)};
  return model;
}

inline std::vector<float> random_values(std::size_t count) {
  Random random(1);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

}  // namespace faithful::bench
