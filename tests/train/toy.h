#pragma once

// Small data sets that can be learned within seconds, and models to match.

#include <optional>
#include <string>
#include <utility>

#include "faithful/base/random.h"
#include "faithful/data/dataset.h"
#include "faithful/model/config.h"
#include "faithful/model/infer.h"
#include "faithful/train/fit_details.h"

namespace faithful::testing {

// Series of one class each: noise, with a bump in channel 0 whose place tells the class. The first two thirds of each
// class are its train part.
inline Dataset toy_cases(std::size_t classes, std::size_t per_class, std::size_t length = 16, std::uint64_t seed = 3,
                         bool unequal = false) {
  Dataset dataset;
  dataset.name = "toy";
  dataset.channels = {"a", "b"};
  Random random(seed);
  for (std::size_t k = 0; k < classes; ++k) dataset.classes.push_back("class " + std::to_string(k));
  for (std::size_t i = 0; i < classes * per_class; ++i) {
    const std::size_t k = i % classes;
    Series series;
    series.name = "case " + std::to_string(i);
    series.part = i / classes < per_class * 2 / 3 ? DataPart::kTrain : DataPart::kTest;
    series.label = static_cast<std::int32_t>(k);
    const std::size_t rows = unequal ? length - i % 4 : length;
    series.values = Matrix<float>(rows, 2);
    for (float& value : series.values.values) value = static_cast<float>(0.3 * random.normal());
    const std::size_t begin = k * (length - 4) / classes;
    for (std::size_t t = begin; t < begin + 4; ++t) series.values(t, 0) += 2;
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

// Timelines with anomalous spans, in which channel 1 is raised.
inline Dataset toy_timelines(std::size_t count = 3, std::size_t length = 1200, std::uint64_t seed = 4) {
  Dataset dataset;
  dataset.name = "toy";
  dataset.channels = {"a", "b"};
  dataset.classes = {"normal", "anomalous"};
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    Series series;
    series.name = "machine " + std::to_string(i);
    series.values = Matrix<float>(length, 2);
    for (float& value : series.values.values) value = static_cast<float>(random.normal());
    series.labels.assign(length, 0);
    for (std::size_t begin = 40 + 10 * i; begin + 20 < length; begin += 110)
      for (std::size_t t = begin; t < begin + 20; ++t) {
        series.labels[t] = 1;
        series.values(t, 1) += 4;
      }
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

inline FitOptions toy_options(SplitKind kind) {
  FitOptions options;
  options.model.body.width = 8;
  options.model.body.heads = 2;
  options.model.body.layers = 1;
  options.model.body.feed_forward = 16;
  options.split.kind = kind;
  options.split.window = {.length = 16, .stride = 8};
  options.train.epochs = 3;
  options.train.learning_rate = 1e-2;
  options.baseline.steps = 60;
  return options;
}

// The standard recipe, small: stem, augmentation, smoothing, steps that end within an epoch.
inline FitOptions toy_standard(SplitKind kind) {
  FitOptions options = toy_options(kind);
  options.model = preset("standard");
  options.model.body.width = 8;
  options.model.body.heads = 2;
  options.model.input.filters = 3;
  options.model.input.kernel = 3;
  options.train = train_preset("standard");
  options.train.steps = 17;
  options.train.batch = 8;
  return options;
}

// What a training needs, for tests of the loop itself.
struct Toy {
  explicit Toy(Dataset of, FitOptions with) : dataset(std::move(of)), options(std::move(with)) {
    const Split split(dataset, options.split);
    sets.emplace(cut_windows(split, fit_scaler(split.train())));
    config = options.model;
    config.input.channels = dataset.channels.size();
    config.input.length = split.window_length();
    config.input.classes = dataset.classes.size();
    settle(config);
  }
  Dataset dataset;
  FitOptions options;
  std::optional<WindowSets> sets;
  ModelConfig config;
};

inline std::vector<float> weights_of(const TrainedModel& model) {
  const auto values = model.transformer()->classifier().parameters().values();
  return {values.begin(), values.end()};
}

inline std::vector<float> weights_of(const Classifier<float>& model) {
  const auto values = model.parameters().values();
  return {values.begin(), values.end()};
}

}  // namespace faithful::testing
