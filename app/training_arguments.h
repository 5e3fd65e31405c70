#pragma once

// The options of every verb that trains: how windows are cut and split, and the schedule.

#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/train/fit.h"

namespace faithful::app {

struct TrainingArguments {
  std::optional<std::size_t> window = {};
  std::size_t stride = 20;
  std::string label_rule = "any";
  std::string split = {};  // empty: as the data suggests
  std::string scaler = "standard";
  std::size_t folds = 5;
  TrainOptions train = {};
};

std::vector<Option> window_option_list(TrainingArguments& arguments);
std::vector<Option> schedule_option_list(TrainingArguments& arguments);  // with --rate

// Windows, split, scaler and schedule as they were said, else as the data suggests: whole series where each has one
// label, windows where points have; a set's own test part where it has one.
void apply_to(const TrainingArguments& arguments, const Dataset& dataset, FitOptions& options);

}  // namespace faithful::app
