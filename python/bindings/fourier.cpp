#include "core.h"
#include "faithful/fourier/basis.h"
#include "faithful/fourier/density.h"
#include "faithful/fourier/transform.h"

namespace faithful::python {

namespace {

py::array_t<double> basis(std::size_t d) {
  Matrix<double> values(d, d);  // [l, t]
  {
    const py::gil_scoped_release free;
    const RootTable roots(d);
    for (std::size_t l = 0; l < d; ++l)
      for (std::size_t t = 0; t < d; ++t) values(l, t) = basis_value(roots, l, t);
  }
  return owning_array(std::move(values));
}

py::array_t<double> frequencies(std::size_t d) {
  std::vector<double> all(frequency_count(d));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = basis_frequency(k, d);
  return owning_array(std::move(all));
}

// Every row of [n, d], read where it lies.
py::array_t<double> transform_rows(const Dense<double>& rows, bool inverse) {
  const auto count = static_cast<std::size_t>(rows.shape(0)), d = static_cast<std::size_t>(rows.shape(1));
  py::array_t<double> out({count, d});
  const double* from = rows.data();
  double* to = out.mutable_data();
  const py::gil_scoped_release free;
  const RealTransform transform(d);
  for (std::size_t r = 0; r < count; ++r, from += d, to += d) {
    if (inverse)
      transform.inverse({from, d}, {to, d});
    else
      transform.forward({from, d}, {to, d});
  }
  return out;
}

py::array_t<double> density(const std::vector<double>& frequencies, std::size_t d, double sigma) {
  FrequencyDensity found;
  {
    const py::gil_scoped_release free;
    found = frequency_density(frequencies, d, sigma);
  }
  return owning_array(std::move(found.g));
}

}  // namespace

void bind_fourier(py::module_& module) {
  module.def("fourier_basis", &basis);
  module.def("fourier_frequencies", &frequencies);
  module.def("fourier_transform", &transform_rows);
  module.def("fourier_density", &density);
}

}  // namespace faithful::python
