#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faithful/data/dataset.h"
#include "faithful/trained/trained_model.h"

namespace faithful::python {

// A copy of the data set that fits the model: the one of Python stays as it is.
Dataset data_for_model(const Dataset& given, const TrainedModel& model);

// What changes a model for one call.
struct ModelChanges {
  std::optional<std::string> scale_as = {}, threshold = {};
};
// Adds a warning about the threshold to the notes.
TrainedModel changed(const TrainedModel& model, const ModelChanges& changes, std::vector<std::string>& notes);

}  // namespace faithful::python
