#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/study/study.h"

namespace faithful::app {

inline constexpr const char* kRunsName = "runs.jsonl";

// A line on standard error; nothing for an empty one.
void notice(const std::string& text);

// Does what the plans have left to do, one after the other, and shows how far it is. Error where the user stopped it:
// what is finished is in the file (may be null: then it is lost).
std::vector<StudyRun> run_plans(const std::vector<StudyPlan>& plans, RunsFile* file, std::size_t threads);

}  // namespace faithful::app
