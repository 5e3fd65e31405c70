#pragma once

#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"

namespace faithful {

// Columns that may be no readings, or hold numbers that are none; a line each, with what to do:
//   - times as seconds, milliseconds, .. since 1970, under a name that is not known as one of times
//   - numbers such as -9999, far from all other values of their column
//   - a column that tells series apart: of each time, each of its values stands once
FAITHFUL_API std::vector<std::string> suspicions(const Dataset& dataset);

}  // namespace faithful
