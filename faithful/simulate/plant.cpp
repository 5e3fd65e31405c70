#include "faithful/simulate/plant.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace faithful {

namespace {

constexpr double kPi = std::numbers::pi;

// From 0 to 1 without a corner, between two moments.
double smooth_rise(double t, double from, double to) {
  const double part = std::clamp((t - from) / (to - from), 0.0, 1.0);
  return part * part * (3 - 2 * part);
}

// Coulomb friction without its jump: x for small x, sign(x) for large.
double saturate(double x) {
  return x / std::sqrt(1 + x * x);
}

double square(double x) {
  return x * x;
}

// cos and sin of a small angle (|x| < 0.3, to 1e-8), without a call.
Turn small_turn(double x) {
  const double x2 = x * x;
  return {1 - x2 / 2 * (1 - x2 / 12 * (1 - x2 / 30)), x * (1 - x2 / 6 * (1 - x2 / 20))};
}

Turn turn_by(double x) {
  return {std::cos(x), std::sin(x)};
}

Turn twice(const Turn& turn) {
  return {square(turn.cosine) - square(turn.sine), 2 * turn.cosine * turn.sine};
}

Turn plus(const Turn& a, const Turn& b) {
  return {a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine};
}

constexpr double kEncoderRunout = 2e-4;      // rad, of a healthy encoder
constexpr double kPhaseImbalance = 0.01;     // Ohm, of a healthy winding
constexpr double kCoggingToFrame = 8e-3;     // m/s^2 of the machine frame per N m of torque ripple
constexpr double kImpactsPerTurn = 5.4;      // outer race of the sheave's bearing
constexpr double kImpactShare = 0.06;        // of the way between impacts that one lasts
constexpr double kGuideStickSpeed = 0.02;    // m/s, below which guide friction fades
constexpr double kBrakeDragSpeed = 0.3;      // rad/s, likewise of a rubbing brake
constexpr double kFullSheaveSpeed = 10;      // rad/s
constexpr double kRoomTemperature = 25;      // degrees C
constexpr double kCopperPerKelvin = 3.9e-3;  // resistance
constexpr double kMagnetPerKelvin = -1.1e-3;

}  // namespace

Plant::Plant(const Lift& lift, const Rail& rail, const TripPlan& plan, const Fault* fault)
    : lift_(&lift), rail_(&rail), fault_(fault), plan_(plan) {
  car_mass_ = lift.car_mass + plan.load;
  weight_mass_ = lift.counterweight_mass();
  flux_ = lift.flux * (1 + kMagnetPerKelvin * (plan.temperature - 20));
  resistance_ = lift.resistance * (1 + kCopperPerKelvin * (plan.temperature - 20));
  sheave_inertia_ =
      lift.sheave_inertia + lift.rope_mass * (lift.travel() + 2 * lift.overhead) * square(lift.sheave_radius);
  torque_per_ampere_ = 1.5 * lift.pole_pairs * lift.flux;  // as the drive knows it
  if (fault_ != nullptr) {
    plan_.load_reading += load_cell_error(*fault_, lift);
    disturbance_ = disturbance_at(*fault_, 0);
  }
  settle();
}

// At rest at the floor, the brake holding: ropes stretched by what hangs on them.
void Plant::settle() {
  const double stiffness = lift_->rope_stiffness * (1 - disturbance_.stiffness_loss);
  const double car_strain = car_mass_ * lift_->gravity / stiffness;  // stretch = strain * (top - height - stretch)
  const double car_stretch = car_strain * (lift_->top() - plan_.from) / (1 + car_strain);
  const double paid = plan_.from + car_stretch;
  const double weight_stretch = weight_mass_ * lift_->gravity / lift_->rope_stiffness * (lift_->overhead + paid);
  state_[kSheaveAngle] = paid / lift_->sheave_radius;
  state_[kCarHeight] = plan_.from;
  state_[kWeightHeight] = lift_->travel() - paid - weight_stretch;
  state_[kTemperature] = plan_.temperature;
  const double cogging = cogging_torque(turn_by(lift_->pole_pairs * state_[kSheaveAngle]));
  brake_anchor_ = state_[kSheaveAngle] + (ropes_at(state_).load_torque - cogging) / lift_->brake_stiffness;
  state_[kFrame] = kCoggingToFrame * cogging / square(2 * kPi * lift_->frame_frequency);
  const RailPoint rail = rail_->at(plan_.from);
  state_[kSwayX] = rail.x;
  state_[kSwayY] = rail.y;
  moment_ = moment_at(0);
}

Plant::Moment Plant::moment_at(double t) const {
  Moment now;
  now.target = plan_.profile.at(t - plan_.go);
  const double direction = plan_.direction();
  now.target = {plan_.from + direction * now.target.position, direction * now.target.speed,
                direction * now.target.acceleration, direction * now.target.jerk};
  now.enable =
      smooth_rise(t, plan_.power_on, plan_.power_on + 0.3) * (1 - smooth_rise(t, plan_.close + 0.15, plan_.power_off));
  now.brake = 1 - smooth_rise(t, plan_.open, plan_.open + 0.15) + smooth_rise(t, plan_.close, plan_.close + 0.1);
  now.coil = t >= plan_.open - 0.1 && t < plan_.close ? lift_->brake_coil_current : 0;
  for (const Push& push : plan_.pushes) {
    if (t < push.begin || t > push.begin + push.length) continue;
    const double shape = std::sin(kPi * (t - push.begin) / push.length);
    now.push_x += push.x * shape;
    now.push_y += push.y * shape;
  }
  return now;
}

Plant::Angles Plant::angles_at(const State& s) const {
  const double turned = s[kSheaveAngle] - state_[kSheaveAngle], risen = s[kCarHeight] - state_[kCarHeight];
  return {plus(angles_.sheave, small_turn(turned)), plus(angles_.field, small_turn(lift_->pole_pairs * turned)),
          plus(angles_.roller, small_turn(risen / lift_->roller_radius))};
}

Plant::Ropes Plant::ropes_at(const State& s) const {
  const Lift& lift = *lift_;
  Ropes ropes;
  ropes.paid = lift.sheave_radius * s[kSheaveAngle] - s[kRopeSlipped];
  const double slip_speed = car_mass_ > weight_mass_ ? disturbance_.slip_speed : -disturbance_.slip_speed;
  ropes.paid_speed = lift.sheave_radius * s[kSheaveSpeed] - slip_speed;

  const double car_length = lift.top() - ropes.paid, weight_length = lift.overhead + ropes.paid;  // unstretched
  const double damping_time = lift.rope_damping_time * plan_.rope_damping;
  const double car_stretch = ropes.paid - s[kCarHeight];
  const double weight_stretch = lift.travel() - ropes.paid - s[kWeightHeight];
  ropes.car = lift.rope_stiffness * (1 - disturbance_.stiffness_loss) / car_length *
              (car_stretch + damping_time * (ropes.paid_speed - s[kCarSpeed]));
  ropes.weight =
      lift.rope_stiffness / weight_length * (weight_stretch - damping_time * (ropes.paid_speed + s[kWeightSpeed]));
  ropes.load_torque =
      lift.sheave_radius * (ropes.car - ropes.weight + lift.rope_mass * lift.gravity * (car_length - weight_length));

  const auto guides = [&](double speed, double factor) {
    return factor * (lift.guide_friction * saturate(speed / kGuideStickSpeed) + lift.guide_damping * speed);
  };
  ropes.car_guides = guides(s[kCarSpeed], plan_.guide_friction);
  ropes.weight_guides = guides(s[kWeightSpeed], plan_.friction);
  return ropes;
}

// Position, speed and current control. The drive lives in the encoder's coordinates, which an eccentric encoder turns
// against the rotor's by p times its error.
Plant::Drive Plant::drive_at(const State& s, const Moment& now, const Turn& sheave) const {
  const Lift& lift = *lift_;
  Drive drive;
  const double runout = kEncoderRunout + disturbance_.encoder_runout;
  drive.angle = s[kSheaveAngle] - runout * sheave.cosine;
  drive.speed = s[kSheaveSpeed] * (1 + runout * sheave.sine);
  const auto [c, n] = small_turn(-lift.pole_pairs * runout * sheave.cosine);
  drive.d = c * s[kCurrentD] + n * s[kCurrentQ];
  drive.q = -n * s[kCurrentD] + c * s[kCurrentQ];

  const double r = lift.sheave_radius;
  const double assumed_mass = lift.car_mass + plan_.load_reading + weight_mass_;
  const double assumed_load =
      r * lift.gravity *
      (lift.car_mass + plan_.load_reading - weight_mass_ + lift.rope_mass * (lift.travel() - 2 * s[kCarHeight]));
  const double wanted_speed = (now.target.speed + lift.position_gain * (now.target.position - s[kCarHeight])) / r;
  drive.speed_error = now.enable * (wanted_speed - drive.speed);
  const double torque = assumed_load + (sheave_inertia_ + square(r) * assumed_mass) * now.target.acceleration / r +
                        lift.speed_gain * drive.speed_error + s[kSpeedIntegral];
  drive.error_d = -drive.d;
  drive.error_q = now.enable * torque / torque_per_ampere_ - drive.q;

  const double electrical_speed = lift.pole_pairs * drive.speed;
  drive.voltage_d = lift.current_bandwidth * lift.inductance_d * drive.error_d + s[kVoltageD] -
                    electrical_speed * lift.inductance_q * drive.q;
  drive.voltage_q = lift.current_bandwidth * lift.inductance_q * drive.error_q + s[kVoltageQ] +
                    electrical_speed * (lift.inductance_d * drive.d + lift.flux);
  drive.true_d = c * drive.voltage_d - n * drive.voltage_q;
  drive.true_q = n * drive.voltage_d + c * drive.voltage_q;
  return drive;
}

double Plant::brake_torque(const State& s, const Moment& now) const {
  return now.brake *
         (lift_->brake_stiffness * (s[kSheaveAngle] - brake_anchor_) + lift_->brake_damping * s[kSheaveSpeed]);
}

double Plant::drag_torque(double speed) const {
  return plan_.friction * lift_->bearing_damping * speed + disturbance_.drag_torque * saturate(speed / kBrakeDragSpeed);
}

// At 6 x the electrical frequency: where rotor and stator slots meet.
double Plant::cogging_torque(const Turn& field) const {
  return plan_.cogging * lift_->cogging * twice(plus(field, twice(field))).sine;
}

double Plant::field_torque(const State& s) const {
  const double flux = flux_ * (1 - disturbance_.flux_loss);
  const double saliency = lift_->inductance_d - lift_->inductance_q;
  return 1.5 * lift_->pole_pairs * (flux + saliency * s[kCurrentD]) * s[kCurrentQ];
}

void Plant::derive(const State& s, const Moment& now, State& rate, Readings* readings) const {
  const Lift& lift = *lift_;
  const Ropes ropes = ropes_at(s);
  const Angles angles = angles_at(s);
  const Drive drive = drive_at(s, now, angles.sheave);
  const double cogging = cogging_torque(angles.field);

  rate[kSheaveAngle] = s[kSheaveSpeed];
  rate[kSheaveSpeed] =
      (field_torque(s) + cogging - ropes.load_torque - drag_torque(s[kSheaveSpeed]) - brake_torque(s, now)) /
      sheave_inertia_;
  rate[kRopeSlipped] = lift.sheave_radius * s[kSheaveSpeed] - ropes.paid_speed;
  rate[kCarHeight] = s[kCarSpeed];
  rate[kCarSpeed] = (ropes.car - ropes.car_guides) / car_mass_ - lift.gravity;
  rate[kWeightHeight] = s[kWeightSpeed];
  rate[kWeightSpeed] = (ropes.weight - ropes.weight_guides) / weight_mass_ - lift.gravity;
  rate[kSpeedIntegral] = lift.speed_integral * drive.speed_error;
  rate[kCoilCurrent] = (now.coil - s[kCoilCurrent]) / lift.brake_coil_time;
  derive_motor(s, drive, angles.field, rate);
  derive_comfort(s, now, cogging, angles.roller, rate);
  if (readings != nullptr) read_sensors(s, rate, now, ropes, drive, angles.field, *readings);
}

// L di/dt = v - R i - speed voltage, in the rotor's coordinates; a bad contact in phase a drops R_a i_a there.
void Plant::derive_motor(const State& s, const Drive& drive, const Turn& field, State& rate) const {
  const Lift& lift = *lift_;
  const double electrical_speed = lift.pole_pairs * s[kSheaveSpeed];
  const auto [c, n] = field;
  const double drop =
      2.0 / 3.0 * (kPhaseImbalance + disturbance_.extra_resistance) * (c * s[kCurrentD] - n * s[kCurrentQ]);
  const double flux = flux_ * (1 - disturbance_.flux_loss);
  rate[kCurrentD] =
      (drive.true_d - resistance_ * s[kCurrentD] - c * drop + electrical_speed * lift.inductance_q * s[kCurrentQ]) /
      lift.inductance_d;
  rate[kCurrentQ] = (drive.true_q - resistance_ * s[kCurrentQ] + n * drop -
                     electrical_speed * (lift.inductance_d * s[kCurrentD] + flux)) /
                    lift.inductance_q;
  rate[kVoltageD] = lift.current_bandwidth * lift.resistance * drive.error_d;
  rate[kVoltageQ] = lift.current_bandwidth * lift.resistance * drive.error_q;
  const double copper = 1.5 * resistance_ * (square(s[kCurrentD]) + square(s[kCurrentQ]));
  rate[kTemperature] = (copper - (s[kTemperature] - kRoomTemperature) / lift.heat_resistance) / lift.heat_capacity;
}

// The car on its rollers follows the rails; the machine frame rings under torque ripple and bearing impacts.
void Plant::derive_comfort(const State& s, const Moment& now, double cogging, const Turn& roller, State& rate) const {
  const Lift& lift = *lift_;
  RailPoint rail = rail_->at(s[kCarHeight]);
  if (disturbance_.dent_x.depth != 0) disturbance_.dent_x.add_to(s[kCarHeight], rail.x, rail.slope_x);
  if (disturbance_.dent_y.depth != 0) disturbance_.dent_y.add_to(s[kCarHeight], rail.y, rail.slope_y);
  const auto [c, n] = roller;
  const double runout_x = lift.roller_runout + disturbance_.roller_runout_x;
  const double runout_y = lift.roller_runout + disturbance_.roller_runout_y;

  const auto follow = [&](double frequency, double offset, double slope, double place, double speed) {
    const double w = 2 * kPi * frequency;
    return w * w * (offset - place) + 2 * lift.guide_ratio * w * (slope * s[kCarSpeed] - speed);
  };
  rate[kSwayX] = s[kSwaySpeedX];
  rate[kSwaySpeedX] = now.push_x + follow(lift.guide_frequency_x, rail.x + runout_x * c,
                                          rail.slope_x - runout_x / lift.roller_radius * n, s[kSwayX], s[kSwaySpeedX]);
  rate[kSwayY] = s[kSwaySpeedY];
  rate[kSwaySpeedY] = now.push_y + follow(lift.guide_frequency_y, rail.y + runout_y * n,
                                          rail.slope_y + runout_y / lift.roller_radius * c, s[kSwayY], s[kSwaySpeedY]);

  double force = kCoggingToFrame * cogging;
  if (disturbance_.bearing_impact != 0) {
    const double turns = kImpactsPerTurn * s[kSheaveAngle] / (2 * kPi);
    const double since_impact = (turns - std::floor(turns)) / kImpactShare;
    if (since_impact < 1)
      force += disturbance_.bearing_impact * square(s[kSheaveSpeed] / kFullSheaveSpeed) * std::sin(kPi * since_impact);
  }
  const double w = 2 * kPi * lift.frame_frequency;
  rate[kFrame] = s[kFrameSpeed];
  rate[kFrameSpeed] = force - w * w * s[kFrame] - 2 * lift.frame_ratio * w * s[kFrameSpeed];
}

void Plant::read_sensors(const State& s, const State& rate, const Moment& now, const Ropes& ropes, const Drive& drive,
                         const Turn& field, Readings& readings) const {
  const Lift& lift = *lift_;
  const double power = 1.5 * (drive.voltage_d * drive.d + drive.voltage_q * drive.q);
  const auto [c, n] = field;
  const double current_a = c * s[kCurrentD] - n * s[kCurrentQ];
  const double current_beta = n * s[kCurrentD] + c * s[kCurrentQ];
  readings[kAx] = rate[kSwaySpeedX];
  readings[kAy] = rate[kSwaySpeedY];
  readings[kAz] = rate[kCarSpeed];
  readings[kId] = drive.d;
  readings[kIq] = drive.q;
  readings[kOm] = drive.speed;
  readings[kPhi] = drive.angle;
  readings[kVc] = s[kCarSpeed];
  readings[kVcw] = s[kWeightSpeed];
  readings[kVd] = drive.voltage_d;
  readings[kVq] = drive.voltage_q;
  readings[kZc] = s[kCarHeight];
  readings[kZcw] = s[kWeightHeight];
  readings[kFc] = ropes.car / 1000;
  readings[kFcw] = ropes.weight / 1000;
  readings[kTm] = torque_per_ampere_ * drive.q;
  readings[kVdc] = lift.bus_voltage - lift.bus_resistance * power / lift.bus_voltage;
  readings[kBr] = s[kCoilCurrent];
  readings[kAm] = rate[kFrameSpeed];
  readings[kWt] = plan_.load_reading * (1 + rate[kCarSpeed] / lift.gravity);
  readings[kVref] = now.target.speed;
  readings[kTw] = s[kTemperature];
  readings[kIa] = current_a;
  readings[kIb] = -current_a / 2 + std::sqrt(3.0) / 2 * current_beta;
}

Readings Plant::step(double seconds) {
  if (fault_ != nullptr) disturbance_ = disturbance_at(*fault_, time_);
  if (!gripped_again_ && time_ + seconds > plan_.close) {
    brake_anchor_ = state_[kSheaveAngle];
    gripped_again_ = true;
  }
  angles_ = {turn_by(state_[kSheaveAngle]), turn_by(lift_->pole_pairs * state_[kSheaveAngle]),
             turn_by(state_[kCarHeight] / lift_->roller_radius + plan_.roller_phase)};
  const Moment middle = moment_at(time_ + seconds / 2), end = moment_at(time_ + seconds);
  Readings readings;
  State k1, k2, k3, k4, at;
  const auto move = [&](const State& rate, double h) {
    for (std::size_t i = 0; i < kStateSize; ++i) at[i] = state_[i] + h * rate[i];
  };
  derive(state_, moment_, k1, &readings);
  move(k1, seconds / 2);
  derive(at, middle, k2, nullptr);
  move(k2, seconds / 2);
  derive(at, middle, k3, nullptr);
  move(k3, seconds);
  derive(at, end, k4, nullptr);
  for (std::size_t i = 0; i < kStateSize; ++i) state_[i] += seconds / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  time_ += seconds;
  moment_ = end;
  return readings;
}

EnergyBalance Plant::energy() const {
  const Lift& lift = *lift_;
  const State& s = state_;
  const Ropes ropes = ropes_at(s);
  const Drive drive = drive_at(s, moment_, turn_by(s[kSheaveAngle]));
  const double car_stiffness = lift.rope_stiffness * (1 - disturbance_.stiffness_loss) / (lift.top() - ropes.paid);
  const double weight_stiffness = lift.rope_stiffness / (lift.overhead + ropes.paid);
  const double damping_time = lift.rope_damping_time * plan_.rope_damping;
  const double car_rate = ropes.paid_speed - s[kCarSpeed], weight_rate = ropes.paid_speed + s[kWeightSpeed];
  EnergyBalance energy;
  energy.stored = (sheave_inertia_ * square(s[kSheaveSpeed]) + car_mass_ * square(s[kCarSpeed]) +
                   weight_mass_ * square(s[kWeightSpeed])) /
                      2 +
                  lift.gravity * (car_mass_ * s[kCarHeight] + weight_mass_ * s[kWeightHeight] +
                                  lift.rope_mass * ropes.paid * (lift.travel() - ropes.paid)) +
                  (car_stiffness * square(ropes.paid - s[kCarHeight]) +
                   weight_stiffness * square(lift.travel() - ropes.paid - s[kWeightHeight])) /
                      2;
  energy.magnetic = 0.75 * (lift.inductance_d * square(s[kCurrentD]) + lift.inductance_q * square(s[kCurrentQ]));
  energy.electrical = 1.5 * (drive.true_d * s[kCurrentD] + drive.true_q * s[kCurrentQ]);
  energy.copper = 1.5 * resistance_ * (square(s[kCurrentD]) + square(s[kCurrentQ]));
  energy.shaft = field_torque(s) * s[kSheaveSpeed];
  energy.lost = (drag_torque(s[kSheaveSpeed]) + brake_torque(s, moment_)) * s[kSheaveSpeed] +
                ropes.car_guides * s[kCarSpeed] + ropes.weight_guides * s[kWeightSpeed] +
                damping_time * (car_stiffness * square(car_rate) + weight_stiffness * square(weight_rate));
  return energy;
}

}  // namespace faithful
