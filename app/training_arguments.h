#pragma once

// The options of every verb that trains: how windows are cut and split, and the schedule.

#include <vector>

#include "app/command.h"
#include "faithful/train/fit.h"

namespace faithful::app {

struct TrainingArguments {
  SplitOptions split = {};
  ScalerKind scaler = ScalerKind::kStandard;
  Scaling scaling = Scaling::kAuto;
  TrainOptions train = {};
  bool window_said = false, stride_said = false, split_said = false;  // where they were not, they follow the data
};

std::vector<Option> window_option_list(TrainingArguments& arguments);
std::vector<Option> schedule_option_list(TrainingArguments& arguments);  // with --rate

// Windows, split, scaler and schedule as they were said, else as the data suggests: whole series where each has one
// label, windows where points have; a set's own test part where it has one.
void apply_to(const TrainingArguments& arguments, const Dataset& dataset, FitOptions& options);

}  // namespace faithful::app
