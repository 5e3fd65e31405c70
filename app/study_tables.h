#pragma once

// What finished runs say, as people and scripts read it. Nothing here depends on times or on the order of the runs.

#include <string>
#include <vector>

#include "faithful/io/json.h"
#include "faithful/report/table.h"
#include "faithful/study/statistics.h"

namespace faithful::app {

// All that tables and pages are made of.
struct StudyReport {
  std::vector<StudyGroup> groups = {};
  std::vector<Comparison> comparisons = {};  // of the headline measure
  std::vector<Comparison> by_area = {};      // of AUC-PR, for two classes
  std::vector<StudyRun> gap = {};            // of the gap probe
};
StudyReport make_report(const std::vector<StudyRun>& runs);

// "MSL, split blocked"; a random split carries the word that it leaks.
std::string group_title(const StudyGroup& group);

// The names of the measures of a group, headline first.
std::vector<std::string> measures_of_group(const StudyGroup& group);

Table study_scores_table(const StudyGroup& group);       // arms, baselines, trivial answers
Table study_controls_table(const StudyGroup& group);     // weights, norms, rates, shuffled time, longer windows
Table study_projections_table(const StudyGroup& group);  // what the first projection has made of the codes
Table study_differences_table(const std::vector<Comparison>& comparisons);  // of one measure, all groups
Table study_ranks_table(const std::vector<StudyGroup>& groups);  // empty: fewer than two groups or shared arms
Table gap_table(const std::vector<StudyRun>& gap);

// A sentence for each comparison.
std::vector<std::string> verdicts(const std::vector<Comparison>& comparisons);

// Everything that `compare` prints.
std::string report_text(const StudyReport& report);
Json report_json(const StudyReport& report);

}  // namespace faithful::app
