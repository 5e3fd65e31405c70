#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

namespace faithful::bench {

// How long one call takes, in seconds.
template <class Call>
double seconds(Call&& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same in processor seconds of all threads: the figure to look at while others use the machine. (It says nothing
// about how well threads share the work.)
template <class Call>
double cpu_seconds(Call&& call) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  call();
  return now() - start;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace faithful::bench
