#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// Where a set of frequencies lies among those of the basis.
struct FrequencyDensity {
  std::vector<double> g;  // [frequency_count(d)], adds up to 1
  double normalizer = 0;  // R: what the kernels added up to; 0 (and g = 0) where no frequency reaches any basis one
};

// Gaussian kernel density of the frequencies w_l (radians per sample) at the basis frequencies w_k = 2 pi k / d:
//   g_k = (1/R) sum_l exp(-(w_k - w_l)^2 / (2 sigma^2)),   sum_k g_k = 1.
// Frequencies outside [0, pi] are folded in first. sigma > 0 is in radians per sample. Time grows with d and with the
// number of frequencies, not with their product, whatever sigma is; exact to 1e-15 of the peak.
FAITHFUL_API FrequencyDensity frequency_density(std::span<const double> frequencies, std::size_t d, double sigma);

// The frequency in [0, pi] that has the same values as this one at whole positions (up to the sign of a sine).
FAITHFUL_API double folded_frequency(double frequency);

}  // namespace faithful
