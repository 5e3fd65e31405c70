#include "faithful/engine/schedule.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace faithful {

double rate_at(std::size_t step, std::size_t total, const ScheduleOptions& options) {
  assert(step >= 1 && step <= total);
  const auto all = static_cast<double>(total), at = static_cast<double>(step);
  const double warm = std::ceil(options.warm_up * all);
  if (at <= warm) return options.rate * at / warm;
  const double wave = 1 + std::cos(std::numbers::pi * (at - warm) / (all - warm));
  return options.rate * (options.floor + (1 - options.floor) / 2 * wave);
}

double clip_factor(double norm, double most) {
  return most > 0 && norm > most ? most / norm : 1;
}

}  // namespace faithful
