#include "model.h"

#include "core.h"
#include "faithful/train/options.h"

namespace faithful::python {

void take_model_fields(ModelConfig& config, const py::dict& said) {
  for (const Setting& setting : settings(config)) {
    const std::string& name = setting.field.name;
    if (said.contains(name)) set_field(config, name, setting_text(said[name.c_str()]));
  }
}

namespace {

template <class Options>
py::dict recorded(const Options& options) {
  py::dict fields;
  for (const auto& [field, value] : recorded_fields(options)) fields[field.c_str()] = value;
  return fields;
}

}  // namespace

void bind_model(py::module_& module) {
  module.def("presets", &preset_names);
  module.def("preset", [](const std::string& name) { return recorded(preset(name)); });
  module.def("train_preset", [](const std::string& name) { return recorded(train_preset(name)); });
  module.def("model_settings", &described<ModelConfig>);
}

}  // namespace faithful::python
