#pragma once

#include "faithful/base/api.h"
#include "faithful/io/json.h"
#include "faithful/train/scores.h"

namespace faithful {

// {windows, accuracy, macro_f1, weighted_f1, confusion, and for two classes precision, recall, f1, auc_pr, auc_roc,
// events: {events, detected, false_alarms, precision, recall, f1, mean_delay, median_delay}}
FAITHFUL_API Json scores_json(const Scores& scores);

}  // namespace faithful
