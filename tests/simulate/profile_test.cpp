#include "faithful/simulate/profile.h"

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/base/random.h"

namespace faithful {
namespace {

TEST(TripProfile, FullRideTakesTheTextbookTime) {
  const MotionLimits limits{2.5, 1.0, 1.2};
  const TripProfile ride(29.7, limits);
  EXPECT_NEAR(ride.duration(), 29.7 / 2.5 + 2.5 / 1.0 + 1.0 / 1.2, 1e-12);
  EXPECT_NEAR(ride.top_speed(), 2.5, 1e-12);
}

TEST(TripProfile, ShortRideNeverReachesFullAcceleration) {
  // Four jerk phases of length t: d = 2 j t^3.
  const TripProfile ride(0.1, {2.5, 1.0, 1.2});
  EXPECT_NEAR(ride.duration(), 4 * std::cbrt(0.1 / (2 * 1.2)), 1e-12);
  EXPECT_LT(ride.at(ride.duration() / 4).acceleration, 1.0);
}

TEST(TripProfile, MiddlingRideReachesAccelerationButNotSpeed) {
  // v^2/a + v a/j = d gives the top speed, and the ride takes 2 (v/a + a/j).
  const double a = 1.0, j = 1.2, d = 3.3;
  const TripProfile ride(d, {2.5, a, j});
  const double v = ride.top_speed();
  EXPECT_NEAR(v * v / a + v * a / j, d, 1e-12);
  EXPECT_NEAR(ride.duration(), 2 * (v / a + a / j), 1e-12);
}

TEST(TripProfile, KeepsItsLimitsAndArrives) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const MotionLimits limits{random.uniform(0.2, 6), random.uniform(0.2, 2), random.uniform(0.3, 3)};
    const double distance = std::pow(10, random.uniform(-2, 2));
    const TripProfile ride(distance, limits);
    const double tiny = 1e-9 * (1 + distance), h = ride.duration() / 1000;
    MotionPoint before = ride.at(0);
    for (int i = 1; i <= 1000; ++i) {
      const MotionPoint now = ride.at(i * h);
      EXPECT_LE(std::abs(now.speed), limits.speed * (1 + 1e-12));
      EXPECT_LE(std::abs(now.acceleration), limits.acceleration * (1 + 1e-12));
      EXPECT_LE(std::abs(now.acceleration - before.acceleration), limits.jerk * h * (1 + 1e-6) + 1e-12);
      EXPECT_GE(now.position, before.position - tiny);
      // The position is the integral of the speed (trapezoids; the error is below h^3 jerk-limited terms).
      EXPECT_NEAR(now.position - before.position, h * (now.speed + before.speed) / 2,
                  h * h * h * limits.jerk / 4 + h * h * limits.acceleration / 1e3 + tiny);
      before = now;
    }
    EXPECT_NEAR(ride.at(ride.duration() * (1 - 1e-12)).position, distance, 1e-7 * distance + 1e-12);
    EXPECT_EQ(ride.at(ride.duration() + 1).position, distance);
    EXPECT_EQ(ride.at(ride.duration() + 1).speed, 0);
  }
}

TEST(TripProfile, TimeAtIsTheInverse) {
  const TripProfile ride(12.0);
  for (const double position : {0.01, 1.0, 6.0, 11.99})
    EXPECT_NEAR(ride.at(ride.time_at(position)).position, position, 1e-9);
}

}  // namespace
}  // namespace faithful
