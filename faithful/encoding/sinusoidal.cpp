#include <algorithm>
#include <cmath>

#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

std::vector<double> sinusoid_frequencies(std::size_t d, double rho, bool two_over_dim) {
  std::vector<double> frequencies((d + 1) / 2);
  const double whole =
      two_over_dim ? static_cast<double>(d) / 2 : static_cast<double>(std::max<std::size_t>(frequencies.size(), 2) - 1);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = std::pow(rho, -static_cast<double>(i) / whole);
  }
  return frequencies;
}

Encoding make_sinusoids(const EncodingOptions& options, double stretch) {
  const bool interleaved = options.own.text("layout") == "interleaved";
  const double first_position = options.own.real("first_position");
  const std::size_t d = options.dim, sines = (d + 1) / 2;
  Encoding encoding;
  encoding.frequencies = sinusoid_frequencies(d, options.own.real("rho"), options.own.text("exponent") == "2i/d");
  for (double& w : encoding.frequencies) w *= stretch;
  encoding.values.resize(options.length * d);
  double* row = encoding.values.data();
  for (const double position : positions_of(options)) {
    for (std::size_t i = 0; i < sines; ++i) {
      const double angle = (position + first_position) * encoding.frequencies[i];
      row[interleaved ? 2 * i : i] = std::sin(angle);
      if (2 * i + 1 < d) row[interleaved ? 2 * i + 1 : sines + i] = std::cos(angle);
    }
    row += d;
  }
  return encoding;
}

// The original encoding: e_{2i}(s) = sin(s rho^(-2i/d)), e_{2i+1}(s) = cos(s rho^(-2i/d)).
CatalogEntry sinusoidal_entry() {
  return {.name = "sinusoidal",
          .kind = EncodingKind::kAdditive,
          .description = "sin and cos of s * rho^(-2i/d): the original encoding",
          .enters = kAddedToInput,
          .citation = "Vaswani et al. 2017, Attention Is All You Need",
          .options = {kRho, kLayout, kExponent, kFirstPosition},
          .real_positions = true,
          .geometric = true,
          .make = [](const EncodingOptions& options) { return make_sinusoids(options, 1); },
          .in_model = &kInModel<AddedTable>};
}

}  // namespace faithful
