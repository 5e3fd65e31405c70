#pragma once

#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/model/config.h"
#include "faithful/window/split.h"
#include "faithful/window/windows.h"

namespace faithful {

// Positions that are times: sets time_step to the median step of the training part and, for dft, a period that covers
// the longest training window. Returns what it did, a line each. InputError where a series has no timestamps or they
// stand still.
FAITHFUL_API std::vector<std::string> settle_times(ModelConfig& config, const TrainingPart& part, const Windows& train);

}  // namespace faithful
