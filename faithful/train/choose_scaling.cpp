#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/linear_model.h"
#include "faithful/train/fit.h"

namespace faithful {

namespace {

// AUC-PR of the linear baseline on the validation part. None where it has no anomalous window.
std::optional<double> validation_area(const Split& split, const FitOptions& options, Scaling scaling,
                                      ThreadPool& pool) {
  const WindowSets sets = cut_windows(split, fit_scaler(split.train(), options.scaler, scaling));
  const std::vector<std::size_t> train = sets.train.class_counts(), held = sets.validation.class_counts();
  if (std::ranges::count(train, 0U) > 0 || held[1] == 0) return std::nullopt;
  const LinearModel model = fit_linear_model(sets.train, linear_options(options.baseline), pool);
  const std::vector<double> scores = scores_of(probabilities_of(model, sets.validation, pool));
  return RankedScores(scores, flags_of(sets.validation.labels())).average_precision();
}

SplitOptions validating_split(const Dataset& dataset, SplitOptions split) {
  apply_known_rules(dataset, split);
  split.labelled_only = true;
  split.refit = false;
  return split;
}

}  // namespace

ScalingChoice choose_scaling(const Dataset& dataset, const FitOptions& options, ThreadPool& pool) {
  if (options.scaling != Scaling::kAuto) return {options.scaling, ""};
  if (dataset.series.size() < 2 || dataset.has_series_labels() || options.scaler != ScalerKind::kStandard)
    return {Scaling::kCommon, ""};
  const Split split(dataset, validating_split(dataset, options.split));
  const std::optional<double> common = validation_area(split, options, Scaling::kCommon, pool);
  const std::optional<double> window = validation_area(split, options, Scaling::kWindow, pool);
  if (!common || !window) return {Scaling::kCommon, "no anomaly validates"};
  const bool by_window = *window > *common;
  return {by_window ? Scaling::kWindow : Scaling::kCommon,
          fmt::format("validation AUC-PR of the linear baseline is {:.3f}, with {} {:.3f}",
                      by_window ? *window : *common, by_window ? "common" : "window", by_window ? *common : *window)};
}

}  // namespace faithful
