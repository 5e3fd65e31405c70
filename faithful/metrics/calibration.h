#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

// How far probabilities can be trusted. probabilities: [n, K], rows that sum to 1; labels: [n], from 0 to K - 1; n >= 1.
// Other labels and numbers that are not finite are an InputError. Weights are as in confusion.h.

namespace faithful {

// Probabilities below this count as this much, so that the log loss stays finite: a float holds none nearer to 1 than
// 1 - 6e-8.
inline constexpr double kLeastProbability = 1e-7;

// Of each sample: -log p(label), from 0 to 16.1. [n]
FAITHFUL_API std::vector<double> log_losses(const Matrix<float>& probabilities, std::span<const std::int32_t> labels);

// Of each sample: sum_k (p_k - [k = label])^2, from 0 to 2. [n]
FAITHFUL_API std::vector<double> brier_scores(const Matrix<float>& probabilities, std::span<const std::int32_t> labels);

// The mean of such numbers of samples, weighted.
FAITHFUL_API double mean_loss(std::span<const double> losses, std::span<const double> weights = {});

// Samples whose confidence, the probability of the most probable class, lies between low and high (included).
struct ReliabilityBin {
  double low = 0, high = 1;
  double confidence = 0;  // mean of the samples; 0 where there are none
  double right = 0;       // share of the samples whose most probable class is the label; 0 where there are none
  std::size_t count = 0;
};

// All bins, of equal width, from low to high confidence.
inline constexpr std::size_t kReliabilityBins = 15;
FAITHFUL_API std::vector<ReliabilityBin> reliability_bins(const Matrix<float>& probabilities,
                                                          std::span<const std::int32_t> labels);

// The expected calibration error (ECE): sum over the bins of count / n |right - confidence|.
struct CalibrationError {
  double value = 0;
  // What a perfectly calibrated model with these confidences would have by chance, in expectation: each sample is right
  // with the probability of its confidence, independently of the others. A bin of few samples is never without error.
  double floor = 0;
};
FAITHFUL_API CalibrationError calibration_error(const Matrix<float>& probabilities,
                                                std::span<const std::int32_t> labels);

// E |X - E X| of the number X of events, each of which happens with its probability, independently of the others.
FAITHFUL_API double mean_deviation(std::span<const double> probabilities);

// What divides logits, so that their probabilities fit the labels best.
struct Temperature {
  double value = 1;     // from 1e-4 to 1e2
  double log_loss = 0;  // mean, with this temperature, of labels as below
};

// The temperature for which the log loss of softmax(logits / temperature) is least (Guo et al. 2017). logits:
// [n, outputs]; one output of two classes is the logit z of class 1 against class 0, and stands for (0, z). Labels count
// as wrong with probability 1 / (n + 1), spread over all classes, so that the temperature stays above 0 where all logits
// are right. weights: [n], of the samples; empty: all 1.
FAITHFUL_API Temperature fit_temperature(const Matrix<float>& logits, std::span<const std::int32_t> labels,
                                         std::size_t classes, std::span<const float> weights = {});

}  // namespace faithful
