#pragma once

// What an analysis of an encoding, or of any table of positions, reports: plain values. The functions that compute them
// stand in headers of their own beside this one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// The number formats in which encodings are stored and used.
enum class Precision { kFp64, kFp32, kBf16, kFp16 };
inline constexpr std::array kPrecisions = {Precision::kFp64, Precision::kFp32, Precision::kBf16, Precision::kFp16};

FAITHFUL_API std::string_view to_string(Precision precision);  // fp64, fp32, bf16, fp16

struct Collisions {
  std::size_t pairs = 0;                                     // of equal rows
  std::optional<std::pair<std::size_t, std::size_t>> first;  // the pair (s, t), s < t, with the smallest t
};

// How well positions can be distinguished under noise: N(0, sigma^2) is added to every coordinate of a code of RMS
// norm 1, and the nearest code is taken (of equally near ones, the first).
struct NoiseDecoding {
  std::vector<double> sigmas;
  std::vector<double> error_rates;           // share of wrong positions, per sigma
  std::vector<double> mean_absolute_errors;  // |decoded - true| in positions, per sigma
  double sigma10 = 0;                        // the sigma at which 10 % are wrong
};

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
  std::optional<double> pearson;         // of the same: also shows where distances no longer grow
  std::optional<double> monotone_share;  // share of the steps away from a position that take the code further away

  // 8. Shift invariance
  std::optional<double> shift_defect;  // variance of the kernel along its diagonals / total variance
};

// What `analyze` reports.
struct Spectrum {
  std::vector<double> g;  // k = 0..floor(d/2), adds up to 1
  double normalizer = 0;  // R
  bool smoothed = false;  // by the kernel; otherwise g is exact
  std::optional<double> sigma_bins;
  bool from_periodogram = false;
  double lowest_bin_share = 0;
  std::optional<double> crossover;  // sinusoidal and rope only
};

// What the coefficients are multiplied by.
enum class Weighting {
  kPerFrequency,      // g_k, as the paper does: counts two basis functions in the middle and one at the ends
  kPerBasisFunction,  // g_k / multiplicity: exact for the dft encoding
};
FAITHFUL_API std::string_view to_string(Weighting weighting);  // per-frequency, per-basis-function

// How sharp the rebuilt delta is.
struct CurveShape {
  double peak = 0;  // largest value
  std::size_t peak_at = 0;
  std::optional<double> fwhm;     // full width at half of the peak, in samples; null where the curve leaves the range
  std::optional<double> width10;  // full width at a tenth of the peak
  double l2_error = 0;            // |curve - reference|
};

struct Reconstruction {
  std::size_t position = 0;
  Weighting weighting = Weighting::kPerFrequency;
  bool smoothed = true;              // g smoothed by the kernel; otherwise exact
  std::optional<double> sigma_bins;  // of the kernel; null where not smoothed
  CurveShape shape;
};

struct RidgeInversion {
  std::size_t position = 0;
  double lambda = 1e-2;
  CurveShape shape;
  std::vector<double> curve;  // [S]
};

struct Finding {
  enum class Weight { kFault, kWarning, kRemark };
  Weight weight = Weight::kRemark;
  std::string what;  // `duplicate-rows`, `transposed`, ...: for programs
  std::string text;  // for people: what is wrong, where, how much, and what to do
};
FAITHFUL_API std::string_view to_string(Finding::Weight weight);  // fault, warning, remark

}  // namespace faithful
