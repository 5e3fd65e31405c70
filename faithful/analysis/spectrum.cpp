#include "faithful/analysis/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "faithful/fourier/basis.h"
#include "faithful/fourier/transform.h"

namespace faithful {

namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;

// The index of a frequency among the basis frequencies, where it is one of them up to rounding.
std::optional<std::size_t> basis_index(double frequency, std::size_t d) {
  const double bins = frequency * static_cast<double>(d) / kTwoPi;
  const double nearest = std::round(bins);
  if (std::abs(bins - nearest) > 1e-9) return std::nullopt;
  return static_cast<std::size_t>(nearest);
}

// Scales to sum 1; false where there is nothing to scale.
bool normalize(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (!(sum > 0)) return false;
  for (double& value : values) value /= sum;
  return true;
}

std::vector<double> exact_weights(const FrequencyLines& lines) {
  std::vector<double> exact(frequency_count(lines.d), 0.0);
  for (const double frequency : lines.frequencies) {
    const auto k = basis_index(frequency, lines.d);
    if (!k) return {};
    exact[*k] += static_cast<double>(frequency_multiplicity(*k, lines.d));
  }
  if (!normalize(exact)) return {};
  return exact;
}

// The density of weighted lines at the basis frequencies: a convolution, cut where the kernel is below
// rounding.
FrequencyDensity smoothed_on_grid(std::span<const double> weights, double sigma_bins) {
  const auto count = static_cast<std::ptrdiff_t>(weights.size());
  const auto reach = std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(std::ceil(9.5 * sigma_bins)));
  std::vector<double> kernel;
  for (std::ptrdiff_t j = 0; j <= reach; ++j) {
    const double z = static_cast<double>(j) / sigma_bins;
    kernel.push_back(std::exp(-z * z / 2));
  }
  FrequencyDensity density{std::vector<double>(weights.size(), 0.0), 0};
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    double sum = 0;
    for (std::ptrdiff_t l = std::max<std::ptrdiff_t>(0, k - reach); l <= std::min(count - 1, k + reach); ++l) {
      sum += weights[static_cast<std::size_t>(l)] * kernel[static_cast<std::size_t>(std::abs(k - l))];
    }
    density.g[static_cast<std::size_t>(k)] = sum;
  }
  density.normalizer = std::accumulate(density.g.begin(), density.g.end(), 0.0);
  normalize(density.g);
  return density;
}

}  // namespace

FrequencyLines lines_of_frequencies(std::span<const double> frequencies, std::size_t d) {
  FrequencyLines lines{.d = d, .frequencies = {}, .weights = std::vector<double>(frequencies.size(), 1.0), .exact = {}};
  for (const double frequency : frequencies) lines.frequencies.push_back(folded_frequency(frequency));
  lines.exact = exact_weights(lines);
  return lines;
}

FrequencyLines lines_of_periodogram(const Matrix<double>& gram, std::size_t d) {
  // The autocorrelation summed over columns, wrapped onto d points: at basis frequencies that changes nothing.
  std::vector<double> wrapped(d, 0.0);  // [d]
  for (std::size_t s = 0; s < gram.rows; ++s) {
    for (std::size_t t = 0; t < gram.rows; ++t) wrapped[(s + d - t % d) % d] += gram(s, t);
  }
  std::vector<double> transformed(d);
  RealTransform(d).forward(wrapped, transformed);

  FrequencyLines lines{.d = d, .frequencies = {}, .weights = {}, .exact = {}, .from_periodogram = true};
  for (std::size_t k = 0; k < frequency_count(d); ++k) {
    const auto multiplicity = static_cast<double>(frequency_multiplicity(k, d));
    // Cosine k is at index k, Nyquist at d - 1; its coefficient is that of the power spectrum times a constant.
    const double coefficient = transformed[2 * k == d ? d - 1 : k] * std::sqrt(static_cast<double>(d) / multiplicity);
    const double power = std::max(0.0, coefficient);
    lines.frequencies.push_back(basis_frequency(k, d));
    lines.weights.push_back(power);
    lines.exact.push_back(power * multiplicity);
  }
  if (!normalize(lines.exact)) lines.exact.clear();
  return lines;
}

FrequencyDensity smoothed_density(const FrequencyLines& lines, double sigma_bins) {
  if (lines.from_periodogram) return smoothed_on_grid(lines.weights, sigma_bins);
  return frequency_density(lines.frequencies, lines.d, sigma_bins * kTwoPi / static_cast<double>(lines.d));
}

std::optional<FrequencyDensity> exact_density(const FrequencyLines& lines) {
  if (lines.exact.empty()) return std::nullopt;
  return FrequencyDensity{lines.exact, static_cast<double>(lines.d)};
}

double lowest_bin_share(const FrequencyLines& lines) {
  if (!lines.exact.empty()) return lines.exact[0];
  if (lines.frequencies.empty()) return 0;
  const double bin = kTwoPi / static_cast<double>(lines.d);
  const auto below = std::ranges::count_if(lines.frequencies, [bin](double frequency) { return frequency < bin; });
  return static_cast<double>(below) / static_cast<double>(lines.frequencies.size());
}

double crossover(std::size_t d, double rho) {
  const auto width = static_cast<double>(d);
  return width * std::log(width / kTwoPi) / std::log(rho);
}

}  // namespace faithful
