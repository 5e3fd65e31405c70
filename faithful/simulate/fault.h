#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/simulate/plan.h"
#include "faithful/simulate/rail.h"

namespace faithful {

enum class FaultKind : std::size_t {
  kBearing,
  kRopeSlip,
  kRopeSlack,
  kBrakeDrag,
  kEncoder,
  kDemagnetised,
  kPhaseResistance,
  kRailDamage,
  kRoller,
  kLoadCell,
  kDropout,
};

struct FaultInfo {
  FaultKind kind;
  std::string_view name;          // "rope_slip": the `kind` of a LabelSpan
  std::string_view meaning;       // what is broken, and how it shows
  std::vector<Channel> channels;  // where it shows most; kRoller and kRailDamage: one of them, kDropout: any one
};

// Every fault that the simulator knows.
FAITHFUL_API const std::vector<FaultInfo>& fault_catalog();

// One fault of one trip.
struct Fault {
  FaultKind kind = FaultKind::kBearing;
  double severity = 0.5;               // 0 .. 1, from barely to plainly there
  double sign = 1;                     // +1 or -1, where a fault has a direction
  double begin = 0;                    // s
  double end = 0;                      // s
  double place = 0;                    // m, of kRailDamage
  double width = 0.2;                  // m, of kRailDamage
  std::vector<Channel> channels = {};  // at fault, ascending
};

// What a fault does to the lift at a moment; all zero where nothing is wrong.
struct Disturbance {
  double bearing_impact = 0;      // m/s^2 on the machine frame, at full speed
  double slip_speed = 0;          // m/s, the rope over the sheave, towards the heavier side
  double stiffness_loss = 0;      // share of the car's rope stiffness
  double drag_torque = 0;         // N m, against the motion
  double encoder_runout = 0;      // rad, once per turn
  double flux_loss = 0;           // share
  double extra_resistance = 0;    // Ohm, in phase a
  double roller_runout_x = 0;     // m
  double roller_runout_y = 0;     // m
  Dent dent_x = {}, dent_y = {};  // of the rails
};

// The disturbance at `seconds`; it comes and goes within 30 ms inside the fault's span, where it is not there
// throughout.
Disturbance disturbance_at(const Fault& fault, double seconds);

// Draws severity, time and channels of a fault of this kind, for sensors 0 .. channels-1 of a trip. Nothing where none
// of those sensors shows it.
FAITHFUL_API std::optional<Fault> draw_fault(FaultKind kind, const TripPlan& plan, std::size_t channels,
                                             Random& random);

// The load cell's error in kg that a fault causes (0 for all other kinds).
double load_cell_error(const Fault& fault, const Lift& lift);

}  // namespace faithful
