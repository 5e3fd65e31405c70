#include "faithful/train/record.h"

#include <cmath>

namespace faithful {

double EpochRecord::value(const std::string& select) const {
  if (select == "loss") return -validation_loss;
  const double chosen = std::isnan(threshold) ? f1 : auc_pr;
  return std::isnan(chosen) ? -validation_loss : chosen;  // one class alone validates
}

bool is_better(const EpochRecord& b, const EpochRecord& a, const std::string& select) {
  const double ours = b.value(select), theirs = a.value(select);
  return ours > theirs || (ours == theirs && b.validation_loss < a.validation_loss);
}

}  // namespace faithful
