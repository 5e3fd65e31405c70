#pragma once

// The options of every verb that reads a data set.

#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"

namespace faithful::app {

struct DataArguments {
  ReadOptions options = {};
  std::string missing = "error";
  std::string label_of = "point";
  std::string header = "auto";
  std::string separator = {};  // one character, or "tab"; empty: found
  std::string decimal = ".";
  std::string part = {};  // train or test: that part alone
};

std::vector<Option> data_option_list(DataArguments& arguments);

// As the readers take them. InputError for a separator of more than one character.
ReadOptions resolved(const DataArguments& arguments);

// Reads the data set, or the one part of it that was asked for.
Dataset load_dataset(const std::string& path, const DataArguments& arguments);

}  // namespace faithful::app
