#pragma once

#include <optional>
#include <string>

#include "faithful/data/dataset.h"
#include "faithful/trained/trained_model.h"

namespace faithful::python {

// A copy of the data set that fits the model: the one of Python stays as it is.
Dataset data_for_model(const Dataset& given, const TrainedModel& model);

// What changes a model for one call.
struct ModelChanges {
  std::optional<std::string> scale_as = {};
};
TrainedModel changed(const TrainedModel& model, const ModelChanges& changes);

}  // namespace faithful::python
