#pragma once

// The page of a comparison.

#include <string>

#include "app/pages/figure_writer.h"
#include "app/study_tables.h"

namespace faithful::app {

// The sections of a comparison: a group each, the differences, the gap probe, the ranks; tables also as CSV files.
void add_study(Page& page, FigureWriter& figures, const StudyReport& report, const std::string& folder);

// Writes report.html, the figures (SVG, and their numbers as CSV), every table as CSV and study.json into the folder.
// `problem` is what to tell where no figure could be drawn.
struct WrittenStudy {
  std::string path;
  std::string problem;
};
WrittenStudy write_study_page(const std::string& folder, const StudyReport& report);

}  // namespace faithful::app
