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

// mean, standard deviation, least, greatest and last value of each channel of every window, as the scaler left them:
// [n, 5 C], the five of a channel side by side. Padding does not count.
FAITHFUL_API Matrix<float> summary_features(const Windows& windows, ThreadPool& pool);

// Logistic regression (multinomial for more than two classes) on summary_features, standardized by those of its
// training windows. AdamW minimizes the mean cross-entropy over all windows in each step, from zero weights. Nothing is
// random.
class FAITHFUL_API LinearModel {
 public:
  LinearModel(const Windows& train, const BaselineOptions& options, ThreadPool& pool);
  Matrix<float> probabilities(const Windows& windows, ThreadPool& pool) const;  // [n, K]

 private:
  void standardize(Matrix<float>& features) const;
  std::size_t classes_;
  std::vector<float> shift_, factor_;  // [5 C]
  Matrix<float> weights_;              // [outputs, 5 C + 1], the offset last
};

// The scores of all baselines on sets.test. The linear model learns from sets.train. For two classes its threshold has
// (best_f1) the best F1 on sets.validation, or on the pooled validation parts of `folds`, if given. It is 0.5 if neither has
// windows of class 1. Empty if no test window has a label.
FAITHFUL_API std::vector<Baseline> score_baselines(const WindowSets& sets, std::span<const WindowSets> folds,
                                                   const BaselineOptions& options, ThreadPool& pool);

}  // namespace faithful
