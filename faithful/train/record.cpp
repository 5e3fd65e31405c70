#include "faithful/train/record.h"

#include <cmath>

namespace faithful {

double EpochRecord::value(Selection select) const {
  if (select == Selection::kLoss) return -validation_loss;
  const double chosen = std::isnan(threshold) ? f1 : auc_pr;
  return std::isnan(chosen) ? -validation_loss : chosen;  // one class alone validates
}

EpochRecord mean_epoch(std::span<const TrainRecord> records, std::size_t epoch) {
  std::vector<double> sums, counts;  // of each field
  for (const TrainRecord& record : records) {
    std::size_t field = 0;
    visit_epoch_fields(record.history[epoch], [&](const char*, const double& value) {
      if (field == sums.size()) sums.push_back(0), counts.push_back(0);
      sums[field] += std::isnan(value) ? 0 : value;
      counts[field++] += std::isnan(value) ? 0 : 1;
    });
  }
  EpochRecord mean;
  std::size_t field = 0;
  visit_epoch_fields(mean, [&](const char*, double& value) {
    value = counts[field] == 0 ? kAbsent : sums[field] / counts[field];
    ++field;
  });
  return mean;
}

bool is_better(const EpochRecord& b, const EpochRecord& a, Selection select) {
  const double ours = b.value(select), theirs = a.value(select);
  return ours > theirs || (ours == theirs && b.validation_loss < a.validation_loss);
}

}  // namespace faithful
