#pragma once

// Figure 2 of the paper: a function of the position, rebuilt from the frequencies of an encoding.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "faithful/analysis/spectrum.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/fourier/transform.h"

namespace faithful {

// What the coefficients are multiplied by.
enum class Weighting {
  kPerFrequency,      // g_k, as the paper does: counts two basis functions in the middle and one at the ends
  kPerBasisFunction,  // g_k / multiplicity: exact for the dft encoding
};
FAITHFUL_API std::string_view to_string(Weighting weighting);  // per-frequency, per-basis-function

// Algorithm 1: the Fourier coefficients of f [d], each times the weight of its frequency (g [frequency_count(d)]),
// scaled back to the L2 norm of f, and transformed back. All zeros if all weighted coefficients are zero.
FAITHFUL_API std::vector<double> reconstruct(std::span<const double> f, std::span<const double> g, Weighting weighting,
                                             const RealTransform& transform);

// How sharp the rebuilt delta is.
struct CurveShape {
  double peak = 0;  // largest value
  std::size_t peak_at = 0;
  std::optional<double> fwhm;     // full width at half of the peak, in samples; null where the curve leaves the range
  std::optional<double> width10;  // full width at a tenth of the peak
  double l2_error = 0;            // |curve - reference|
};

// Widths by linear interpolation between samples; cyclic: the curve goes on at its other end.
FAITHFUL_API CurveShape measure_curve(std::span<const double> curve, std::span<const double> reference, bool cyclic);

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

// Deltas at these positions through Algorithm 1: every weighting, with the exact g where it is known and smoothed
// with each of the bandwidths.
FAITHFUL_API std::vector<Reconstruction> reconstruct_deltas(const FrequencyLines& lines,
                                                            std::span<const std::size_t> positions,
                                                            std::span<const double> sigma_bins);

// Deltas through f = G (G + lambda I)^-1 delta, G [S, S] the Gram matrix at RMS norm 1.
FAITHFUL_API std::vector<RidgeInversion> invert_deltas(const Matrix<double>& gram,
                                                       std::span<const std::size_t> positions, double lambda);

}  // namespace faithful
