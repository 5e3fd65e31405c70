#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/evaluation_tables.h"
#include "faithful/trained/trained_model.h"
#include "faithful/window/windows.h"

namespace faithful::app {

struct EvaluationContent {
  const TrainedModel& model;
  const Windows& windows;
  const Evaluation& evaluation;
  const Json& json;  // what --json prints
  const std::vector<std::string>& notes;
  std::size_t drawn;  // timelines
};

// Writes FOLDER/report.html (scores with intervals, precision-recall curve, confusion matrix, reliability diagram,
// timelines of the score with labelled spans shaded), evaluation.json, and every figure as .svg and .csv. Returns the
// page's path.
std::string write_evaluation_page(const std::string& folder, const EvaluationContent& content);

}  // namespace faithful::app
