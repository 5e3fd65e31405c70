#include <memory>

#include <fmt/format.h>

#include "app/verbs.h"
#include "faithful/base/progress.h"
#include "faithful/base/threads.h"
#include "faithful/data/write.h"
#include "faithful/simulate/elevator.h"

namespace faithful::app {

namespace {

struct Options {
  ElevatorOptions elevator;
  std::size_t seed = 1;
  std::size_t threads = default_threads();
  std::string output;
};

std::size_t count_anomalous(const Dataset& dataset) {
  std::size_t count = 0;
  for (const Series& trip : dataset.series) count += trip.label == 1 ? 1 : 0;
  return count;
}

void simulate(Options options) {
  check_format_to_write(options.output);  // before minutes of simulation, not after
  options.elevator.seed = options.seed;
  ThreadPool pool(options.threads);
  Dataset dataset;
  {
    Progress progress("simulating", options.elevator.trips + options.elevator.test_trips);
    dataset = make_elevator(options.elevator, pool, &progress);
  }
  const std::vector<std::string> notes = save_dataset(dataset, options.output);
  print(fmt::format("{}: {} trips, {} of them anomalous, {} channels x {} samples at {:g} Hz, seed {}\n",
                    options.output, dataset.series.size(), count_anomalous(dataset), dataset.channels.size(),
                    options.elevator.samples, dataset.rate, options.seed));
  for (const std::string& note : notes) print(note + "\n");
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (const FaultInfo& info : fault_catalog()) names.emplace_back(info.name);
  return names;
}

}  // namespace

Command elevator_verb() {
  const auto options = std::make_shared<Options>();
  ElevatorOptions& elevator = options->elevator;
  return {
      .name = "elevator",
      .summary = "simulates trips of a lift, some with a fault",
      .description =
          "Simulates a traction lift: jerk-limited trips, a permanent-magnet machine under speed and current control, "
          "cabin and counterweight on elastic ropes, guide rails with joints; random load, floors and noise. Anomalous "
          "trips have one of eleven faults; its kind, time and channels are in the file too. A .h5 file has the "
          "DFStrans layout. The same options give the same bits.",
      .options = {{.name = "-o,--output",
                   .target = &options->output,
                   .value = "FILE",
                   .help = "a file .npz or .h5",
                   .required = true},
                  {.name = "--trips", .target = &elevator.trips, .value = "N", .help = "number of trips"},
                  {.name = "--anomalies",
                   .target = &elevator.anomalies,
                   .value = "PERCENT",
                   .help = "share of trips with a fault",
                   .at_least = 0,
                   .at_most = 100},
                  {.name = "--test-trips",
                   .target = &elevator.test_trips,
                   .value = "N",
                   .help = "trips of a test part, drawn apart"},
                  {.name = "--test-anomalies",
                   .target = &elevator.test_anomalies,
                   .value = "PERCENT",
                   .help = "share of those with a fault",
                   .at_least = 0,
                   .at_most = 100},
                  {.name = "--seed", .target = &options->seed, .value = "S", .help = "of the building and every trip"},
                  {.name = "--samples",
                   .target = &elevator.samples,
                   .value = "N",
                   .help = "samples of a trip, over 20 s",
                   .at_least = 1},
                  {.name = "--channels",
                   .target = &elevator.channels,
                   .value = "N",
                   .help = "number of sensors",
                   .at_least = 1,
                   .at_most = static_cast<double>(kChannelCount)},
                  {.name = "--faults",
                   .target = &elevator.faults,
                   .value = "NAMES",
                   .help = "only these faults",
                   .choices = fault_names(),
                   .shown_default = "all"},
                  threads_option(options->threads)},
      .examples = {{"faithful data elevator --trips 1000 --anomalies 3 --seed 1 -o lift.h5",
                    "as published: 3 % anomalous"},
                   {"faithful data elevator --trips 1000 --test-trips 1200 -o lift.npz",
                    "with a test part of 600 anomalies"}},
      .run = [options] { simulate(*options); }};
}

}  // namespace faithful::app
