#pragma once

// What the makers of the families share. They are called with options that make_encoding has checked.

#include <cstddef>
#include <vector>

#include "faithful/encoding/encoding.h"

namespace faithful {

// No table may have more values than this; checked before memory is taken.
inline constexpr std::size_t kMostValues = std::size_t{1} << 31;

// The product of the factors; InputError at `place` where it is above kMostValues.
std::size_t checked_product(const std::vector<std::size_t>& factors, const std::string& place);

// The given positions, or 0..S-1.
std::vector<double> positions_of(const EncodingOptions& options);  // [S]

// d_h = d / H; InputError where H does not divide d.
std::size_t head_width(const EncodingOptions& options);

// The shape that EncodingKind's comments give; InputError where a size is missing or the table would be too large.
std::vector<std::size_t> shape_of(EncodingKind kind, const EncodingOptions& options);

}  // namespace faithful
