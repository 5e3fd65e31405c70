#include "faithful/fourier/density.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/fourier/basis.h"

namespace faithful {

namespace {

constexpr double kReach = 9.5;  // in sigmas: exp(-9.5^2/2) = 2.5e-20

double kernel(double x) {
  return std::exp(-0.5 * x * x);
}

FrequencyDensity normalized(std::vector<double> sums) {
  FrequencyDensity density{std::move(sums), 0};
  for (const double g : density.g) density.normalizer += g;
  if (density.normalizer > 0) {
    for (double& g : density.g) g /= density.normalizer;
  }
  return density;
}

std::vector<double> folded_and_checked(std::span<const double> frequencies, std::size_t d, double sigma) {
  if (d == 0) reject({{.field = "dim"}, "at least 1", "0"});
  if (!(sigma > 0) || !std::isfinite(sigma)) reject({{"sigma"}, "a positive number", fmt::format("{}", sigma)});
  std::vector<double> folded;
  folded.reserve(frequencies.size());
  for (const double w : frequencies) {
    if (!std::isfinite(w)) reject({{"frequencies"}, "finite numbers", fmt::format("{}", w)});
    folded.push_back(folded_frequency(w));
  }
  return folded;
}

// The basis points [begin, end) within reach of frequency w.
struct Points {
  std::size_t begin, end;
};
Points points_near(double w, double reach, std::size_t d) {
  const double bin = basis_frequency(1, d);
  const double low = std::ceil((w - reach) / bin), high = std::floor((w + reach) / bin);
  const double last = static_cast<double>(frequency_count(d) - 1);
  if (high < 0 || low > last) return {0, 0};
  return {static_cast<std::size_t>(std::max(low, 0.0)), static_cast<std::size_t>(std::min(high, last)) + 1};
}

// Narrow kernels: each frequency visits the few basis points that it reaches.
std::vector<double> add_each(std::span<const double> frequencies, std::size_t d, double sigma) {
  std::vector<double> sums(frequency_count(d));
  for (const double w : frequencies) {
    const Points near = points_near(w, kReach * sigma, d);
    for (std::size_t k = near.begin; k < near.end; ++k) sums[k] += kernel((basis_frequency(k, d) - w) / sigma);
  }
  return sums;
}

// Wide kernels: frequencies are gathered in boxes of width sigma, and each basis point visits the boxes it reaches
// (fast Gauss transform). Around a centre c, with a = (w_k - c)/sigma, b = (w_l - c)/sigma and |b| <= 1/2,
//   exp(-(a-b)^2/2) = exp(-a^2/2) sum_n a^n [exp(-b^2/2) b^n / n!],   where |ab| <= (kReach + 1/2)/2,
// so that kTerms terms leave less than 1e-17.
std::vector<double> add_boxes(std::span<const double> frequencies, std::size_t d, double sigma) {
  constexpr std::size_t kTerms = 40;
  using Moments = std::array<double, kTerms>;
  std::vector<Moments> boxes(static_cast<std::size_t>(std::numbers::pi / sigma) + 1, Moments{});
  const auto centre = [&](std::size_t box) { return (static_cast<double>(box) + 0.5) * sigma; };
  for (const double w : frequencies) {
    const std::size_t box = std::min(static_cast<std::size_t>(w / sigma), boxes.size() - 1);
    const double b = (w - centre(box)) / sigma;
    double term = kernel(b);
    for (std::size_t n = 0; n < kTerms; ++n) {
      boxes[box][n] += term;
      term *= b / static_cast<double>(n + 1);
    }
  }
  std::vector<double> sums(frequency_count(d));
  for (std::size_t box = 0; box < boxes.size(); ++box) {
    if (boxes[box][0] == 0) continue;  // empty
    const Points near = points_near(centre(box), (kReach + 0.5) * sigma, d);
    for (std::size_t k = near.begin; k < near.end; ++k) {
      const double a = (basis_frequency(k, d) - centre(box)) / sigma;
      double polynomial = 0;
      for (std::size_t n = kTerms; n-- > 0;) polynomial = polynomial * a + boxes[box][n];
      sums[k] += kernel(a) * polynomial;
    }
  }
  return sums;
}

}  // namespace

double folded_frequency(double frequency) {
  return std::min(std::abs(std::remainder(frequency, 2 * std::numbers::pi)), std::numbers::pi);
}

FrequencyDensity frequency_density(std::span<const double> frequencies, std::size_t d, double sigma) {
  const std::vector<double> folded = folded_and_checked(frequencies, d, sigma);
  constexpr double kWide = 4.5;  // bins, from where on 20 boxes of 40 terms cost less than 20 sigma exponentials
  if (sigma > kWide * basis_frequency(1, d)) return normalized(add_boxes(folded, d, sigma));
  return normalized(add_each(folded, d, sigma));
}

}  // namespace faithful
