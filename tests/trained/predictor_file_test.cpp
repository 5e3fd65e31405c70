// Models of every kind in their files: what comes back, and what is refused.

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/kernels/kernel_model.h"
#include "faithful/model/ensemble.h"
#include "faithful/model/infer.h"
#include "faithful/model/linear_model.h"
#include "tests/support.h"
#include "tests/trained/forged.h"
#include "tests/trained/small_models.h"

namespace faithful::testing {
namespace {

// A model of random convolutions around the same data as small_model.
TrainedModel model_of_kernels() {
  TrainedModel model = small_model(small_config("none"));
  const WindowShape shape = model.shape();
  KernelTable table{.channels = shape.channels, .length = shape.length};
  table.rocket.push_back({.places = {0, 4, 8}, .channels = {0}, .biases = {0.25F, -0.5F}});
  HydraGroup group{.differences = true, .channels = {0}};
  for (std::size_t i = 0; i < group.weights.size(); ++i) group.weights[i] = i % 3 == 0 ? 2.0F : -1.0F;
  table.hydra.push_back(group);
  KernelFeatures features(table);
  const std::size_t count = features.count(), outputs = shape.outputs();
  Matrix<float> weights(count, outputs);
  for (std::size_t i = 0; i < weights.values.size(); ++i) weights.values[i] = 0.01F * static_cast<float>(i);
  model.predictor = std::make_shared<KernelModel>(KernelModelParts{
      .features = features,
      .scale = {features.rocket_count(), std::vector<float>(count, 0.5F), std::vector<float>(count, 2)},
      .classes = shape.classes,
      .weights = weights,
      .offset = std::vector<float>(outputs, 0.125F),
      .penalty = 0.1,
      .temperature = 0.25});
  return model;
}

// The model as it comes back from its file, which must have the same bytes and give the same logits.
TrainedModel expect_comes_back(const TrainedModel& model) {
  const std::string bytes = model_bytes(model);
  TrainedModel again = parse_model(bytes, "model");
  EXPECT_EQ(model_bytes(again), bytes);
  const WindowShape shape = model.shape();
  const std::vector<float> values(shape.length * shape.channels, 0.75F);
  std::vector<float> before(shape.outputs()), after(shape.outputs());
  model.predictor->logits_into({.count = 1, .values = values}, before);
  again.predictor->logits_into({.count = 1, .values = values}, after);
  EXPECT_EQ(before, after);
  return again;
}

TEST(PredictorFile, ModelOfKernelsComesBackToTheSameBytes) {
  const TrainedModel model = model_of_kernels(), again = expect_comes_back(model);
  EXPECT_EQ(again.transformer(), nullptr);
  ASSERT_NE(again.kernels(), nullptr);
  EXPECT_EQ(again.kernels()->parts().features.table(), model.kernels()->parts().features.table());
  EXPECT_EQ(describe_model(again)["kernels"]["temperature"], Json(0.25));
  EXPECT_EQ(describe_model(again).find("config"), nullptr);
}

TEST(PredictorFile, ForgedModelsOfKernelsAreRejected) {
  const TrainedModel model = model_of_kernels();
  const auto with = [&](auto change) { return rejection([&] { parse_model(forged(model, change), "model"); }); };
  using Entries = std::vector<SafetensorsEntry>;
  EXPECT_TRUE(contains(with([](auto&, Entries& entries) {
                         std::erase_if(entries, [](const auto& entry) { return entry.name == "kernels.weights"; });
                       }),
                       "kernels.weights"));
  const std::vector<float> one = {1};
  EXPECT_TRUE(
      contains(with([&](auto&, Entries& entries) { entries.push_back(safetensors_entry<float>("more", {1}, one)); }),
               "expected arrays of a model of kernels, found \"more\""));
  const std::vector<std::int64_t> huge = {1, std::int64_t{1} << 62, 2};
  EXPECT_TRUE(contains(with([&](auto&, Entries& entries) {
                         std::erase_if(entries, [](const auto& entry) { return entry.name == "kernels.shape"; });
                         entries.push_back(safetensors_entry<std::int64_t>("kernels.shape", {3}, huge));
                       }),
                       "a shape that fits into memory"));
}

// The first files of the preset standard: their norm of the differences has a gain and an offset.
TEST(PredictorFile, AFormerGainOfDifferencesBecomesPartOfTheStatistics) {
  ModelConfig config = small_config("none");
  config.input.differences = 1;
  config.input.filters = 2, config.input.kernel = 3, config.input.branches = 2;
  const TrainedModel model = small_model(config);
  const std::vector<float> gain = {0.5F, 2, 1}, offset = {1, 0, -3}, negative = {1, -1, 1};
  const auto with = [&](const std::vector<float>& gains) {
    return forged(model, [&](SafetensorsMetadata&, std::vector<SafetensorsEntry>& entries) {
      entries.push_back(safetensors_entry<float>("differences.weight", {3}, gains));
      entries.push_back(safetensors_entry<float>("differences.bias", {3}, offset));
    });
  };
  const TrainedModel read = parse_model(with(gain), "model");
  const auto statistic = [](const TrainedModel& of, const char* name, std::size_t i) {
    const auto& parameters = parameters_of(of);
    return static_cast<double>(parameters.values()[parameters.find(name)->offset + i]);
  };
  for (std::size_t i = 0; i < 3; ++i)
    for (const double x : {-2.0, 0.3}) {
      const auto norm = [&](const TrainedModel& of) {
        return (x - statistic(of, "differences.mean", i)) / std::sqrt(statistic(of, "differences.variance", i) + 1e-5);
      };
      EXPECT_NEAR(norm(read), static_cast<double>(gain[i]) * norm(model) + static_cast<double>(offset[i]), 1e-5);
    }
  EXPECT_TRUE(contains(rejection([&] { parse_model(with(negative), "model"); }), "expected gains above 0, found -1"));
}

TrainedModel linear_model() {
  TrainedModel model = small_model(small_config("none"));
  const WindowShape shape = model.shape();
  LinearModelParts parts{.channels = shape.channels, .length = shape.length, .classes = shape.classes};
  parts.shift.assign(5 * shape.channels, 0.5F);
  parts.factor.assign(5 * shape.channels, 2);
  parts.weights = Matrix<float>(shape.outputs(), 5 * shape.channels + 1, 0.25F);
  model.predictor = std::make_shared<LinearModel>(parts);
  return model;
}

TrainedModel model_of_members() {
  TrainedModel model = small_model(small_config("none"));
  model.predictor = std::make_shared<Ensemble>(
      std::vector<EnsembleMember>{
          {model.predictor, 3}, {model_of_kernels().predictor, 2}, {linear_model().predictor, 1}},
      1.5);
  return model;
}

TEST(PredictorFile, LinearModelsAndEnsemblesComeBackToTheSameBytes) {
  for (const TrainedModel& model : {linear_model(), model_of_members()}) expect_comes_back(model);
}

TEST(PredictorFile, ForgedEnsemblesAreRejected) {
  const TrainedModel model = model_of_members();
  const auto with = [&](auto change) { return rejection([&] { parse_model(forged(model, change), "model"); }); };
  using Entries = std::vector<SafetensorsEntry>;
  const std::vector<float> one = {1};
  EXPECT_TRUE(contains(
      with([&](auto&, Entries& entries) { entries.push_back(safetensors_entry<float>("members.7.x", {1}, one)); }),
      "expected arrays of its members alone, found others"));
  EXPECT_TRUE(contains(
      with([&](auto&, Entries& entries) { entries.push_back(safetensors_entry<float>("members.2.x", {1}, one)); }),
      "expected arrays of a linear model, found \"x\""));
  const auto about = [&](const std::string& json) {
    return with([&](SafetensorsMetadata& metadata, auto&) { metadata["ensemble"] = json; });
  };
  EXPECT_TRUE(contains(about(R"({"temperature": 1, "members": []})"), "arrays of its members alone, found others"));
  EXPECT_TRUE(contains(about(R"({"temperature": 1, "members": [{"weight": 1}]})"), "the kind of member 0, found none"));
  EXPECT_TRUE(contains(about(R"({"temperature": 1, "members": [{"weight": 1, "ensemble": {}}]})"),
                       "the kind of member 0, found none"));
}

}  // namespace
}  // namespace faithful::testing
