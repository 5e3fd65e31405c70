#pragma once

#include <string>

#include "faithful/base/matrix.h"

namespace faithful::app {

enum class TableFormat { kNpy, kNpz, kCsv };

// The format by the file's name; InputError where it is none of them.
TableFormat table_format(const std::string& path);

// A user's own table of numbers, one code a row. InputError where it is not 2-D, holds a value that is not finite, or
// (.npz) more than one array.
Matrix<double> load_table(const std::string& path);

}  // namespace faithful::app
