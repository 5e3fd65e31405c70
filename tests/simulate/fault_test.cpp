#include "faithful/simulate/fault.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "faithful/simulate/elevator.h"
#include "faithful/simulate/trip.h"

namespace faithful {
namespace {

class EachFault : public ::testing::TestWithParam<FaultKind> {};

std::string name_of(FaultKind kind) {
  for (const FaultInfo& info : fault_catalog())
    if (info.kind == kind) return std::string(info.name);
  return "?";
}

std::vector<FaultKind> all_kinds() {
  std::vector<FaultKind> kinds;
  for (const FaultInfo& info : fault_catalog()) kinds.push_back(info.kind);
  return kinds;
}

// The root mean square, over a span, of what the fault changed in a channel, in units of the sensor's noise.
double change(const Matrix<float>& sick, const Matrix<float>& well, std::size_t channel, const LabelSpan& span) {
  double sum = 0;
  for (std::size_t t = span.begin; t < span.end; ++t) sum += std::pow(sick(t, channel) - well(t, channel), 2);
  return std::sqrt(sum / static_cast<double>(span.length())) / elevator_channels()[channel].noise;
}

// A trip with the fault and its twin without: same before the fault, different at the named channels during it.
TEST_P(EachFault, ShowsInItsSpanAndChannelsAndNotBefore) {
  ElevatorOptions options;
  const Rail rail(options.lift, options.seed);
  for (std::size_t number = 0; number < 3; ++number) {
    const Trip sick = simulate_trip(options, rail, {DataPart::kTrain, number}, GetParam());
    const Trip well = simulate_trip(options, rail, {DataPart::kTrain, number}, std::nullopt);
    ASSERT_TRUE(sick.fault);
    ASSERT_FALSE(well.fault);
    const LabelSpan span = span_of(*sick.fault, options.samples);
    EXPECT_EQ(span.kind, name_of(GetParam()));
    ASSERT_FALSE(span.channels.empty());
    EXPECT_TRUE(std::is_sorted(span.channels.begin(), span.channels.end()));
    EXPECT_LT(span.begin, span.end);
    EXPECT_LE(span.end, options.samples);
    for (std::size_t t = 0; t < span.begin; ++t)
      for (std::size_t c = 0; c < options.channels; ++c)
        ASSERT_EQ(sick.values(t, c), well.values(t, c))
            << "sample " << t << " channel " << c << ", begin " << span.begin;
    for (const std::size_t channel : span.channels)
      EXPECT_GT(change(sick.values, well.values, channel, span), 0.2)
          << "trip " << number << " " << elevator_channels()[channel].name << " severity " << sick.fault->severity;
    double most = 0;
    for (const std::size_t channel : span.channels)
      most = std::max(most, change(sick.values, well.values, channel, span));
    EXPECT_GT(most, 0.8) << "trip " << number << " severity " << sick.fault->severity;
  }
}

TEST_P(EachFault, GrowsWithItsSeverity) {
  if (GetParam() == FaultKind::kDropout) GTEST_SKIP() << "a stuck sensor is stuck";
  const ElevatorOptions options;
  const Rail rail(options.lift, 1);
  Random random(3);
  const TripPlan plan = plan_trip(options.lift, 1, 8, 900);
  Fault fault = *draw_fault(GetParam(), plan, 20, random);
  const auto at_severity = [&](double severity) {
    fault.severity = severity;
    return disturbance_at(fault, (fault.begin + fault.end) / 2);
  };
  const auto size = [&](const Disturbance& d) {
    return d.bearing_impact + d.slip_speed + d.stiffness_loss + d.drag_torque + d.encoder_runout + d.flux_loss +
           d.extra_resistance + d.roller_runout_x + d.roller_runout_y + std::abs(d.dent_x.depth) +
           std::abs(d.dent_y.depth);
  };
  if (GetParam() == FaultKind::kLoadCell) {
    fault.severity = 0.1;
    const double small = std::abs(load_cell_error(fault, options.lift));
    fault.severity = 0.9;
    EXPECT_GT(std::abs(load_cell_error(fault, options.lift)), 1.5 * small);
  } else {
    EXPECT_GT(size(at_severity(0.9)), 1.3 * size(at_severity(0.1)));
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, EachFault, ::testing::ValuesIn(all_kinds()),
                         [](const auto& test) { return name_of(test.param); });

TEST(Fault, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const FaultInfo& info : fault_catalog()) EXPECT_TRUE(names.insert(info.name).second) << info.name;
}

TEST(Fault, OnlyWhatTheChannelsShowIsDrawn) {
  Random random(1);
  const TripPlan plan = plan_trip({}, 0, 5, 300);
  EXPECT_FALSE(draw_fault(FaultKind::kLoadCell, plan, 3, random));
  EXPECT_FALSE(draw_fault(FaultKind::kBearing, plan, 18, random));
  EXPECT_TRUE(draw_fault(FaultKind::kBearing, plan, 19, random));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(draw_fault(FaultKind::kRoller, plan, 1, random)->channels.front(), kAx);
}

// Rope that slips towards the heavy side: the sheave turns further than the car rises by what has slipped.
TEST(Fault, SlipPartsAngleAndCar) {
  const ElevatorOptions options;
  const Rail rail(options.lift, options.seed);
  for (std::size_t number = 0; number < 2; ++number) {
    const Trip sick = simulate_trip(options, rail, {DataPart::kTrain, number}, FaultKind::kRopeSlip);
    const Trip well = simulate_trip(options, rail, {DataPart::kTrain, number}, std::nullopt);
    const std::size_t last = options.samples - 1;
    const double parted = 0.25 * (sick.values(last, kPhi) - well.values(last, kPhi));
    const double slipped = (0.02 + 0.08 * sick.fault->severity) * (sick.fault->end - sick.fault->begin - 0.03);
    EXPECT_NEAR(std::abs(parted), slipped, 0.002);
    EXPECT_EQ(parted > 0, sick.plan.load > options.lift.balance * options.lift.rated_load);
    EXPECT_NEAR(sick.values(last, kZc), sick.plan.to, 0.008) << "the car levels all the same";
  }
}

}  // namespace
}  // namespace faithful
