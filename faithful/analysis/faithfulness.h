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
#include "faithful/analysis/noise.h"
#include "faithful/analysis/rounding.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

namespace faithful {

template <class T>
using PerPrecision = std::array<T, kPrecisions.size()>;  // in the order of kPrecisions

struct FaithfulnessOptions {
  std::vector<double> noise_sigmas = {.01, .02, .03, .05, .07, .1, .14, .2, .3, .5, .7, 1, 1.4, 2};
  std::size_t noise_samples = 800'000;  // decoded positions per sigma, at least
  std::uint64_t seed = 1;               // of the noise
};

// Empty where a measure has no meaning.
struct Faithfulness {
  // 1. Separation
  std::optional<double> min_distance;  // min over s != t of |c_s - c_t| / RMS norm
  PerPrecision<Collisions> collisions;
  PerPrecision<std::optional<std::size_t>> first_collision;  // the smallest S with a collision
  std::optional<std::size_t> collision_search_limit;         // the largest S tried; empty: rows depend on S

  // 2. Conditioning
  std::vector<double> singular_values;            // of the codes in fp64, largest first
  std::optional<double> condition;                // largest / smallest of min(S, d) singular values
  bool singular = false;                          // the condition number is above 1/eps, and no more is known
  std::optional<double> stable_rank;              // |C|_F^2 / |C|_2^2
  std::optional<double> effective_rank;           // exp of the entropy of the singular values over their sum
  PerPrecision<std::optional<std::size_t>> rank;  // singular values above eps_p times the largest

  // 3. Gram matrix of the codes at norm 1
  std::optional<double> coherence;       // largest |G_st|, s != t
  std::optional<double> gram_deviation;  // |G - I|_F / sqrt(S)

  // 4. Offset resolution, of relative schemes
  std::optional<std::size_t> distinct_offsets;
  std::optional<bool> sign_seen;

  // 5. Noise decoding
  std::optional<NoiseDecoding> noise;

  // 7. Distance awareness. It trades off against 1-3: equal distances are best for separation, worst for order.
  std::optional<double> spearman;        // of code distance and |s - t|
  std::optional<double> monotone_share;  // share of the steps away from a position that take the code further away

  // 8. Shift invariance
  std::optional<double> shift_defect;  // variance of the kernel along its diagonals / total variance
};

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
FAITHFUL_API std::optional<double> monotone_share(const Matrix<double>& distances);
FAITHFUL_API std::optional<double> shift_defect(const Matrix<double>& kernel);

}  // namespace faithful
