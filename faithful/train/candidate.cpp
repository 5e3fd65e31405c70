#include <algorithm>
#include <cmath>
#include <utility>

#include "faithful/evaluate/baselines.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/metrics/calibration.h"
#include "faithful/metrics/summary.h"
#include "faithful/model/linear_model.h"
#include "faithful/train/candidate_internal.h"

namespace faithful::train {

namespace {

Matrix<float> mean_of(const Matrix<float>& a, const Matrix<float>& b, double share_of_a) {
  Matrix<float> mean = a;
  for (std::size_t i = 0; i < mean.values.size(); ++i)
    mean.values[i] = static_cast<float>(share_of_a * static_cast<double>(a.values[i]) +
                                        (1 - share_of_a) * static_cast<double>(b.values[i]));
  return mean;
}

double share_of_first(const Candidate& first, const Candidate& second, std::span<const std::int32_t> labels) {
  constexpr int kSteps = 20;
  if (labels.empty() || first.held_out.rows != labels.size() || second.held_out.rows != labels.size()) return 0.5;
  std::vector<double> differences = log_losses(first.held_out, labels);
  const std::vector<double> others = log_losses(second.held_out, labels);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= others[i];
  const Summary found = summarize(differences);
  const double error = found.deviation / std::sqrt(static_cast<double>(found.count));
  if (!(std::fabs(found.mean) > error)) return 0.5;
  const auto log_loss_at = [&](double share) {
    return mean_loss(log_losses(mean_of(first.held_out, second.held_out, share), labels));
  };
  double best = 0.5, least = log_loss_at(0.5);
  for (int i = 1; i < kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    const double loss = log_loss_at(share);
    if (loss < least) best = share, least = loss;
  }
  return best;
}

// p^(1 / temperature) of each row, divided by the sum.
void sharpen(Matrix<float>& probabilities, double temperature) {
  for (std::size_t i = 0; i < probabilities.rows; ++i) {
    double total = 0;
    std::vector<double> powers;
    for (const float p : probabilities.row(i))
      total += powers.emplace_back(std::pow(std::max(static_cast<double>(p), kLeastProbability), 1 / temperature));
    for (std::size_t k = 0; k < powers.size(); ++k) probabilities(i, k) = static_cast<float>(powers[k] / total);
  }
}

// By probabilities [n, K].
double fit_temperature_of(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  const std::size_t classes = probabilities.columns, outputs = classes == 2 ? 1 : classes;
  const auto log_of = [&](std::size_t i, std::size_t k) {
    return std::log(std::max(static_cast<double>(probabilities(i, k)), kLeastProbability));
  };
  Matrix<float> logits(probabilities.rows, outputs);
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      logits(i, k) = static_cast<float>(classes == 2 ? log_of(i, 1) - log_of(i, 0) : log_of(i, k));
  return fit_temperature(logits, labels, classes).value;
}

// Fits to the training part of all data and of each fold; fit(windows) gives a model.
template <class Fit>
Candidate fit_by_folds(const char* name, const JobData& data, ThreadPool& pool, Fit fit) {
  check_training_part(data.all.sets);
  for (const Prepared& fold : data.folds) check_training_part(fold.sets);
  Candidate candidate{.name = name, .members = {{fit(data.all.sets.train)}}};
  candidate.held_out = Matrix<float>(0, data.all.sets.train.classes());
  const auto add = [&](const WindowModel& model, const Windows& held) {
    if (held.size() == 0) return;
    const Matrix<float> own = probabilities_of(model, held, pool);
    candidate.held_out.values.insert(candidate.held_out.values.end(), own.values.begin(), own.values.end());
    candidate.held_out.rows += own.rows;
  };
  for (const Prepared& fold : data.folds) add(*fit(fold.sets.train), fold.sets.validation);
  if (data.folds.empty()) add(*candidate.members[0].model, data.all.sets.validation);
  return candidate;
}

}  // namespace

std::vector<const Windows*> JobData::held_out() const {
  std::vector<const Windows*> parts;
  for (const Prepared& fold : folds) parts.push_back(&fold.sets.validation);
  if (folds.empty() && all.sets.validation.size() > 0) parts.push_back(&all.sets.validation);
  return parts;
}

Calibration fit_calibration(const Matrix<float>& logits, std::span<const std::int32_t> labels,
                            std::span<const float> class_weights, std::size_t classes) {
  Calibration found{.offsets = std::vector<double>(logits.columns)};
  if (!class_weights.empty()) {
    for (std::size_t k = 0; k < logits.columns; ++k)
      found.offsets[k] = classes == 2 ? std::log(static_cast<double>(class_weights[1]) / class_weights[0])
                                      : std::log(static_cast<double>(class_weights[k]));
    for (double& offset : found.offsets)
      if (!std::isfinite(offset)) offset = 0;  // a class without training windows
  }
  Matrix<float> shifted = logits;
  apply_to(found, shifted);
  found.temperature = fit_temperature(shifted, labels, classes).value;
  return found;
}

void apply_to(const Calibration& calibration, Matrix<float>& logits) {
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t k = 0; k < logits.columns; ++k)
      logits(i, k) =
          static_cast<float>((static_cast<double>(logits(i, k)) - calibration.offsets[k]) / calibration.temperature);
}

void apply_to(const Calibration& calibration, Classifier<float>& model) {
  std::vector<double> added;
  for (const double offset : calibration.offsets) added.push_back(-offset / calibration.temperature);
  model.rescale_logits(1 / calibration.temperature, added);
}

Matrix<float> probabilities_of_logits(const Matrix<float>& logits, std::size_t classes) {
  Matrix<float> probabilities(logits.rows, classes);
  probabilities_into<float>(logits.values, classes, probabilities.values);
  return probabilities;
}

Candidate fit_kernels_by_folds(const JobData& data, const FitOptions& options, ThreadPool& pool) {
  KernelModelOptions how{.features = options.kernels};
  how.features.seed = options.train.seed;
  return fit_by_folds("kernels", data, pool, [&](const Windows& train) {
    return std::make_shared<const KernelModel>(fit_kernel_model(train, how, pool).model);
  });
}

Candidate fit_linear_by_folds(const JobData& data, const FitOptions& options, ThreadPool& pool) {
  LinearModelOptions how = linear_options(options.baseline);
  how.weigh_classes = false;  // its probabilities are to mean what they say
  how.bounded = true;
  Candidate linear = fit_by_folds("linear", data, pool, [&](const Windows& train) {
    return std::make_shared<const LinearModel>(fit_linear_model(train, how, pool));
  });
  if (!options.calibrate || !linear.is_known()) return linear;
  linear.temperature = fit_temperature_of(linear.held_out, data.labels);
  sharpen(linear.held_out, *linear.temperature);
  LinearModelParts parts = dynamic_cast<const LinearModel&>(*linear.members[0].model).parts();
  for (float& weight : parts.weights.values) weight = static_cast<float>(weight / *linear.temperature);
  linear.members[0].model = std::make_shared<const LinearModel>(std::move(parts));
  return linear;
}

Candidate mix(const Candidate& first, const Candidate& second, std::span<const std::int32_t> labels) {
  const double share = share_of_first(first, second, labels);
  Candidate mixed{.name = first.name + " and " + second.name, .temperature = first.temperature};
  const auto add = [&](const Candidate& one, double part) {
    double sum = 0;
    for (const EnsembleMember& member : one.members) sum += member.weight;
    for (const EnsembleMember& member : one.members)
      mixed.members.push_back({member.model, part * member.weight / sum});
  };
  add(first, share);
  add(second, 1 - share);
  if (first.is_known() && second.is_known()) mixed.held_out = mean_of(first.held_out, second.held_out, share);
  return mixed;
}

std::shared_ptr<const WindowModel> model_of(Candidate& candidate, std::span<const std::int32_t> labels,
                                            bool calibrate) {
  if (candidate.members.size() == 1) return candidate.members[0].model;
  double temperature = 1;
  if (calibrate && candidate.is_known()) {
    temperature = fit_temperature_of(candidate.held_out, labels);
    sharpen(candidate.held_out, temperature);
  }
  return std::make_shared<const Ensemble>(candidate.members, temperature);
}

}  // namespace faithful::train
