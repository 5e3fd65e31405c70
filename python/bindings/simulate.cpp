#include "core.h"
#include "faithful/simulate/elevator.h"
#include "faithful/simulate/fault.h"

namespace faithful::python {

namespace {

std::shared_ptr<Dataset> elevator(const py::dict& said, std::size_t threads) {
  ElevatorOptions options;
  take_settings(settings(options), said);
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
  module.def("elevator_settings", &described<ElevatorOptions>);
  module.def("elevator_faults", &faults);
}

}  // namespace faithful::python
