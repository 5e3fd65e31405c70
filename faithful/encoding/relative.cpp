#include "faithful/encoding/relative.h"

#include <algorithm>

#include "faithful/base/random.h"
#include "faithful/encoding/options_internal.h"

namespace faithful {

Encoding make_shaw(const EncodingOptions& options) {
  return {.values = options.parameters};
}

std::vector<double> start_shaw(const EncodingOptions& options) {
  Random random(options.seed, stream_of("shaw"));
  std::vector<double> tables(2 * (2 * options.clip + 1) * head_width(options));
  for (double& value : tables) value = 0.02 * random.normal();
  return tables;
}

std::size_t shaw_row(std::ptrdiff_t offset, std::size_t clip) {
  const auto limit = static_cast<std::ptrdiff_t>(clip);
  return static_cast<std::size_t>(std::clamp(offset, -limit, limit) + limit);
}

Encoding make_erpe(const EncodingOptions& options) {
  const std::size_t length = options.length, heads = options.heads;
  Encoding encoding;
  encoding.values.reserve(heads * length * length);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < length; ++j) {
        encoding.values.push_back(options.parameters[(i + length - 1 - j) * heads + h]);
      }
    }
  }
  return encoding;
}

std::vector<double> start_erpe(const EncodingOptions& options) {
  return std::vector<double>((2 * options.length - 1) * options.heads, 0.0);
}

}  // namespace faithful
