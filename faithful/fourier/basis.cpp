#include "faithful/fourier/basis.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace faithful {

double basis_frequency(std::size_t k, std::size_t d) {
  return 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(d);
}

Root root_of_unity(std::uint64_t j, std::uint64_t d) {
  assert(d >= 1 && j < d && d < (std::uint64_t{1} << 50));
  std::uint64_t eighths = 8 * j;  // the angle is (pi/4) * eighths / d
  bool negate_sin = false, negate_cos = false, swap = false;
  if (eighths > 4 * d) eighths = 8 * d - eighths, negate_sin = true;
  if (eighths > 2 * d) eighths = 4 * d - eighths, negate_cos = true;
  if (eighths > d) eighths = 2 * d - eighths, swap = true;
  // The angle as a + rest, and sin(a + rest) = sin a + rest cos a: within 1 ulp, as fast as double.
  constexpr double kQuarter = std::numbers::pi / 4, kQuarterRest = 3.061616997868383e-17;  // pi/4 in two parts
  const double n = static_cast<double>(eighths), m = static_cast<double>(d);
  const double ratio = n / m, ratio_rest = std::fma(-ratio, m, n) / m;
  const double a = ratio * kQuarter;
  const double rest = std::fma(ratio, kQuarter, -a) + ratio * kQuarterRest + ratio_rest * kQuarter;
  const double c = std::cos(a), s = std::sin(a);
  Root root{c - rest * s, s + rest * c};
  if (eighths == d) root = {std::sqrt(0.5), std::sqrt(0.5)};  // alike to the last bit
  if (swap) std::swap(root.cos, root.sin);
  if (negate_cos) root.cos = -root.cos;
  if (negate_sin) root.sin = -root.sin;
  return root;
}

RootTable::RootTable(std::size_t d) : cos_(d), sin_(d) {
  assert(d >= 1);
  // Compute one octant where d has octants, else half the circle, and mirror.
  const bool quarters = d % 4 == 0;
  const std::size_t computed = quarters ? d / 8 : d / 2;
  for (std::size_t j = 0; j <= computed; ++j) {
    const Root root = root_of_unity(j, d);
    cos_[j] = root.cos;
    sin_[j] = root.sin;
  }
  if (quarters) {
    const std::size_t quarter = d / 4;
    for (std::size_t j = computed + 1; j <= quarter; ++j) {
      cos_[j] = sin_[quarter - j];
      sin_[j] = cos_[quarter - j];
    }
    for (std::size_t j = quarter + 1; j <= 2 * quarter; ++j) {
      cos_[j] = -cos_[2 * quarter - j];
      sin_[j] = sin_[2 * quarter - j];
    }
  }
  for (std::size_t j = d / 2 + 1; j < d; ++j) {
    cos_[j] = cos_[d - j];
    sin_[j] = -sin_[d - j];
  }
}

double basis_value(const RootTable& roots, std::size_t l, std::size_t t) {
  const std::size_t d = roots.size();
  assert(l < d);
  const std::size_t k = frequency_index(l, d);
  const std::uint64_t turn = static_cast<std::uint64_t>(k) * (t % d);
  const double scale = std::sqrt(static_cast<double>(frequency_multiplicity(k, d)) / static_cast<double>(d));
  const bool sine = l > pair_count(d) && l <= 2 * pair_count(d);
  return scale * (sine ? roots.sin(turn) : roots.cos(turn));
}

}  // namespace faithful
