#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// What passengers and machine may be asked for; all > 0.
struct MotionLimits {
  double speed = 2.5;         // m/s
  double acceleration = 1.0;  // m/s^2
  double jerk = 1.2;          // m/s^3
};

// The lift that is simulated: a 1000 kg passenger lift, 1:1 roping, gearless permanent-magnet machine at the top of the
// shaft. Positions are metres above the lowest floor, upwards positive; docs/elevator.md has the equations.
struct Lift {
  // Building
  std::size_t floors = 10;
  double floor_height = 3.3;  // m
  double overhead = 4.0;      // m, from the car at the top floor to the sheave
  double gravity = 9.81;      // m/s^2
  MotionLimits limits = {};

  // Masses and ropes
  double car_mass = 1300;             // kg, empty
  double rated_load = 1000;           // kg
  double balance = 0.48;              // counterweight = car + balance * rated load
  double rope_stiffness = 12.0e6;     // N, E A of all ropes together: k = E A / length
  double rope_damping_time = 4.0e-3;  // s, Kelvin-Voigt: damping = this * k
  double rope_mass = 1.75;            // kg/m, all ropes together
  double sheave_radius = 0.25;        // m
  double sheave_inertia = 30;         // kg m^2, with rotor
  double guide_friction = 60;         // N, Coulomb, car and counterweight each
  double guide_damping = 40;          // N s/m
  double bearing_damping = 2.0;       // N m s

  // Brake: clamped pads yield like a stiff spring.
  double brake_stiffness = 1.0e6;   // N m/rad
  double brake_damping = 4.0e3;     // N m s/rad
  double brake_coil_current = 1.8;  // A, lifted
  double brake_coil_time = 0.06;    // s

  // Machine in dq coordinates
  double pole_pairs = 16;
  double flux = 1.0;             // Wb, at 20 degrees C
  double resistance = 0.35;      // Ohm, per phase at 20 degrees C
  double inductance_d = 6.0e-3;  // H
  double inductance_q = 6.5e-3;  // H
  double cogging = 5.0;          // N m, at 6 x the electrical frequency
  double bus_voltage = 560;      // V, no load
  double bus_resistance = 0.25;  // Ohm, of its supply
  double heat_capacity = 6.0e3;  // J/K, windings
  double heat_resistance = 0.2;  // K/W

  // Control
  double current_bandwidth = 500;  // rad/s
  double speed_gain = 2800;        // N m s
  double speed_integral = 7000;    // N m
  double position_gain = 2.0;      // 1/s, from the car's position, so that it levels under any stretch

  // Ride comfort: the car on its roller guides, sideways (x) and front to back (y)
  double guide_frequency_x = 3.6;  // Hz
  double guide_frequency_y = 4.3;  // Hz
  double guide_ratio = 0.15;       // damping ratio
  double roller_radius = 0.075;    // m
  double roller_runout = 3.0e-5;   // m, of a healthy roller
  double rail_length = 5.0;        // m, a joint at each end
  double frame_frequency = 85;     // Hz, machine frame on its pads
  double frame_ratio = 0.04;

  double travel() const { return static_cast<double>(floors - 1) * floor_height; }
  double top() const { return travel() + overhead; }  // of the sheave
  double counterweight_mass() const { return car_mass + balance * rated_load; }
};

// What is measured, in the order of the channels.
// clang-format off
enum Channel : std::size_t {
  kAx, kAy, kAz, kId, kIq, kOm, kPhi, kVc, kVcw, kVd, kVq, kZc, kZcw, kFc, kFcw, kTm, kVdc, kBr, kAm, kWt,  // the 20
  kVref, kTw, kIa, kIb,                                                                                   // more
  kChannelCount
};
// clang-format on

struct ChannelInfo {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
  double noise;       // standard deviation of the sensor's noise
  double resolution;  // step of its reading
};
FAITHFUL_API const std::array<ChannelInfo, kChannelCount>& elevator_channels();

}  // namespace faithful
