#pragma once

// Figure 2 of the paper: a function of the position, rebuilt from the frequencies of an encoding.

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "faithful/analysis/measures.h"
#include "faithful/analysis/spectrum.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/fourier/transform.h"

namespace faithful {

// Algorithm 1: the Fourier coefficients of f [d], each times the weight of its frequency (g [frequency_count(d)]),
// scaled back to the L2 norm of f, and transformed back. All zeros if all weighted coefficients are zero.
FAITHFUL_API std::vector<double> reconstruct(std::span<const double> f, std::span<const double> g, Weighting weighting,
                                             const RealTransform& transform);

// Widths by linear interpolation between samples; cyclic: the curve goes on at its other end.
FAITHFUL_API CurveShape measure_curve(std::span<const double> curve, std::span<const double> reference, bool cyclic);

// Deltas at these positions through Algorithm 1: every weighting, with the exact g where it is known and smoothed
// with each of the bandwidths.
FAITHFUL_API std::vector<Reconstruction> reconstruct_deltas(const FrequencyLines& lines,
                                                            std::span<const std::size_t> positions,
                                                            std::span<const double> sigma_bins);

// Deltas through f = G (G + lambda I)^-1 delta, G [S, S] the Gram matrix at RMS norm 1.
FAITHFUL_API std::vector<RidgeInversion> invert_deltas(const Matrix<double>& gram,
                                                       std::span<const std::size_t> positions, double lambda);

}  // namespace faithful
