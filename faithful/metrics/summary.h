#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

struct Interval {
  double low, high;
};

struct Summary {
  std::size_t count = 0;
  double mean = 0;       // NaN of nothing
  double deviation = 0;  // sqrt(sum (x - mean)^2 / (n - 1)); NaN of less than two
};
FAITHFUL_API Summary summarize(std::span<const double> values);

// The value below which a share of the values lies, 0 <= share <= 1: linear between the sorted values, the lowest at
// share 0, the highest at 1 (NumPy's default). NaN of nothing.
FAITHFUL_API double quantile(std::span<const double> values, double share);

// The place of each value in sorted order, from 1; equal values share the mean of their places. [n]
FAITHFUL_API std::vector<double> ranks(std::span<const double> values);

}  // namespace faithful
