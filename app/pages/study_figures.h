#pragma once

// The figures of a comparison. Every encoding has its one colour (faithful/report/color.h); scales differ by dashes.

#include <string>
#include <vector>

#include "app/pages/figure_writer.h"
#include "app/study_tables.h"

namespace faithful::app {

// Of one group, `prefix` before the names of the files: scores, paired differences, precision and recall, training,
// shuffled time, the projected codes. Those that have nothing to show are left out.
std::vector<CaptionedFigure> group_figures(const StudyReport& report, const StudyGroup& group,
                                           const std::string& prefix);

CaptionedFigure gap_figure(const std::vector<StudyRun>& gap);
CaptionedFigure ranks_figure(const std::vector<StudyGroup>& groups);  // of the groups that the table of ranks has

}  // namespace faithful::app
