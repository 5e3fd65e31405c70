#pragma once

#include <cstddef>

#include "faithful/base/api.h"

namespace faithful {

struct ScheduleOptions {
  double rate = 1e-3;    // the highest
  double warm_up = 0.1;  // share of the steps in which the rate rises to it
  double floor = 0.01;   // of the last step, as a share of `rate`
};

// The learning rate of step 1 .. total: with w = ceil(warm_up * total),
//   rate * step / w                                                                     up to step w,
//   rate * (floor + (1 - floor) / 2 * (1 + cos(pi * (step - w) / (total - w))))         from there on.
FAITHFUL_API double rate_at(std::size_t step, std::size_t total, const ScheduleOptions& options);

// What gradients of this norm are multiplied with so that it is at most `most`; 1 where `most` is 0 (no clipping).
FAITHFUL_API double clip_factor(double norm, double most);

}  // namespace faithful
