#include <cassert>

#include "faithful/data/dataset.h"
#include "faithful/evaluate/labelled_internal.h"

namespace faithful::evaluate {

LabelledRows labelled_rows(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  assert(probabilities.rows == labels.size());
  LabelledRows rows;
  rows.probabilities.columns = probabilities.columns;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoLabel) continue;
    const std::span<const float> row = probabilities.row(i);
    rows.probabilities.values.insert(rows.probabilities.values.end(), row.begin(), row.end());
    rows.labels.push_back(labels[i]);
  }
  rows.probabilities.rows = rows.labels.size();
  return rows;
}

}  // namespace faithful::evaluate
