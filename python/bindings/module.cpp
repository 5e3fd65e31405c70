// faithful._core: the C++ library as the Python files of the package call it. What is wrong with an argument is said
// there; what is wrong with the data is said by the library, whose complaints become exceptions here.

#include <cctype>

#include "core.h"
#include "faithful/base/error.h"

namespace faithful::python {

namespace {

// The library names options as the program does. `--time-dim` is `time_dim` in Python.
std::string in_python_words(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = text.compare(i, 2, "--") == 0 && i + 2 < text.size() && std::islower(text[i + 2]) != 0 &&
                        (i == 0 || std::isalnum(text[i - 1]) == 0);
    if (!starts) {
      out += text[i];
      continue;
    }
    for (i += 2; i < text.size() && (std::islower(text[i]) != 0 || text[i] == '-'); ++i)
      out += text[i] == '-' ? '_' : text[i];
    --i;
  }
  return out;
}

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      PyErr_SetString(PyExc_ValueError, in_python_words(error.what()).c_str());
    } catch (const Error& error) {
      PyErr_SetString(PyExc_RuntimeError, in_python_words(error.what()).c_str());
    }
  });
}

}  // namespace

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
  bind_train(module);
  bind_predict(module);
}
