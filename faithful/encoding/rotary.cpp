#include "faithful/encoding/rotary.h"

#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/options_internal.h"
#include "faithful/encoding/sinusoidal.h"

namespace faithful {

Encoding make_rope(const EncodingOptions& options) {
  const std::size_t width = head_width(options), pairs = width / 2;
  if (width % 2 != 0) {
    reject({{"--dim"},
            fmt::format("an even head width for rope (--dim / --heads {})", options.heads),
            fmt::format("{}", width)});
  }
  Encoding encoding;
  encoding.frequencies = sinusoid_frequencies(width, options.rho);
  encoding.values.reserve(options.length * width);
  for (const double position : positions_of(options)) {
    for (std::size_t i = 0; i < pairs; ++i) encoding.values.push_back(std::cos(position * encoding.frequencies[i]));
    for (std::size_t i = 0; i < pairs; ++i) encoding.values.push_back(std::sin(position * encoding.frequencies[i]));
  }
  return encoding;
}

void rotate_pairs(std::span<double> vector, std::span<const double> row, RotaryPairing pairing) {
  assert(vector.size() == row.size() && row.size() % 2 == 0);
  const std::size_t pairs = row.size() / 2;
  const bool interleaved = pairing == RotaryPairing::kInterleaved;
  for (std::size_t i = 0; i < pairs; ++i) {
    double& x = vector[interleaved ? 2 * i : i];
    double& y = vector[interleaved ? 2 * i + 1 : i + pairs];
    const double cosine = row[i], sine = row[pairs + i], old_x = x;
    x = old_x * cosine - y * sine;
    y = old_x * sine + y * cosine;
  }
}

}  // namespace faithful
