#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

struct PrPoint {
  double threshold, precision, recall;
};
struct RocPoint {
  double threshold, false_positive_rate, true_positive_rate;
};

// A sample is flagged where score >= value.
struct Threshold {
  double value;
  double f1;  // that it reaches on the samples it was chosen from
};

// Sorted scores with their truth, for measures that depend only on the order of the scores. After sorting, each measure
// takes O(n) for a set of weights. Samples with the same score are always flagged together, so their order does not
// matter. Scores must be finite. A measure is empty if it is not defined: without positives, or without negatives.
class FAITHFUL_API RankedScores {
 public:
  RankedScores(std::span<const double> scores, std::span<const std::uint8_t> truth);  // [n] each

  // A point for each distinct score as threshold, highest first; before them the one where nothing is flagged:
  // threshold infinity, precision 1, recall 0. Empty without positives.
  std::vector<PrPoint> pr_curve(std::span<const double> weights = {}) const;

  // The same for FP / (FP + TN) and TP / (TP + FN), from (0, 0) to (1, 1). Empty without positives or negatives.
  std::vector<RocPoint> roc_curve(std::span<const double> weights = {}) const;

  // AUC-PR: the mean precision over the positives, sum_k (R_k - R_{k-1}) P_k over the points of the PR curve. No
  // interpolation, as scikit-learn's average_precision_score. None without positives.
  std::optional<double> average_precision(std::span<const double> weights = {}) const;

  // AUC-ROC: the probability that a positive scores above a negative, ties counted half; the trapezoids under the
  // ROC curve. None without positives or negatives.
  std::optional<double> auc_roc(std::span<const double> weights = {}) const;

  // The threshold of the largest F1: halfway between the lowest score that it flags and the next lower one (the lowest
  // score itself where it flags everything). If several thresholds tie, it is the highest. None without positives.
  std::optional<Threshold> best_f1(std::span<const double> weights = {}) const;

 private:
  // Flagged so far, of each kind, when everything from `score` upwards is flagged.
  struct Step {
    double score, true_positive, false_positive;
  };
  std::vector<Step> steps(std::span<const double> weights) const;  // one for each distinct score of positive weight

  std::vector<std::size_t> order_;   // [n], indices of the samples, highest score first
  std::vector<double> scores_;       // [n], in that order
  std::vector<std::uint8_t> truth_;  // [n], in that order
};

}  // namespace faithful
