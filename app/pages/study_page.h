#pragma once

// The page of a comparison.

#include <string>

#include "app/pages/page_writer.h"
#include "app/study_tables.h"

namespace faithful::app {

// Adds a section for each group, the differences, the gap probe and the ranks; tables also as CSV files.
void add_study(PageWriter& writer, const StudyReport& report);

// Writes report.html, figures, tables and study.json into the folder. Returns the path of the page.
std::string write_study_page(const std::string& folder, const StudyReport& report);

}  // namespace faithful::app
