#pragma once

// A model and the data that it is asked about.

#include <string>
#include <vector>

#include "app/data_arguments.h"
#include "faithful/predict/model_file.h"
#include "faithful/window/windows.h"

namespace faithful::app {

// Of a text table with a header: leaves out the columns that the model does not know and no flag names, which may hold
// anything. InputError where channels are missing.
void ignore_unknown_columns(const std::string& path, const TrainedModel& model, ReadOptions& options);

struct ModelData {
  Dataset dataset;                 // its channels and classes are the model's
  std::vector<std::string> notes;  // for the user, a line each
};
// Reads a data set and makes it fit the model.
ModelData load_for_model(const std::string& path, const DataArguments& arguments, const TrainedModel& model);

// The test part of the model's own training, split again as its record says; the digest proves that it is the same.
// InputError where it is other data.
Windows held_out_windows(const Dataset& dataset, const TrainedModel& model);

}  // namespace faithful::app
