#pragma once

// Scores as people read them.

#include <string>
#include <vector>

#include "faithful/report/table.h"
#include "faithful/train/scores.h"

namespace faithful::app {

struct NamedScores {
  std::string name;
  const Scores* scores;
};

// One row each, the same columns for all: those of two classes, or of more.
Table scores_table(const std::string& title, const std::vector<NamedScores>& rows);

}  // namespace faithful::app
