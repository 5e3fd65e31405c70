#include "faithful/encoding/learned.h"

#include <algorithm>
#include <cmath>

#include "faithful/base/random.h"
#include "faithful/encoding/options_internal.h"

namespace faithful {

Encoding make_learned(const EncodingOptions& options) {
  return {.values = options.parameters};
}

std::vector<double> start_learned(const EncodingOptions& options) {
  Random random(options.seed, stream_of("learned"));
  std::vector<double> table(options.length * options.dim);
  for (double& value : table) value = random.uniform(-0.02, 0.02);
  return table;
}

Encoding make_learned_frequency(const EncodingOptions& options) {
  const std::size_t d = options.dim;
  const std::span w = std::span(options.parameters).first(d), b = std::span(options.parameters).last(d);
  const double scale = std::sqrt(1 / static_cast<double>(d));
  Encoding encoding;
  encoding.frequencies.assign(w.begin(), w.end());
  encoding.values.reserve(options.length * d);
  for (const double t : positions_of(options)) {
    for (std::size_t i = 0; i < d; ++i) encoding.values.push_back(scale * std::cos(w[i] * t + b[i]));
  }
  return encoding;
}

std::vector<double> start_learned_frequency(const EncodingOptions& options) {
  const std::size_t d = options.dim;
  std::vector<double> w_and_b(2 * d, 0.0);
  w_and_b[0] = 1;
  for (std::size_t i = 1; i < d; ++i) {
    w_and_b[i] = std::pow(10.0, -9 * static_cast<double>(i) / static_cast<double>(d - 1));
  }
  return w_and_b;
}

Encoding make_time_features(const EncodingOptions& options) {
  const std::size_t width = options.time_dim;
  const std::span w = std::span(options.parameters).first(width), b = std::span(options.parameters).last(width);
  const std::vector<double> positions = positions_of(options);
  const auto [first, last] = std::minmax_element(positions.begin(), positions.end());
  const double span = *last > *first ? *last - *first : 1;
  Encoding encoding;
  for (std::size_t i = 1; i < width; ++i) encoding.frequencies.push_back(w[i] / span);
  encoding.values.reserve(positions.size() * width);
  for (const double position : positions) {
    const double t = (position - *first) / span;
    encoding.values.push_back(w[0] * t + b[0]);
    for (std::size_t i = 1; i < width; ++i) encoding.values.push_back(std::sin(w[i] * t + b[i]));
  }
  return encoding;
}

std::vector<double> start_mtan(const EncodingOptions& options) {
  Random random(options.seed, stream_of("mtan"));
  std::vector<double> w_and_b(2 * options.time_dim);
  for (double& value : w_and_b) value = random.uniform(-1, 1);
  return w_and_b;
}

std::vector<double> start_time2vec(const EncodingOptions& options) {
  Random random(options.seed, stream_of("time2vec"));
  std::vector<double> w_and_b(2 * options.time_dim);
  for (double& value : w_and_b) value = random.normal();
  return w_and_b;
}

}  // namespace faithful
