#include "core.h"

namespace faithful::python {

std::string setting_text(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  return py::str(value);
}

py::list describe_settings(const std::vector<Setting>& settings) {
  py::list all;
  for (const Setting& setting : settings) {
    const Field& field = setting.field;
    py::dict one;
    one["name"] = field.name;
    one["default"] = value_of(setting);
    one["choices"] = field.choices;
    one["group"] = std::string(to_string(field.group));
    one["applies_to"] = field.applies_to;
    one["help"] = field.help;
    all.append(one);
  }
  return all;
}

void take_settings(const std::vector<Setting>& settings, const py::dict& said) {
  for (const Setting& setting : settings) {
    const char* name = setting.field.name.c_str();
    if (said.contains(name)) set_text(setting, setting_text(said[name]));
  }
}

}  // namespace faithful::python
