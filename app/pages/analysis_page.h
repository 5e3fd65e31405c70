#pragma once

// What `analyze` prints and writes.

#include <optional>
#include <string>
#include <vector>

#include "faithful/analysis/analysis.h"
#include "faithful/analysis/frontier.h"
#include "faithful/report/table.h"

namespace faithful::app {

// One row per measure, one column per encoding.
Table measures_table(const std::vector<Analysis>& analyses);

// Writes report.html, the figures, measures.csv, deltas.csv and analysis.json into the folder. `command` is how to make
// the page again. Returns its path.
std::string write_analysis_page(const std::string& folder, const std::vector<Analysis>& analyses,
                                const std::optional<Frontier>& frontier, const std::string& command);

}  // namespace faithful::app
