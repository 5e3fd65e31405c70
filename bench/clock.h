#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace faithful::bench {

// How long one call takes, in seconds.
template <class Call>
double seconds(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace faithful::bench
