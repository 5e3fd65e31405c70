#include "faithful/diagnose/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/diagnose/alarms.h"
#include "faithful/diagnose/diagnoser.h"
#include "faithful/diagnose/normal.h"
#include "faithful/model/infer.h"
#include "tests/diagnose/made_windows.h"
#include "tests/model/tiny.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::cut;
using testing::noise;
using testing::tiny;
using testing::tiny_dfstrans;

TEST(Alarms, OverlappingWindowsAreOne) {
  const Dataset dataset = noise(1, {40, 40});
  const Windows windows = cut(dataset, {.length = 8, .stride = 4});  // 9 windows each
  ASSERT_EQ(windows.size(), 18U);
  std::vector<double> scores(18, 0.1);
  for (const std::size_t i : {1U, 2U, 3U, 4U, 8U, 9U, 17U}) scores[i] = 0.6;
  scores[2] = 0.9;
  const std::vector<Alarm> found = find_alarms(windows, scores, 0.5);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].span, (Range{4, 24}));
  EXPECT_EQ(found[0].flagged, 4U);
  EXPECT_EQ(found[0].score, 0.9);
  EXPECT_EQ(found[0].windows, (std::vector<std::uint32_t>{2, 4}));  // 1 and 3 overlap the surest
  EXPECT_EQ(found[1].span, (Range{32, 40}));                        // the next series is another timeline
  EXPECT_EQ(found[2].series, 1U);
  EXPECT_EQ(found[2].span, (Range{0, 8}));
  EXPECT_EQ(find_alarms(windows, scores, 0.5, 1)[0].windows, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(find_alarms(windows, scores, 0.9).size(), 1U);  // at least
  EXPECT_TRUE(find_alarms(windows, scores, 0.95).empty());
}

TEST(Alarms, WindowsThatTouchAreOne) {
  const Dataset dataset = noise(1, {30});
  const Windows windows = cut(dataset, {.length = 5, .stride = 5});
  const std::vector<Alarm> found = find_alarms(windows, std::vector<double>{1, 1, 0, 1, 0, 0}, 0.5);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].span, (Range{0, 10}));
  EXPECT_EQ(found[0].windows.size(), 2U);
}

TEST(NormalOf, MeanAndDeviationByHand) {
  Dataset dataset{.name = "made", .channels = {"a", "b"}};
  dataset.series.push_back({.name = "0", .values = Matrix<float>(2, 2, {1, 5, 3, 5})});
  dataset.series.push_back({.name = "1", .values = Matrix<float>(2, 2, {3, 5, 7, 5})});
  const Windows windows = cut(dataset, {.length = 2, .stride = 2});
  ThreadPool pool(2);
  const std::vector<std::uint32_t> both = {0, 1}, one = {1};
  const Normal aligned = fit_normal(windows, both, true, pool);
  EXPECT_EQ(aligned.mean.values, (std::vector<float>{2, 5, 5, 5}));
  EXPECT_FLOAT_EQ(aligned.deviation(0, 0), 1);
  EXPECT_FLOAT_EQ(aligned.deviation(1, 0), 2);
  EXPECT_FLOAT_EQ(aligned.deviation(1, 1), 1e-3F);  // never moves
  const Normal together = fit_normal(windows, both, false, pool);
  EXPECT_EQ(together.mean.values, (std::vector<float>{3.5, 5}));
  EXPECT_FLOAT_EQ(together.deviation(0, 0), std::sqrt(4.75F));  // 1 3 3 7
  // of one window alone each place has no deviation: a tenth of the channel's stands in
  EXPECT_FLOAT_EQ(fit_normal(windows, one, true, pool).deviation(0, 0), 0.2F);
  std::vector<double> z(4);
  deviations_into(aligned, std::vector<float>{4, 5, 1, 5}, z);
  EXPECT_EQ(z, (std::vector<double>{2, 0, 2, 0}));
}

TEST(NormalOf, PaddingDoesNotCount) {
  Dataset dataset{.name = "made", .channels = {"a"}};
  dataset.series.push_back({.name = "0", .values = Matrix<float>(1, 1, 4.0F)});
  dataset.series.push_back({.name = "1", .values = Matrix<float>(3, 1, {2, 8, 8})});
  const Windows windows = cut(dataset, {.length = 0, .stride = 3});
  ThreadPool pool(1);
  const std::vector<std::uint32_t> both = {0, 1}, shorter = {0};
  EXPECT_EQ(fit_normal(windows, both, true, pool).mean.values, (std::vector<float>{3, 8, 8}));
  EXPECT_EQ(fit_normal(windows, both, false, pool).mean.values, (std::vector<float>{5.5}));
  EXPECT_EQ(fit_normal(windows, shorter, true, pool).mean.values, (std::vector<float>{4, 4, 4}));
}

TEST(NormalOf, AScalerKnowsItsMiddle) {
  EXPECT_EQ(scaler_normal(ScalerKind::kStandard, 3).mean.values, std::vector<float>(3, 0.0F));
  EXPECT_EQ(scaler_normal(ScalerKind::kMinMax, 2).mean.values, std::vector<float>(2, 0.5F));
}

struct Case {
  ModelConfig config;
  bool whole = false;  // series shorter than the model's length, to be padded
};

std::vector<Case> cases() {
  ModelConfig encoder = tiny("dft"), token = tiny("sinusoidal", Pooling::kToken), bare = tiny("rope"),
              segments = tiny("none");
  ModelConfig dfstrans = tiny_dfstrans("dft"), times = tiny("sinusoidal");
  bare.body.block = LayerBlock::kBare;
  times.position.source = PositionSource::kTime;
  times.position.time_step = 10;
  segments.input.length = 11;
  segments.input.segment = 3;
  for (ModelConfig* config : {&encoder, &token, &segments, &dfstrans, &times}) config->input.classes = 2;
  return {{encoder}, {token}, {bare}, {segments}, {dfstrans}, {times}, {dfstrans, true}, {segments, true}};
}

// Everything about an alarm of a made model.
Diagnosis diagnose_made(const Case& of, std::size_t threads, const Dataset& dataset, std::size_t class_number = 1) {
  Classifier<float> classifier(of.config);
  classifier.initialize(4);
  const std::size_t length = of.config.input.length;
  const Windows windows = cut(dataset, {.length = of.whole ? 0 : length, .stride = length});
  ThreadPool pool(threads);
  const Normal normal{Matrix<float>(1, 3, 0.1F), Matrix<float>(1, 3, 1.0F), "made"};
  const Transformer model = Transformer::view_of(classifier);
  Diagnoser diagnoser(model, normal, {.class_number = class_number, .occlusion = {.batch = 3}}, pool);
  const std::vector<Alarm> alarms = find_alarms(windows, std::vector<double>(windows.size(), 1.0), 0.5);
  return diagnoser.diagnose(windows, alarms[0]);
}

Dataset data_for(const Case& of) {
  const std::size_t length = of.config.input.length;
  return of.whole ? noise(3, {length - 4, length}) : noise(3, {2 * length + 1});
}

TEST(Diagnoser, EveryMethodAnswersForEveryForm) {
  for (const Case& of : cases()) {
    SCOPED_TRACE(to_text(of.config));
    const Dataset dataset = data_for(of);
    const Diagnosis found = diagnose_made(of, 2, dataset);
    ASSERT_EQ(found.methods.size(), 3U);
    ASSERT_FALSE(found.pieces.empty());
    EXPECT_EQ(found.pieces.back().end - found.pieces.front().begin,
              of.whole ? of.config.input.length - 4 : 2 * of.config.input.length);
    for (const MethodAnswer& method : found.methods) {
      EXPECT_EQ(method.times.size(), found.pieces.size()) << method.method;
      const bool is_blind = method.method == "attention" && !of.config.is_dfstrans();
      EXPECT_EQ(method.sensors.size(), is_blind ? 0U : 3U) << method.method;
      for (const double weight : method.times) EXPECT_TRUE(std::isfinite(weight));
      for (const double weight : method.sensors) EXPECT_TRUE(std::isfinite(weight));
    }
    const std::vector<double>& attention = found.methods[0].times;
    EXPECT_NEAR(std::accumulate(attention.begin(), attention.end(), 0.0), of.whole ? 1 : 2, 1e-5);  // windows
    EXPECT_EQ(found.details.spatial.rows, of.config.is_dfstrans() ? 3U : 0U);
    EXPECT_EQ(found.details.temporal_heads.size(), of.config.body.heads);
    const MethodAnswer together = combined(std::span(found.methods).first(2), found.pieces, 3);  // without relations
    EXPECT_EQ(found.together.sensors, together.sensors);
    EXPECT_EQ(found.together.times, together.times);
    EXPECT_EQ(agreements(found).size(), 3U);
    EXPECT_EQ(agreements(found)[2].sensors.has_value(), true);
  }
}

// With relations, the disagreement of the sensors is a fourth method, and counts in what is said together.
TEST(Diagnoser, SensorsThatDisagreeCount) {
  const Case of{cases()[0].config};
  const Dataset dataset = data_for(of);
  const std::size_t length = of.config.input.length;
  const Windows windows = cut(dataset, {.length = length, .stride = length});
  Classifier<float> classifier(of.config);
  classifier.initialize(4);
  ThreadPool pool(2);
  const std::vector<std::uint32_t> numbers = {0, 1};
  const Transformer model = Transformer::view_of(classifier);
  Diagnoser diagnoser(model, fit_normal(windows, numbers, false, pool), {}, pool);
  const std::vector<Alarm> alarms = find_alarms(windows, std::vector<double>(windows.size(), 1.0), 0.5);
  const Diagnosis found = diagnoser.diagnose(windows, alarms[0]);
  ASSERT_EQ(found.methods.size(), 4U);
  EXPECT_EQ(found.methods[3].method, "disagreement");
  // Over the windows they were fitted on, the mean square of each sensor is 1.
  for (const double weight : found.methods[3].sensors) EXPECT_NEAR(weight, 1, 1e-4);
  const std::vector<double>& times = found.methods[3].times;
  EXPECT_NEAR(std::accumulate(times.begin(), times.end(), 0.0), static_cast<double>(3 * 2 * length), 1e-2);
  const std::vector<MethodAnswer> where = {found.methods[0], found.methods[3]};
  EXPECT_EQ(found.together.sensors, combined(where, found.pieces, 3).sensors);
  EXPECT_EQ(found.together.times, combined(found.methods, found.pieces, 3).times);
}

// Maps grow with the square of the steps: 2 layers, 2 heads and 12,000 steps would take gigabytes.
TEST(Diagnoser, RefusesMapsThatDoNotFit) {
  ModelConfig config = tiny("none");
  config.input.length = 12000;
  const Classifier<float> classifier(config);
  ThreadPool pool(1);
  const Normal normal{Matrix<float>(1, 3, 0.1F), Matrix<float>(1, 3, 1.0F), "made"};
  EXPECT_EQ(
      testing::rejection([&] { Diagnoser(Transformer::view_of(classifier), normal, {}, pool); }),
      "model: expected attention maps of at most 134217728 values a window, found 576000000, of 12000 steps (train "
      "it with more samples a step: segment)");
}

TEST(Diagnoser, TheSameForAnyNumberOfThreads) {
  for (const Case& of : cases()) {
    const Dataset dataset = data_for(of);
    const Diagnosis one = diagnose_made(of, 1, dataset), three = diagnose_made(of, 3, dataset);
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_EQ(one.methods[m].sensors, three.methods[m].sensors);
      EXPECT_EQ(one.methods[m].times, three.methods[m].times);
    }
    EXPECT_EQ(one.details.occlusion.detailed, three.details.occlusion.detailed);
  }
}

// Of two classes, what speaks for one speaks against the other.
TEST(Diagnoser, LooksForTheClassThatIsAsked) {
  const Case of{cases()[0].config};
  const Dataset dataset = data_for(of);
  const Diagnosis second = diagnose_made(of, 1, dataset, 1), first = diagnose_made(of, 1, dataset, 0);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(first.methods[1].sensors[c], -second.methods[1].sensors[c]);
    EXPECT_FLOAT_EQ(static_cast<float>(first.methods[2].sensors[c]), static_cast<float>(-second.methods[2].sensors[c]));
  }
}

// Integrated gradients account for the whole change of the logit from normal, which is also what replacing the whole
// window, as one span, does.
TEST(Diagnoser, GradientsAddUpToTheWholeChange) {
  for (const Case& of : cases()) {
    if (of.whole) continue;
    SCOPED_TRACE(to_text(of.config));
    Classifier<float> classifier(of.config);
    classifier.initialize(4);
    const Dataset dataset = noise(3, {of.config.input.length});
    const Windows windows = cut(dataset, {.length = of.config.input.length, .stride = of.config.input.length});
    ThreadPool pool(1);
    const Normal normal{Matrix<float>(1, 3, 0.1F), Matrix<float>(1, 3, 1.0F), "made"};
    const Transformer model = Transformer::view_of(classifier);
    Diagnoser diagnoser(model, normal, {.occlusion = {.most_spans = 1}, .gradient_points = 1000}, pool);
    const Diagnosis found = diagnoser.diagnose(windows, find_alarms(windows, std::vector<double>{1.0}, 0.5)[0]);
    const auto sum = [](const std::vector<double>& of_them) {
      return std::accumulate(of_them.begin(), of_them.end(), 0.0);
    };
    double size = 0;
    for (const double sensor : found.methods[2].sensors) size += std::abs(sensor);
    EXPECT_NEAR(sum(found.methods[2].sensors), found.details.occlusion.changes[0], 1e-2 * size);
    EXPECT_NEAR(sum(found.methods[2].times), sum(found.methods[2].sensors), 1e-9);
  }
}

// A model that hears sensor 2 alone: the embedding of the others is zero.
TEST(Diagnoser, FindsTheOnlySensorThatAModelHears) {
  Case of{cases()[0].config};
  of.config.body.dropout = 0;
  Classifier<float> classifier(of.config);
  classifier.initialize(4);
  const engine::ParameterEntry& weight = *classifier.parameters().find("embedding.weight");
  const std::span<float> all = classifier.parameters().mutable_values();
  for (std::size_t d = 0; d < of.config.body.width; ++d)
    for (const std::size_t deaf : {0U, 1U}) all[weight.offset + d * 3 + deaf] = 0;
  const Dataset dataset = data_for(of);
  const Windows windows = cut(dataset, {.length = 5, .stride = 5});
  ThreadPool pool(2);
  const Normal normal{Matrix<float>(1, 3, 0.0F), Matrix<float>(1, 3, 1.0F), "made"};
  const Transformer model = Transformer::view_of(classifier);
  Diagnoser diagnoser(model, normal, {}, pool);
  const std::vector<Alarm> alarms = find_alarms(windows, std::vector<double>(windows.size(), 1.0), 0.5);
  const Diagnosis found = diagnoser.diagnose(windows, alarms[0]);
  for (const std::size_t method : {1U, 2U}) {
    const std::vector<double>& sensors = found.methods[method].sensors;
    EXPECT_EQ(sensors[0], 0);
    EXPECT_EQ(sensors[1], 0);
    EXPECT_NE(sensors[2], 0);
  }
}

}  // namespace
}  // namespace faithful
