#pragma once

// Small models with weights as training starts them, and data for them.

#include <string>

#include "faithful/base/random.h"
#include "faithful/data/dataset.h"
#include "faithful/model/infer.h"
#include "faithful/trained/model_file.h"

namespace faithful::testing {

inline ModelConfig small_config(const std::string& encoding = "dft", std::size_t classes = 2) {
  ModelConfig config;
  config.input.channels = 3;
  config.input.length = 7;
  config.input.classes = classes;
  config.body.width = 8;
  config.body.heads = 2;
  config.body.layers = 1;
  config.body.feed_forward = 8;
  config.position.encoding = encoding;
  config.position.own.set("time_dim", 4);
  config.position.own.set("clip", 3);
  return config;
}

// The other form: two steps for each of three sensors, batch norms with their statistics, a table that decays.
inline ModelConfig small_dfstrans() {
  ModelConfig config = small_config();
  config.form = ModelForm::kDfstrans;
  config.input.length = 16;
  config.input.segment = 8;
  config.input.stages = 2;
  config.input.filters = 4;
  config.input.kernel = 3;
  config.head.hidden = 6;
  config.body.step_weights = true;
  config.position.scale = "decaying";
  return config;
}

inline Scale random_scale(std::size_t channels, Random& random) {
  Scale scale;
  for (std::size_t c = 0; c < channels; ++c) {
    scale.shift.push_back(static_cast<float>(random.normal()));
    scale.factor.push_back(static_cast<float>(0.5 + random.uniform()));
  }
  return scale;
}

inline const ModelConfig& config_of(const TrainedModel& model) {
  return model.transformer()->config();
}
inline const engine::Parameters<float>& parameters_of(const TrainedModel& model) {
  return model.transformer()->classifier().parameters();
}

inline TrainedModel small_model(const ModelConfig& config, std::uint64_t seed = 1) {
  Classifier<float> classifier(config);
  classifier.initialize(seed);
  Random random(seed, 7);
  for (float& weight : classifier.parameters().mutable_values())  // also what starts as zero
    weight += static_cast<float>(0.1 * random.normal());
  TrainedModel model{.predictor = std::make_shared<Transformer>(std::move(classifier))};
  const std::vector<std::string> names = {"pressure", "flow", "temperature", "current", "voltage"};
  for (std::size_t c = 0; c < config.input.channels; ++c) model.channels.push_back(names.at(c));
  model.classes = {"normal", "anomalous"};
  for (std::size_t k = 2; k < config.input.classes; ++k) model.classes.push_back("class " + std::to_string(k));
  model.window = {.length = config.input.length, .stride = 3, .label_rule = LabelRule::kMajority};
  model.shortest_window = config.input.length;
  model.scaler.common = random_scale(config.input.channels, random);
  model.scaler.by_series["pump 1"] = random_scale(config.input.channels, random);
  model.scaler.by_series["pump 2"] = random_scale(config.input.channels, random);
  model.scaler.scaling = Scaling::kSeries;
  model.threshold = 0.47;
  model.threshold_from = "best F1 on validation";
  model.record = Json::Object{{"seed", 1}, {"data", Json::Object{{"name", "pumps"}, {"series", 2}}}};
  return model;
}

// Series that walk at random, with times a second apart (some late) and a label now and then.
inline Dataset random_dataset(const std::vector<std::string>& channels, std::vector<std::size_t> lengths,
                              std::uint64_t seed = 3) {
  Dataset data;
  data.name = "pumps";
  data.source = "pumps.csv";
  data.channels = channels;
  data.classes = {"normal", "anomalous"};
  Random random(seed);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Series series{.name = "pump " + std::to_string(i + 1), .values = Matrix<float>(lengths[i], channels.size())};
    for (float& value : series.values.values) value = static_cast<float>(random.normal());
    std::int64_t time = 1'700'000'000'000'000'000;
    for (std::size_t t = 0; t < lengths[i]; ++t) {
      time += 1'000'000'000 + static_cast<std::int64_t>(random.below(3)) * 100'000'000;
      series.times.push_back(time);
      series.labels.push_back(random.below(4) == 0 ? 1 : 0);
    }
    data.series.push_back(std::move(series));
  }
  return data;
}

}  // namespace faithful::testing
