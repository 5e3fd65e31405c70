#pragma once

#include "faithful/io/json.h"
#include "faithful/train/fit_details.h"

namespace faithful::train {

// What a model file keeps of a finished fit: the data, the split, the options, every epoch, the scores. No times, threads
// or paths, so that equal runs give equal files.
Json record_json(const FitResult& result, const FitOptions& options, const SplitOptions& split, const Dataset& dataset);

}  // namespace faithful::train
