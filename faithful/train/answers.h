#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

namespace faithful {

// What probabilities [n, K] say. For two classes the score is P(class 1), and `threshold` decides.

FAITHFUL_API std::vector<double> scores_of(const Matrix<float>& probabilities);           // [n], of class 1
FAITHFUL_API std::vector<std::int32_t> most_probable(const Matrix<float>& probabilities);  // [n]; the first of equal ones

// [n]: for two classes 1 where P(class 1) >= threshold, else the most probable one.
FAITHFUL_API std::vector<std::int32_t> decide(const Matrix<float>& probabilities, double threshold);

}  // namespace faithful
