#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "faithful/evaluate/baselines.h"
#include "faithful/evaluate/scores.h"
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

double share_of_first(const Candidate& first, const Candidate& second, const JobData& data) {
  constexpr int kSteps = 20;
  const std::span<const std::int32_t> labels = data.labels;
  if (labels.empty() || first.held_out.rows != labels.size() || second.held_out.rows != labels.size()) return 0.5;
  std::vector<double> differences = log_losses(first.held_out, labels);
  const std::vector<double> others = log_losses(second.held_out, labels);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= others[i];
  const Lead found = lead_of(differences, data.groups());
  if (!(std::fabs(found.difference) > found.error)) return 0.5;
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

// The probabilities follow the logits.
void divide_logits(Candidate& candidate, double temperature, std::size_t classes) {
  for (float& logit : candidate.logits.values) logit = static_cast<float>(static_cast<double>(logit) / temperature);
  candidate.held_out = probabilities_of_logits(candidate.logits, classes);
}

// Fits to the training part of all data and of each fold; fit(windows) gives a model.
template <class Fit>
Candidate fit_by_folds(const char* name, const JobData& data, ThreadPool& pool, Fit fit) {
  check_training_part(data.all.sets);
  for (const Prepared& fold : data.folds) check_training_part(fold.sets);
  Candidate candidate{.name = name, .members = {{fit(data.all.sets.train)}}};
  const std::size_t classes = data.all.sets.train.classes(), outputs = classes == 2 ? 1 : classes;
  candidate.logits = Matrix<float>(data.labels.size(), outputs);
  std::span<float> rest = candidate.logits.values;
  const auto add = [&](const WindowModel& model, const Windows& held) {
    logits_into(model, held, 0, pool, rest.first(held.size() * outputs));
    rest = rest.subspan(held.size() * outputs);
  };
  for (const Prepared& fold : data.folds) add(*fit(fold.sets.train), fold.sets.validation);
  if (data.folds.empty() && data.all.sets.validation.size() > 0)
    add(*candidate.members[0].model, data.all.sets.validation);
  candidate.held_out = probabilities_of_logits(candidate.logits, classes);
  return candidate;
}

}  // namespace

std::vector<const Windows*> JobData::held_out() const {
  std::vector<const Windows*> parts;
  for (const Prepared& fold : folds) parts.push_back(&fold.sets.validation);
  if (folds.empty() && all.sets.validation.size() > 0) parts.push_back(&all.sets.validation);
  return parts;
}

std::vector<std::size_t> JobData::groups() const {
  std::vector<std::size_t> groups;
  for (const Windows* part : held_out()) {
    const std::size_t first = groups.empty() ? 0 : groups.back() + 1;
    for (const std::size_t number : stretch_numbers(*part)) groups.push_back(first + number);
  }
  return groups;
}

Lead lead_of(std::span<const double> differences, std::span<const std::size_t> groups) {
  const Summary all = summarize(differences);
  std::map<std::size_t, double> sums;  // of the differences to the mean
  for (std::size_t i = 0; i < differences.size(); ++i) sums[groups[i]] += differences[i] - all.mean;
  double squares = 0;
  for (const auto& [group, sum] : sums) squares += sum * sum;
  const auto n = static_cast<double>(differences.size()), count = static_cast<double>(sums.size());
  return {all.mean, std::sqrt(squares * count / (count - 1)) / n};
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

Matrix<float> mean_of_members(const Matrix<float>& logits, std::size_t members, std::size_t classes) {
  Matrix<float> mean(logits.rows / members, logits.columns);
  std::vector<double> sums(mean.rows * classes);
  for (std::size_t member = 0; member < members; ++member)
    add_probabilities(std::span(logits.values).subspan(member * mean.values.size(), mean.values.size()), classes,
                      1 / static_cast<double>(members), sums);
  logits_of_sums(sums, classes, 1, mean.values);
  return mean;
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
  const std::size_t classes = data.all.sets.train.classes();
  linear.temperature = fit_temperature(linear.logits, data.labels, classes).value;
  divide_logits(linear, *linear.temperature, classes);
  LinearModelParts parts = dynamic_cast<const LinearModel&>(*linear.members[0].model).parts();
  for (float& weight : parts.weights.values) weight = static_cast<float>(weight / *linear.temperature);
  linear.members[0].model = std::make_shared<const LinearModel>(std::move(parts));
  return linear;
}

Candidate mix(const Candidate& first, const Candidate& second, const JobData& data) {
  const double share = share_of_first(first, second, data);
  Candidate mixed{.name = "mean of " + first.name + " and " + second.name};
  const auto add = [&](const Candidate& one, double part) {
    double sum = 0;
    for (const EnsembleMember& member : one.members) sum += member.weight;
    for (const EnsembleMember& member : one.members)
      mixed.members.push_back({member.model, part * member.weight / sum});
  };
  add(first, share);
  add(second, 1 - share);
  if (!first.is_known() || !second.is_known()) return mixed;
  mixed.held_out = mean_of(first.held_out, second.held_out, share);
  if (first.logits.rows == 0 || second.logits.rows == 0) return mixed;
  const std::size_t classes = mixed.held_out.columns;
  std::vector<double> sums(mixed.held_out.values.size());
  add_probabilities(first.logits.values, classes, share, sums);
  add_probabilities(second.logits.values, classes, 1 - share, sums);
  mixed.logits = Matrix<float>(first.logits.rows, first.logits.columns);
  logits_of_sums(sums, classes, 1, mixed.logits.values);
  return mixed;
}

std::shared_ptr<const WindowModel> model_of(Candidate& candidate, std::span<const std::int32_t> labels,
                                            bool calibrate) {
  if (candidate.members.size() == 1) return candidate.members[0].model;
  double temperature = 1;
  if (calibrate && candidate.logits.rows > 0) {
    const std::size_t classes = candidate.held_out.columns;
    const double fitted = fit_temperature(candidate.logits, labels, classes).value;
    Candidate divided = candidate;
    divide_logits(divided, fitted, classes);
    // The members are calibrated already. A temperature that was fitted to few windows doubts even what was right.
    const auto log_loss_of = [&](const Candidate& one) { return mean_loss(log_losses(one.held_out, labels)); };
    if (log_loss_of(divided) < log_loss_of(candidate)) {
      temperature = fitted;
      candidate = std::move(divided);
    }
    candidate.temperature = temperature;
  }
  return std::make_shared<const Ensemble>(candidate.members, temperature);
}

}  // namespace faithful::train
