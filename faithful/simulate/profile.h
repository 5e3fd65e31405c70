#pragma once

#include <array>

#include "faithful/base/api.h"
#include "faithful/simulate/lift.h"

namespace faithful {

// Where a trip should be at a moment; positive in the direction of travel.
struct MotionPoint {
  double position = 0;      // m, from the start
  double speed = 0;         // m/s
  double acceleration = 0;  // m/s^2
  double jerk = 0;          // m/s^3
};

// The quickest ride over a distance, from rest to rest, whose speed, acceleration and jerk keep to the limits: seven
// phases of constant jerk (+j 0 -j, 0, -j 0 +j). Short rides reach neither the full speed nor, if shorter still,
// the full acceleration.
class FAITHFUL_API TripProfile {
 public:
  explicit TripProfile(double distance, const MotionLimits& limits = {});  // distance > 0

  double duration() const { return begin_[7]; }
  double top_speed() const { return state_[3].speed; }
  MotionPoint at(double seconds) const;   // at rest before 0 and after the end
  double time_at(double position) const;  // the inverse of at(t).position, by bisection

 private:
  std::array<double, 8> begin_{};       // s, where each phase begins; the last is the end of the ride
  std::array<MotionPoint, 8> state_{};  // at these moments
};

}  // namespace faithful
