#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/train/prepare_internal.h"
#include "faithful/train/times.h"
#include "faithful/window/marks.h"

namespace faithful::train {

void take_shape(ModelConfig& config, const Split& split) {
  config.input.channels = split.dataset().channels.size();
  config.input.length = split.window_length();
  config.input.classes = split.dataset().classes.size();
}

Prepared prepare(const Dataset& dataset, const FitOptions& options, const SplitOptions& split_options,
                 Scaling scaling) {
  const Split split(dataset, split_options);
  const Scaler scaler = fit_scaler(split.train(), options.scaler, scaling);
  Prepared made{options.model, scaler.record(), {}, cut_windows(split, scaler), {}};
  made.seen = measure_seen(split.train(), made.sets.train);
  ModelConfig& config = made.config;
  take_shape(config, split);
  if (config.has_times()) made.notes = settle_times(config, split.train(), made.sets.train);
  for (std::string& note : settle(config)) made.notes.push_back(std::move(note));
  return made;
}

std::vector<std::string> unlabelled_notes(const Dataset& dataset, const SplitOptions& split, const Windows& train) {
  std::set<std::size_t> trained;
  for (std::size_t i = 0; i < train.size(); ++i) trained.insert(train[i].series);
  std::size_t normal = 0, left_out = 0;
  for (std::size_t i = 0; i < dataset.series.size(); ++i) {
    const Series& series = dataset.series[i];
    if (!series.labels.empty() || series.label != kNoLabel) continue;
    (trained.contains(i) && counts_as_normal(dataset, split, series) ? normal : left_out) += 1;
  }
  std::vector<std::string> notes;
  if (normal > 0)
    notes.push_back(fmt::format("{} series without labels are taken as normal: they train ({} leaves them out)", normal,
                                field_text("unlabelled", "leave-out")));
  if (left_out == 0) return notes;
  SplitOptions other = split;
  other.unlabelled = Unlabelled::kNormal;
  const bool has_choice = normal == 0 && std::ranges::any_of(dataset.series, [&](const Series& series) {
                            return counts_as_normal(dataset, other, series);
                          });
  notes.push_back(fmt::format(
      "{} series without labels are left out{}", left_out,
      has_choice ? fmt::format(" (if they hold no anomaly, {} trains on them)", field_text("unlabelled", "normal"))
                 : ""));
  return notes;
}

void check_training_part(const WindowSets& sets) {
  const Dataset& dataset = sets.train.dataset();
  const std::string place = dataset.source.empty() ? dataset.name : dataset.source;
  if (sets.train.size() == 0)
    reject({{place},
            "windows to train on",
            "none",
            sets.proof.dropped_windows == 0
                ? ""
                : fmt::format("{} were left out, because the same values are in the validation or test part",
                              sets.proof.dropped_windows)});
  const std::vector<std::size_t> counts = sets.train.class_counts();
  if (std::count(counts.begin(), counts.end(), 0U) + 2 > static_cast<std::ptrdiff_t>(counts.size()))
    reject({{place},
            "training windows of at least two classes",
            "those of one",
            fmt::format("another {}; for a class of one series: {}", field_text("seed"), field_text("folds", "0"))});
}

bool validates_given_part(const FitOptions& options) {
  return options.split.kind == SplitKind::kGiven && options.cross_validate && options.split.folds > 0 &&
         options.train.stop_after == 0 && options.kind != ModelKind::kKernels;
}

SplitOptions final_split(const Dataset& dataset, const FitOptions& options) {
  SplitOptions split = options.split;
  apply_known_rules(dataset, split);
  for (const CopiedSeries& one : copied_series(dataset, std::vector(split.leave_out)))
    split.leave_out.push_back(dataset.series[one.copy].name);
  split.labelled_only = true;
  split.refit = split.kind == SplitKind::kGiven && !(validates_given_part(options) && split.folds == 1);
  return split;
}

}  // namespace faithful::train
