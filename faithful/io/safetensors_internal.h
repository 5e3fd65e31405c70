#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

// What the reader and the writer of safetensors share.

namespace faithful {

inline constexpr std::string_view kMetadataName = "__metadata__";
inline constexpr std::size_t kHeaderLengthBytes = 8;
inline constexpr std::size_t kLongestHeader = 100'000'000;  // the reference implementation's limit

// The place of a dtype in the reverse of the order in which the reference implementation writes arrays; 15: unknown.
std::size_t dtype_rank(std::string_view dtype);

// Bytes of an array; nothing where the product overflows, also where a length is 0.
std::optional<std::size_t> byte_count(std::span<const std::size_t> shape, std::size_t element);

}  // namespace faithful
