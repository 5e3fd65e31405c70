#include "faithful/metrics/calibration.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/checks_internal.h"

namespace faithful {

namespace {

void check_probabilities(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  metrics::check_same_size("probabilities", probabilities.rows, "labels", labels.size());
  if (labels.empty()) reject({{"labels"}, "at least one", "none"});
  metrics::check_classes("labels", labels, probabilities.columns);
  constexpr float kMost = 1.001F;  // 1 and some rounding, as of means of several models
  for (const float value : probabilities.values)
    if (!(value >= 0 && value <= kMost)) reject({{"probabilities"}, "numbers from 0 to 1", fmt::format("{}", value)});
}

struct TopClass {
  double confidence = 0;
  bool right = false;
};

std::vector<TopClass> top_classes(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  std::vector<TopClass> found;
  for (std::size_t i = 0; i < probabilities.rows; ++i) {
    const std::span<const float> row = probabilities.row(i);
    const auto top = std::ranges::max_element(row);  // the first of equal ones
    found.push_back({std::min(static_cast<double>(*top), 1.0), top - row.begin() == labels[i]});
  }
  return found;
}

// The bin (b / 15, (b + 1) / 15] of a confidence.
std::size_t bin_of(double confidence) {
  const double place = std::ceil(confidence * static_cast<double>(kReliabilityBins)) - 1;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kReliabilityBins - 1)));
}

}  // namespace

std::vector<double> log_losses(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  check_probabilities(probabilities, labels);
  std::vector<double> losses;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto p = static_cast<double>(probabilities(i, static_cast<std::size_t>(labels[i])));
    losses.push_back(-std::log(std::clamp(p, kLeastProbability, 1.0)));
  }
  return losses;
}

std::vector<double> brier_scores(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  check_probabilities(probabilities, labels);
  std::vector<double> scores;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < probabilities.columns; ++k) {
      const double wanted = k == static_cast<std::size_t>(labels[i]) ? 1 : 0;
      sum += std::pow(static_cast<double>(probabilities(i, k)) - wanted, 2);
    }
    scores.push_back(sum);
  }
  return scores;
}

double mean_loss(std::span<const double> losses, std::span<const double> weights) {
  metrics::check_finite("losses", losses);
  metrics::check_weights(weights, losses.size());
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum += metrics::weight_of(weights, i) * losses[i];
    total += metrics::weight_of(weights, i);
  }
  return metrics::ratio(sum, total);
}

std::vector<ReliabilityBin> reliability_bins(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  check_probabilities(probabilities, labels);
  std::vector<ReliabilityBin> bins(kReliabilityBins);
  for (std::size_t b = 0; b < bins.size(); ++b) {
    bins[b].low = static_cast<double>(b) / static_cast<double>(kReliabilityBins);
    bins[b].high = static_cast<double>(b + 1) / static_cast<double>(kReliabilityBins);
  }
  for (const TopClass& top : top_classes(probabilities, labels)) {
    ReliabilityBin& bin = bins[bin_of(top.confidence)];
    bin.confidence += top.confidence;
    bin.right += top.right ? 1 : 0;
    ++bin.count;
  }
  for (ReliabilityBin& bin : bins) {
    bin.confidence = metrics::ratio(bin.confidence, static_cast<double>(bin.count));
    bin.right = metrics::ratio(bin.right, static_cast<double>(bin.count));
  }
  return bins;
}

CalibrationError calibration_error(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  CalibrationError error;
  const auto n = static_cast<double>(labels.size());
  for (const ReliabilityBin& bin : reliability_bins(probabilities, labels))
    error.value += static_cast<double>(bin.count) / n * std::abs(bin.right - bin.confidence);
  std::vector<std::vector<double>> confidences(kReliabilityBins);
  for (const TopClass& top : top_classes(probabilities, labels))
    confidences[bin_of(top.confidence)].push_back(top.confidence);
  for (const std::vector<double>& of_bin : confidences) error.floor += mean_deviation(of_bin) / n;
  return error;
}

// The distribution of the count is built up one event at a time, without places of no weight. Beyond a variance of 100
// it is normal to 0.1 % of this mean, and building it up would take long.
double mean_deviation(std::span<const double> probabilities) {
  constexpr double kNormalFrom = 100, kNothing = 1e-20;
  double mean = 0, variance = 0;
  for (const double p : probabilities) {
    mean += p;
    variance += p * (1 - p);
  }
  if (variance > kNormalFrom) return std::sqrt(2 * variance / std::numbers::pi);
  std::vector<double> shares = {1}, next;  // of first, first + 1, .. events
  std::size_t first = 0;
  for (const double p : probabilities) {
    next.assign(shares.size() + 1, 0);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      next[k] += (1 - p) * shares[k];
      next[k + 1] += p * shares[k];
    }
    while (next.size() > 1 && next.back() < kNothing) next.pop_back();
    std::size_t empty = 0;
    while (empty + 1 < next.size() && next[empty] < kNothing) ++empty;
    shares.assign(next.begin() + static_cast<std::ptrdiff_t>(empty), next.end());
    first += empty;
  }
  double deviation = 0;
  for (std::size_t k = 0; k < shares.size(); ++k)
    deviation += shares[k] * std::abs(static_cast<double>(first + k) - mean);
  return deviation;
}

}  // namespace faithful
