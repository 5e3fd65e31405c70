#pragma once

#include <cstddef>
#include <string>

#include "faithful/diagnose/words.h"
#include "faithful/io/json.h"

namespace faithful::app {

// Writes FOLDER/report.html (what to look at first, and for `shown` alarms the channels, the methods side by side and
// what the model attends to), diagnosis.json, and every figure as .svg and .csv. Returns the page's path.
std::string write_diagnosis_page(const std::string& folder, const DiagnosisReport& report, const Json& json,
                                 std::size_t shown);

}  // namespace faithful::app
