#pragma once

// What the file of an encoding includes: its catalog entry, its class in a model, and helpers for its numbers.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"
#include "faithful/encoding/in_model_internal.h"

namespace faithful {

inline constexpr const char* kAddedToInput = "input, added";

// No table may have more values than this; checked before memory is taken.
inline constexpr std::size_t kMostValues = std::size_t{1} << 31;

// The product of the factors; InputError about `field` where it is above kMostValues.
std::size_t checked_product(const std::vector<std::size_t>& factors, const std::string& field);

// The given positions, or 0..S-1.
std::vector<double> positions_of(const EncodingOptions& options);  // [S]

// d_h = d / H; InputError where H does not divide d.
std::size_t head_width(const EncodingOptions& options);

// Start values N(0, .02), of a stream of their own.
inline constexpr double kSmallDeviation = 0.02;
std::vector<double> normal_values(std::size_t count, std::uint64_t seed, const char* stream);

// values[h, i, j] = bias(h, i, j)
template <class Bias>
std::vector<double> fill_bias(std::size_t heads, std::size_t length, Bias&& bias) {
  std::vector<double> values;
  values.reserve(heads * length * length);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < length; ++j) values.push_back(bias(h, i, j));
    }
  }
  return values;
}

}  // namespace faithful
