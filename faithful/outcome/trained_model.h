#pragma once

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/predict/model_file.h"
#include "faithful/train/fit.h"

namespace faithful {

// What a model file keeps of a finished fit: the model, what stands around it, and the record of how it was made (no
// times, threads or paths, so that equal runs give equal files). Takes the classifier out of the result.
FAITHFUL_API TrainedModel trained_model(FitResult& result, const FitOptions& options, const Dataset& dataset);

}  // namespace faithful
