#pragma once

// Other people's matrix multiply, as oracle in tests and peer in the benchmarks; empty where none is installed.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace faithful::engine {

// C [m, n] = A [m, k] B [k, n], rows without gaps, one thread.
using Sgemm = void (*)(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c);
std::vector<std::pair<std::string, Sgemm>> oracle_sgemms();

}  // namespace faithful::engine
