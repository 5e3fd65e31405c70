#include <memory>

#include <fmt/format.h>

#include "app/verbs.h"
#include "faithful/base/progress.h"
#include "faithful/base/threads.h"
#include "faithful/data/write.h"
#include "faithful/simulate/elevator.h"
#include "faithful/simulate/fault.h"

namespace faithful::app {

namespace {

struct Options {
  ElevatorOptions elevator;
  std::size_t threads = default_threads();
  std::string output;
};

std::size_t count_anomalous(const Dataset& dataset) {
  std::size_t count = 0;
  for (const Series& trip : dataset.series) count += trip.label == 1 ? 1 : 0;
  return count;
}

void simulate(Options options) {
  check_format_to_write(options.output);  // before the simulation, which takes minutes
  ThreadPool pool(options.threads);
  Dataset dataset;
  {
    Progress progress("simulating", options.elevator.trips + options.elevator.test_trips);
    dataset = make_elevator(options.elevator, pool, &progress);
  }
  const std::vector<std::string> notes = save_dataset(dataset, options.output);
  print(fmt::format("{}: {} trips, {} of them anomalous, {} channels x {} samples at {:g} Hz, seed {}\n",
                    options.output, dataset.series.size(), count_anomalous(dataset), dataset.channels.size(),
                    options.elevator.samples, dataset.rate, options.elevator.seed));
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
  return {
      .name = "elevator",
      .summary = "simulates trips of a lift, some with a fault",
      .description =
          "Simulates a traction lift: jerk-limited trips, a permanent-magnet motor with speed and current control, "
          "cabin and counterweight on elastic ropes, guide rails with joints; load, floors and noise are random. "
          "Anomalous trips have one of eleven faults. The file also has the kind, time and channels of each fault. A "
          ".h5 file has the DFStrans layout. The same options give the same bits.",
      .options = joined({{{"-o,--output FILE", &options->output, "a file that ends in .npz or .h5", required}},
                         options_of(settings(options->elevator)),
                         {{"--faults NAMES", &options->elevator.faults, "only these faults", one_of(fault_names()),
                           by_default("all")},
                          threads_option(options->threads)}}),
      .examples = {{"faithful data elevator --trips 1000 --anomalies 3 --seed 1 -o lift.h5",
                    "3 % of the trips are anomalous, as published"},
                   {"faithful data elevator --trips 1000 --test-trips 1200 -o lift.npz",
                    "with a test part of 600 anomalous trips"}},
      .run = [options] { simulate(*options); }};
}

}  // namespace faithful::app
