#pragma once

// The names of the arrays of our .npz, and the values that mean none.

#include <cstdint>
#include <limits>

namespace faithful::data::npz {

inline constexpr const char* kValues = "values";    // [rows, C] float32
inline constexpr const char* kLengths = "lengths";  // [N] int64
inline constexpr const char* kClass = "label";      // [N] int32
inline constexpr const char* kLabels = "labels";    // [rows] uint8
inline constexpr const char* kTimes = "times";      // [rows] int64
inline constexpr const char* kMeta = "meta";        // [bytes] uint8

inline constexpr std::uint8_t kNoPointLabel = 255;
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

}  // namespace faithful::data::npz
