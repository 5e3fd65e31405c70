#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Checks of input that the functions of this room share. Each throws InputError.

namespace faithful::metrics {

void check_same_size(const char* what, std::size_t size, const char* other, std::size_t other_size);
void check_finite(const char* what, std::span<const double> values);       // no NaN, no infinity
void check_flags(const char* what, std::span<const std::uint8_t> flags);   // 0 or 1
void check_weights(std::span<const double> weights, std::size_t samples);  // none, or one per sample, >= 0
void check_classes(const char* what, std::span<const std::int32_t> labels, std::size_t classes);
void check_share(const char* what, double share);  // strictly between 0 and 1

// The weight of a sample; 1 where there are none.
inline double weight_of(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1.0 : weights[i];
}

// a / b; 0 where b is 0, as scikit-learn has it.
inline double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

}  // namespace faithful::metrics
