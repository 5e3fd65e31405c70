#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// The real orthonormal Fourier basis on d points (d >= 1), with w_k = 2 pi k / d and K = pair_count(d):
//   phi_0(t)     = 1/sqrt(d)
//   phi_k(t)     = sqrt(2/d) cos(w_k t)   k = 1..K
//   phi_{K+k}(t) = sqrt(2/d) sin(w_k t)   k = 1..K
//   phi_{d-1}(t) = 1/sqrt(d) cos(pi t)    even d only

// K: how many frequencies have both a cosine and a sine.
constexpr std::size_t pair_count(std::size_t d) {
  return (d - 1) / 2;
}

// How many frequencies w_k the basis has: k = 0..floor(d/2).
constexpr std::size_t frequency_count(std::size_t d) {
  return d / 2 + 1;
}

// How many basis functions have frequency w_k: 1 at k = 0 and at Nyquist, 2 elsewhere.
constexpr std::size_t frequency_multiplicity(std::size_t k, std::size_t d) {
  return k == 0 || 2 * k == d ? 1 : 2;
}

// The k of basis function l.
constexpr std::size_t frequency_index(std::size_t l, std::size_t d) {
  return l <= pair_count(d) ? l : (2 * pair_count(d) < l ? d / 2 : l - pair_count(d));
}

// w_k = 2 pi k / d in radians per sample.
FAITHFUL_API double basis_frequency(std::size_t k, std::size_t d);

struct Root {
  double cos;
  double sin;
};

// cos and sin of 2 pi j / d, within 1 ulp for every j < d: the angle is folded into [0, pi/4] in
// integers before any rounding.
FAITHFUL_API Root root_of_unity(std::uint64_t j, std::uint64_t d);

// All d roots of unity. `at(k * s)` reduces modulo d in integers, so nothing drifts as k * s grows.
class FAITHFUL_API RootTable {
 public:
  explicit RootTable(std::size_t d);

  std::size_t size() const { return cos_.size(); }
  double cos(std::uint64_t j) const { return cos_[j % cos_.size()]; }
  double sin(std::uint64_t j) const { return sin_[j % sin_.size()]; }
  Root at(std::uint64_t j) const { return reduced(j % cos_.size()); }
  Root reduced(std::uint64_t j) const { return {cos_[j], sin_[j]}; }  // j < d, for loops that spare the division

 private:
  std::vector<double> cos_;  // [d]
  std::vector<double> sin_;  // [d]
};

// phi_l(t) on roots.size() points.
FAITHFUL_API double basis_value(const RootTable& roots, std::size_t l, std::size_t t);

}  // namespace faithful
