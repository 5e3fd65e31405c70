#include "faithful/simulate/elevator.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "faithful/simulate/trip.h"
#include "tests/support.h"

namespace faithful {
namespace {

ElevatorOptions small() {
  ElevatorOptions options;
  options.trips = 6;
  options.anomalies = 50;
  options.samples = 500;
  return options;
}

std::size_t anomalous(const Dataset& dataset) {
  return static_cast<std::size_t>(
      std::count_if(dataset.series.begin(), dataset.series.end(), [](const Series& trip) { return trip.label == 1; }));
}

TEST(Elevator, IsAProperDataset) {
  ThreadPool pool(2);
  const Dataset dataset = make_elevator(small(), pool);
  EXPECT_NO_THROW(check_dataset(dataset));
  EXPECT_EQ(dataset.name, "Elevator (simulated here)");
  EXPECT_EQ(dataset.series.size(), 6U);
  EXPECT_EQ(dataset.channels.size(), 20U);
  EXPECT_EQ(dataset.channels[0], "Ax");
  EXPECT_EQ(dataset.channels[19], "Wt");
  EXPECT_EQ(dataset.rate, 25);
  EXPECT_EQ(anomalous(dataset), 3U);
  for (const Series& trip : dataset.series) {
    EXPECT_EQ(trip.length(), 500U);
    EXPECT_EQ(trip.part, DataPart::kNone);
    EXPECT_EQ(trip.spans.size(), trip.label == 1 ? 1U : 0U);
    for (const float value : trip.values.values) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(Elevator, SameBitsOnAnyNumberOfThreads) {
  ThreadPool one(1), three(3);
  const Dataset first = make_elevator(small(), one);
  EXPECT_EQ(first, make_elevator(small(), three));
  ElevatorOptions other = small();
  other.seed = 2;
  EXPECT_NE(first.series[0].values, make_elevator(other, one).series[0].values);
}

TEST(Elevator, FewerChannelsAreTheFirstOfMore) {
  ThreadPool pool(2);
  ElevatorOptions few = small(), all = small();
  few.anomalies = all.anomalies = 0;
  few.trips = all.trips = 2;
  few.channels = 7;
  all.channels = kChannelCount;
  const Dataset less = make_elevator(few, pool), more = make_elevator(all, pool);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t t = 0; t < 500; ++t)
      for (std::size_t c = 0; c < 7; ++c) ASSERT_EQ(less.series[i].values(t, c), more.series[i].values(t, c));
}

TEST(Elevator, FaultsAreSpreadEvenly) {
  ThreadPool pool(2);
  ElevatorOptions options = small();
  options.trips = 12;
  options.anomalies = 92;  // 11 of 12: one of each kind
  options.samples = 20;
  std::map<std::string, int> kinds;
  for (const Series& trip : make_elevator(options, pool).series)
    if (trip.label == 1) ++kinds[trip.spans.at(0).kind];
  EXPECT_EQ(kinds.size(), fault_catalog().size());
  for (const auto& [kind, count] : kinds) EXPECT_EQ(count, 1) << kind;

  options.trips = 4;
  options.faults = {"roller", "encoder"};
  for (const Series& trip : make_elevator(options, pool).series)
    for (const LabelSpan& span : trip.spans) EXPECT_TRUE(span.kind == "roller" || span.kind == "encoder") << span.kind;
}

TEST(Elevator, TestPartIsDrawnApart) {
  ThreadPool pool(2);
  ElevatorOptions options = small();
  options.test_trips = 4;
  const Dataset dataset = make_elevator(options, pool);
  ASSERT_EQ(dataset.series.size(), 10U);
  EXPECT_EQ(anomalous(part_of(dataset, DataPart::kTrain)), 3U);
  EXPECT_EQ(anomalous(part_of(dataset, DataPart::kTest)), 2U);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 6; j < 10; ++j) EXPECT_NE(dataset.series[i].values, dataset.series[j].values);
  // The training part is the same whether or not there is a test part.
  const Dataset alone = make_elevator(small(), pool);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(alone.series[i].values, dataset.series[i].values);
}

TEST(Elevator, LoadShowsInTheCurrentsAndForces) {
  // Over many trips, the mean torque before the car moves is r g (load - balance * rated load) and the ropes' share.
  ElevatorOptions options;
  const Rail rail(options.lift, 1);
  for (std::size_t number = 0; number < 4; ++number) {
    const Trip trip = simulate_trip(options, rail, {DataPart::kTrain, number}, std::nullopt);
    const auto sample = static_cast<std::size_t>((trip.plan.open - 0.01) * 400);
    double torque = 0, force = 0;
    for (std::size_t t = sample - 10; t < sample; ++t)
      torque += trip.values(t, kTm) / 10, force += trip.values(t, kFc) / 10;
    const double ropes = 1.75 * (29.7 - 2 * trip.plan.from);
    EXPECT_NEAR(torque, 0.25 * 9.81 * (trip.plan.load_reading - 480 + ropes), 15);
    EXPECT_NEAR(force, (1300 + trip.plan.load) * 9.81 / 1000, 0.05);
  }
}

TEST(Elevator, OddSizesWork) {
  ThreadPool pool(2);
  for (const std::size_t samples : {1U, 2U, 7U, 80U, 30011U}) {
    ElevatorOptions options = small();
    options.trips = 2;
    options.anomalies = 50;
    options.samples = samples;
    options.channels = 1;
    const Dataset dataset = make_elevator(options, pool);
    EXPECT_NO_THROW(check_dataset(dataset));
    EXPECT_EQ(dataset.series[1].length(), samples);
  }
}

TEST(Elevator, RejectsWhatItCannotDo) {
  ThreadPool pool(1);
  const auto complaint = [&](auto change) {
    ElevatorOptions options = small();
    change(options);
    return testing::rejection([&] { make_elevator(options, pool); });
  };
  EXPECT_EQ(complaint([](ElevatorOptions& o) { o.anomalies = 101; }),
            "anomalies: expected a number from 0 to 100, found 101");
  EXPECT_EQ(complaint([](ElevatorOptions& o) { o.anomalies = NAN; }),
            "anomalies: expected a number from 0 to 100, found nan");
  EXPECT_EQ(complaint([](ElevatorOptions& o) { o.channels = 25; }),
            "channels: expected a whole number from 1 to 24, found 25");
  EXPECT_EQ(complaint([](ElevatorOptions& o) { o.samples = 0; }),
            "samples: expected a whole number from 1 to 1000000, found 0");
  EXPECT_EQ(complaint([](ElevatorOptions& o) { o.trips = 0; }), "trips: expected at least one trip, found 0");
  EXPECT_EQ(complaint([](ElevatorOptions& o) { o.faults = {"roler"}; }),
            "faults: expected the name of a fault, found \"roler\" (did you mean roller?)");
  EXPECT_EQ(complaint([](ElevatorOptions& o) { o.faults = {"load_cell"}, o.channels = 3; }),
            "faults: expected a fault that the channels show, found none (set more channels)");
}

}  // namespace
}  // namespace faithful
