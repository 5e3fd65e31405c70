#include "model.h"

#include "core.h"

namespace faithful::python {

ModelConfig model_config_of(const std::string& preset_name, const py::dict& said) {
  ModelConfig config = preset(preset_name);
  std::size_t width = config.width;
  take(said, "width", width);
  set_width(config, width);
  visit_fields(config, [&](const char* name, auto& field) { take(said, name, field); });
  return config;
}

void bind_model(py::module_& module) {
  module.def("presets", &preset_names);
  module.def("preset", [](const std::string& name) {
    py::dict fields;
    const ModelConfig config = preset(name);
    visit_fields(config, [&](const char* field_name, const auto& field) { fields[field_name] = py::cast(field); });
    return fields;
  });
}

}  // namespace faithful::python
