#include <algorithm>

#include "faithful/base/error.h"
#include "faithful/train/threshold_internal.h"

namespace faithful::train {

void check_threshold_rule(const ThresholdRule& rule, const Dataset& dataset, bool validates) {
  const auto require = [&](bool holds, const char* wanted) {
    if (!holds) reject({{.field = "threshold"}, wanted, quote(to_string(rule))});
  };
  const bool needs_scores = rule.kind == ThresholdKind::kF1 || rule.kind == ThresholdKind::kFalseAlarms;
  const bool said = needs_scores || rule.kind == ThresholdKind::kValue;
  const bool timed = std::ranges::none_of(dataset.series, [](const Series& one) { return one.times.empty(); });
  require(!said || dataset.classes.size() == 2, "none, because there are more than two classes");
  require(!needs_scores || validates, "a number, because nothing validates");
  require(!rule.per_day || timed, "false-alarms=N/1000samples, because the data has no times");
}

std::string take_threshold(TrainedModel& model, const ThresholdRule& rule, const Dataset& dataset) {
  const bool both_classes = model.thresholds && !model.thresholds->points.empty();
  const bool by_points = dataset.has_point_labels();
  if (rule.kind != ThresholdKind::kAuto) return set_threshold(model, rule);
  if (by_points && both_classes) return set_threshold(model, {.kind = ThresholdKind::kF1});
  model.threshold_from = by_points ? "default, because no anomaly validates" : "default for series with one label";
  return "";
}

}  // namespace faithful::train
