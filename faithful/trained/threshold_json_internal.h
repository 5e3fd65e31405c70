#pragma once

#include <string>

#include "faithful/io/json.h"
#include "faithful/trained/trained_model.h"

namespace faithful::trained {

// {value, from, curve}; the curve only where the model has one.
Json threshold_json(const TrainedModel& model);

// Its curve. InputError where lengths, bounds or the order of the thresholds are wrong.
ThresholdCurve parse_curve(const Json& json, const std::string& place);

}  // namespace faithful::trained
