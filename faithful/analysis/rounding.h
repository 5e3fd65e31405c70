#pragma once

#include <array>
#include <span>
#include <string_view>

#include "faithful/analysis/measures.h"
#include "faithful/base/api.h"

namespace faithful {

// The distance from 1 to the next number: 2^-52, 2^-23, 2^-7, 2^-10.
FAITHFUL_API double epsilon(Precision precision);

// The nearest number of the format, ties to even, in one rounding from double; subnormals are kept, and what is
// beyond the largest number becomes infinite.
FAITHFUL_API double rounded(double value, Precision precision);

// The same for each value, in place.
FAITHFUL_API void round_in_place(std::span<double> values, Precision precision);

}  // namespace faithful
