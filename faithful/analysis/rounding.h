#pragma once

#include <array>
#include <span>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// The number formats in which encodings are stored and used.
enum class Precision { kFp64, kFp32, kBf16, kFp16 };
inline constexpr std::array kPrecisions = {Precision::kFp64, Precision::kFp32, Precision::kBf16, Precision::kFp16};

FAITHFUL_API std::string_view to_string(Precision precision);  // fp64, fp32, bf16, fp16

// The distance from 1 to the next number: 2^-52, 2^-23, 2^-7, 2^-10.
FAITHFUL_API double epsilon(Precision precision);

// The nearest number of the format, ties to even, in one rounding from double; subnormals are kept, and what is
// beyond the largest number becomes infinite.
FAITHFUL_API double rounded(double value, Precision precision);

// The same for each value, in place.
FAITHFUL_API void round_in_place(std::span<double> values, Precision precision);

}  // namespace faithful
