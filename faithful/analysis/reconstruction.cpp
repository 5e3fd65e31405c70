#include "faithful/analysis/reconstruction.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "faithful/analysis/linear_algebra.h"
#include "faithful/fourier/basis.h"

namespace faithful {

namespace {

double norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// How far one must go from `peak` in this direction until the curve has fallen to `level`.
std::optional<double> distance_to_level(std::span<const double> curve, std::size_t peak, int direction, double level,
                                        bool cyclic) {
  const auto count = static_cast<std::ptrdiff_t>(curve.size());
  double last = curve[peak];
  for (std::ptrdiff_t step = 1; step < count; ++step) {
    std::ptrdiff_t at = static_cast<std::ptrdiff_t>(peak) + direction * step;
    if (!cyclic && (at < 0 || at >= count)) return std::nullopt;
    at = (at + count) % count;
    const double value = curve[static_cast<std::size_t>(at)];
    if (value <= level) return static_cast<double>(step - 1) + (last - level) / (last - value);
    last = value;
  }
  return std::nullopt;
}

std::optional<double> width_at(std::span<const double> curve, std::size_t peak, double level, bool cyclic) {
  const auto left = distance_to_level(curve, peak, -1, level, cyclic);
  const auto right = distance_to_level(curve, peak, +1, level, cyclic);
  if (!left || !right) return std::nullopt;
  return *left + *right;
}

std::vector<double> delta(std::size_t position, std::size_t d) {
  std::vector<double> f(d, 0.0);
  f[position] = 1;
  return f;
}

}  // namespace

std::string_view to_string(Weighting weighting) {
  return weighting == Weighting::kPerFrequency ? "per-frequency" : "per-basis-function";
}

std::vector<double> reconstruct(std::span<const double> f, std::span<const double> g, Weighting weighting,
                                const RealTransform& transform) {
  const std::size_t d = f.size();
  assert(transform.size() == d && g.size() == frequency_count(d));
  std::vector<double> c(d);
  transform.forward(f, c);
  const double before = norm(c);
  for (std::size_t l = 0; l < d; ++l) {
    const std::size_t k = frequency_index(l, d);
    const double count =
        weighting == Weighting::kPerFrequency ? 1.0 : static_cast<double>(frequency_multiplicity(k, d));
    c[l] *= g[k] / count;
  }
  const double after = norm(c);
  const double scale = after > 0 ? before / after : 0;
  for (double& coefficient : c) coefficient *= scale;
  transform.inverse(c, c);
  return c;
}

CurveShape measure_curve(std::span<const double> curve, std::span<const double> reference, bool cyclic) {
  assert(!curve.empty() && curve.size() == reference.size());
  CurveShape shape;
  shape.peak_at = static_cast<std::size_t>(std::ranges::max_element(curve) - curve.begin());
  shape.peak = curve[shape.peak_at];
  if (shape.peak > 0) {
    shape.fwhm = width_at(curve, shape.peak_at, shape.peak / 2, cyclic);
    shape.width10 = width_at(curve, shape.peak_at, shape.peak / 10, cyclic);
  }
  std::vector<double> difference(curve.begin(), curve.end());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= reference[i];
  shape.l2_error = norm(difference);
  return shape;
}

std::vector<Reconstruction> reconstruct_deltas(const FrequencyLines& lines, std::span<const std::size_t> positions,
                                               std::span<const double> sigma_bins) {
  struct Weights {
    std::optional<double> sigma_bins;
    FrequencyDensity density;
  };
  std::vector<Weights> all;
  if (auto exact = exact_density(lines)) all.push_back({std::nullopt, *std::move(exact)});
  for (const double sigma : sigma_bins) all.push_back({sigma, smoothed_density(lines, sigma)});

  const RealTransform transform(lines.d);
  std::vector<Reconstruction> results;
  for (const std::size_t position : positions) {
    const std::vector<double> f = delta(position, lines.d);
    for (const Weights& weights : all) {
      for (const Weighting weighting : {Weighting::kPerFrequency, Weighting::kPerBasisFunction}) {
        const std::vector<double> curve = reconstruct(f, weights.density.g, weighting, transform);
        results.push_back(
            {position, weighting, weights.sigma_bins.has_value(), weights.sigma_bins, measure_curve(curve, f, true)});
      }
    }
  }
  return results;
}

std::vector<RidgeInversion> invert_deltas(const Matrix<double>& gram, std::span<const std::size_t> positions,
                                          double lambda) {
  const Matrix<double> inverse = ridge_inverse(gram, lambda);
  std::vector<RidgeInversion> results;
  for (const std::size_t position : positions) {
    RidgeInversion result{.position = position, .lambda = lambda, .shape = {}, .curve = std::vector<double>(gram.rows)};
    for (std::size_t s = 0; s < gram.rows; ++s) result.curve[s] = inverse(s, position);
    result.shape = measure_curve(result.curve, delta(position, gram.rows), false);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace faithful
