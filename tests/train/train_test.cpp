#include "faithful/train/train.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "faithful/io/file.h"
#include "faithful/io/json.h"
#include "faithful/model/infer.h"
#include "faithful/train/validation_internal.h"
#include "tests/allocations.h"
#include "tests/support.h"
#include "tests/train/toy.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;
using testing::Toy;
using testing::toy_cases;
using testing::toy_options;
using testing::toy_standard;
using testing::toy_timelines;
using testing::weights_of;

struct Outcome {
  TrainResult result;
  std::vector<float> weights;
};

Outcome train(const Toy& toy, std::size_t threads = 1, const TrainControl& control = {}) {
  ThreadPool pool(threads);
  Classifier<float> model(toy.config);
  Outcome run;
  run.result = train_classifier(model, *toy.sets, toy.options.train, pool, control);
  run.weights = weights_of(model);
  return run;
}

// All that must be equal; seconds are not.
void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.result.threshold, b.result.threshold);
  EXPECT_EQ(a.result.threshold_from, b.result.threshold_from);
  EXPECT_EQ(a.result.reason, b.result.reason);
  EXPECT_EQ(a.result.steps, b.result.steps);
  EXPECT_EQ(a.result.record.best_epoch, b.result.record.best_epoch);
  EXPECT_EQ(a.result.record.validation_scores, b.result.record.validation_scores);
  ASSERT_EQ(a.result.record.history.size(), b.result.record.history.size());
  for (std::size_t e = 0; e < a.result.record.history.size(); ++e) {
    EpochRecord one = a.result.record.history[e], other = b.result.record.history[e];
    one.seconds = other.seconds = 0;
    std::vector<double> ones, others;
    visit_epoch_fields(one, [&](const char*, double value) { ones.push_back(std::isnan(value) ? -1 : value); });
    visit_epoch_fields(other, [&](const char*, double value) { others.push_back(std::isnan(value) ? -1 : value); });
    EXPECT_EQ(ones, others) << "epoch " << e + 1;
  }
}

Toy binary_toy() {
  return Toy(toy_timelines(), toy_options(SplitKind::kBlocked));
}

TEST(Train, SameBitsForAnyNumberOfThreads) {
  const Toy toy = binary_toy();
  const Outcome one = train(toy, 1);
  expect_same(train(toy, 2), one);
  expect_same(train(toy, 3), one);
  Toy padded(toy_cases(3, 12, 16, 3, true), toy_options(SplitKind::kSeries));
  padded.options.train.epochs = 2;
  ASSERT_GT(padded.sets->train.padded_count(), 0U);
  expect_same(train(padded, 2), train(padded, 1));
}

TEST(Train, TheStandardRecipeGivesTheSameBitsOnAnyThreads) {
  const Toy timelines(toy_timelines(), toy_standard(SplitKind::kBlocked));
  expect_same(train(timelines, 3), train(timelines, 1));
  const Toy padded(toy_cases(3, 12, 16, 3, true), toy_standard(SplitKind::kSeries));
  ASSERT_GT(padded.sets->train.padded_count(), 0U);
  expect_same(train(padded, 2), train(padded, 1));
}

// As many steps as said, also within an epoch; only the last epoch is validated, and its weights stay.
TEST(Train, ByStepsToTheLast) {
  Toy toy(toy_cases(3, 12), toy_standard(SplitKind::kSeries));
  const std::size_t each = (toy.sets->train.size() + 7) / 8;
  toy.options.train.steps = 2 * each + 1;
  const Outcome last = train(toy);
  EXPECT_EQ(last.result.steps, 2 * each + 1);
  const std::vector<EpochRecord>& history = last.result.record.history;
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(last.result.record.best_epoch, 3U);
  EXPECT_TRUE(std::isnan(history[0].accuracy) && std::isnan(history[1].accuracy));
  EXPECT_FALSE(std::isnan(history[2].accuracy));
  EXPECT_EQ(history[2].rate, 0) << "the schedule ends with the last step";

  toy.options.train.steps = 0;
  toy.options.train.epochs = 3;
  const Outcome by_epochs = train(toy);
  EXPECT_EQ(by_epochs.result.steps, 3 * each);
}

TEST(Train, SmoothingAndAugmentationCount) {
  Toy toy(toy_cases(3, 12), toy_standard(SplitKind::kSeries));
  const Outcome both = train(toy);
  toy.options.train.smoothing = 0;
  const Outcome sharp = train(toy);
  EXPECT_NE(sharp.weights, both.weights);
  toy.options.train.augmentation = {};
  EXPECT_NE(train(toy).weights, sharp.weights);
}

// Weights of series that are those of their classes give the bits of weighted classes.
TEST(Train, WeightsOfSeriesCount) {
  Dataset uneven = toy_cases(3, 12);
  for (std::ptrdiff_t i = 0; i < 5; ++i) uneven.series.erase(uneven.series.begin() + 2 * i);  // of class 0
  Toy toy(uneven, toy_options(SplitKind::kSeries));
  const std::vector<float> weights = toy.sets->train.class_weights();
  ASSERT_NE(weights[0], weights[1]);
  const Outcome by_class = train(toy);
  toy.options.train.class_weights = ClassWeights::kNone;
  const Outcome unweighted = train(toy);
  for (Series& series : toy.dataset.series) series.weight = weights[static_cast<std::size_t>(series.label)];
  EXPECT_EQ(train(toy).weights, by_class.weights);
  EXPECT_NE(unweighted.weights, by_class.weights);
}

TEST(Train, TheSeedCounts) {
  Toy toy = binary_toy();
  toy.options.train.epochs = 1;
  const Outcome one = train(toy);
  toy.options.train.seed = 2;
  EXPECT_NE(train(toy).weights, one.weights);
}

TEST(Train, ALearnableTaskIsLearned) {
  Toy toy = binary_toy();
  toy.options.train.epochs = 12;
  const Outcome run = train(toy, 2);
  const EpochRecord& best = run.result.record.history[run.result.record.best_epoch - 1];
  EXPECT_GT(best.f1, 0.95);
  EXPECT_GT(best.auc_pr, 0.97);
  EXPECT_LT(run.result.record.history.back().loss, run.result.record.history.front().loss / 2);
  EXPECT_EQ(run.result.threshold, best.threshold);
  EXPECT_EQ(run.result.threshold_from, "best F1 on validation");
  EXPECT_EQ(run.result.reason, StopReason::kAllEpochs);
  EXPECT_EQ(run.result.windows, 12 * toy.sets->train.size());
  EXPECT_GT(run.result.record.seconds.forward_backward, 0);
}

TEST(Train, TheBestWeightsAreRestored) {
  Toy toy = binary_toy();
  toy.options.train.epochs = 8;
  toy.options.train.learning_rate = 0.1;  // and never lower, so that it jumps about
  toy.options.train.warm_up = 0;
  toy.options.train.floor = 1;
  toy.options.train.select = Selection::kLoss;
  ThreadPool pool(1);
  Classifier<float> model(toy.config);
  const TrainResult result = train_classifier(model, *toy.sets, toy.options.train, pool);
  const auto& history = result.record.history;
  std::size_t best = 0;
  for (std::size_t e = 1; e < history.size(); ++e)
    if (history[e].validation_loss < history[best].validation_loss) best = e;
  EXPECT_EQ(result.record.best_epoch, best + 1);
  ASSERT_LT(best + 1, history.size()) << "else nothing is restored";
  // The restored model gives the validation numbers of its epoch again.
  const Matrix<float> probabilities = probabilities_of(Transformer::view_of(model), toy.sets->validation, pool);
  std::vector<float> logits;
  for (std::size_t i = 0; i < probabilities.rows; ++i)
    logits.push_back(static_cast<float>(std::log(static_cast<double>(probabilities(i, 1)) / probabilities(i, 0))));
  EpochRecord again;
  validate_into(logits, probabilities, toy.sets->validation.labels(), toy.sets->train.class_weights(), again);
  EXPECT_EQ(again.auc_pr, history[best].auc_pr);
  EXPECT_EQ(again.threshold, history[best].threshold);
  EXPECT_NEAR(again.validation_loss, history[best].validation_loss, 1e-4);
}

TEST(Train, StopsWhereNothingGetsBetter) {
  Toy toy = binary_toy();
  toy.options.train.epochs = 40;
  toy.options.train.patience = 2;
  const Outcome run = train(toy, 2);
  EXPECT_EQ(run.result.reason, StopReason::kNoBetter);
  EXPECT_EQ(run.result.record.history.size(), run.result.record.best_epoch + 2);
  EXPECT_LT(run.result.record.history.size(), 40U);
  // The weights are those of a training that was told to stop at the best epoch.
  Toy shorter = binary_toy();
  shorter.options.train = toy.options.train;
  shorter.options.train.stop_after = run.result.record.best_epoch;
  EXPECT_EQ(train(shorter).weights, run.weights);
}

TEST(Train, WithoutValidationTheLastWeightsStay) {
  FitOptions options = toy_options(SplitKind::kSeries);
  options.split.train = 0.7;
  options.split.validation = 0;
  const Toy toy(toy_cases(2, 12), options);
  ASSERT_EQ(toy.sets->validation.size(), 0U);
  const Outcome run = train(toy);
  EXPECT_EQ(run.result.record.best_epoch, 0U);
  EXPECT_EQ(run.result.threshold, 0.5);
  EXPECT_EQ(run.result.threshold_from, "default");
  EXPECT_TRUE(std::isnan(run.result.record.history[0].f1));
}

TEST(Train, ClassWeightsCount) {
  Toy toy = binary_toy();
  toy.options.train.epochs = 1;
  const Outcome weighted = train(toy);
  toy.options.train.class_weights = ClassWeights::kNone;
  EXPECT_NE(train(toy).weights, weighted.weights);
}

TEST(Train, MeanLossClosedForms) {
  const std::vector<std::int32_t> binary = {1, 0};
  const std::vector<float> weights = {2, 3};
  EXPECT_NEAR(mean_loss(std::vector<float>{0, 0}, 2, binary, {}), std::log(2), 1e-12);
  EXPECT_NEAR(mean_loss(std::vector<float>{2, -1}, 2, binary, weights),
              (3 * std::log1p(std::exp(-2.0)) + 2 * std::log1p(std::exp(-1.0))) / 2, 1e-12);
  EXPECT_NEAR(mean_loss(std::vector<float>{-200, 200}, 2, binary, {}), 200, 1e-9) << "no overflow";
  const std::vector<std::int32_t> many = {2};
  EXPECT_NEAR(mean_loss(std::vector<float>{0, 0, 0}, 3, many, {}), std::log(3), 1e-12);
  EXPECT_NEAR(mean_loss(std::vector<float>{500, 0, 500}, 3, many, {}), std::log(2), 1e-12);
}

TEST(Train, AStepAllocatesNothing) {
  const Toy toy = binary_toy();
  std::vector<std::size_t> counts;
  counts.reserve(1000);
  TrainControl control;
  control.stop = [&] {
    counts.push_back(testing::allocation_count());
    return false;
  };
  train(toy, 2, control);
  const std::size_t steps = (toy.sets->train.size() + 31) / 32;
  ASSERT_GE(steps, 4U);
  ASSERT_EQ(counts.size(), 3 * steps);
  for (std::size_t i = steps + 1; i < counts.size(); ++i) {
    if (i % steps == 0) continue;  // an epoch has ended
    EXPECT_EQ(counts[i], counts[i - 1]) << "step " << i;
  }
}

TEST(Train, TheLogHasALineForEachEpoch) {
  const TemporaryFolder folder;
  Toy toy = binary_toy();
  toy.options.train.epochs = 2;
  TrainControl control;
  control.log = folder / "log.jsonl";
  control.title = "fold 1 of 5";
  std::vector<std::size_t> seen;
  control.on_epoch = [&](std::size_t epoch, const EpochRecord&) { seen.push_back(epoch); };
  const Outcome run = train(toy, 1, control);
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2}));
  std::ifstream in(folder / "log.jsonl");
  std::string line;
  for (std::size_t epoch = 1; epoch <= 2; ++epoch) {
    ASSERT_TRUE(std::getline(in, line));
    const Json json = parse_json(line, "log");
    EXPECT_EQ(json["training"].string(), "fold 1 of 5");
    EXPECT_EQ(json["epoch"].integer(), static_cast<std::int64_t>(epoch));
    EXPECT_EQ(json["auc_pr"].number(), run.result.record.history[epoch - 1].auc_pr);
    EXPECT_GT(json["windows_per_second"].number(), 0);
  }
  EXPECT_FALSE(std::getline(in, line));
  control.log = folder / "none/log.jsonl";
  EXPECT_NE(rejection([&] { train(toy, 1, control); }).find("none/log.jsonl: expected a folder"), std::string::npos);
}

TEST(Train, TheBarShowsLossAndSpeed) {
  Toy toy = binary_toy();
  TrainControl control;
  control.progress = true;
  control.title = "train";
  std::string shown;
  double time = 0;
  control.sink = {
      .write = [&](const std::string& text) { shown += text; }, .seconds = [&] { return time += 1; }, .columns = 200};
  train(toy, 1, control);
  EXPECT_NE(shown.find("train ["), std::string::npos);
  EXPECT_NE(shown.find("loss 0."), std::string::npos);
  EXPECT_NE(shown.find("windows/s"), std::string::npos);
  EXPECT_NE(shown.find(" left"), std::string::npos);
}

TEST(Train, Rejects) {
  Toy toy = binary_toy();
  toy.options.train.warm_up = 2;
  EXPECT_EQ(rejection([&] { train(toy); }), "warm_up: expected a number from 0 to 1, found 2");

  Dataset unlabelled = toy_timelines();
  unlabelled.series[1].labels.clear();
  const Toy missing(unlabelled, toy_options(SplitKind::kBlocked));
  EXPECT_EQ(rejection([&] { train(missing); }),
            "toy: expected a label for every window, found none for series \"machine 1\"");

  Dataset normal = toy_timelines();
  for (Series& series : normal.series) std::fill(series.labels.begin(), series.labels.end(), std::uint8_t{0});
  const Toy one_class(normal, toy_options(SplitKind::kBlocked));
  EXPECT_NE(rejection([&] { train(one_class); }).find("training windows of at least two classes"), std::string::npos);

  FitOptions timed = toy_options(SplitKind::kBlocked);
  timed.model.position.source = PositionSource::kTime;
  timed.model.position.time_step = 1;
  const Toy no_times(toy_timelines(), timed);
  EXPECT_NE(rejection([&] { train(no_times); }).find("expected timestamps"), std::string::npos);
}

TEST(Train, ALossThatIsNoNumberStopsIt) {
  FitOptions options = toy_options(SplitKind::kBlocked);
  Dataset dataset = toy_timelines();
  Toy toy(dataset, options);
  for (Series& series : toy.dataset.series) std::fill(series.values.values.begin(), series.values.values.end(), 1e38F);
  toy.config.body.block = LayerBlock::kBare;
  toy.options.train.learning_rate = 10;
  EXPECT_THROW(train(toy), Error);
}

}  // namespace
}  // namespace faithful
