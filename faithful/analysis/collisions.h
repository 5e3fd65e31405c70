#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "faithful/analysis/measures.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

namespace faithful {

// Counts the pairs of equal rows by hashing them (0 and -0 are equal): in time that grows with the table, not with the
// number of pairs.
FAITHFUL_API Collisions count_collisions(const Matrix<double>& rows);

}  // namespace faithful
