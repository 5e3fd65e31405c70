#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

namespace faithful {

struct Collisions {
  std::size_t pairs = 0;                                     // of equal rows
  std::optional<std::pair<std::size_t, std::size_t>> first;  // the pair (s, t), s < t, with the smallest t
};

// Counts the pairs of equal rows by hashing them (0 and -0 are equal): in time that grows with the table, not with the
// number of pairs.
FAITHFUL_API Collisions count_collisions(const Matrix<double>& rows);

}  // namespace faithful
