#pragma once

#include <string>

#include "faithful/io/json.h"
#include "faithful/trained/trained_model.h"

namespace faithful::trained {

Json conformal_json(const ConformalScores& conformal);                          // {method, count, scores}
ConformalScores parse_conformal(const Json& json, const std::string& place);    // checked
void check_conformal(const ConformalScores& scores, const std::string& place);  // InputError

}  // namespace faithful::trained
