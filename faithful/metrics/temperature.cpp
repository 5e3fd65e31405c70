#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/calibration.h"
#include "faithful/metrics/checks_internal.h"

namespace faithful {

namespace {

// The logits of all classes: one output z of two classes stands for (0, z).
std::vector<double> logits_of_classes(std::span<const float> row, std::size_t classes) {
  if (row.size() == classes) return {row.begin(), row.end()};
  return {0.0, static_cast<double>(row[0])};
}

// Log loss of one sample and its derivative by the factor: the mean logit under softmax, less the logit of the label.
struct Loss {
  double value, slope;
};

Loss loss_of(const std::vector<double>& logits, std::size_t label, double factor, double wrong) {
  const double most = *std::ranges::max_element(logits);
  double total = 0, mean = 0, plain = 0;
  for (const double logit : logits) {
    const double share = std::exp(factor * (logit - most));
    total += share;
    mean += share * logit;
    plain += logit / static_cast<double>(logits.size());
  }
  const double wanted = (1 - wrong) * logits[label] + wrong * plain;
  return {std::log(total) + factor * (most - wanted), mean / total - wanted};
}

void check_logits(const Matrix<float>& logits, std::span<const std::int32_t> labels, std::size_t classes,
                  std::span<const float> weights) {
  metrics::check_same_size("logits", logits.rows, "labels", labels.size());
  if (labels.empty()) reject({{"labels"}, "at least one", "none"});
  metrics::check_classes("labels", labels, classes);
  const bool one_of_two = classes == 2 && logits.columns == 1;
  if (logits.columns != classes && !one_of_two)
    reject({{"logits"}, fmt::format("one for each of the {} classes", classes), fmt::format("{}", logits.columns)});
  if (!weights.empty()) metrics::check_same_size("weights", weights.size(), "labels", labels.size());
  for (const float logit : logits.values)
    if (!std::isfinite(logit)) reject({{"logits"}, "finite numbers", fmt::format("{}", logit)});
}

}  // namespace

Temperature fit_temperature(const Matrix<float>& logits, std::span<const std::int32_t> labels, std::size_t classes,
                            std::span<const float> weights) {
  constexpr double kLeast = 1e-2, kMost = 1e4;  // of the factor, which is 1 / temperature
  constexpr int kSteps = 50;
  check_logits(logits, labels, classes, weights);
  const double wrong = 1 / (static_cast<double>(labels.size()) + 1);
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < logits.rows; ++i) all.push_back(logits_of_classes(logits.row(i), classes));
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
  return {1 / factor, loss_at(factor).value};
}

}  // namespace faithful
