#pragma once

// The options of every verb that builds a model.

#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/model/config.h"
#include "faithful/train/options.h"

namespace faithful::app {

// A setting whose value the presets do not agree on.
struct PresetRow {
  std::string field;
  std::vector<FieldValue> values;  // one for each preset, in the order of preset_names()
};

std::vector<PresetRow> model_settings_of_presets();
std::vector<PresetRow> training_settings_of_presets();

// The help says of them that their default is that of the preset.
void say_by_preset(std::vector<Option>& options, const std::vector<PresetRow>& rows);

// They change a config that is a preset at first. --model and --preset come first, so that the others change what these
// have set; channels, length and classes are the data's. `standard` is the preset of an encoder.
std::vector<Option> model_option_list(ModelConfig& config, const std::string& standard);

}  // namespace faithful::app
