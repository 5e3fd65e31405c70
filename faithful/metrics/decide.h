#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

namespace faithful {

// The predicted class: of two classes 1 where P(class 1) >= threshold, else the most probable one (the first of equal
// ones). probabilities: [K]
FAITHFUL_API std::int32_t decide(std::span<const float> probabilities, double threshold);

// The same for each row. probabilities: [n, K]
FAITHFUL_API std::vector<std::int32_t> decide(const Matrix<float>& probabilities, double threshold);

// The most probable class of each row, the first of equal ones, whatever the threshold. [n]
FAITHFUL_API std::vector<std::int32_t> most_probable(const Matrix<float>& probabilities);

// A column of probabilities in double: the score of a class, by default of class 1. [n]
FAITHFUL_API std::vector<double> scores_of(const Matrix<float>& probabilities, std::size_t class_number = 1);

}  // namespace faithful
