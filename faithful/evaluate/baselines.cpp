#include "faithful/evaluate/baselines.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "faithful/base/random.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/linear_model.h"

namespace faithful {

namespace {

// Uniform scores of class 1, or one class at random with certainty.
Matrix<float> random_predictions(std::size_t count, std::size_t classes, std::uint64_t seed) {
  Matrix<float> predictions(count, classes);
  Random random(seed, stream_of("train.baseline"));
  for (std::size_t i = 0; i < count; ++i) {
    if (classes == 2) {
      predictions(i, 1) = static_cast<float>(random.uniform());
      predictions(i, 0) = 1 - predictions(i, 1);
    } else {
      predictions(i, random.below(classes)) = 1;
    }
  }
  return predictions;
}

Matrix<float> constant_predictions(std::size_t count, std::size_t classes, std::size_t class_number) {
  Matrix<float> predictions(count, classes);
  for (std::size_t i = 0; i < count; ++i) predictions(i, class_number) = 1;
  return predictions;
}

std::size_t majority_class(const Windows& train) {
  const std::vector<std::size_t> counts = train.class_counts();
  return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

// The best-F1 threshold of the linear model on windows it did not learn from.
std::optional<double> linear_threshold(const LinearModel& model, const WindowSets& sets,
                                       std::span<const WindowSets> folds, const BaselineOptions& options,
                                       ThreadPool& pool) {
  std::vector<double> scores;
  std::vector<std::int32_t> labels;
  const auto add = [&](const LinearModel& of, const Windows& held) {
    if (held.size() == 0) return;
    const std::vector<double> own = scores_of(probabilities_of(of, held, pool));
    const std::vector<std::int32_t> truth = held.labels();
    scores.insert(scores.end(), own.begin(), own.end());
    labels.insert(labels.end(), truth.begin(), truth.end());
  };
  if (folds.empty()) add(model, sets.validation);
  for (const WindowSets& fold : folds)
    add(fit_linear_model(fold.train, linear_options(options), pool), fold.validation);
  if (scores.empty()) return std::nullopt;
  const std::optional<Threshold> best = RankedScores(scores, flags_of(labels)).best_f1();
  return best ? std::optional(best->value) : std::nullopt;
}

}  // namespace

LinearModelOptions linear_options(const BaselineOptions& options) {
  return {options.seed, options.steps, options.rate, options.decay, options.weigh_classes};
}

std::vector<Baseline> score_baselines(const WindowSets& sets, std::span<const WindowSets> folds,
                                      const BaselineOptions& options, ThreadPool& pool) {
  const std::vector<std::size_t> counts = sets.test.class_counts();
  if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == 0) return {};
  const std::size_t count = sets.test.size(), classes = sets.test.classes();
  std::vector<Baseline> baselines;
  const auto add = [&](const char* name, const Matrix<float>& predictions, double threshold) {
    baselines.push_back(
        {name, threshold, score_predictions(predictions, sets.test, {threshold, options.events, options.prevalence})});
  };
  add("random", random_predictions(count, classes, options.seed), 0.5);
  if (classes == 2)
    add("all positive", constant_predictions(count, classes, 1), 0.5);
  else
    add("majority", constant_predictions(count, classes, majority_class(sets.train)), 0.5);
  const LinearModel linear = fit_linear_model(sets.train, linear_options(options), pool);
  const std::optional<double> threshold =
      classes == 2 && options.best_f1 ? linear_threshold(linear, sets, folds, options, pool) : std::nullopt;
  add("linear", probabilities_of(linear, sets.test, pool), threshold.value_or(0.5));
  return baselines;
}

}  // namespace faithful
