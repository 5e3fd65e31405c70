// Five calls of the kinds that python/bindings has, for pybind11 or, with FAITHFUL_NANOBIND, for nanobind. bench/binding_layers.py
// builds both and compares them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef FAITHFUL_NANOBIND
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
namespace py = nanobind;
using Rows = py::ndarray<const double, py::ndim<2>, py::c_contig, py::device::cpu>;
using Made = py::ndarray<py::numpy, double, py::ndim<2>>;
#else
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
namespace py = pybind11;
using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Made = py::array_t<double>;
#endif

namespace {

struct Series {
  std::string name;
  std::vector<double> values;
};

// A NumPy array that owns the vector.
Made owning_array(std::vector<double> values, std::size_t rows, std::size_t columns) {
  auto owner = std::make_unique<std::vector<double>>(std::move(values));
  double* const data = owner->data();
#ifdef FAITHFUL_NANOBIND
  const py::capsule capsule(owner.release(),
                            [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  return Made(data, {rows, columns}, capsule);
#else
  const py::capsule capsule(owner.release(), [](void* memory) { delete static_cast<std::vector<double>*>(memory); });
  return Made({rows, columns}, data, capsule);
#endif
}

Made doubled(const Rows& rows) {
  std::vector<double> values(rows.data(), rows.data() + rows.size());
  for (double& value : values) value *= 2;
  return owning_array(std::move(values), static_cast<std::size_t>(rows.shape(0)),
                      static_cast<std::size_t>(rows.shape(1)));
}

std::int64_t total(const py::dict& said) {
  std::int64_t sum = 0;
  for (const auto& item : said) sum += py::cast<std::int64_t>(item.second);
  return sum;
}

py::list described(const std::vector<std::string>& names) {
  py::list all;
  for (const std::string& name : names) {
    py::dict one;
    one["name"] = py::cast(name);
    one["length"] = py::cast(name.size());
    all.append(one);
  }
  return all;
}

void bind(py::module_& module) {
#ifdef FAITHFUL_NANOBIND
  py::class_<Series>(module, "Series").def_ro("name", &Series::name);
#else
  py::class_<Series, std::shared_ptr<Series>>(module, "Series").def_readonly("name", &Series::name);
#endif
  module.def("number", [](std::int64_t value) { return value + 1; });
  module.def("doubled", &doubled);
  module.def("total", &total);
  module.def("described", &described);
  module.def("series", [](const std::string& name) { return std::make_shared<Series>(Series{name, {}}); });
}

}  // namespace

#ifdef FAITHFUL_NANOBIND
NB_MODULE(by_nanobind, module) {
  bind(module);
}
#else
PYBIND11_MODULE(by_pybind11, module) {
  bind(module);
}
#endif
