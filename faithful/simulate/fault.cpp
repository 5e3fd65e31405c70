#include "faithful/simulate/fault.h"

#include <algorithm>
#include <cmath>

namespace faithful {

namespace {

// From the smallest to the largest effect of a kind.
double between(double smallest, double largest, const Fault& fault) {
  return smallest + (largest - smallest) * fault.severity;
}

// 0 outside the span, 1 inside, with smooth edges of 30 ms.
double gate(const Fault& fault, double seconds) {
  constexpr double kEdge = 0.03;  // s
  const double inside = std::min(seconds - fault.begin, fault.end - seconds) / kEdge;
  const double clamped = std::clamp(inside, 0.0, 1.0);
  return clamped * clamped * (3 - 2 * clamped);
}

// A stretch of `length` seconds somewhere between the two moments.
void place_span(Fault& fault, double from, double to, double length, Random& random) {
  length = std::min(length, to - from);
  fault.begin = random.uniform(from, to - length);
  fault.end = fault.begin + length;
}

// The rope slips where its grip is most needed: while the car gathers speed, or loses it.
void place_slip(Fault& fault, const TripPlan& plan, Random& random) {
  const double ramp = std::min(3.0, (plan.stop - plan.go) / 2);
  const double length = random.uniform(0.3, 1.0);
  if (random.uniform() < 0.5)
    place_span(fault, plan.go + 0.2, plan.go + ramp, length, random);
  else
    place_span(fault, plan.stop - ramp, plan.stop - 0.2, length, random);
}

// The damage lies on the way; its span reaches from shortly before the place until the car has calmed down.
void place_damage(Fault& fault, const TripPlan& plan, Random& random) {
  const double distance = std::abs(plan.to - plan.from);
  fault.width = random.uniform(0.15, 0.4);
  const double way = random.uniform(0.15, 0.85) * distance;
  fault.place = plan.from + plan.direction() * way;
  fault.begin = plan.go + plan.profile.time_at(way - fault.width / 2) - 0.1;
  fault.end = plan.go + plan.profile.time_at(way + fault.width / 2) + 0.4;
}

void place_fault(Fault& fault, const TripPlan& plan, Random& random) {
  switch (fault.kind) {
    case FaultKind::kRopeSlip:
      return place_slip(fault, plan, random);
    case FaultKind::kRailDamage:
      return place_damage(fault, plan, random);
    case FaultKind::kPhaseResistance:
    case FaultKind::kBrakeDrag:
    case FaultKind::kEncoder:
      return place_span(fault, plan.go, plan.stop, random.uniform(0.3, 0.9) * (plan.stop - plan.go), random);
    case FaultKind::kDropout:
      return place_span(fault, plan.go, plan.stop, random.uniform(0.3, 1.5), random);
    case FaultKind::kRopeSlack:
    case FaultKind::kLoadCell:
      fault.end = kTripSeconds;
      return;  // there before the trip, and after it
    case FaultKind::kBearing:
    case FaultKind::kDemagnetised:
    case FaultKind::kRoller:
      fault.begin = plan.open, fault.end = plan.close;
      return;  // while it moves
  }
}

}  // namespace

const std::vector<FaultInfo>& fault_catalog() {
  static const std::vector<FaultInfo> catalog = {
      {FaultKind::kBearing,
       "bearing",
       "pitted sheave bearing: impacts at 5.4 per turn ring in the machine frame",
       {kAm}},
      {FaultKind::kRopeSlip,
       "rope_slip",
       "the rope slips over the sheave: its angle no longer matches the car",
       {kOm, kPhi}},
      {FaultKind::kRopeSlack,
       "rope_slack",
       "ropes of unequal tension: the car hangs softer and lower on its ropes",
       {kAz, kPhi, kFc}},
      {FaultKind::kBrakeDrag, "brake_drag", "the brake rubs: more torque against the motion", {kIq, kVq, kTm}},
      {FaultKind::kEncoder,
       "encoder",
       "eccentric encoder: speed and field angle are wrong once per turn",
       {kId, kIq, kOm, kVd, kVq}},
      {FaultKind::kDemagnetised,
       "demagnetised",
       "weak magnets: more current for the torque, less voltage",
       {kIq, kVq, kTm}},
      {FaultKind::kPhaseResistance,
       "phase_resistance",
       "a bad contact in one phase: ripple at twice the electrical frequency",
       {kId, kIq, kVd, kVq}},
      {FaultKind::kRailDamage, "rail_damage", "a dent in a guide rail: a kick where the car passes it", {kAx, kAy}},
      {FaultKind::kRoller,
       "roller",
       "a guide roller out of round: sideways vibration, once per turn of the roller",
       {kAx, kAy}},
      {FaultKind::kLoadCell,
       "load_cell",
       "the load cell is wrong: so is the first torque, and the car jerks as the brake opens",
       {kIq, kVc, kWt}},
      {FaultKind::kDropout, "dropout", "a sensor sticks at its last reading", {}},
  };
  return catalog;
}

Disturbance disturbance_at(const Fault& fault, double seconds) {
  Disturbance now;
  const double on = gate(fault, seconds);
  switch (fault.kind) {
    case FaultKind::kBearing:
      now.bearing_impact = on * between(0.25, 1.5, fault);
      break;
    case FaultKind::kRopeSlip:
      now.slip_speed = on * between(0.02, 0.10, fault);
      break;
    case FaultKind::kRopeSlack:
      now.stiffness_loss = between(0.15, 0.45, fault);
      break;
    case FaultKind::kBrakeDrag:
      now.drag_torque = on * between(40, 160, fault);
      break;
    case FaultKind::kEncoder:
      now.encoder_runout = on * between(0.001, 0.006, fault);
      break;
    case FaultKind::kDemagnetised:
      now.flux_loss = on * between(0.06, 0.18, fault);
      break;
    case FaultKind::kPhaseResistance:
      now.extra_resistance = on * between(0.15, 0.8, fault);
      break;
    case FaultKind::kRailDamage: {
      Dent& dent = fault.channels.front() == kAx ? now.dent_x : now.dent_y;
      dent = {fault.place, fault.width, fault.sign * between(0.4e-3, 1.6e-3, fault)};
      break;
    }
    case FaultKind::kRoller:
      (fault.channels.front() == kAx ? now.roller_runout_x : now.roller_runout_y) = on * between(0.5e-4, 2.5e-4, fault);
      break;
    case FaultKind::kLoadCell:
    case FaultKind::kDropout:
      break;  // a reading is wrong, not the lift
  }
  return now;
}

double load_cell_error(const Fault& fault, const Lift& lift) {
  return fault.kind == FaultKind::kLoadCell ? fault.sign * between(0.08, 0.25, fault) * lift.rated_load : 0.0;
}

std::optional<Fault> draw_fault(FaultKind kind, const TripPlan& plan, std::size_t channels, Random& random) {
  Fault fault{.kind = kind};
  fault.severity = random.uniform();
  fault.sign = random.uniform() < 0.5 ? -1 : 1;
  place_fault(fault, plan, random);

  const auto info = std::find_if(fault_catalog().begin(), fault_catalog().end(),
                                 [&](const FaultInfo& candidate) { return candidate.kind == kind; });
  std::vector<Channel> shown;
  for (const Channel channel : info->channels)
    if (channel < channels) shown.push_back(channel);
  if (kind == FaultKind::kDropout) {  // brake current and load reading hardly move: a stuck one would not show
    for (std::size_t channel = 0; channel < std::min<std::size_t>(channels, kVdc); ++channel)
      shown.push_back(static_cast<Channel>(channel));
  }
  if (shown.empty()) return std::nullopt;
  const bool one_only = kind == FaultKind::kDropout || kind == FaultKind::kRailDamage || kind == FaultKind::kRoller;
  if (one_only) shown = {shown[random.below(shown.size())]};
  fault.channels = std::move(shown);
  return fault;
}

}  // namespace faithful
