#pragma once

// Figure 1 of the paper: where the frequencies of an encoding lie among those of the Fourier basis on d points.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "faithful/analysis/measures.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/fourier/density.h"

namespace faithful {

// The frequencies that an encoding of width d is made of.
struct FrequencyLines {
  std::size_t d = 0;
  std::vector<double> frequencies;  // in [0, pi], radians per sample
  std::vector<double> weights;      // one per frequency
  // What the table holds at each basis frequency, adding up to 1: [frequency_count(d)]. Known where every frequency is
  // one of the basis (dft: 2/d, and 1/d at the ends) and for a periodogram; empty otherwise.
  std::vector<double> exact;
  bool from_periodogram = false;
};

// Of an encoding that states its frequencies, each counted once; they are folded into [0, pi].
FAITHFUL_API FrequencyLines lines_of_frequencies(std::span<const double> frequencies, std::size_t d);

// Of any table of width d with this Gram matrix [S, S]: the power of all its columns at the basis frequencies,
//   P_k = sum_c |sum_s e_c(s) exp(-i w_k s)|^2 = sum_{s,t} G_st cos(w_k (s - t)).
// A frequency with two basis functions has twice the power in a white table, so each line weighs P_k / multiplicity.
FAITHFUL_API FrequencyLines lines_of_periodogram(const Matrix<double>& gram, std::size_t d);

// g_k = (1/R) sum_l weight_l exp(-(w_k - w_l)^2 / (2 sigma^2)), sigma = sigma_bins * 2 pi / d.
FAITHFUL_API FrequencyDensity smoothed_density(const FrequencyLines& lines, double sigma_bins);

// `exact` with its normalizer d; only where it is known.
FAITHFUL_API std::optional<FrequencyDensity> exact_density(const FrequencyLines& lines);

// The share of the frequencies (of the table's columns, of the power) in the lowest bin [0, 2 pi / d).
FAITHFUL_API double lowest_bin_share(const FrequencyLines& lines);

// The paper's l: entries of a sinusoidal table with frequency rho^(-l/d) above 2 pi / d,
//   l = d ln(d / 2 pi) / ln rho  (for rho = 10,000: (d/4) log10(d / 2 pi)).
FAITHFUL_API double crossover(std::size_t d, double rho);

}  // namespace faithful
