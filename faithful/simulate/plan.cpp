#include "faithful/simulate/plan.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace faithful {

TripPlan plan_trip(const Lift& lift, std::size_t from_floor, std::size_t to_floor, double load, double power_on) {
  assert(from_floor != to_floor && from_floor < lift.floors && to_floor < lift.floors);
  TripPlan plan;
  plan.from_floor = from_floor;
  plan.to_floor = to_floor;
  plan.load = plan.load_reading = load;
  plan.from = static_cast<double>(from_floor) * lift.floor_height;
  plan.to = static_cast<double>(to_floor) * lift.floor_height;
  plan.profile = TripProfile(std::abs(plan.to - plan.from), lift.limits);
  plan.power_on = power_on;
  plan.open = power_on + 0.35;
  plan.go = plan.open + 0.3;
  plan.stop = plan.go + plan.profile.duration();
  plan.close = plan.stop + 1.0;
  plan.power_off = plan.close + 0.6;
  return plan;
}

TripPlan draw_plan(const Lift& lift, Random& random) {
  const std::size_t from = random.below(lift.floors);
  const std::size_t step = 1 + random.below(lift.floors - 1);
  // Few cars are full: the square of a uniform number, but for one trip in ten.
  const double share = random.uniform() < 0.1 ? random.uniform() : std::pow(random.uniform(), 2);
  const double power_on = random.uniform(0.4, 0.9);
  TripPlan plan = plan_trip(lift, from, (from + step) % lift.floors, share * lift.rated_load, power_on);
  plan.load_reading = plan.load * (1 + 0.015 * random.normal()) + 8 * random.normal();
  plan.temperature = random.uniform(25, 70);
  plan.friction = random.uniform(0.7, 1.3);
  plan.guide_friction = random.uniform(0.7, 1.4);
  plan.rope_damping = random.uniform(0.8, 1.25);
  plan.cogging = random.uniform(0.9, 1.1);
  plan.roller_phase = random.uniform(0, 2 * std::numbers::pi);
  for (Push& push : plan.pushes) {
    const bool happens = random.uniform() < 0.5;
    push = {random.uniform(0, kTripSeconds), random.uniform(0.3, 0.8), 0.08 * random.normal(), 0.08 * random.normal()};
    if (!happens) push.x = push.y = 0;
  }
  return plan;
}

}  // namespace faithful
