#pragma once

#include <cstddef>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

// Shaw et al. 2018: q_i . (k_j + aK_r) / sqrt(d_h) and sum_j A_ij (v_j + aV_r), r = shaw_row(j - i, clip). Two tables,
// shared over heads, N(0, .02) at the start.
Encoding make_shaw(const EncodingOptions& options);
std::vector<double> start_shaw(const EncodingOptions& options);  // [2, 2 clip + 1, d_h], keys then values

// The row of an offset j - i in shaw's tables: clipped to +-clip, plus clip.
FAITHFUL_API std::size_t shaw_row(std::ptrdiff_t offset, std::size_t clip);

// eRPE (Foumani et al. 2024): A_ij + w[i - j + S - 1][h] after the softmax, not renormalised; zeros at the start.
Encoding make_erpe(const EncodingOptions& options);
std::vector<double> start_erpe(const EncodingOptions& options);  // [2S-1, H]

}  // namespace faithful
