#pragma once

#include <vector>

#include "faithful/analysis/analysis.h"
#include "faithful/base/api.h"
#include "faithful/io/json.h"

namespace faithful {

// Every number, an object per encoding; what has no meaning is null.
FAITHFUL_API Json analysis_json(const std::vector<Analysis>& analyses);

}  // namespace faithful
