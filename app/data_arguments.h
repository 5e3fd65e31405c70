#pragma once

// The options of every verb that reads a data set.

#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"
#include "faithful/trained/trained_model.h"

namespace faithful::app {

std::vector<Option> data_option_list(ReadOptions& options);

// Reads the data set. Its notes name flags.
Dataset read_dataset(const std::string& path, const ReadOptions& options);

// The same for data that a model is asked about: faithful::load_for_model.
Dataset read_for_model(const std::string& path, const ReadOptions& options, const TrainedModel& model,
                       bool with_labels = true);

// InputError where results would be written over the data, or among the tables of a folder, which the next reading
// would take for data. `output` may be empty: none.
void check_output_apart(const std::string& output, const std::string& data, const ReadOptions& options);

}  // namespace faithful::app
