#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/model/classifier.h"
#include "faithful/model/ensemble.h"
#include "faithful/model/infer.h"
#include "faithful/train/prepare_internal.h"

namespace faithful::train {

// The data of a job: the training part, and windows that validate.
struct JobData {
  Prepared all;                      // what the saved model is fitted to
  std::vector<Prepared> folds;       // of the cross-validation; empty: the validation part of `all` validates
  std::vector<std::int32_t> labels;  // [n] of all windows that validate, fold after fold

  // The windows that validate, fold after fold.
  std::vector<const Windows*> held_out() const;
  // What each of them belongs to: windows of one series and label depend on each other. [n]
  std::vector<std::size_t> groups() const;
};

// The mean of a difference between two models on the windows that validate, and its standard error: sums over groups are
// independent, the windows of a group need not be. differences, groups: [n]
Lead lead_of(std::span<const double> differences, std::span<const std::size_t> groups);

// A model that may be saved, and what models like it say about windows that they were not fitted to.
struct Candidate {
  std::string name = {};                     // "Transformer", "kernels", "linear"
  std::vector<EnsembleMember> members = {};  // fitted to the training part; one, or those of an ensemble
  Matrix<float> held_out = {};               // [n, K]: probabilities, fold after fold; no rows: not known
  Matrix<float> logits = {};  // [n, outputs]: theirs; no rows: only the probabilities are known, or nothing
  std::optional<double> temperature = {};  // by which the logits of Transformers or linear models were divided

  bool is_known() const { return held_out.rows > 0; }
};

// How logits become calibrated ones: z'_k = (z_k - offset_k) / temperature.
struct Calibration {
  double temperature = 1;
  std::vector<double> offsets = {};  // [outputs]
};

// The temperature with the least log loss. Training with weights of the classes makes rare classes too probable; the
// offsets take that back. logits: [n, outputs]; class_weights: [K], or empty.
Calibration fit_calibration(const Matrix<float>& logits, std::span<const std::int32_t> labels,
                            std::span<const float> class_weights, std::size_t classes);

void apply_to(const Calibration& calibration, Matrix<float>& logits);
void apply_to(const Calibration& calibration, Classifier<float>& model);
Matrix<float> probabilities_of_logits(const Matrix<float>& logits, std::size_t classes);

// The logits of the mean probabilities of members, whose logits stand one below the other: [members n, outputs].
Matrix<float> mean_of_members(const Matrix<float>& logits, std::size_t members, std::size_t classes);

// The one member, or all as an ensemble, whose temperature has the least log loss on the held-out probabilities if
// `calibrate` says so: these become those of the ensemble.
std::shared_ptr<const WindowModel> model_of(Candidate& candidate, std::span<const std::int32_t> labels, bool calibrate);

// Fits one to the training part and to each fold.
Candidate fit_kernels_by_folds(const JobData& data, const FitOptions& options, ThreadPool& pool);
Candidate fit_linear_by_folds(const JobData& data, const FitOptions& options, ThreadPool& pool);

// The mean of two candidates: equal shares, unless the log loss of their held-out probabilities differs by more than its
// standard error; then the share with the least log loss of the mean.
Candidate mix(const Candidate& first, const Candidate& second, const JobData& data);

// How candidates did on the windows that validate, and which one is kept.
struct Contest {
  std::vector<ContestRow> rows;
  std::size_t winner = 0;
  std::string measure;  // "accuracy", "AUC-PR"
};

// The first candidate is kept unless another is better than it by more than a standard error; of several such, the
// best. AUC-PR for windows of timelines, and where at most a quarter of the series are of the second of two classes; else
// accuracy. Where accuracy decides, the mean of the first two is added as the last candidate. It is kept if it is better
// than the best so far by more than a standard error: in accuracy, or in log loss without being less accurate.
Contest judge(std::vector<Candidate>& candidates, const JobData& data, ThreadPool& pool);

}  // namespace faithful::train
