#pragma once

#include "faithful/encoding/encoding.h"

namespace faithful {

// No position at all.
Encoding make_none(const EncodingOptions& options);

// e_i(s) = 1 at i = s, else 0; S <= d.
Encoding make_onehot(const EncodingOptions& options);

// Rows of a random orthogonal matrix, uniform over the orthogonal group: QR of a Gaussian matrix with the signs of
// diag R folded into Q. S <= d: S orthonormal rows; S > d: d orthonormal columns.
Encoding make_haar(const EncodingOptions& options);

}  // namespace faithful
