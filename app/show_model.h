#pragma once

#include <string>

#include "faithful/trained/model_file.h"

namespace faithful::app {

// What is in a model file, how it was trained, on what, with what score: lines for people. What the record does not say
// is left out.
std::string model_text(const TrainedModel& model);

// A table of thresholds on the validation part. InputError where the model does not keep its validation scores.
std::string thresholds_text(const TrainedModel& model);

}  // namespace faithful::app
