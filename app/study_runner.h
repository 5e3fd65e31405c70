#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/study/study.h"

namespace faithful::app {

// FOLDER/runs.jsonl.
std::string runs_path(const std::string& folder);

// Runs the jobs of the plans that `file` (may be null) does not have yet, and shows the progress on standard error.
// Error where the user stopped it: finished runs are in the file, or lost without one.
std::vector<StudyRun> run_plans(const std::vector<StudyPlan>& plans, RunsFile* file, std::size_t threads);

}  // namespace faithful::app
