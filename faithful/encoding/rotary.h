#pragma once

#include <span>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

// RoPE (Su et al. 2021): row s holds cos(s theta_i), i < d_h/2, then sin(s theta_i), theta_i = rho^(-2i/d_h). The
// pairing does not change the table, only which coordinates are rotated.
Encoding make_rope(const EncodingOptions& options);

// Rotates the pairs (x, y) of one head's query or key [d_h] by a row of that table [d_h]:
//   x' = x cos - y sin,  y' = x sin + y cos.
FAITHFUL_API void rotate_pairs(std::span<double> vector, std::span<const double> row, RotaryPairing pairing);

}  // namespace faithful
