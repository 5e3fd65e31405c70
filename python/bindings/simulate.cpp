#include "core.h"
#include "faithful/simulate/elevator.h"

namespace faithful::python {

namespace {

std::shared_ptr<Dataset> elevator(const py::dict& said, std::size_t threads) {
  ElevatorOptions options;
  take(said, "trips", options.trips);
  take(said, "anomalies", options.anomalies);
  take(said, "test_trips", options.test_trips);
  take(said, "test_anomalies", options.test_anomalies);
  take(said, "seed", options.seed);
  take(said, "samples", options.samples);
  take(said, "channels", options.channels);
  take(said, "faults", options.faults);
  const py::gil_scoped_release free;
  ThreadPool pool(threads);
  return std::make_shared<Dataset>(make_elevator(options, pool));
}

std::vector<std::pair<std::string, std::string>> faults() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const FaultInfo& info : fault_catalog()) all.emplace_back(info.name, info.meaning);
  return all;
}

}  // namespace

void bind_simulate(py::module_& module) {
  module.def("elevator", &elevator);
  module.def("elevator_faults", &faults);
}

}  // namespace faithful::python
