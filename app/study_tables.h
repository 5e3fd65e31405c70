#pragma once

// What finished runs show, as tables. Nothing here depends on times or on the order of the runs.

#include <string>
#include <vector>

#include "faithful/report/table.h"
#include "faithful/study/statistics.h"

namespace faithful::app {

// "MSL, split blocked"; the title of a random split says that it leaks.
std::string group_title(const StudyGroup& group);

Table study_scores_table(const StudyGroup& group);    // arms and baselines
Table study_controls_table(const StudyGroup& group);  // weights, norms, learning rates, shuffled time, longer windows
Table study_projections_table(const StudyGroup& group);                     // the codes after the first projection
Table study_differences_table(const std::vector<Comparison>& comparisons);  // of one measure, all groups
Table study_gap_table(const StudyGroup& gap);

// Ranks over the groups without leaks. Empty: fewer than two groups or two arms in all of them.
std::vector<StudyGroup> groups_without_leaks(const StudyReport& report);
Table study_ranks_table(const StudyReport& report);

// Everything that `compare` prints.
std::string report_text(const StudyReport& report);

}  // namespace faithful::app
