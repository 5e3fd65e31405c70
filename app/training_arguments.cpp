#include "app/training_arguments.h"

#include <algorithm>

namespace faithful::app {

namespace {

void follow_the_data(const Dataset& dataset, const TrainingArguments& said, SplitOptions& split) {
  const bool by_series = dataset.has_series_labels() && !dataset.has_point_labels();
  const auto has_labelled = [&](Part part) {
    return std::ranges::any_of(dataset.series, [&](const Series& series) {
      return series.part == part && (series.label != kNoLabel || !series.labels.empty());
    });
  };
  split.window.length = said.window.value_or(by_series ? 0 : 100);
  if (!said.split.empty()) {
    split.kind = parse_split_kind(said.split);
  } else if (has_labelled(Part::kTrain) && has_labelled(Part::kTest)) {
    split.kind = SplitKind::kGiven;
  } else {
    split.kind = by_series ? SplitKind::kSeries : SplitKind::kBlocked;
  }
}

}  // namespace

void apply_to(const TrainingArguments& said, const Dataset& dataset, FitOptions& options) {
  options.split.window = {.stride = said.stride, .label = parse_label_rule(said.label_rule)};
  options.split.folds = said.folds;
  follow_the_data(dataset, said, options.split);
  options.scaler.kind = parse_scaler_kind(said.scaler);
  options.train = said.train;
}

std::vector<Option> window_option_list(TrainingArguments& o) {
  return {{.name = "--window",
           .target = &o.window,
           .value = "S",
           .help = "samples of a window; 0: every series whole",
           .shown_default = "100, or whole where series have one label each"},
          {.name = "--stride", .target = &o.stride, .value = "N", .help = "between windows", .at_least = 1},
          {.name = "--label-rule",
           .target = &o.label_rule,
           .value = "RULE",
           .help = "a window is anomalous if any, the last or the majority of its points is",
           .choices = {"any", "last", "majority"}},
          {.name = "--split",
           .target = &o.split,
           .value = "KIND",
           .help = "blocked: no leak; series: whole series held out; given: the set's own; random: leaks",
           .choices = {"blocked", "series", "given", "random"},
           .shown_default = "given where there is a test part, else blocked or series"},
          {.name = "--folds",
           .target = &o.folds,
           .value = "N",
           .help = "of the cross-validation that a given split is trained with; 1: a share of 0.15 validates",
           .at_least = 1,
           .at_most = 100},
          {.name = "--scaler",
           .target = &o.scaler,
           .value = "S",
           .help = "of the channels, fitted on the training part",
           .choices = scaler_names()}};
}

std::vector<Option> schedule_option_list(TrainingArguments& o) {
  TrainOptions& t = o.train;
  return {
      {.name = "--epochs", .target = &t.epochs, .value = "N", .help = "passes over the training part", .at_least = 1},
      {.name = "--batch", .target = &t.batch, .value = "B", .help = "windows of a step", .at_least = 1},
      {.name = "--rate", .target = &t.rate, .value = "R", .help = "the highest learning rate", .at_least = 0},
      {.name = "--warm-up",
       .target = &t.warm_up,
       .value = "X",
       .help = "share of the steps in which the rate rises; a cosine follows",
       .at_least = 0,
       .at_most = 1},
      {.name = "--decay", .target = &t.decay, .value = "X", .help = "weight decay", .at_least = 0},
      {.name = "--clip-norm",
       .target = &t.clip,
       .value = "X",
       .help = "largest norm of the gradients; 0: any",
       .at_least = 0},
      {.name = "--patience",
       .target = &t.patience,
       .value = "N",
       .help = "stop after so many epochs without a better validation value; 0: never"},
      {.name = "--class-weights",
       .target = &t.class_weights,
       .value = "W",
       .help = "in the loss; auto: every class weighs the same",
       .choices = {"auto", "none"}}};
}

}  // namespace faithful::app
