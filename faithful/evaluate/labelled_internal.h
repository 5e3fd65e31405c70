#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/matrix.h"

namespace faithful::evaluate {

// What is known about samples that have a label.
struct LabelledRows {
  Matrix<float> probabilities = {};       // [n, K]
  std::vector<std::int32_t> labels = {};  // [n]
};

// Without the rows whose label is kNoLabel. probabilities: [n, K], labels: [n]
LabelledRows labelled_rows(const Matrix<float>& probabilities, std::span<const std::int32_t> labels);

}  // namespace faithful::evaluate
