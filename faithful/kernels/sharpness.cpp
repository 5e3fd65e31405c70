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

// The derivative of one sample's log loss by the factor: the mean score under softmax, less the score of the label.
double slope_of(const std::vector<double>& scores, std::size_t label, double factor, double wrong) {
  const double most = *std::ranges::max_element(scores);
  double total = 0, mean = 0, plain = 0;
  for (const double score : scores) {
    const double share = std::exp(factor * (score - most));
    total += share;
    mean += share * score;
    plain += score / static_cast<double>(scores.size());
  }
  return mean / total - (1 - wrong) * scores[label] - wrong * plain;
}

}  // namespace

double fit_sharpness(const Matrix<float>& scores, std::span<const std::int32_t> labels, std::size_t classes) {
  constexpr double kLeast = 1e-2, kMost = 1e4;
  constexpr int kSteps = 60;
  assert(scores.rows == labels.size());
  const double wrong = 1 / (static_cast<double>(labels.size()) + 1);
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < scores.rows; ++i) all.push_back(scores_of_classes(scores.row(i), classes));
  const auto slope = [&](double factor) {
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      sum += slope_of(all[i], static_cast<std::size_t>(labels[i]), factor, wrong);
    return sum;
  };
  // The log loss is convex in the factor: halve, on a logarithmic scale, where its slope changes sign.
  double low = std::log(kLeast), high = std::log(kMost);
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (slope(std::exp(middle)) < 0 ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace faithful
