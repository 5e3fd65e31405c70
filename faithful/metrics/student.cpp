#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <math.h>  // NOLINT(modernize-deprecated-headers): lgamma_r, which keeps its sign out of a global

#include "faithful/metrics/checks_internal.h"
#include "faithful/metrics/paired.h"
#include "faithful/metrics/student_internal.h"

namespace faithful {

namespace metrics {

namespace {

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// The continued fraction of I_x(a, b) (DLMF 8.17.22), 1/(1+ d1/(1+ d2/(1+ ..))), from the front by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostSteps = 100'000;
  const auto term = [&](int k) {
    const double m = k / 2;  // NOLINT(bugprone-integer-division): meant
    return k % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                      : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
  };
  const auto nonzero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double value = 1, numerator = 1, denominator = 0;
  for (int k = 1; k < kMostSteps; ++k) {
    denominator = 1 / nonzero(1 + term(k) * denominator);
    numerator = nonzero(1 + term(k) / numerator);
    const double factor = numerator * denominator;
    value *= factor;
    if (std::abs(factor - 1) <= std::numeric_limits<double>::epsilon()) break;
  }
  return 1 / value;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast below the mean of the distribution; above it, by symmetry.
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double log_front =
      a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b) - std::log(a);
  return std::exp(log_front) * beta_fraction(a, b, x);
}

double student_two_sided(double t, double freedom) {
  assert(freedom > 0);
  // With x = freedom / (freedom + t^2) it is I_x(freedom/2, 1/2); 1 - x is exact where t is small.
  const double square = t * t;
  if (square < freedom) return 1 - incomplete_beta(0.5, freedom / 2, square / (freedom + square));
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square));
}

}  // namespace metrics

double student_cdf(double t, double freedom) {
  const double tail = metrics::student_two_sided(t, freedom) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double share, double freedom) {
  metrics::check_share("share", share);
  if (share == 0.5) return 0;
  const double tail = 2 * std::min(share, 1 - share);
  double low = 0, high = 1;  // |t| lies between
  while (metrics::student_two_sided(high, freedom) > tail) high *= 2;
  for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
    (metrics::student_two_sided(middle, freedom) > tail ? low : high) = middle;
  }
  return share > 0.5 ? high : -high;
}

}  // namespace faithful
