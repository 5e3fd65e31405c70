#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faithful/simulate/lift.h"

namespace faithful {

// How far the guide rails stand off their straight line at a height, and the slope of that.
struct RailPoint {
  double x = 0, slope_x = 0;  // m, m/m: sideways
  double y = 0, slope_y = 0;  // front to back
};

// A smooth dent in one rail direction, as a damaged place has: depth * (1 + cos) / 2 over the width.
struct Dent {
  double place = 0;  // m, its middle
  double width = 1;  // m
  double depth = 0;  // m; 0: none

  // Adds the dent at height z to the offset and slope of a rail.
  void add_to(double z, double& offset, double& slope) const;
};

// The rails of one building: waviness of 0.4 to 12 m (amplitude in proportion to the wavelength) and a small dent at
// each joint. Every trip of a seed runs along the same rails.
class FAITHFUL_API Rail {
 public:
  Rail(const Lift& lift, std::uint64_t seed);
  RailPoint at(double z) const;  // linear between table points; the nearest end outside

 private:
  double bottom_;
  std::vector<RailPoint> table_;
};

}  // namespace faithful
