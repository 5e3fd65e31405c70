#include <algorithm>
#include <cassert>
#include <cmath>

#include "faithful/kernels/ridge.h"

namespace faithful {

namespace {

// The scores of all classes: of two classes -f and f.
std::vector<double> scores_of_classes(std::span<const float> row, std::size_t classes) {
  if (row.size() == classes) return {row.begin(), row.end()};
  return {-static_cast<double>(row[0]), static_cast<double>(row[0])};
}

// Log loss of one sample and its derivative by the factor: the mean score under softmax, less the score of the label.
struct Loss {
  double value, slope;
};

Loss loss_of(const std::vector<double>& scores, std::size_t label, double factor, double wrong) {
  const double most = *std::ranges::max_element(scores);
  double total = 0, mean = 0, plain = 0;
  for (const double score : scores) {
    const double share = std::exp(factor * (score - most));
    total += share;
    mean += share * score;
    plain += score / static_cast<double>(scores.size());
  }
  const double wanted = (1 - wrong) * scores[label] + wrong * plain;
  return {std::log(total) + factor * (most - wanted), mean / total - wanted};
}

}  // namespace

Sharpness fit_sharpness(const Matrix<float>& scores, std::span<const std::int32_t> labels, std::size_t classes,
                        std::span<const float> weights) {
  constexpr double kLeast = 1e-2, kMost = 1e4;
  constexpr int kSteps = 50;
  assert(scores.rows == labels.size() && (weights.empty() || weights.size() == labels.size()));
  const double wrong = 1 / (static_cast<double>(labels.size()) + 1);
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < scores.rows; ++i) all.push_back(scores_of_classes(scores.row(i), classes));
  const auto loss_at = [&](double factor) {
    Loss sum{0, 0};
    double total = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[i]);
      const Loss one = loss_of(all[i], static_cast<std::size_t>(labels[i]), factor, wrong);
      sum.value += weight * one.value;
      sum.slope += weight * one.slope;
      total += weight;
    }
    return Loss{sum.value / total, sum.slope / total};
  };
  // The log loss is convex in the factor: halve, on a logarithmic scale, where its slope changes sign.
  double low = std::log(kLeast), high = std::log(kMost);
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (loss_at(std::exp(middle)).slope < 0 ? low : high) = middle;
  }
  const double factor = std::exp((low + high) / 2);
  return {factor, loss_at(factor).value};
}

}  // namespace faithful
