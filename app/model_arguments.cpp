#include "app/model_arguments.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful::app {

namespace {

Option model_option(ModelConfig& config, const Setting& form, const std::string& standard) {
  Option option = option_of(form);
  option.name = "--model";
  option.set = [&config, form, standard](const std::string& text) {
    set_text(form, text);
    config = preset(config.is_dfstrans() ? "dfstrans" : standard);
  };
  return option;
}

Option preset_option(ModelConfig& config, const std::string& standard) {
  Option option("--preset P", static_cast<std::string*>(nullptr), "sets all other options of the model",
                one_of(preset_names()), by_default(standard + ", or dfstrans for --model dfstrans"), common);
  option.group = to_string(FieldGroup::kModel);
  option.set = [&config](const std::string& text) {
    const ModelConfig chosen = preset(text);
    if (config.is_dfstrans() && !chosen.is_dfstrans()) {
      throw InputError(fmt::format("{} applies only to {}", field_text("preset", text), field_text("form", "encoder")));
    }
    config = chosen;
  };
  return option;
}

// What was --sensor-weights and --step-weights once.
Option weights_option(ModelConfig& config) {
  Option option("--weights LIST", static_cast<std::vector<std::string>*>(nullptr),
                "short for --sensor-weights (per-sensor) and --step-weights (per-step)",
                one_of({"per-sensor", "per-step"}));
  option.group = to_string(FieldGroup::kModel);
  option.shown_default = "";
  option.set = [&config](const std::string& text) {
    if (text != "per-sensor" && text != "per-step")
      reject({{.field = "weights"}, "one of per-sensor, per-step", quote(text)});
    set_field(config, text == "per-sensor" ? "sensor_weights" : "step_weights", "true");
  };
  return option;
}

// The names of the settings whose values the presets do not agree on. Each preset is made once: the program starts here.
std::set<std::string> settings_of_presets(const ModelConfig& standard) {
  std::map<std::string, FieldValue> values;
  ModelConfig copy = standard;
  for (const Setting& setting : settings(copy)) values.emplace(setting.field.name, value_of(setting));
  std::set<std::string> names;
  for (const std::string& each : preset_names()) {
    ModelConfig config = preset(each);
    for (const Setting& setting : settings(config))
      if (value_of(setting) != values.at(setting.field.name)) names.insert(setting.field.name);
  }
  return names;
}

}  // namespace

std::vector<Option> model_option_list(ModelConfig& config, const std::string& standard) {
  std::vector<Option> first, others;
  const std::set<std::string> by_preset = settings_of_presets(config);
  for (const Setting& setting : settings(config)) {
    const std::string& name = setting.field.name;
    if (setting.field.group == FieldGroup::kNone) continue;
    if (name == "form") {
      first = {model_option(config, setting, standard), preset_option(config, standard)};
      continue;
    }
    Option& option = others.emplace_back(option_of(setting));
    option.set = [&config, name](const std::string& text) { set_field(config, name, text); };
    if (by_preset.contains(name)) option.shown_default = "by preset";
    if (name == "step_weights") others.push_back(weights_option(config));
  }
  return joined({first, others});
}

}  // namespace faithful::app
