#include "faithful/encoding/sinusoidal.h"

#include <algorithm>
#include <cmath>

#include "faithful/encoding/options_internal.h"

namespace faithful {

std::vector<double> sinusoid_frequencies(std::size_t d, double rho, SinusoidalConvention::Step step) {
  std::vector<double> frequencies((d + 1) / 2);
  const bool two_over_dim = step == SinusoidalConvention::Step::kTwoOverDim;
  const double whole =
      two_over_dim ? static_cast<double>(d) / 2 : static_cast<double>(std::max<std::size_t>(frequencies.size(), 2) - 1);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = std::pow(rho, -static_cast<double>(i) / whole);
  }
  return frequencies;
}

std::vector<double> sinusoid_table(std::span<const double> positions, std::span<const double> frequencies,
                                   std::size_t d, const SinusoidalConvention& convention) {
  const bool interleaved = convention.layout == SinusoidalConvention::Layout::kInterleaved;
  const std::size_t sines = (d + 1) / 2;
  std::vector<double> table(positions.size() * d);
  for (std::size_t s = 0; s < positions.size(); ++s) {
    double* const row = table.data() + s * d;
    for (std::size_t i = 0; i < sines; ++i) {
      const double angle = (positions[s] + convention.first_position) * frequencies[i];
      row[interleaved ? 2 * i : i] = std::sin(angle);
      if (2 * i + 1 < d) row[interleaved ? 2 * i + 1 : sines + i] = std::cos(angle);
    }
  }
  return table;
}

namespace {

Encoding make_stretched(const EncodingOptions& options, double stretch) {
  Encoding encoding;
  encoding.frequencies = sinusoid_frequencies(options.dim, options.rho, options.sinusoidal.step);
  for (double& w : encoding.frequencies) w *= stretch;
  encoding.values = sinusoid_table(positions_of(options), encoding.frequencies, options.dim, options.sinusoidal);
  return encoding;
}

}  // namespace

Encoding make_sinusoidal(const EncodingOptions& options) {
  return make_stretched(options, 1);
}

Encoding make_tape(const EncodingOptions& options) {
  return make_stretched(options, static_cast<double>(options.dim) / static_cast<double>(options.length));
}

}  // namespace faithful
