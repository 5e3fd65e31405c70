#pragma once

// The figures of a comparison. Every encoding has its one colour (faithful/report/color.h); scales differ by dashes.

#include <string>
#include <vector>

#include "app/pages/page_writer.h"
#include "app/study_tables.h"

namespace faithful::app {

// Of one group: scores, paired differences, precision and recall, training, shuffled time, the projected codes; empty
// figures are left out. `prefix` begins the names of the files.
std::vector<CaptionedFigure> group_figures(const StudyReport& report, const StudyGroup& group,
                                           const std::string& prefix);

CaptionedFigure gap_figure(const StudyGroup& gap);
CaptionedFigure ranks_figure(const std::vector<StudyGroup>& groups);

}  // namespace faithful::app
