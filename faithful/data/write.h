#pragma once

#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"

namespace faithful {

// Writes a data set as .npz (all of it), .csv or .csv.gz, .ts, or .h5 (the DFStrans layout), by the ending of the path.
// InputError where the format cannot hold the values or the labels. Returns what it cannot hold besides and how the
// file is to be read, a line each. Reading the file gives the same numbers to the bit.
FAITHFUL_API std::vector<std::string> save_dataset(const Dataset& dataset, const std::string& path);

// InputError where save_dataset would refuse the path's ending: to be asked before a long computation.
FAITHFUL_API void check_format_to_write(const std::string& path);

}  // namespace faithful
