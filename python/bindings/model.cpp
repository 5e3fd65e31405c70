#include "model.h"

#include "core.h"

namespace faithful::python {

void take_model_fields(ModelConfig& config, const py::dict& said) {
  for (const Setting& setting : settings(config)) {
    const std::string& name = setting.field.name;
    if (said.contains(name)) set_field(config, name, setting_text(said[name.c_str()]));
  }
}

void bind_model(py::module_& module) {
  module.def("presets", &preset_names);
  module.def("preset", [](const std::string& name) {
    py::dict fields;
    for (const auto& [field, value] : recorded_fields(preset(name))) fields[field.c_str()] = value;
    return fields;
  });
  module.def("model_settings", &described<ModelConfig>);
}

}  // namespace faithful::python
