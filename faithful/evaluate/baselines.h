#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/evaluate/scores.h"
#include "faithful/window/windows.h"

// Baselines that any classifier must beat, on the same test windows.

namespace faithful {

struct Baseline {
  std::string name;        // "random", "all positive" (two classes) or "majority", "linear"
  double threshold = 0.5;  // two classes: of P(class 1)
  Scores test = {};
};

struct BaselineOptions {
  std::uint64_t seed = 1;     // of the random score
  std::size_t steps = 400;    // of the linear model; each step uses all training windows
  double rate = 0.05;         // the highest learning rate; warm-up and cosine as in every training
  double decay = 0.01;        // of its weights, by AdamW
  bool weigh_classes = true;  // every class has the same total weight in its loss
  bool best_f1 = true;        // two classes: its threshold is the best F1 on validation; false: 0.5
  bool events = true;         // as in ScoreOptions
  double prevalence = 0;      // as in ScoreOptions
};

struct LinearModelOptions;  // faithful/model/linear_model.h
FAITHFUL_API LinearModelOptions linear_options(const BaselineOptions& options);

// The scores of all baselines on sets.test. The linear model learns from sets.train. For two classes its threshold has
// (best_f1) the best F1 on sets.validation, or on the pooled validation parts of `folds`, if given. It is 0.5 if neither has
// windows of class 1. Empty if no test window has a label.
FAITHFUL_API std::vector<Baseline> score_baselines(const WindowSets& sets, std::span<const WindowSets> folds,
                                                   const BaselineOptions& options, ThreadPool& pool);

}  // namespace faithful
