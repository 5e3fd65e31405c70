#pragma once

// The vector that represents position s, so that encodings of different kinds are measured alike.

#include <cstddef>

#include "faithful/analysis/rounding.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

// The codes of S positions: [S, width]. The encoding's values are rounded to the precision first.
//   additive, concatenated, rotary: the row of the table.
//   logit bias: row s of the bias over all heads, centred per row and head, because softmax ignores row constants.
//   weight bias (erpe): the same, not centred, because it is added after the softmax.
//   relative vectors (shaw): the vectors a_{c(j-s)} of keys and values over all j. Here they are in coordinates in
//     which their inner products are the same and their width is at most 2 clip + 1.
//   none: zeros of width 1.
FAITHFUL_API Matrix<double> make_codes(const Encoding& encoding, std::size_t length, Precision precision);

// Rows that are equal exactly where the rounded codes are; not codes themselves for relative vectors (numbers of
// distinct vectors are there instead).
FAITHFUL_API Matrix<double> make_collision_rows(const Encoding& encoding, std::size_t length, Precision precision);

}  // namespace faithful
