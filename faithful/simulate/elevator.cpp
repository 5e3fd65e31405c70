#include "faithful/simulate/elevator.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/simulate/plant.h"
#include "faithful/simulate/trip.h"

namespace faithful {

namespace {

constexpr double kLongestStep = 1.0 / 1200;  // s, of the integration
constexpr double kMostSamples = 1'000'000;   // a trip: beyond that, a mistyped number
constexpr double kMostTrips = 100'000'000;
constexpr double kMostValues = 16e9;           // 64 GB of float32
constexpr std::uint64_t kStreamsPerTrip = 64;  // plan, fault, and one for the noise of each channel
static_assert(kChannelCount + 2 <= kStreamsPerTrip);

std::uint64_t stream_base(TripId id) {
  const std::uint64_t part = stream_of(id.part == DataPart::kTest ? "elevator.test" : "elevator.train");
  return part + kStreamsPerTrip * id.number;
}

// Adds a sensor's noise and rounds to its resolution, in place, down one column.
void spoil_column(Matrix<float>& values, std::size_t channel, Random random) {
  const ChannelInfo& sensor = elevator_channels()[channel];
  const auto read = [&](std::size_t row, double noise) {
    float& value = values(row, channel);
    const double seen = value + sensor.noise * noise;
    value = static_cast<float>(sensor.resolution > 0 ? std::round(seen / sensor.resolution) * sensor.resolution : seen);
  };
  for (std::size_t row = 0; row < values.rows; row += 2) {  // Box-Muller gives two at a time
    const double radius = std::sqrt(-2.0 * std::log1p(-random.uniform()));
    const double angle = 2.0 * std::numbers::pi * random.uniform();
    read(row, radius * std::cos(angle));
    if (row + 1 < values.rows) read(row + 1, radius * std::sin(angle));
  }
}

// Each sample is the mean of the readings since the sample before it, as an integrating converter gives it.
void run_plant(Plant& plant, Matrix<float>& values) {
  const double interval = kTripSeconds / static_cast<double>(values.rows);
  const auto steps = static_cast<std::size_t>(std::ceil(interval / kLongestStep - 1e-9));
  for (std::size_t row = 0; row < values.rows; ++row) {
    Readings sum = {};
    for (std::size_t step = 0; step < steps; ++step) {
      const Readings now = plant.step(interval / static_cast<double>(steps));
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += now[i];
    }
    for (std::size_t i = 0; i < values.columns; ++i)
      values(row, i) = static_cast<float>(sum[i] / static_cast<double>(steps));
  }
}

void stick(Matrix<float>& values, std::size_t channel, const LabelSpan& span) {
  const float last = values(span.begin == 0 ? 0 : span.begin - 1, channel);
  for (std::size_t row = span.begin; row < span.end; ++row) values(row, channel) = last;
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (const FaultInfo& info : fault_catalog()) names.emplace_back(info.name);
  return names;
}

// The faults asked for that the channels can show.
std::vector<FaultKind> usable_faults(const ElevatorOptions& options) {
  const std::vector<std::string> names = fault_names();
  for (const std::string& name : options.faults)
    if (std::find(names.begin(), names.end(), name) == names.end())
      reject({{.field = "faults"}, "the name of a fault", quote(name), suggest(name, names)});
  std::vector<FaultKind> kinds;
  const TripPlan any_plan = plan_trip(options.lift, 0, 1, 0);
  for (const FaultInfo& info : fault_catalog()) {
    const bool wanted =
        options.faults.empty() || std::count(options.faults.begin(), options.faults.end(), info.name) > 0;
    Random unused(0);
    if (wanted && draw_fault(info.kind, any_plan, options.channels, unused)) kinds.push_back(info.kind);
  }
  return kinds;
}

void check(ElevatorOptions options) {
  check_settings(settings(options));
  const double values = static_cast<double>(options.trips + options.test_trips) * static_cast<double>(options.samples) *
                        static_cast<double>(options.channels);
  if (values > kMostValues) {
    reject({{fmt::format("{} x {} x {}", field_text("trips"), field_text("samples"), field_text("channels"))},
            fmt::format("at most {} values", kMostValues),
            fmt::format("{}", values)});
  }
  if (options.trips + options.test_trips == 0) reject({{.field = "trips"}, "at least one trip", "0"});
}

// For each trip of a part its fault or none: round(percent of count) faults at random places, of all kinds in turn.
std::vector<std::optional<FaultKind>> draw_faults(const ElevatorOptions& options, DataPart part, std::size_t count,
                                                  double percent) {
  std::vector<std::optional<FaultKind>> faults(count);
  const auto wanted = static_cast<std::size_t>(std::llround(percent / 100 * static_cast<double>(count)));
  if (wanted == 0) return faults;
  const std::vector<FaultKind> kinds = usable_faults(options);
  if (kinds.empty())
    reject({{.field = "faults"},
            "a fault that the channels show",
            "none",
            fmt::format("set more {}", field_text("channels"))});
  for (std::size_t i = 0; i < wanted; ++i) faults[i] = kinds[i % kinds.size()];
  Random random(options.seed, stream_of(part == DataPart::kTest ? "elevator.test.faults" : "elevator.train.faults"));
  random.shuffle(std::span(faults));
  return faults;
}

Series make_series(const ElevatorOptions& options, const Rail& rail, TripId id, std::optional<FaultKind> kind) {
  Trip trip = simulate_trip(options, rail, id, kind);
  Series series;
  series.name = fmt::format("{}trip {}", id.part == DataPart::kTest ? "test " : "", id.number + 1);
  series.part = options.test_trips > 0 ? id.part : DataPart::kNone;
  series.values = std::move(trip.values);
  series.label = trip.fault ? 1 : 0;
  if (trip.fault) series.spans.push_back(span_of(*trip.fault, options.samples));
  return series;
}

}  // namespace

std::vector<Setting> settings(ElevatorOptions& options) {
  std::vector<Setting> all = {
      {{"trips", "N", "number of trips", {.least = 0, .most = kMostTrips}}, &options.trips},
      {{"anomalies", "PERCENT", "share of trips with a fault", {.least = 0, .most = 100}}, &options.anomalies},
      {{"test_trips", "N", "trips of a separate test part", {.least = 0, .most = kMostTrips}}, &options.test_trips},
      {{"test_anomalies", "PERCENT", "share of the test trips with a fault", {.least = 0, .most = 100}},
       &options.test_anomalies},
      {{"seed", "N", "seed of the building and of every trip"}, &options.seed},
      {{"samples", "N", "samples of a trip of 20 s", {.least = 1, .most = kMostSamples}}, &options.samples},
      {{"channels", "N", "number of sensors", {.least = 1, .most = kChannelCount}}, &options.channels}};
  for (Setting& setting : all) setting.field.group = FieldGroup::kData;
  return all;
}

LabelSpan span_of(const Fault& fault, std::size_t samples) {
  const double rate = static_cast<double>(samples) / kTripSeconds;
  LabelSpan span;
  span.begin = std::min(samples - 1, static_cast<std::size_t>(std::max(0.0, fault.begin) * rate));
  span.end = std::clamp(static_cast<std::size_t>(std::ceil(fault.end * rate)), span.begin + 1, samples);
  span.channels.assign(fault.channels.begin(), fault.channels.end());
  for (const FaultInfo& info : fault_catalog())
    if (info.kind == fault.kind) span.kind = info.name;
  return span;
}

Trip simulate_trip(const ElevatorOptions& options, const Rail& rail, TripId id, std::optional<FaultKind> kind) {
  const std::uint64_t stream = stream_base(id);
  Random plan_random(options.seed, stream), fault_random(options.seed, stream + 1);
  Trip trip;
  trip.plan = draw_plan(options.lift, plan_random);
  if (kind) trip.fault = draw_fault(*kind, trip.plan, options.channels, fault_random);

  trip.values = Matrix<float>(options.samples, options.channels);
  Plant plant(options.lift, rail, trip.plan, trip.fault ? &*trip.fault : nullptr);
  run_plant(plant, trip.values);
  for (std::size_t channel = 0; channel < options.channels; ++channel)
    spoil_column(trip.values, channel, Random(options.seed, stream + 2 + channel));
  if (trip.fault && trip.fault->kind == FaultKind::kDropout)
    stick(trip.values, trip.fault->channels.front(), span_of(*trip.fault, options.samples));
  return trip;
}

Dataset make_elevator(const ElevatorOptions& options, ThreadPool& pool, Progress* progress) {
  check(options);
  const auto train_faults = draw_faults(options, DataPart::kTrain, options.trips, options.anomalies);
  const auto test_faults = draw_faults(options, DataPart::kTest, options.test_trips, options.test_anomalies);
  const Rail rail(options.lift, options.seed);

  Dataset dataset;
  dataset.name = "Elevator (simulated here)";
  for (std::size_t i = 0; i < options.channels; ++i) dataset.channels.emplace_back(elevator_channels()[i].name);
  dataset.classes = {"normal", "anomalous"};
  dataset.rate = static_cast<double>(options.samples) / kTripSeconds;
  dataset.source = fmt::format("simulated with seed {}", options.seed);
  dataset.format = "elevator";
  dataset.series.resize(options.trips + options.test_trips);
  pool.run(dataset.series.size(), [&](std::size_t i) {
    const bool test = i >= options.trips;
    const TripId id{test ? DataPart::kTest : DataPart::kTrain, test ? i - options.trips : i};
    dataset.series[i] = make_series(options, rail, id, (test ? test_faults : train_faults)[id.number]);
    if (progress != nullptr) progress->advance();
  });
  return dataset;
}

}  // namespace faithful
