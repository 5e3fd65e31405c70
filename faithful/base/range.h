#pragma once

#include <cstddef>

namespace faithful {

// begin .. end-1: samples of a series, or whatever else is counted from 0.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t length() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

}  // namespace faithful
