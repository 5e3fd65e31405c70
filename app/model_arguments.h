#pragma once

// The options of every verb that builds a model.

#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/model/config.h"

namespace faithful::app {

// They change a config that is a preset at first. --model and --preset come first, so that the others change what these
// have set; channels, length and classes are the data's. `standard` is the preset of an encoder.
std::vector<Option> model_option_list(ModelConfig& config, const std::string& standard);

}  // namespace faithful::app
