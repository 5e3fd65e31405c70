// faithful._core: the C++ library as the Python files of the package call it. What is wrong with an argument is said
// there; what is wrong with the data is said by the library, whose complaints become exceptions here.

#include <cctype>
#include <map>
#include <string>

#include "core.h"
#include "faithful/base/error.h"

namespace faithful::python {

namespace {

// A setting as a keyword argument: `missing="zero"`. Where Python has another name for it, it stands here.
std::string argument_text(std::string_view field, std::string_view value) {
  static const std::map<std::string_view, std::string_view> others = {{"form", "preset"}};
  if (field == "part" && !value.empty()) return "part(\"" + std::string(value) + "\")";  // a method of Dataset
  const auto other = others.find(field);
  const bool is_kind = field == "form" && (value == "kernels" || value == "linear");  // words of fit() alone
  const std::string name(is_kind ? "model" : other == others.end() ? field : other->second);
  if (value.empty()) return name;
  const bool is_number = std::isdigit(static_cast<unsigned char>(value.front())) != 0;
  return name + (is_number ? "=" + std::string(value) : "=\"" + std::string(value) + "\"");
}

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.spelled_by(argument_text).c_str());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_RuntimeError, error.spelled_by(argument_text).c_str());
    }
  });
}

}  // namespace

std::string note_text(const std::string& note) {
  return spelled(note, argument_text);
}

}  // namespace faithful::python

PYBIND11_MODULE(_core, module) {
  using namespace faithful::python;
  translate_errors();
  bind_base(module);
  bind_fourier(module);
  bind_encoding(module);
  bind_analysis(module);
  bind_data(module);
  bind_simulate(module);
  bind_window(module);
  bind_model(module);
  bind_trained(module);
  bind_evaluate(module);
  bind_train(module);
  bind_study(module);
  bind_predict(module);
  bind_diagnose(module);
}
