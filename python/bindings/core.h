#pragma once

// What the binding files share: one function for each room, and how options, tables and arrays cross over.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "faithful/base/field.h"
#include "faithful/base/matrix.h"

// A field's value as Python has it: True, 3, 0.1 or "post".
namespace pybind11::detail {
template <>
struct type_caster<faithful::FieldValue> {
  static constexpr auto name = const_name("bool | int | float | str");
  static handle cast(const faithful::FieldValue& value, return_value_policy, handle) {
    return std::visit([](const auto& one) { return pybind11::cast(one).release(); }, value);
  }
};
}  // namespace pybind11::detail

namespace faithful::python {

namespace py = pybind11;

void bind_base(py::module_& module);
void bind_fourier(py::module_& module);
void bind_encoding(py::module_& module);
void bind_analysis(py::module_& module);
void bind_data(py::module_& module);
void bind_simulate(py::module_& module);
void bind_window(py::module_& module);
void bind_model(py::module_& module);
void bind_trained(py::module_& module);
void bind_evaluate(py::module_& module);
void bind_train(py::module_& module);
void bind_study(py::module_& module);
void bind_predict(py::module_& module);
void bind_diagnose(py::module_& module);

// A note of the library, settings spelled as Python's arguments.
std::string note_text(const std::string& note);
inline std::vector<std::string> note_texts(const std::vector<std::string>& notes) {
  std::vector<std::string> texts;
  for (const std::string& note : notes) texts.push_back(note_text(note));
  return texts;
}

// A value of Python as the text that settings are set from.
std::string setting_text(const py::handle& value);

// Sets the settings that Python names.
void take_settings(const std::vector<Setting>& settings, const py::dict& said);

// The settings as Python sees them: {name, default, choices, group, applies_to, help} of each.
py::list describe_settings(const std::vector<Setting>& settings);
template <class Options>
py::list described() {
  Options options;
  return describe_settings(settings(options));
}

// Arrays as the functions below want them: in C order, converted where they are not.
template <class T>
using Dense = py::array_t<T, py::array::c_style | py::array::forcecast>;

// Sets a field where Python said something about it.
template <class T>
void take(const py::dict& said, const char* name, T& field) {
  if (said.contains(name)) field = said[name].template cast<T>();
}

// A NumPy array that owns the vector: nothing is copied.
template <class T>
py::array_t<T> owning_array(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owner->data();
  const py::capsule capsule(owner.release(), [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  return py::array_t<T>(shape, data, capsule);
}

template <class T>
py::array_t<T> owning_array(std::vector<T> values) {
  const std::size_t count = values.size();
  return owning_array(std::move(values), {count});
}

template <class T>
py::array_t<T> owning_array(Matrix<T> matrix) {
  const std::vector<std::size_t> shape{matrix.rows, matrix.columns};
  return owning_array(std::move(matrix.values), shape);
}

// An array that shows memory of `owner`, which lives as long as the array does.
template <class T>
py::array_t<T> view_of(const std::vector<T>& values, const std::vector<std::size_t>& shape, const py::object& owner) {
  return py::array_t<T>(shape, values.data(), owner);
}

// The same, which nobody may write to: the checks of a data set were made when it came.
template <class T>
py::array_t<T> fixed_view_of(const std::vector<T>& values, const std::vector<std::size_t>& shape,
                             const py::object& owner) {
  py::array_t<T> view = view_of(values, shape, owner);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

// A copy: our tables own their numbers.
template <class T>
Matrix<T> matrix_of(const Dense<T>& array) {
  return {static_cast<std::size_t>(array.shape(0)), static_cast<std::size_t>(array.shape(1)),
          std::vector<T>(array.data(), array.data() + array.size())};
}

}  // namespace faithful::python
