#pragma once

#include <string>
#include <vector>

#include "faithful/study/runs_file.h"

namespace faithful {

// Are these settings known already? InputError, with the first difference, where others are known of the same data and
// split.
bool is_among(const StudySettings& settings, const std::vector<StudySettings>& known, const std::string& path);

std::string settings_line(const StudySettings& settings);  // of runs.jsonl

inline constexpr const char* kSettingsEnding = ".settings";  // of a file of settings in the folder of the workers

}  // namespace faithful
