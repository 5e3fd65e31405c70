#pragma once

// What `analyze` prints and writes.

#include <string>
#include <vector>

#include "faithful/analysis/analysis.h"
#include "faithful/report/table.h"

namespace faithful::app {

// A measure a row, an encoding a column.
Table measures_table(const std::vector<Analysis>& analyses);

// Writes report.html, the figures (SVG, and their numbers as CSV), measures.csv, deltas.csv and analysis.json
// into the folder, which is made where it does not exist. `command` is how to make it again. Returns the path of the
// page; `problem` is what to tell where no figure could be drawn.
struct WrittenPage {
  std::string path;
  std::string problem;
};
WrittenPage write_analysis_page(const std::string& folder, const std::vector<Analysis>& analyses,
                                const std::string& command);

}  // namespace faithful::app
