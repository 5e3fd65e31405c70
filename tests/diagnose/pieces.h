#pragma once

#include <cstddef>
#include <vector>

#include "faithful/diagnose/suspects.h"

namespace faithful::testing {

// `count` pieces of `length` samples, one behind the other.
inline std::vector<Range> even_pieces(std::size_t count, std::size_t length) {
  std::vector<Range> pieces;
  for (std::size_t i = 0; i < count; ++i) pieces.push_back({i * length, (i + 1) * length});
  return pieces;
}

}  // namespace faithful::testing
