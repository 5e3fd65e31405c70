#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/infer.h"
#include "faithful/train/fit_details.h"
#include "faithful/train/times.h"
#include "tests/support.h"
#include "tests/train/toy.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::toy_cases;
using testing::toy_options;
using testing::toy_timelines;
using testing::weights_of;

bool has_note(const FitResult& result, const std::string& text) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(Fit, TimelinesFromDataToTestScores) {
  const Dataset dataset = toy_timelines(3, 1500);
  FitOptions options = toy_options(SplitKind::kBlocked);
  options.train.epochs = 8;
  ThreadPool one(1), two(2);
  const FitResult result = fit_in_detail(dataset, options, two);
  EXPECT_FALSE(result.stopped);
  EXPECT_TRUE(result.sets.proof.holds());
  ASSERT_TRUE(result.model.thresholds);
  EXPECT_EQ(result.model.threshold, *result.model.thresholds->smoothed_f1);
  EXPECT_TRUE(result.model.threshold_from.starts_with("largest smoothed F1 on validation, "))
      << result.model.threshold_from;
  EXPECT_EQ(result.model.channels, dataset.channels);
  EXPECT_EQ(result.model.classes, dataset.classes);
  EXPECT_EQ(result.epochs_chosen, 0U);
  EXPECT_EQ(result.test_probabilities.rows, result.sets.test.size());
  ASSERT_TRUE(result.test.binary && result.test.events);
  EXPECT_GT(result.test.binary->f1(), 0.9);
  EXPECT_GT(result.test.auc_pr.value(), 0.95);
  EXPECT_GE(result.test.events->recall(), 0.9);
  ASSERT_EQ(result.baselines.size(), 3U);
  EXPECT_TRUE(result.model.scaler.by_series.empty()) << "new data has no statistics of a training series";
  EXPECT_TRUE(has_note(result, "validation AUC-PR of the linear baseline is"));
  const FitResult again = fit_in_detail(dataset, options, one);
  EXPECT_EQ(weights_of(again.model), weights_of(result.model));
  EXPECT_EQ(again.test_probabilities, result.test_probabilities);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(again.baselines[i].test.headline(), result.baselines[i].test.headline());
}

// Machines swing a thousand times as far as others; in an anomaly each has spikes, for its own measure.
TEST(Fit, ScalesWithinTheWindowWhereThatValidatesBetter) {
  Dataset dataset = toy_timelines(9, 900);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t t = 0; t < 900; ++t) {
      float& value = dataset.series[i].values(t, 1);
      if (dataset.series[i].labels[t] == 1) value = value - 4 + (t % 10 == 0 ? 12.0F : 0.0F);
      value *= static_cast<float>(std::pow(3, i));
    }
  FitOptions options = toy_options(SplitKind::kSeries);
  ThreadPool pool(2);
  EXPECT_EQ(choose_scaling(dataset, options, pool).scaling, Scaling::kWindow);
  options.scaler = ScalerKind::kRobust;
  EXPECT_EQ(choose_scaling(dataset, options, pool).scaling, Scaling::kCommon);
  options.scaler = ScalerKind::kStandard;
  options.scaling = Scaling::kCommon;
  EXPECT_EQ(choose_scaling(dataset, options, pool).scaling, Scaling::kCommon) << "as asked";
  dataset.series.resize(1);
  options.scaling = Scaling::kAuto;
  options.split.kind = SplitKind::kBlocked;
  EXPECT_EQ(choose_scaling(dataset, options, pool).scaling, Scaling::kCommon) << "one series";
}

TEST(Fit, RefusesATestPartWithoutAnomalies) {
  Dataset dataset = toy_timelines(1, 1500);
  std::fill(dataset.series[0].labels.begin() + 100, dataset.series[0].labels.end(), std::uint8_t{0});
  FitOptions options = toy_options(SplitKind::kBlocked);
  ThreadPool pool(2);
  const std::string text = rejection([&] { fit_in_detail(dataset, options, pool); });
  EXPECT_NE(text.find("expected windows of both classes in the "), std::string::npos) << text;
}

TEST(Fit, ThresholdByARule) {
  Dataset dataset = toy_timelines(3, 1500);
  for (Series& series : dataset.series)
    for (std::size_t t = 0; t < series.length(); ++t)
      series.times.push_back(static_cast<std::int64_t>(t) * 60'000'000'000);  // a minute
  FitOptions options = toy_options(SplitKind::kBlocked);
  options.baselines = false;
  ThreadPool pool(2);
  const auto fitted = [&](const char* rule) {
    options.threshold = parse_threshold_rule(rule);
    return fit_in_detail(dataset, options, pool).model;
  };
  EXPECT_EQ(fitted("0.25").threshold, 0.25);
  const TrainedModel alarms = fitted("false-alarms=2/day"), best = fitted("best-f1");
  ASSERT_TRUE(alarms.thresholds && best.thresholds);
  EXPECT_GT(alarms.thresholds->days, 0.2);
  EXPECT_EQ(alarms.threshold_from, "at most 2 false alarms a day on validation");
  EXPECT_EQ(best.threshold_from, "best F1 on validation");
  EXPECT_EQ(choose_threshold(best, parse_threshold_rule("false-alarms=2/day")).value, alarms.threshold)
      << "chosen later from the curve";
  dataset.series[1].times.clear();
  EXPECT_EQ(rejection([&] { fitted("false-alarms=2/day"); }),
            "threshold: expected false-alarms=N/1000samples, because the data has no times, found "
            "\"false-alarms=2/day\"");
  options.split.validation = 0;
  EXPECT_EQ(rejection([&] { fitted("f1"); }), "threshold: expected a number, because nothing validates, found \"f1\"");
}

FitOptions given_options(std::size_t folds) {
  FitOptions options = toy_options(SplitKind::kGiven);
  options.split.folds = folds;
  options.train.epochs = 6;
  return options;
}

TEST(Fit, GivenPartsAreCrossValidated) {
  const Dataset dataset = toy_cases(2, 30);
  FitOptions options = given_options(3);
  ThreadPool pool(2);
  std::map<std::string, std::size_t> epochs;  // of each training; those of folds run side by side
  FitControl control;
  control.on_epoch = [&](const std::string& training, std::size_t, const EpochRecord&) { ++epochs[training]; };
  const FitResult result = fit_in_detail(dataset, options, pool, control);
  EXPECT_EQ(epochs,
            (std::map<std::string, std::size_t>{
                {"fold 1 of 3", 6}, {"fold 2 of 3", 6}, {"fold 3 of 3", 6}, {"train on all", result.epochs_chosen}}));
  ASSERT_EQ(result.folds.size(), 3U);
  ASSERT_EQ(result.mean_of_folds.size(), 6U);
  std::size_t held = 0;
  for (const TrainRecord& fold : result.folds) {
    EXPECT_EQ(fold.history.size(), 6U);
    EXPECT_EQ(fold.validation_scores.rows, 6U);
    EXPECT_EQ(fold.validation_scores.columns, fold.validation_labels.size());
    held += fold.validation_labels.size();
  }
  EXPECT_EQ(held, result.sets.train.size()) << "every training window validates once";
  EXPECT_EQ(result.sets.validation.size(), 0U);
  // The chosen epoch is the best of the mean, and the model is trained so far and no further.
  for (const EpochRecord& epoch : result.mean_of_folds)
    EXPECT_FALSE(is_better(epoch, result.mean_of_folds[result.epochs_chosen - 1], Selection::kAuto));
  EXPECT_EQ(result.training.record.history.size(), result.epochs_chosen);
  EXPECT_EQ(result.model.threshold, 0.5) << "each series has one label";
  EXPECT_EQ(result.model.threshold_from, "default for series with one label");
  // The curve is that of the pooled scores after that epoch, and so is the threshold of the best F1.
  std::vector<double> scores;
  std::vector<std::int32_t> labels;
  for (const TrainRecord& fold : result.folds)
    for (std::size_t i = 0; i < fold.validation_labels.size(); ++i) {
      scores.push_back(static_cast<double>(fold.validation_scores(result.epochs_chosen - 1, i)));
      labels.push_back(fold.validation_labels[i]);
    }
  ASSERT_TRUE(result.model.thresholds);
  EXPECT_EQ(result.model.thresholds->windows, 40U);
  EXPECT_EQ(result.model.thresholds->points.back().threshold, *std::ranges::min_element(scores));
  options.threshold = {.kind = ThresholdKind::kBestF1};
  const FitResult published = fit_in_detail(dataset, options, pool);
  EXPECT_EQ(published.model.threshold, RankedScores(scores, flags_of(labels)).best_f1()->value);
  EXPECT_EQ(published.model.threshold_from, "best F1 on the 40 windows of 3 folds");
  EXPECT_FALSE(result.test.events) << "series with one label each have no events";
  // By hand: all of train, the same schedule, stopped at the chosen epoch.
  options.train.stop_after = result.epochs_chosen;
  const FitResult by_hand = fit_in_detail(dataset, options, pool);
  EXPECT_TRUE(by_hand.folds.empty());
  EXPECT_EQ(weights_of(by_hand.model), weights_of(result.model));
}

TEST(Fit, GivenPartsWithOneFoldAreTrainedOnce) {
  const Dataset dataset = toy_cases(2, 30);
  FitOptions options = given_options(1);
  ThreadPool pool(2);
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_TRUE(result.folds.empty());
  EXPECT_EQ(result.sets.train.size() + result.sets.validation.size(), 40U);
  EXPECT_EQ(result.sets.validation.size(), 6U);
  EXPECT_EQ(result.sets.test.size(), 20U);
  EXPECT_EQ(result.training.record.history.size(), 6U) << "weights of the best epoch, by the validating share";
  EXPECT_EQ(result.model.threshold_from, "default for series with one label");
  // Without cross-validation all of train trains, whatever the folds.
  options.cross_validate = false;
  EXPECT_EQ(fit_in_detail(dataset, options, pool).sets.train.size(), 40U);
}

TEST(Fit, ManyClassesOfUnequalLength) {
  const Dataset dataset = toy_cases(3, 24, 16, 3, true);
  FitOptions options = toy_options(SplitKind::kGiven);
  options.split.window.length = 0;
  options.cross_validate = false;
  options.train.epochs = 30;
  options.baseline.steps = 200;
  ThreadPool pool(2);
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_EQ(result.model.transformer()->config().input.length, 16U);
  EXPECT_EQ(result.model.transformer()->config().input.classes, 3U);
  EXPECT_FALSE(result.test.binary);
  EXPECT_GT(result.test.report.accuracy, 0.9) << "where the bump is tells the class";
  EXPECT_EQ(result.test.headline(), result.test.report.accuracy);
  EXPECT_TRUE(has_note(result, "nothing validates"));
  ASSERT_EQ(result.baselines.size(), 3U);
  EXPECT_EQ(result.baselines[1].name, "majority");
  EXPECT_NEAR(result.baselines[1].test.report.accuracy, 1.0 / 3, 1e-12);
  EXPECT_LT(result.baselines[2].test.report.accuracy, 0.9) << "the summaries do not see it";
}

TEST(Fit, RandomSplitsCarryTheWord) {
  ThreadPool pool(1);
  FitOptions options = toy_options(SplitKind::kRandom);
  options.train.epochs = 1;
  options.baselines = false;
  const Dataset dataset = toy_timelines(1, 400);
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_TRUE(has_note(result, "leak"));
  EXPECT_FALSE(result.sets.proof.holds());
  EXPECT_FALSE(result.test.events) << "windows at random have no order";
}

TEST(Fit, SeriesWithoutLabelsAreLeftOut) {
  ThreadPool pool(1);
  Dataset dataset = toy_timelines(3, 600);
  dataset.series[2].labels.clear();
  FitOptions options = toy_options(SplitKind::kBlocked);
  options.train.epochs = 1;
  options.baselines = false;
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_TRUE(has_note(result, "1 series without labels"));
  for (const Windows* part : {&result.sets.train, &result.sets.validation, &result.sets.test})
    for (std::size_t i = 0; i < part->size(); ++i) EXPECT_NE((*part)[i].series, 2U);
}

TEST(Fit, SeriesWithoutLabelsCanBeNormal) {
  ThreadPool pool(1);
  Dataset dataset = toy_timelines(4, 600);
  for (const std::size_t i : {2U, 3U}) dataset.series[i].labels.clear();
  dataset.series[2].part = DataPart::kTrain;
  FitOptions options = toy_options(SplitKind::kBlocked);
  options.train.epochs = 1;
  options.baselines = false;
  EXPECT_TRUE(has_note(fit_in_detail(dataset, options, pool), "2 series without labels are left out (if they hold no"));
  options.split.unlabelled = Unlabelled::kNormal;
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_TRUE(has_note(result, "1 series without labels are taken as normal"));
  EXPECT_TRUE(has_note(result, "1 series without labels are left out"));
  std::size_t windows = 0;
  for (std::size_t i = 0; i < result.sets.train.size(); ++i) {
    if (result.sets.train[i].series != 2) continue;
    ++windows;
    EXPECT_EQ(result.sets.train[i].label, 0);
  }
  EXPECT_GT(windows, 0U);
  EXPECT_EQ(parse_split(result.model.record["split"], "record").unlabelled, Unlabelled::kNormal);
  EXPECT_EQ(held_out_windows(dataset, result.model).size(), result.sets.test.size())
      << "the record makes the same split";
}

TEST(Fit, WarnsOfColumnsThatGiveTheLabelsAway) {
  ThreadPool pool(1);
  Dataset dataset = toy_timelines(3, 600);
  for (Series& series : dataset.series)
    for (std::size_t i = 0; i < series.values.values.size(); ++i)
      series.values.values[i] = static_cast<float>(i * i % 101);
  FitOptions options = toy_options(SplitKind::kBlocked);
  EXPECT_TRUE(leak_warnings(dataset, options, pool).empty());
  for (Series& series : dataset.series)
    for (std::size_t t = 0; t < series.length(); ++t) series.values(t, 0) = series.labels[t];
  const std::vector<std::string> warnings = leak_warnings(dataset, options, pool);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("it equals the label"), std::string::npos);
  dataset.classes.clear();
  EXPECT_TRUE(leak_warnings(dataset, options, pool).empty());
}

TEST(Fit, KnownRulesAreApplied) {
  ThreadPool pool(1);
  Dataset dataset = toy_timelines(3, 600);
  dataset.name = "MSL";
  dataset.series[2].name = "P-14";
  FitOptions options = toy_options(SplitKind::kBlocked);
  options.train.epochs = 1;
  options.baselines = false;
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_TRUE(has_note(result, "P-14"));
  EXPECT_EQ(parse_split(result.model.record["split"], "record").leave_out, (std::vector<std::string>{"P-14"}));
  for (std::size_t i = 0; i < result.sets.train.size(); ++i) EXPECT_NE(result.sets.train[i].series, 2U);
}

TEST(Fit, PositionsThatAreTimes) {
  ThreadPool pool(1);
  Dataset dataset = toy_timelines(2, 900);
  FitOptions options = toy_options(SplitKind::kBlocked);
  options.model.position.source = PositionSource::kTime;
  options.train.epochs = 1;
  options.baselines = false;
  EXPECT_NE(rejection([&] {
              fit_in_detail(dataset, options, pool);
            }).find("toy: expected timestamps, for positions that are times, found none in series \"machine 0\""),
            std::string::npos);
  for (Series& series : dataset.series)
    for (std::size_t t = 0; t < series.length(); ++t)  // a short pause after every 50 samples
      series.times.push_back(static_cast<std::int64_t>(t * 500 + t / 50 * 250));
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_EQ(result.model.transformer()->config().position.time_step, 500);
  EXPECT_TRUE(has_note(result, "median step"));
  EXPECT_TRUE(has_note(result, "period 17"));
  EXPECT_EQ(result.model.transformer()->config().position.own.whole("period"), 17U)
      << "15.5 steps, rounded up, and one more";
  for (Series& series : dataset.series) std::fill(series.times.begin(), series.times.end(), 7);
  EXPECT_NE(rejection([&] { fit_in_detail(dataset, options, pool); }).find("a median step of 0"), std::string::npos);
}

TEST(Fit, Rejects) {
  ThreadPool pool(1);
  Dataset dataset = toy_timelines();
  dataset.classes.clear();
  EXPECT_NE(rejection([&] {
              fit_in_detail(dataset, toy_options(SplitKind::kBlocked), pool);
            }).find("toy: expected labels of two classes or more, found 0 classes"),
            std::string::npos);
  const Dataset timelines = toy_timelines();
  EXPECT_NE(rejection([&] {
              fit_in_detail(timelines, toy_options(SplitKind::kGiven), pool);
            }).find("its own train and test parts"),
            std::string::npos);
  FitOptions options = toy_options(SplitKind::kBlocked);
  options.model.body.heads = 3;
  EXPECT_NE(rejection([&] { fit_in_detail(timelines, options, pool); }).find("heads"), std::string::npos);
}

}  // namespace
}  // namespace faithful
