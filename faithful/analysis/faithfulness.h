#pragma once

// How well an encoding distinguishes positions: the measures, for any encoding and any table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faithful/analysis/codes.h"
#include "faithful/analysis/collisions.h"
#include "faithful/analysis/measures.h"
#include "faithful/analysis/noise.h"
#include "faithful/analysis/rounding.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

namespace faithful {

// Codes in a form in which all pairs can be compared cheaply.
struct CodeGeometry {
  Matrix<double> reduced;    // [S, min(S, width)], scaled to RMS norm 1 where the codes are not all zero
  Matrix<double> gram;       // [S, S] of `reduced`
  Matrix<double> distances;  // [S, S] of `reduced`; 0 where rounding cannot tell two codes apart
  double rms_norm = 0;       // of the codes themselves
};
FAITHFUL_API CodeGeometry make_geometry(Matrix<double> codes, ThreadPool& pool);

// Everything but first_collision, distinct_offsets and sign_seen, which take more than one table to find.
FAITHFUL_API Faithfulness measure_faithfulness(const Encoding& encoding, std::size_t length,
                                               const CodeGeometry& geometry, const FaithfulnessOptions& options,
                                               ThreadPool& pool);

// Single measures, of distances and kernels [S, S].
FAITHFUL_API std::optional<double> distance_spearman(const Matrix<double>& distances);
FAITHFUL_API std::optional<double> distance_pearson(const Matrix<double>& distances);
FAITHFUL_API std::optional<double> monotone_share(const Matrix<double>& distances);
FAITHFUL_API std::optional<double> shift_defect(const Matrix<double>& kernel);

}  // namespace faithful
