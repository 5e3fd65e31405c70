#pragma once

// The loops of the kernel features. Windows lie side by side in the lanes of a vector, so that every step is the same
// for all of them, and a window's sums run in the order of time on any instruction set.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "faithful/kernels/kernel_features.h"

namespace faithful::kernels {

constexpr std::size_t kTaps = 9, kHalf = kTaps / 2, kCompeting = 8;
constexpr std::size_t kMostLanes = 16;

// Windows that go through the loops together: the lanes N of the instruction set in use.
std::size_t lane_count();

// N windows. Of both arrays the first and last `reach` samples are zeros, and the samples after a window's end.
struct Lanes {
  std::size_t length = 0;                      // S
  std::size_t reach = 0;                       // R
  std::vector<float> series;                   // [C, R + S + R, N]
  std::vector<float> changes;                  // the same of the first differences, x_{t+1} - x_t
  std::vector<float> sum;                      // [R + S + R, N]: scratch
  std::vector<float> product;                  // [S, N]: scratch
  std::array<float, kMostLanes> lengths = {};  // of the windows
};

// out: [F, N]
void features_of_lanes(const KernelTable& table, Lanes& lanes, float* out);

}  // namespace faithful::kernels
