#include "faithful/evaluate/scores.h"

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/evaluate/baselines.h"
#include "faithful/metrics/decide.h"
#include "faithful/model/linear_model.h"
#include "tests/train/toy.h"

namespace faithful {
namespace {

using testing::Toy;
using testing::toy_cases;
using testing::toy_options;
using testing::toy_timelines;

// All windows of a timeline with these point labels, of length 4 at stride 2.
struct Cut {
  explicit Cut(std::vector<std::vector<std::uint8_t>> labels) {
    dataset.name = "cut";
    dataset.channels = {"a"};
    dataset.classes = {"normal", "anomalous"};
    for (auto& points : labels) {
      Series series;
      series.name = "s" + std::to_string(dataset.series.size());
      series.values = Matrix<float>(points.size(), 1);
      for (std::size_t t = 0; t < points.size(); ++t) series.values(t, 0) = static_cast<float>(t);
      series.labels = std::move(points);
      dataset.series.push_back(std::move(series));
    }
    const Split split = Split::hold_out_all(dataset, {.length = 4, .stride = 2});
    sets.emplace(cut_windows(split, Scaler(ScalerRecord{ScalerKind::kNone, {{0}, {1}}, {}})));
  }
  Dataset dataset;
  std::optional<WindowSets> sets;
};

Matrix<float> as_probabilities(const std::vector<float>& scores) {
  Matrix<float> made(scores.size(), 2);
  for (std::size_t i = 0; i < scores.size(); ++i) made(i, 1) = scores[i], made(i, 0) = 1 - scores[i];
  return made;
}

TEST(Answers, ThresholdAndMostProbable) {
  const Matrix<float> two = as_probabilities({0.25F, 0.5F, 0.75F});
  EXPECT_EQ(decide(two, 0.5), (std::vector<std::int32_t>{0, 1, 1})) << "from the threshold on";
  EXPECT_EQ(decide(two, 0.8), (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(scores_of(two), (std::vector<double>{0.25, 0.5, 0.75}));
  const Matrix<float> three(2, 3, {0.2F, 0.5F, 0.3F, 0.4F, 0.2F, 0.4F});
  EXPECT_EQ(decide(three, 0.9), (std::vector<std::int32_t>{1, 0})) << "the first of equal ones";
}

TEST(Scores, TwoClassesByHand) {
  const std::vector<std::int32_t> labels = {1, 1, 0, 0, kNoLabel};
  const Scores scores = score_predictions(as_probabilities({0.9F, 0.4F, 0.6F, 0.1F, 1}), labels, {.threshold = 0.5});
  EXPECT_EQ(scores.windows, 4U);
  EXPECT_EQ(*scores.binary, (Confusion{1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(scores.headline(), 0.5);
  EXPECT_DOUBLE_EQ(*scores.auc_pr, 0.5 + 0.5 * 2 / 3);
  EXPECT_DOUBLE_EQ(*scores.auc_roc, 0.75);
  EXPECT_FALSE(scores.events);
  const Scores one_class = score_predictions(as_probabilities({0.9F}), std::vector<std::int32_t>{0}, {});
  EXPECT_FALSE(one_class.auc_pr);
  EXPECT_FALSE(one_class.auc_roc);
}

TEST(Scores, EventsOfWindows) {
  // Windows of s0 end at 4, 6, .., 12; the span 6..7 touches those that begin at 4 and 6 (and 3..: begin 4, 6).
  const Cut cut({{0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}});
  const Windows& windows = cut.sets->test;
  ASSERT_EQ(windows.size(), 5U + 2U);
  EXPECT_EQ(windows.labels(), (std::vector<std::int32_t>{0, 0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(stretches_of(windows).size(), 2U);
  const EventScores late = window_event_scores(windows, std::vector<std::uint8_t>{1, 0, 0, 1, 0, 0, 0});
  EXPECT_EQ(late.events, 2U);
  EXPECT_EQ(late.detected, 1U);
  EXPECT_EQ(late.false_alarms, 1U);
  EXPECT_EQ(late.delays, (std::vector<double>{2})) << "one window later is two samples later";
  const Scores scores = score_predictions(as_probabilities({0, 0, 1, 0, 0, 1, 0}), windows, {});
  ASSERT_TRUE(scores.events);
  EXPECT_EQ(scores.events->f1(), 1);
  EXPECT_EQ(scores.events->delays, (std::vector<double>{0, 0}));
  EXPECT_FALSE(score_predictions(as_probabilities({0, 0, 1, 0, 0, 1, 0}), windows, {.events = false}).events);
}

TEST(Baselines, SummariesByHand) {
  Cut cut({{0, 0, 1, 0, 0, 0}});
  cut.dataset.series[0].values.values = {1, 3, 3, 5, -1, 7};
  ThreadPool pool(2);
  const Matrix<float> features = summary_features(cut.sets->test, pool);
  EXPECT_EQ(features.rows, 2U);
  EXPECT_EQ(features.columns, 5U);
  EXPECT_FLOAT_EQ(features(0, 0), 3);
  EXPECT_FLOAT_EQ(features(0, 1), std::sqrt(2.0F));
  EXPECT_FLOAT_EQ(features(0, 2), 1);
  EXPECT_FLOAT_EQ(features(0, 3), 5);
  EXPECT_FLOAT_EQ(features(0, 4), 5);
  EXPECT_FLOAT_EQ(features(1, 2), -1);
  EXPECT_FLOAT_EQ(features(1, 4), 7);
}

TEST(Baselines, PaddingDoesNotCount) {
  const Cut cut({{0, 1}});
  ThreadPool pool(1);
  const Matrix<float> features = summary_features(cut.sets->test, pool);
  EXPECT_EQ(features.values, (std::vector<float>{0.5F, 0.5F, 0, 1, 1}));
}

TEST(Baselines, ClosedForms) {
  const Toy toy(toy_timelines(3, 1200), toy_options(SplitKind::kBlocked));
  ThreadPool one(1), two(2);
  const BaselineOptions options{.steps = 150};
  const std::vector<Baseline> baselines = score_baselines(*toy.sets, {}, options, two);
  ASSERT_EQ(baselines.size(), 3U);
  const auto counts = toy.sets->test.class_counts();
  const double share = static_cast<double>(counts[1]) / static_cast<double>(counts[0] + counts[1]);
  EXPECT_EQ(baselines[0].name, "random");
  EXPECT_NEAR(baselines[0].test.binary->recall(), 0.5, 0.2);
  EXPECT_NEAR(*baselines[0].test.auc_roc, 0.5, 0.15);
  EXPECT_EQ(baselines[1].name, "all positive");
  EXPECT_NEAR(baselines[1].test.binary->f1(), 2 * share / (1 + share), 1e-12);
  EXPECT_EQ(baselines[1].test.binary->recall(), 1);
  EXPECT_NEAR(*baselines[1].test.auc_pr, share, 1e-12);
  EXPECT_EQ(*baselines[1].test.auc_roc, 0.5);
  EXPECT_EQ(baselines[2].name, "linear");
  EXPECT_GT(baselines[2].test.binary->f1(), 0.85) << "a raised channel shows in its mean and greatest value";
  EXPECT_NE(baselines[2].threshold, 0.5);
  const LinearModel first = fit_linear_model(toy.sets->train, linear_options(options), one);
  const LinearModel second = fit_linear_model(toy.sets->train, linear_options(options), two);
  EXPECT_EQ(probabilities_of(first, toy.sets->test, one), probabilities_of(second, toy.sets->test, two));
}

// With enough steps the linear model is where the gradient of its loss vanishes: for one constant feature set the
// answer is the share of the classes.
TEST(Baselines, WithoutFeaturesTheLinearModelGivesTheShares) {
  Dataset dataset;
  dataset.name = "constant";
  dataset.channels = {"a"};
  dataset.classes = {"x", "y", "z"};
  for (std::size_t i = 0; i < 12; ++i) {
    Series series;
    series.name = "s" + std::to_string(i);
    series.part = DataPart::kTrain;
    series.values = Matrix<float>(4, 1, 1.0F);
    series.label = i < 6 ? 0 : i < 9 ? 1 : 2;
    dataset.series.push_back(series);
  }
  dataset.series.push_back(dataset.series.back());
  dataset.series.back().part = DataPart::kTest;
  dataset.series.back().values(0, 0) = 2;  // or it would be the training windows again
  const Split split(dataset, {.kind = SplitKind::kGiven, .window = {.length = 4}, .refit = true});
  const WindowSets sets = cut_windows(split, fit_scaler(split.train()));
  ThreadPool pool(1);
  const LinearModel plain = fit_linear_model(sets.train, {.steps = 500, .weigh_classes = false}, pool);
  const Matrix<float> shares = probabilities_of(plain, sets.test, pool);
  EXPECT_NEAR(shares(0, 0), 0.5, 1e-3);
  EXPECT_NEAR(shares(0, 1), 0.25, 1e-3);
  EXPECT_NEAR(shares(0, 2), 0.25, 1e-3);
  const Matrix<float> even = probabilities_of(fit_linear_model(sets.train, {.steps = 500}, pool), sets.test, pool);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(even(0, k), 1.0 / 3, 1e-3);
}

}  // namespace
}  // namespace faithful
