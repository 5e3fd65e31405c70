#pragma once

#include <array>
#include <cstddef>

#include "faithful/base/random.h"
#include "faithful/simulate/lift.h"
#include "faithful/simulate/profile.h"

namespace faithful {

// How long a recording is, whatever its number of samples: the longest trip and the standstill around it fit in.
inline constexpr double kTripSeconds = 20.0;

// A passenger shifts: the car is pushed sideways for a moment.
struct Push {
  double begin = 0, length = 1;  // s
  double x = 0, y = 0;           // m/s^2, at its height
};

// What is decided about a trip before it begins: where it goes, what it carries, and when things happen.
//   power on -> brake opens -> go -> stop (profile over) -> brake closes -> power off; all in seconds.
struct TripPlan {
  std::size_t from_floor = 0, to_floor = 1;
  double load = 0;          // kg
  double load_reading = 0;  // kg, what the load cell reads; the drive takes its first torque from it
  double temperature = 20;  // degrees C of the windings
  double friction = 1;      // factors of the lift's parameters: no two days are alike
  double guide_friction = 1;
  double rope_damping = 1;
  double cogging = 1;
  double roller_phase = 0;  // rad
  std::array<Push, 3> pushes = {};

  double power_on = 0.5, open = 0.85, go = 1.15, stop = 2, close = 3, power_off = 3.6;
  double from = 0, to = 0;  // m
  TripProfile profile{1.0};

  double direction() const { return to > from ? 1 : -1; }
};

// Draws a trip between two floors: load, times, and the small differences of the day.
FAITHFUL_API TripPlan draw_plan(const Lift& lift, Random& random);

// A trip between given floors: the times follow from them; everything else is as on an average day.
FAITHFUL_API TripPlan plan_trip(const Lift& lift, std::size_t from_floor, std::size_t to_floor, double load,
                                double power_on = 0.5);

}  // namespace faithful
