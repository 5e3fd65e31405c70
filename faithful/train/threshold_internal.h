#pragma once

#include <string>

#include "faithful/data/dataset.h"
#include "faithful/metrics/threshold.h"
#include "faithful/trained/trained_model.h"

namespace faithful::train {

// InputError where the rule cannot be followed on this data: before the training, not after it.
void check_threshold_rule(const ThresholdRule& rule, const Dataset& dataset, bool validates);

// Gives a model of two classes, which has its curve if anything validates, its threshold by any rule but kBestF1.
// Returns a warning, or nothing.
std::string take_threshold(TrainedModel& model, const ThresholdRule& rule, const Dataset& dataset);

}  // namespace faithful::train
