#include "faithful/evaluate/baselines.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "faithful/base/random.h"
#include "faithful/engine/operators.h"
#include "faithful/engine/schedule.h"
#include "faithful/engine/shards.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/classifier.h"

namespace faithful {

namespace {

constexpr std::size_t kSummaries = 5;  // of each channel
constexpr std::size_t kAtATime = 64;   // windows in memory
constexpr double kClip = 1;            // of the linear model's gradients

// Of one channel of a window: values [length], `stride` apart, into [kSummaries].
void summarize_channel(const float* values, std::size_t length, std::size_t stride, float* out) {
  double mean = 0, square = 0;
  float least = values[0], most = values[0];
  for (std::size_t t = 0; t < length; ++t) {
    const float value = values[t * stride];
    mean += static_cast<double>(value);
    least = std::min(least, value), most = std::max(most, value);
  }
  mean /= static_cast<double>(length);
  for (std::size_t t = 0; t < length; ++t) {
    const double off = static_cast<double>(values[t * stride]) - mean;
    square += off * off;
  }
  out[0] = static_cast<float>(mean);
  out[1] = static_cast<float>(std::sqrt(square / static_cast<double>(length)));
  out[2] = least, out[3] = most, out[4] = values[(length - 1) * stride];
}

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
    const std::vector<double> own = scores_of(of.probabilities(held, pool));
    const std::vector<std::int32_t> truth = held.labels();
    scores.insert(scores.end(), own.begin(), own.end());
    labels.insert(labels.end(), truth.begin(), truth.end());
  };
  if (folds.empty()) add(model, sets.validation);
  for (const WindowSets& fold : folds) add(LinearModel(fold.train, options, pool), fold.validation);
  if (scores.empty()) return std::nullopt;
  const std::optional<Threshold> best = RankedScores(scores, flags_of(labels)).best_f1();
  return best ? std::optional(best->value) : std::nullopt;
}

}  // namespace

Matrix<float> summary_features(const Windows& windows, ThreadPool& pool) {
  const std::size_t channels = windows.channels(), length = windows.length();
  Matrix<float> features(windows.size(), channels * kSummaries);
  std::vector<float> values(kAtATime * length * channels);
  std::vector<std::uint32_t> numbers(kAtATime);
  for (std::size_t first = 0; first < windows.size(); first += kAtATime) {
    const std::size_t count = std::min(kAtATime, windows.size() - first);
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first));
    windows.fill_into(std::span(numbers).first(count), {.values = values}, pool);
    pool.run(count, [&](std::size_t i) {
      for (std::size_t c = 0; c < channels; ++c)
        summarize_channel(values.data() + i * length * channels + c, windows[first + i].length, channels,
                          features.row(first + i).data() + c * kSummaries);
    });
  }
  return features;
}

LinearModel::LinearModel(const Windows& train, const BaselineOptions& options, ThreadPool& pool)
    : classes_(train.classes()) {
  Matrix<float> x = summary_features(train, pool);
  for (std::size_t c = 0; c < x.columns; ++c) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < x.rows; ++i) mean += static_cast<double>(x(i, c));
    mean /= static_cast<double>(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) square += std::pow(static_cast<double>(x(i, c)) - mean, 2);
    const double deviation = std::sqrt(square / static_cast<double>(x.rows));
    shift_.push_back(static_cast<float>(mean));
    factor_.push_back(static_cast<float>(deviation > 1e-6 ? 1 / deviation : 0));  // what never changes says nothing
  }
  standardize(x);
  const std::vector<std::int32_t> labels = train.labels();
  const std::vector<float> targets(labels.begin(), labels.end());
  const std::vector<float> weights = options.weigh_classes ? train.class_weights() : std::vector<float>{};
  const std::size_t outputs = classes_ == 2 ? 1 : classes_;

  engine::Parameters<float> parameters;
  const engine::Parameter weight = parameters.declare("weight", {outputs, x.columns}, engine::zeros());
  const engine::Parameter bias = parameters.declare("bias", {outputs}, engine::zeros(), false);
  parameters.allocate();
  parameters.initialize(options.seed);
  engine::Shards<float> shards(parameters, pool, {});
  const engine::LossOptions<float> loss{.class_weights = weights, .scale = 1 / static_cast<double>(x.rows)};
  for (std::size_t step = 1; step <= options.steps; ++step) {
    shards.accumulate(x.rows, [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
      const std::size_t count = end - begin;
      const auto z = linear(tape, tape.input(x.row(begin).data(), {count, x.columns}), tape[weight], tape[bias]);
      if (outputs > 1) return softmax_cross_entropy<float>(tape, z, std::span(labels).subspan(begin, count), loss);
      return binary_cross_entropy<float>(tape, tape.reshape(z, {count}), std::span(targets).subspan(begin, count),
                                         loss);
    });
    shards.update({.rate = rate_at(step, options.steps, {.rate = options.rate}), .decay = options.decay},
                  clip_factor(shards.gradient_norm(), kClip));
  }
  weights_ = Matrix<float>(outputs, x.columns + 1);
  for (std::size_t k = 0; k < outputs; ++k) {
    std::copy_n(std::as_const(parameters).values_of(weight).data() + k * x.columns, x.columns, weights_.row(k).data());
    weights_(k, x.columns) = std::as_const(parameters).values_of(bias)[k];
  }
}

void LinearModel::standardize(Matrix<float>& features) const {
  for (std::size_t i = 0; i < features.rows; ++i)
    for (std::size_t c = 0; c < features.columns; ++c) features(i, c) = (features(i, c) - shift_[c]) * factor_[c];
}

Matrix<float> LinearModel::probabilities(const Windows& windows, ThreadPool& pool) const {
  Matrix<float> x = summary_features(windows, pool);
  standardize(x);
  Matrix<float> logits(x.rows, weights_.rows), probabilities(x.rows, classes_);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t k = 0; k < weights_.rows; ++k) {
      double z = static_cast<double>(weights_(k, x.columns));
      for (std::size_t c = 0; c < x.columns; ++c)
        z += static_cast<double>(x(i, c)) * static_cast<double>(weights_(k, c));
      logits(i, k) = static_cast<float>(z);
    }
  probabilities_into<float>(logits.values, classes_, probabilities.values);
  return probabilities;
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
  const LinearModel linear(sets.train, options, pool);
  const std::optional<double> threshold =
      classes == 2 && options.best_f1 ? linear_threshold(linear, sets, folds, options, pool) : std::nullopt;
  add("linear", linear.probabilities(sets.test, pool), threshold.value_or(0.5));
  return baselines;
}

}  // namespace faithful
