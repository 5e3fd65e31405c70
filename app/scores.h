#pragma once

// Scores as people and scripts read them.

#include <string>
#include <vector>

#include "faithful/io/json.h"
#include "faithful/report/table.h"
#include "faithful/train/scores.h"

namespace faithful::app {

// {windows, accuracy, macro_f1, weighted_f1, confusion, and for two classes precision, recall, f1, auc_pr, auc_roc,
// events: {events, detected, false_alarms, precision, recall, f1, mean_delay, median_delay}}
Json scores_json(const Scores& scores);

struct NamedScores {
  std::string name;
  const Scores* scores;
};

// One row each, the same columns for all: those of two classes, or of more.
Table scores_table(const std::string& title, const std::vector<NamedScores>& rows);

}  // namespace faithful::app
