#pragma once

#include <array>
#include <cstddef>

#include "faithful/simulate/fault.h"
#include "faithful/simulate/lift.h"
#include "faithful/simulate/plan.h"
#include "faithful/simulate/profile.h"
#include "faithful/simulate/rail.h"

namespace faithful {

// The state of the lift: what its differential equations are about.
enum StateIndex : std::size_t {
  kSheaveAngle,
  kSheaveSpeed,
  kRopeSlipped,  // m, the rope over the sheave
  kCarHeight,
  kCarSpeed,
  kWeightHeight,
  kWeightSpeed,
  kCurrentD,
  kCurrentQ,
  kSpeedIntegral,
  kVoltageD,  // integral parts of the current controllers
  kVoltageQ,
  kSwayX,
  kSwaySpeedX,
  kSwayY,
  kSwaySpeedY,
  kFrame,
  kFrameSpeed,
  kCoilCurrent,
  kTemperature,
  kStateSize
};
using State = std::array<double, kStateSize>;
using Readings = std::array<double, kChannelCount>;  // what ideal sensors would show

// An angle as its cosine and sine.
struct Turn {
  double cosine, sine;
};

// Where energy is and goes, in J and W, for checks of the model against itself.
struct EnergyBalance {
  double stored = 0;      // J: motion, height and strain of masses and ropes
  double magnetic = 0;    // J: in the windings' inductance
  double electrical = 0;  // W: into the windings
  double copper = 0;      // W: lost in their resistance
  double shaft = 0;       // W: from the magnetic field to the shaft
  double lost = 0;        // W: guides, bearing, ropes, brake
};

// The equations of docs/elevator.md: ropes, masses, machine, drive and brake of one trip, integrated by Runge-Kutta 4.
class Plant {
 public:
  // Lift, rail and fault must outlive the plant.
  Plant(const Lift& lift, const Rail& rail, const TripPlan& plan, const Fault* fault = nullptr);

  // One step of `seconds`; returns the readings at its beginning.
  Readings step(double seconds);

  double time() const { return time_; }
  const State& state() const { return state_; }
  State& state() { return state_; }
  EnergyBalance energy() const;

 private:
  // What depends only on time.
  struct Moment {
    MotionPoint target;             // upwards positive, heights above the lowest floor
    double enable = 0;              // 0 .. 1: share of its torque that the drive gives
    double brake = 0;               // 0 .. 1: how far the pads are closed
    double coil = 0;                // A, asked for
    double push_x = 0, push_y = 0;  // m/s^2, by passengers
  };
  struct Ropes {
    double paid;                       // m, the rope's way over the sheave
    double paid_speed;                 // m/s
    double car, weight;                // N, tensions at the car and at the counterweight
    double load_torque;                // N m, what they and the ropes' weight ask of the sheave
    double car_guides, weight_guides;  // N, friction
  };
  struct Drive {
    double angle, speed;          // of the sheave, as the encoder reads them
    double d, q;                  // A, as the drive sees them
    double voltage_d, voltage_q;  // V, as the drive commands them
    double true_d, true_q;        // V, in the rotor's own coordinates
    double speed_error, error_d, error_q;
  };

  struct Angles {
    Turn sheave, field, roller;  // of the shaft, of its magnetic field (p x), and of the guide rollers
  };

  Moment moment_at(double t) const;
  Angles angles_at(const State& s) const;  // of a state near the one that the step begins with
  Ropes ropes_at(const State& s) const;
  Drive drive_at(const State& s, const Moment& now, const Turn& sheave) const;
  double brake_torque(const State& s, const Moment& now) const;
  double drag_torque(double speed) const;
  double field_torque(const State& s) const;
  double cogging_torque(const Turn& field) const;
  void derive(const State& s, const Moment& now, State& rate, Readings* readings) const;
  void derive_motor(const State& s, const Drive& drive, const Turn& field, State& rate) const;
  void derive_comfort(const State& s, const Moment& now, double cogging, const Turn& roller, State& rate) const;
  void read_sensors(const State& s, const State& rate, const Moment& now, const Ropes& ropes, const Drive& drive,
                    const Turn& field, Readings& readings) const;
  void settle();

  const Lift* lift_;
  const Rail* rail_;
  const Fault* fault_;
  TripPlan plan_;
  Disturbance disturbance_ = {};
  double car_mass_, weight_mass_, flux_, resistance_, sheave_inertia_, torque_per_ampere_;
  double brake_anchor_ = 0;  // rad, where the pads grip
  bool gripped_again_ = false;
  double time_ = 0;
  Moment moment_ = {};
  Angles angles_ = {};  // where the step begins
  State state_ = {};
};

}  // namespace faithful
