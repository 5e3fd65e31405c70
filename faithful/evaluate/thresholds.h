#pragma once

#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/metrics/threshold.h"
#include "faithful/window/windows.h"

namespace faithful {

// Windows with a label each, and the probability of class 1 of each.
struct ScoredWindows {
  const Windows* windows = nullptr;
  std::vector<double> scores = {};  // [n]
};

// The curve of all of them together, over uninterrupted stretches of windows (stretches_of).
FAITHFUL_API ThresholdCurve threshold_curve(std::span<const ScoredWindows> parts);

}  // namespace faithful
