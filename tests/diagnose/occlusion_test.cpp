#include "faithful/diagnose/occlusion.h"

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/diagnose/diagnoser.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/diagnose/suspects.h"

namespace faithful {
namespace {

constexpr std::size_t kLength = 23, kChannels = 5, kStep = 4;

// logit = sum of w x: what each part adds is known.
struct LinearModel {
  std::vector<float> weights = std::vector<float>(kLength * kChannels, 0.0F);

  WindowLogit logit() const {
    return [this](std::span<const float> values, std::span<double> out) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = 0;
        for (std::size_t j = 0; j < weights.size(); ++j)
          out[i] += static_cast<double>(weights[j]) * static_cast<double>(values[i * weights.size() + j]);
      }
    };
  }
};

std::vector<float> noise(std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(kLength * kChannels);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

// Of a linear model, replacing a part takes away w (x - normal) of it, exactly, and putting it in adds as much.
TEST(Occlusion, OfALinearModelIsKnown) {
  ThreadPool pool(2);
  LinearModel model;
  model.weights = noise(1);
  const std::vector<float> window = noise(2), normal = noise(3);
  const std::vector<Occlusion> what = {{2, {0, kLength}}, {kAllSensors, {7, 9}}, {4, {22, 23}}, {0, {3, 3}}};
  const std::vector<double> found = occlusion_changes(model.logit(), window, normal, kChannels, what, 2, pool);
  for (std::size_t i = 0; i < what.size(); ++i) {
    double expected = 0;
    for (std::size_t t = what[i].samples.begin; t < what[i].samples.end; ++t)
      for (std::size_t c = 0; c < kChannels; ++c)
        if (what[i].sensor == c || what[i].sensor == kAllSensors)
          expected += static_cast<double>(model.weights[t * kChannels + c]) *
                      static_cast<double>(window[t * kChannels + c] - normal[t * kChannels + c]);
    EXPECT_NEAR(found[i], expected, 1e-5) << i;
  }
}

// Two sensors show the same fault, and one is enough for the alarm: to replace one of them changes nothing, but each
// alone, in a normal window, raises the alarm. Where only both together raise it, it is the other way round.
TEST(Occlusion, SensorsThatStandInForEachOther) {
  ThreadPool pool(1);
  const std::vector<float> window = {1, 1, 0}, normal = {0, 0, 0};
  const std::vector<Occlusion> each = {{0, {0, 1}}, {1, {0, 1}}, {2, {0, 1}}};
  const auto logit = [](bool any) -> WindowLogit {
    return [any](std::span<const float> values, std::span<double> out) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool a = values[3 * i] > 0.5F, b = values[3 * i + 1] > 0.5F;
        out[i] = (any ? a || b : a && b) ? 4 : -4;
      }
    };
  };
  for (const bool any : {true, false})
    EXPECT_EQ(occlusion_changes(logit(any), window, normal, 3, each, 2, pool), (std::vector<double>{4, 4, 0})) << any;
}

TEST(Occlusion, TheSameForAnyBatchAndThreads) {
  LinearModel model;
  model.weights = noise(1);
  const std::vector<float> window = noise(2), normal = noise(3);
  ThreadPool one(1), three(3);
  const OcclusionDiagnosis first =
      diagnose_occlusion(model.logit(), window, normal, kChannels, kLength, kStep, {.batch = 1}, one);
  const OcclusionDiagnosis second =
      diagnose_occlusion(model.logit(), window, normal, kChannels, kLength, kStep, {.batch = 7}, three);
  EXPECT_EQ(first.sensors, second.sensors);
  EXPECT_EQ(first.changes, second.changes);
  EXPECT_EQ(first.detailed, second.detailed);
}

TEST(Occlusion, SpansCoverTheWindowInWholeSteps) {
  ThreadPool pool(1);
  const LinearModel model;
  const std::vector<float> window = noise(2);
  const OcclusionDiagnosis found =
      diagnose_occlusion(model.logit(), window, noise(3), kChannels, 21, kStep, {.most_spans = 3}, pool);
  EXPECT_EQ(found.spans, (std::vector<Range>{{0, 8}, {8, 16}, {16, 21}}));
  EXPECT_EQ(found.detailed.rows, 3U);
  EXPECT_EQ(found.sensors, std::vector<double>(kChannels, 0.0));
}

// A fault that only sensor 3 shows, during steps 2 and 3, must be found by occlusion and by gradient.
TEST(Diagnosis, FindsWhatWasPlanted) {
  ThreadPool pool(2);
  LinearModel model;
  for (std::size_t t = 2 * kStep; t < 4 * kStep; ++t) model.weights[t * kChannels + 3] = 0.5F;
  std::vector<float> window = noise(2);
  for (std::size_t t = 0; t < kLength; ++t) window[t * kChannels + 3] = 4;  // above its normal throughout
  const std::vector<float> normal(kLength * kChannels, 0.0F);

  const OcclusionDiagnosis found =
      diagnose_occlusion(model.logit(), window, normal, kChannels, kLength, kStep, {}, pool);
  EXPECT_EQ(order_of(found.sensors)[0], 3U);
  EXPECT_NEAR(found.sensors[3], 0.5 * 4 * 2 * kStep, 1e-6);
  for (const std::size_t other : {0U, 1U, 2U, 4U}) EXPECT_NEAR(found.sensors[other], 0, 1e-6);
  const std::vector<SuspectedSpan> spans = suspected_spans(found.spans, found.changes);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].span, (Range{2 * kStep, 4 * kStep}));
  EXPECT_EQ(found.detailed_sensors[0], 3U);
  EXPECT_NEAR(found.detailed(0, 2), 0.5 * 4 * kStep, 1e-6);

  const Matrix<double> effects = gradient_times_input(model.weights, window, normal, kChannels, kLength, kStep);
  ASSERT_EQ(effects.rows, 6U);
  for (std::size_t s = 0; s < effects.rows; ++s)
    for (std::size_t c = 0; c < kChannels; ++c)
      EXPECT_NEAR(effects(s, c), c == 3 && (s == 2 || s == 3) ? 0.5 * 4 * kStep : 0, 1e-6);
}

// A sensor whose replacement raises the score is evidence against the alarm: it comes last.
TEST(Diagnosis, EvidenceAgainstComesLast) {
  ThreadPool pool(1);
  LinearModel model;
  for (std::size_t t = 0; t < kLength; ++t) {
    model.weights[t * kChannels + 1] = 1;
    model.weights[t * kChannels + 2] = -1;
  }
  const std::vector<float> window(kLength * kChannels, 1.0F);
  const std::vector<float> normal(kLength * kChannels, 0.0F);
  const OcclusionDiagnosis found =
      diagnose_occlusion(model.logit(), window, normal, kChannels, kLength, kStep, {}, pool);
  EXPECT_EQ(order_of(found.sensors).front(), 1U);
  EXPECT_EQ(order_of(found.sensors).back(), 2U);
  EXPECT_NEAR(found.sensors[2], -23, 1e-6);
}

TEST(Combined, IsTheMeanOfStandardScores) {
  const std::vector<Range> pieces = {{0, 1}, {1, 2}};
  const std::vector<MethodAnswer> methods = {
      {"attention", {}, {0.1, 0.1}}, {"occlusion", {30, 10}, {4, 0}}, {"gradient", {1, 3}, {0, 0}}};
  const MethodAnswer together = combined(methods, pieces, 3);
  EXPECT_EQ(together.sensors, (std::vector<double>{0, 0}));  // they contradict each other: units do not count
  EXPECT_DOUBLE_EQ(together.times[0], 1.0 / 3);              // the others say nothing about it
  EXPECT_DOUBLE_EQ(together.times[1], -1.0 / 3);
  ASSERT_EQ(together.spans.size(), 0U);  // of two pieces none is above mean + 1 deviation
}

}  // namespace
}  // namespace faithful
