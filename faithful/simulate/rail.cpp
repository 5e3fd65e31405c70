#include "faithful/simulate/rail.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "faithful/base/random.h"

namespace faithful {

namespace {

constexpr double kPitch = 0.005;  // m, between table points
constexpr double kMargin = 1.0;   // m, of rail beyond the end floors

struct Wave {
  double amplitude, number, phase;  // m, rad/m, rad
};

std::vector<Wave> draw_waves(Random& random) {
  constexpr int kWaves = 24;
  constexpr double kShortest = 0.4, kLongest = 12.0;  // m
  constexpr double kSteepness = 2.5e-5;               // amplitude over wavelength
  std::vector<Wave> waves;
  for (int i = 0; i < kWaves; ++i) {
    const double length = kShortest * std::pow(kLongest / kShortest, (i + random.uniform()) / kWaves);
    waves.push_back({kSteepness * length * random.uniform(0.5, 1.5), 2 * std::numbers::pi / length,
                     random.uniform(0, 2 * std::numbers::pi)});
  }
  return waves;
}

std::vector<Dent> draw_joints(const Lift& lift, Random& random) {
  constexpr double kWidth = 0.1, kDepth = 1.5e-4;  // m
  std::vector<Dent> joints;
  for (double place = 0.7 * lift.rail_length; place < lift.travel() + kMargin; place += lift.rail_length)
    joints.push_back({place, kWidth, kDepth * (1 + 0.5 * random.normal())});
  return joints;
}

// One direction of the rails, as functions of height.
struct Shape {
  std::vector<Wave> waves;
  std::vector<Dent> joints;

  void evaluate(double z, double& offset, double& slope) const {
    for (const Wave& wave : waves) {
      offset += wave.amplitude * std::sin(wave.number * z + wave.phase);
      slope += wave.amplitude * wave.number * std::cos(wave.number * z + wave.phase);
    }
    for (const Dent& joint : joints) joint.add_to(z, offset, slope);
  }
};

}  // namespace

void Dent::add_to(double z, double& offset, double& slope) const {
  const double from_middle = z - place;
  if (std::abs(from_middle) >= width / 2) return;
  const double angle = 2 * std::numbers::pi * from_middle / width;
  offset += depth * (1 + std::cos(angle)) / 2;
  slope -= depth * std::numbers::pi / width * std::sin(angle);
}

Rail::Rail(const Lift& lift, std::uint64_t seed) : bottom_(-kMargin) {
  Random random(seed, stream_of("elevator.rail"));
  Shape x{draw_waves(random), draw_joints(lift, random)};
  Shape y{draw_waves(random), draw_joints(lift, random)};
  table_.resize(static_cast<std::size_t>((lift.travel() + 2 * kMargin) / kPitch) + 2);
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const double z = bottom_ + static_cast<double>(i) * kPitch;
    RailPoint& point = table_[i];
    x.evaluate(z, point.x, point.slope_x);
    y.evaluate(z, point.y, point.slope_y);
  }
}

RailPoint Rail::at(double z) const {
  const double place = std::clamp((z - bottom_) / kPitch, 0.0, static_cast<double>(table_.size() - 1) - 1e-9);
  const auto i = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(i);
  const RailPoint &a = table_[i], &b = table_[i + 1];
  return {a.x + part * (b.x - a.x), a.slope_x + part * (b.slope_x - a.slope_x), a.y + part * (b.y - a.y),
          a.slope_y + part * (b.slope_y - a.slope_y)};
}

}  // namespace faithful
