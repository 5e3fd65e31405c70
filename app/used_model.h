#pragma once

// The options of every verb that uses a trained model.

#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/trained/trained_model.h"

namespace faithful::app {

struct UsedModel {
  std::string path, scale_as, threshold;
};

// The positional MODEL, --scale-as, --threshold.
std::vector<Option> used_model_options(UsedModel& model);

// Reads the model and changes it as the options say. A warning about the threshold goes to standard error.
TrainedModel load_used_model(const UsedModel& model);

// Adds what the user should know about the scaling of new data to the notes.
void add_scaling_note(const TrainedModel& model, std::vector<std::string>& notes);

// --threshold of verbs that train and of verbs that use a model.
Option threshold_option(std::string& rule, const std::string& standard);

}  // namespace faithful::app
