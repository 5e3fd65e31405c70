#pragma once

// The paper's figures, theorem, table and claims beside our results.

#include <string>
#include <vector>

#include "app/study_tables.h"
#include "faithful/analysis/analysis.h"
#include "faithful/report/table.h"

namespace faithful::app {

// S = 80, d = 256, as in Figures 1 and 2: the original encoding, then the DFT encoding.
std::vector<Analysis> paper_analyses(std::size_t threads);

// Every reference number of the two figures: expected, found, and whether they agree to the published digits.
Table reference_table(const std::vector<Analysis>& analyses);

// Theorem 1 for several widths: how far E Eᵀ is from the identity, and how many positions the inverse recovers.
Table theorem_table();

// Table 1: the paper's precision, recall and F1 beside ours, with the split that leaks and the one that does not.
Table table_one(const StudyReport& report);

// The paper's claims with a verdict each; the last follows from the comparisons.
Table claims_table(const StudyReport& report, bool all_data);

}  // namespace faithful::app
