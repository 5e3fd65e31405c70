#pragma once

// Evaluations as people read them.

#include <string>
#include <vector>

#include "faithful/evaluate/evaluation.h"
#include "faithful/report/table.h"

namespace faithful::app {

Table measures_table(const Evaluation& evaluation);
Table confusion_table(const Evaluation& evaluation, const std::vector<std::string>& classes);
Table class_table(const Evaluation& evaluation, const std::vector<std::string>& classes);
std::string events_text(const Scores& scores);       // one line
std::string calibration_text(const Scores& scores);  // one line

struct NamedScores {
  std::string name;
  const Scores* scores;
};

// One row each, the same columns for all: those of two classes, or of more.
Table scores_table(const std::string& title, const std::vector<NamedScores>& rows);

}  // namespace faithful::app
