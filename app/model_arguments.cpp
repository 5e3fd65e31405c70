#include "app/model_arguments.h"

#include <algorithm>

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

// Each preset is made once: the program starts here.
template <class Config>
std::vector<PresetRow> settings_of_presets(Config (*make)(std::string_view)) {
  std::vector<PresetRow> rows;
  for (const std::string& name : preset_names()) {
    Config config = make(name);
    std::vector<Setting> all = settings(config);
    std::erase_if(all, [](const Setting& one) { return one.field.group == FieldGroup::kNone; });  // no options
    rows.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      rows[i].field = all[i].field.name;
      rows[i].values.push_back(value_of(all[i]));
    }
  }
  std::erase_if(rows, [](const PresetRow& row) {
    return std::ranges::all_of(row.values, [&](const FieldValue& value) { return value == row.values[0]; });
  });
  return rows;
}

}  // namespace

std::vector<PresetRow> model_settings_of_presets() {
  return settings_of_presets(preset);
}

std::vector<PresetRow> training_settings_of_presets() {
  return settings_of_presets(train_preset);
}

void say_by_preset(std::vector<Option>& options, const std::vector<PresetRow>& rows) {
  for (Option& option : options)
    if (std::ranges::find(rows, option.field_name(), &PresetRow::field) != rows.end())
      option.shown_default = "by preset";
}

std::vector<Option> model_option_list(ModelConfig& config, const std::string& standard) {
  std::vector<Option> first, others;
  for (const Setting& setting : settings(config)) {
    const std::string& name = setting.field.name;
    if (setting.field.group == FieldGroup::kNone) continue;
    if (name == "form") {
      first = {model_option(config, setting, standard), preset_option(config, standard)};
      continue;
    }
    Option& option = others.emplace_back(option_of(setting));
    option.set = [&config, name](const std::string& text) { set_field(config, name, text); };
    if (name == "step_weights") others.push_back(weights_option(config));
  }
  say_by_preset(others, model_settings_of_presets());
  return joined({first, others});
}

}  // namespace faithful::app
