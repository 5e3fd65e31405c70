#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "faithful/analysis/findings.h"

namespace faithful {

namespace {

// The frequency of a column that is one sinusoid: x(s+1) + x(s-1) = 2 cos(w) x(s), solved by least squares. Nothing
// where that leaves more than a hundredth, or where w is too low to be distinguished from a line.
std::optional<double> column_frequency(const Matrix<double>& table, std::size_t c) {
  double cross = 0, square = 0;
  for (std::size_t s = 1; s + 1 < table.rows; ++s) {
    cross += table(s, c) * (table(s - 1, c) + table(s + 1, c));
    square += table(s, c) * table(s, c);
  }
  if (square == 0) return std::nullopt;
  const double cosine = cross / (2 * square);
  double rest = 0;
  for (std::size_t s = 1; s + 1 < table.rows; ++s) {
    const double off = table(s - 1, c) + table(s + 1, c) - 2 * cosine * table(s, c);
    rest += off * off;
  }
  if (rest > 1e-4 * square || std::abs(cosine) > 1) return std::nullopt;
  const double frequency = std::acos(cosine);
  if (frequency * static_cast<double>(table.rows) < 2 || frequency > 3.1) return std::nullopt;
  return frequency;
}

std::size_t frequency_number(SinusoidalColumns columns, std::size_t c, std::size_t d) {
  switch (columns) {
    case SinusoidalColumns::kInterleaved:
      return c / 2;
    case SinusoidalColumns::kHalves:
      return c % ((d + 1) / 2);
    case SinusoidalColumns::kUnshared:
      return c;
  }
  return 0;
}

bool is_first_of_pair(SinusoidalColumns columns, std::size_t c, std::size_t d) {
  return columns == SinusoidalColumns::kHalves ? c < (d + 1) / 2 : c % 2 == 0;
}

// first and ratio by a line through the logarithms of the columns' frequencies; false where there are too few.
bool fit_frequencies(SinusoidalFit& fit, const std::vector<std::optional<double>>& frequencies) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t c = 0; c < frequencies.size(); ++c) {
    if (!frequencies[c]) continue;
    const auto i = static_cast<double>(frequency_number(fit.columns, c, frequencies.size()));
    const double log = std::log(*frequencies[c]);
    n += 1, x += i, y += log, xx += i * i, xy += i * log;
  }
  const double spread = n * xx - x * x;
  if (n < 3 || spread <= 0) return false;
  const double slope = (n * xy - x * y) / spread;
  fit.ratio = std::exp(slope);
  fit.first = std::exp((y - slope * x) / n);
  return true;
}

// The amplitude that fits best, and what it leaves.
void fit_amplitude(SinusoidalFit& fit, const Matrix<double>& table) {
  const std::size_t d = table.columns;
  double cross = 0, form_square = 0, square = 0;
  for (std::size_t c = 0; c < d; ++c) {
    const double w = fit.first * std::pow(fit.ratio, static_cast<double>(frequency_number(fit.columns, c, d)));
    const bool sine = is_first_of_pair(fit.columns, c, d) == fit.sine_first;
    for (std::size_t s = 0; s < table.rows; ++s) {
      const double angle = w * (static_cast<double>(s) + fit.origin);
      const double form = sine ? std::sin(angle) : std::cos(angle);
      cross += form * table(s, c);
      form_square += form * form;
      square += table(s, c) * table(s, c);
    }
  }
  if (form_square == 0 || square == 0) return;
  fit.amplitude = cross / form_square;
  fit.error = std::sqrt(std::max(0.0, 1 - cross * cross / (form_square * square)));
}

}  // namespace

double SinusoidalFit::base(std::size_t d) const {
  const double pairs = columns == SinusoidalColumns::kUnshared ? 1 : 2;
  return std::pow(ratio, -static_cast<double>(d) / pairs);
}

SinusoidalFit fit_sinusoidal(const Matrix<double>& table) {
  SinusoidalFit best;
  if (table.rows < 4 || table.columns < 3) return best;
  std::vector<std::optional<double>> frequencies(table.columns);
  for (std::size_t c = 0; c < table.columns; ++c) frequencies[c] = column_frequency(table, c);
  for (const auto columns :
       {SinusoidalColumns::kInterleaved, SinusoidalColumns::kHalves, SinusoidalColumns::kUnshared}) {
    SinusoidalFit fit{.columns = columns};
    if (!fit_frequencies(fit, frequencies)) continue;
    for (const bool sine_first : {true, false}) {
      for (const double origin : {0.0, 1.0}) {
        fit.sine_first = sine_first;
        fit.origin = origin;
        fit_amplitude(fit, table);
        if (fit.error < best.error) best = fit;
      }
    }
  }
  return best;
}

}  // namespace faithful
