#include <algorithm>
#include <cmath>

#include "faithful/metrics/confusion.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/train/validation_internal.h"

namespace faithful {

double mean_loss(std::span<const float> logits, std::size_t classes, std::span<const std::int32_t> labels,
                 std::span<const float> weights) {
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    double loss = 0;
    if (classes == 2) {
      const double z = label == 1 ? -logits[i] : logits[i];
      loss = std::log1p(std::exp(-std::fabs(z))) + std::max(z, 0.0);
    } else {
      const std::span<const float> z = logits.subspan(i * classes, classes);
      const double most = *std::max_element(z.begin(), z.end());
      double all = 0;
      for (const float each : z) all += std::exp(static_cast<double>(each) - most);
      loss = std::log(all) + most - static_cast<double>(z[label]);
    }
    total += (weights.empty() ? 1.0 : static_cast<double>(weights[label])) * loss;
  }
  return total / static_cast<double>(labels.size());
}

void validate_into(std::span<const float> logits, const Matrix<float>& probabilities,
                   std::span<const std::int32_t> labels, std::span<const float> weights, EpochRecord& record) {
  const std::size_t classes = probabilities.columns;
  record.validation_loss = mean_loss(logits, classes, labels, weights);
  const ClassReport report = class_report(labels, most_probable(probabilities), classes);
  record.accuracy = report.accuracy;
  record.f1 = report.macro.f1;
  if (classes != 2) return;
  const RankedScores ranked(scores_of(probabilities), flags_of(labels));
  const std::optional<Threshold> best = ranked.best_f1();
  record.auc_pr = ranked.average_precision().value_or(kAbsent);
  record.f1 = best ? best->f1 : kAbsent;
  record.threshold = best ? best->value : kAbsent;
}

}  // namespace faithful
