// Kinds of models, ensembles, calibration: what fit_in_detail makes of FitOptions::kind.

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/kernels/kernel_model.h"
#include "faithful/metrics/calibration.h"
#include "faithful/model/ensemble.h"
#include "faithful/model/linear_model.h"
#include "faithful/train/candidate_internal.h"
#include "faithful/train/fit_details.h"
#include "faithful/trained/model_file.h"
#include "tests/support.h"
#include "tests/train/toy.h"

namespace faithful {
namespace {

using testing::TemporaryFolder;
using testing::toy_cases;
using testing::toy_standard;
using testing::toy_timelines;

FitOptions of_kind(ModelKind kind, SplitKind split) {
  FitOptions options = toy_standard(split);
  options.kind = kind;
  options.kernels = {.biases = 200, .groups = 4};
  options.calibrate = true;
  options.split.folds = 3;
  return options;
}

template <class Model>
const Model* as(const TrainedModel& model) {
  return dynamic_cast<const Model*>(model.predictor.get());
}

TEST(Kinds, EachIsFittedValidatedAndSaved) {
  const Dataset dataset = toy_cases(3, 12, 16, 5, true);
  ThreadPool pool(2);
  for (const ModelKind kind :
       {ModelKind::kTransformer, ModelKind::kKernels, ModelKind::kLinear, ModelKind::kAuto, ModelKind::kMixed}) {
    const FitResult result = fit_in_detail(dataset, of_kind(kind, SplitKind::kGiven), pool);
    EXPECT_EQ(result.held_out.rows, result.sets.train.size()) << "every training window was left out once";
    EXPECT_EQ(result.held_out_labels.size(), result.held_out.rows);
    EXPECT_TRUE(std::isfinite(*result.held_out_log_loss));
    const std::string bytes = model_bytes(result.model);
    const TrainedModel again = parse_model(bytes, "model");
    EXPECT_EQ(model_bytes(again), bytes);
    EXPECT_EQ(probabilities_of(*again.predictor, result.sets.test, pool), result.test_probabilities);
  }
}

TEST(Kinds, TheSameBitsForAnyNumberOfThreads) {
  const Dataset cases = toy_cases(2, 12), timelines = toy_timelines(3, 500);
  ThreadPool one(1), three(3);
  for (const ModelKind kind : {ModelKind::kLinear, ModelKind::kAuto, ModelKind::kMixed}) {
    FitOptions options = of_kind(kind, SplitKind::kGiven);
    options.ensemble = 2;
    EXPECT_EQ(model_bytes(fit_in_detail(cases, options, one).model),
              model_bytes(fit_in_detail(cases, options, three).model));
    options.split.kind = SplitKind::kBlocked;
    EXPECT_EQ(model_bytes(fit_in_detail(timelines, options, one).model),
              model_bytes(fit_in_detail(timelines, options, three).model));
  }
}

TEST(Kinds, AnEnsembleIsTheMeanOfItsMembers) {
  const Dataset dataset = toy_cases(3, 12);
  FitOptions options = of_kind(ModelKind::kTransformer, SplitKind::kGiven);
  options.ensemble = 3;
  ThreadPool pool(2);
  const FitResult result = fit_in_detail(dataset, options, pool);
  const auto* ensemble = as<Ensemble>(result.model);
  ASSERT_NE(ensemble, nullptr);
  ASSERT_EQ(ensemble->members().size(), 3U);
  options.ensemble = 1;
  options.calibrate = false;
  const FitResult alone = fit_in_detail(dataset, options, pool);
  const auto stem = [](const WindowModel& model) {
    const auto values = model.transformer()->classifier().parameters().values();
    return std::vector<float>(values.begin(), values.begin() + 20);
  };
  EXPECT_EQ(stem(*ensemble->members()[0].model), stem(*alone.model.predictor)) << "the first has the seed itself";
  EXPECT_NE(stem(*ensemble->members()[1].model), stem(*alone.model.predictor));
}

TEST(Kinds, TheLinearModelIsCalibratedToo) {
  const Dataset dataset = toy_cases(3, 12, 16, 5, true);
  ThreadPool pool(2);
  FitOptions options = of_kind(ModelKind::kLinear, SplitKind::kGiven);
  const FitResult calibrated = fit_in_detail(dataset, options, pool);
  options.calibrate = false;
  const FitResult plain = fit_in_detail(dataset, options, pool);
  EXPECT_FALSE(plain.temperature);
  ASSERT_TRUE(calibrated.temperature);
  EXPECT_LT(*calibrated.held_out_log_loss, *plain.held_out_log_loss);
  for (std::size_t i = 0; i < plain.test_probabilities.rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::pow(plain.test_probabilities(i, k), 1 / *calibrated.temperature);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(calibrated.test_probabilities(i, k),
                  std::pow(plain.test_probabilities(i, k), 1 / *calibrated.temperature) / sum, 1e-5);
  }
}

TEST(Kinds, MembersAndFoldsResumeAfterAKill) {
  const Dataset dataset = toy_cases(2, 12);
  FitOptions options = of_kind(ModelKind::kMixed, SplitKind::kGiven);
  options.ensemble = 2;
  ThreadPool pool(1);
  const std::string whole = model_bytes(fit_in_detail(dataset, options, pool).model);
  const TemporaryFolder folder;
  FitControl control;
  control.checkpoints = {.path = folder / "m.checkpoint", .seconds = 0, .resume = true};
  std::size_t runs = 0;
  for (bool stopped = true; stopped; ++runs) {
    ASSERT_LT(runs, 20U);
    control.stop = [steps = 0]() mutable { return ++steps == 30; };
    const FitResult result = fit_in_detail(dataset, options, pool, control);
    stopped = result.stopped;
    if (!stopped) {
      EXPECT_EQ(model_bytes(result.model), whole);
    }
  }
  EXPECT_GT(runs, 3U);
}

TEST(Kinds, OfTimelinesTheValidationPartDecides) {
  const Dataset dataset = toy_timelines(3, 900);
  ThreadPool pool(2);
  const FitResult result = fit_in_detail(dataset, of_kind(ModelKind::kAuto, SplitKind::kBlocked), pool);
  EXPECT_EQ(result.contest_measure, "AUC-PR");
  ASSERT_EQ(result.contest.size(), 3U);
  EXPECT_EQ(result.contest[0].name, "Transformer");
  EXPECT_EQ(result.held_out.rows, result.sets.validation.size());
}

TEST(Kinds, OfRarePositivesTheAreaDecides) {
  ThreadPool pool(2);
  for (const std::size_t one_of : {1U, 5U}) {
    Dataset dataset = toy_cases(2, 30);
    std::erase_if(dataset.series, [&, n = std::size_t{0}](const Series& series) mutable {
      return series.label == 1 && n++ % one_of != 0;
    });
    const FitResult result = fit_in_detail(dataset, of_kind(ModelKind::kAuto, SplitKind::kGiven), pool);
    EXPECT_EQ(result.contest_measure, one_of == 1 ? "accuracy" : "AUC-PR");
  }
}

TEST(Kinds, WithoutValidationThereIsNoContest) {
  const Dataset dataset = toy_cases(2, 12);
  FitOptions options = of_kind(ModelKind::kAuto, SplitKind::kGiven);
  options.split.folds = 0;
  ThreadPool pool(1);
  const FitResult result = fit_in_detail(dataset, options, pool);
  EXPECT_TRUE(result.contest.empty());
  EXPECT_NE(result.model.transformer(), nullptr);
  EXPECT_NE(std::ranges::find(result.notes,
                              "nothing validates, so no kinds of models are compared: a Transformer is trained"),
            result.notes.end());
}

// ---- parts

// Held-out series of two classes, and candidates that give them probabilities.
struct HeldOut {
  Dataset dataset = toy_cases(2, 100);
  train::JobData data;

  HeldOut() {
    const FitOptions options = of_kind(ModelKind::kAuto, SplitKind::kSeries);
    data.all = train::prepare(dataset, options, options.split, Scaling::kCommon);
    data.labels = data.all.sets.validation.labels();
  }

  // As sure of the label as p says: of the i-th series p[i % p.size()].
  train::Candidate candidate(std::string name, const std::vector<double>& p) const {
    train::Candidate made{.name = std::move(name)};
    made.members = {{std::make_shared<LinearModel>(LinearModelParts{
        .shift = std::vector<float>(5), .factor = std::vector<float>(5), .weights = Matrix<float>(1, 6)})}};
    made.logits = Matrix<float>(data.labels.size(), 1);
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
      const double z = std::log(p[i % p.size()] / (1 - p[i % p.size()]));
      made.logits(i, 0) = static_cast<float>(data.labels[i] == 1 ? z : -z);
    }
    made.held_out = train::probabilities_of_logits(made.logits, 2);
    return made;
  }

  // The name of the one that is kept.
  std::string kept_of(std::vector<train::Candidate> candidates) const {
    ThreadPool pool(1);
    const train::Contest contest = train::judge(candidates, data, pool);
    EXPECT_EQ(contest.measure, "accuracy");
    EXPECT_EQ(contest.rows.size(), candidates.size());
    EXPECT_TRUE(contest.rows[contest.winner].kept);
    return contest.rows[contest.winner].name;
  }
};

TEST(Calibration, UndoesAFactorAndTheWeightsOfClasses) {
  // Logits of a perfectly calibrated model, times 3, after training with weights that make class 1 four times as heavy.
  Random random(3);
  const std::size_t n = 20'000;
  Matrix<float> logits(n, 1);
  std::vector<std::int32_t> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double z = random.normal();
    labels[i] = random.uniform() < 1 / (1 + std::exp(-z)) ? 1 : 0;
    logits(i, 0) = static_cast<float>(3 * z + std::log(4.0));
  }
  const std::vector<float> weights = {0.5F, 2};
  const train::Calibration found = train::fit_calibration(logits, labels, weights, 2);
  EXPECT_NEAR(found.offsets[0], std::log(4.0), 1e-6);
  EXPECT_NEAR(found.temperature, 3, 0.1);
}

TEST(Calibration, ChangesTheModelAsItChangesTheLogits) {
  for (const char* name : {"standard", "dfstrans"}) {
    ModelConfig config = preset(name);
    config.input.channels = 2, config.input.length = 40, config.input.classes = 3;
    if (config.is_dfstrans()) config.input.segment = 10, config.input.stages = 1;
    settle(config);
    Classifier<float> model(config);
    model.initialize(1);
    std::vector<float> values(40 * 2), before(3), after(3);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
    const Samples<float> samples{.count = 1, .values = values};
    Transformer::view_of(model).logits_into(samples, before);
    const train::Calibration calibration{.temperature = 2.5, .offsets = {0.5, -1, 0}};
    train::apply_to(calibration, model);
    Transformer::view_of(model).logits_into(samples, after);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(after[k], (before[k] - calibration.offsets[k]) / 2.5, 1e-5);
  }
}

TEST(Mix, EqualSharesUnlessOneIsClearlyBetter) {
  const HeldOut held;
  const train::Candidate good = held.candidate("good", {0.9}), alike = held.candidate("alike", {0.95, 0.85, 0.9}),
                         bad = held.candidate("bad", {0.5, 0.4, 0.5});
  EXPECT_DOUBLE_EQ(train::mix(good, alike, held.data).members[0].weight, 0.5);
  EXPECT_GT(train::mix(good, bad, held.data).members[0].weight, 0.8);
  EXPECT_LT(train::mix(bad, good, held.data).members[0].weight, 0.2);
}

TEST(Mix, ATemperatureThatMakesTheMeanWorseIsNotTaken) {
  const HeldOut held;
  const auto temperature_of = [&](const std::vector<double>& p, const std::vector<double>& q) {
    train::Candidate mean = train::mix(held.candidate("a", p), held.candidate("b", q), held.data);
    const Matrix<float> before = mean.held_out;
    const auto model = train::model_of(mean, held.data.labels, true);
    EXPECT_DOUBLE_EQ(dynamic_cast<const Ensemble&>(*model).temperature(), mean.temperature.value());
    EXPECT_LE(mean_loss(log_losses(mean.held_out, held.data.labels)), mean_loss(log_losses(before, held.data.labels)));
    return *mean.temperature;
  };
  EXPECT_EQ(temperature_of({0.999}, {0.999}), 1);  // fitted to these few series alone, it is above 1
  EXPECT_GT(temperature_of({0.99, 0.01, 0.99}, {0.99, 0.01, 0.99}), 1.5);
  EXPECT_LT(temperature_of({0.6}, {0.7}), 0.5);
}

TEST(Contest, TiesGoToTheTransformer) {
  const HeldOut held;
  EXPECT_EQ(held.kept_of({held.candidate("Transformer", {0.9}), held.candidate("kernels", {0.9}),
                          held.candidate("linear", {0.6})}),
            "Transformer");
}

TEST(Contest, AKindThatIsClearlyMoreAccurateIsKept) {
  const HeldOut held;
  EXPECT_EQ(held.kept_of({held.candidate("Transformer", {0.9, 0.1}), held.candidate("kernels", {0.3}),
                          held.candidate("linear", {0.9})}),
            "linear");
}

TEST(Contest, TwoThatErrOnDifferentSeriesAreKeptTogether) {
  const HeldOut held;
  // Each errs on one series of five, another one than the other; where one errs, the other is sure.
  const std::vector<double> transformer = {0.99, 0.4, 0.99, 0.99, 0.99}, kernels = {0.99, 0.99, 0.99, 0.4, 0.99};
  EXPECT_EQ(held.kept_of({held.candidate("Transformer", transformer), held.candidate("kernels", kernels),
                          held.candidate("linear", {0.6})}),
            "mean of Transformer and kernels");
  // As accurate together as alone, but with a smaller log loss: the Transformer is sure where both err.
  EXPECT_EQ(held.kept_of({held.candidate("Transformer", {0.001, 0.99, 0.99, 0.99, 0.99}),
                          held.candidate("kernels", {0.4, 0.9, 0.9, 0.9, 0.9}), held.candidate("linear", {0.6, 0.4})}),
            "mean of Transformer and kernels");
}

TEST(Contest, WindowsOfOneGroupDoNotCountAsIndependent) {
  const std::vector<double> differences = {1, 1, 1, -1, -1, -1, 2, 2, 2};
  const Lead alone = train::lead_of(differences, std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  const Lead threes = train::lead_of(differences, std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 2, 2, 2});
  EXPECT_NEAR(alone.difference, 2.0 / 3, 1e-12);
  EXPECT_NEAR(alone.error, std::sqrt(14.0 / 8) / 3, 1e-12);  // deviation / sqrt(n)
  EXPECT_NEAR(threes.difference, 2.0 / 3, 1e-12);
  EXPECT_NEAR(threes.error, std::sqrt(14.0 / 3 / 2) / std::sqrt(3.0), 1e-12);  // that of the three means
}

// Saved models say about windows that validated what their record says: temperatures are fitted to what is saved.
TEST(Kinds, TheRecordDescribesTheSavedModel) {
  const Dataset dataset = toy_cases(2, 60);
  ThreadPool pool(2);
  for (const ModelKind kind : {ModelKind::kTransformer, ModelKind::kLinear, ModelKind::kMixed, ModelKind::kAuto}) {
    FitOptions options = of_kind(kind, SplitKind::kSeries);
    options.ensemble = kind == ModelKind::kMixed ? 2 : 1;
    const FitResult result = fit_in_detail(dataset, options, pool);
    const Matrix<float> again = probabilities_of(*result.model.predictor, result.sets.validation, pool);
    ASSERT_EQ(again.rows, result.held_out.rows);
    for (std::size_t i = 0; i < again.values.size(); ++i)
      EXPECT_NEAR(std::log(again.values[i]), std::log(result.held_out.values[i]), 1e-4);
  }
}

}  // namespace
}  // namespace faithful
