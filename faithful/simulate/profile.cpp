#include "faithful/simulate/profile.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace faithful {

namespace {

MotionPoint advance(const MotionPoint& from, double jerk, double t) {
  return {from.position + t * (from.speed + t * (from.acceleration / 2 + t * jerk / 6)),
          from.speed + t * (from.acceleration + t * jerk / 2), from.acceleration + t * jerk, jerk};
}

// The phases of getting up to speed: jerk for `jerk_time`, constant acceleration for `hold_time`, jerk back; then
// `cruise_time` at that speed.
struct Phases {
  double jerk_time, hold_time, cruise_time;
};

// Getting to speed v takes v/a + a/j (where a is reached, v >= a^2/j) over the distance v/2 times that.
Phases choose_phases(double distance, const MotionLimits& limits) {
  const double v = limits.speed, a = limits.acceleration, j = limits.jerk;
  const double full_jerk_time = a / j;
  const auto ramp_distance = [&](double speed) {  // of both ramps together
    return speed >= a * full_jerk_time ? speed * (speed / a + full_jerk_time) : 2 * speed * std::sqrt(speed / j);
  };
  double top = v;
  if (ramp_distance(v) > distance) {
    // No cruise. With full acceleration: v^2/a + v a/j = d; without: 2 v sqrt(v/j) = d.
    const double with_hold = (-full_jerk_time + std::sqrt(full_jerk_time * full_jerk_time + 4 * distance / a)) * a / 2;
    top = with_hold >= a * full_jerk_time ? with_hold : std::cbrt(distance * distance * j / 4);
  }
  const double jerk_time = std::min(full_jerk_time, std::sqrt(top / j));
  const double hold_time = std::max(0.0, top / (j * jerk_time) - jerk_time);
  const double cruise_time = std::max(0.0, (distance - ramp_distance(top)) / top);
  return {jerk_time, hold_time, cruise_time};
}

}  // namespace

TripProfile::TripProfile(double distance, const MotionLimits& limits) {
  assert(distance > 0 && limits.speed > 0 && limits.acceleration > 0 && limits.jerk > 0);
  const auto [jerk_time, hold_time, cruise_time] = choose_phases(distance, limits);
  const double j = limits.jerk;
  const std::array<double, 7> lengths = {jerk_time, hold_time, jerk_time, cruise_time, jerk_time, hold_time, jerk_time};
  const std::array<double, 7> jerks = {j, 0, -j, 0, -j, 0, j};
  for (int phase = 0; phase < 7; ++phase) {
    begin_[phase + 1] = begin_[phase] + lengths[phase];
    state_[phase + 1] = advance(state_[phase], jerks[phase], lengths[phase]);
    state_[phase].jerk = jerks[phase];
  }
  state_[7] = {distance, 0, 0, 0};  // exactly, where rounding left a trace
}

MotionPoint TripProfile::at(double seconds) const {
  if (seconds <= 0) return {};
  if (seconds >= duration()) return state_[7];
  const auto phase = std::upper_bound(begin_.begin(), begin_.end(), seconds) - begin_.begin() - 1;
  return advance(state_[phase], state_[phase].jerk, seconds - begin_[phase]);
}

double TripProfile::time_at(double position) const {
  double low = 0, high = duration();
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (at(middle).position < position ? low : high) = middle;
  }
  return high;
}

}  // namespace faithful
