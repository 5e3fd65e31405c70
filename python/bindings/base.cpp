#include "core.h"
#include "faithful/base/cpu.h"
#include "faithful/base/threads.h"
#include "faithful/base/version.h"

namespace faithful::python {

void bind_base(py::module_& module) {
  module.attr("version") = build_info().version;
  module.def("instruction_sets", &instruction_sets);
  module.def("default_threads", &default_threads);
}

}  // namespace faithful::python
