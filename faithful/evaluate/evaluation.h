#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/evaluate/scores.h"
#include "faithful/io/json.h"
#include "faithful/metrics/bootstrap.h"
#include "faithful/trained/trained_model.h"
#include "faithful/window/windows.h"

namespace faithful {

// A measure with its interval.
struct Measure {
  std::string key, name;  // "auc_pr", "AUC-PR"
  Bootstrap found;        // NaN if the measure has no value
};

struct EvaluationOptions {
  double threshold = 0.5;  // two classes: class 1 where P(class 1) >= threshold
  std::size_t resamples = 2000;
  double level = 0.95;  // of the intervals
  std::uint64_t seed = 1;
};

// How good predictions are, with intervals.
struct Evaluation {
  Matrix<float> probabilities;    // [n, K], of the windows in their order
  Scores scores;                  // at the threshold
  std::vector<Measure> measures;  // the same with intervals
  std::size_t groups = 0;         // what resamples draw: series, or events and the stretches between them
  bool of_series = false;         // groups are series
  EvaluationOptions options;
};

// Scores predictions [n, K] for windows, some of which have labels. Windows of a timeline overlap, so resamples draw
// whole events and whole stretches between them; where every series is one window, they draw series.
FAITHFUL_API Evaluation evaluate_predictions(Matrix<float> probabilities, const Windows& windows,
                                             const EvaluationOptions& options, ThreadPool& pool);

// scores (see to_json(Scores)), and intervals: {"f1": [low, high], ..}, level, resamples, groups.
FAITHFUL_API Json to_json(const Evaluation& evaluation);

// The windows that a model is scored on: all of a labelled data set that fits the model (load_for_model), or the test
// part of the model's own training (held_out_windows). Removes series without labels from the data set, and adds notes
// for the user to it. The data set must outlive the windows. InputError where no window has a label.
//
//   const Windows windows = windows_to_evaluate(june, model);
//   const Evaluation found = evaluate_model(model, windows, {.resamples = 5000}, pool);
FAITHFUL_API Windows windows_to_evaluate(Dataset& dataset, const TrainedModel& model, bool held_out = false);

// How good the model is on these windows. The threshold is the model's own, whatever the options say.
FAITHFUL_API Evaluation evaluate_model(const TrainedModel& model, const Windows& windows, EvaluationOptions options,
                                       ThreadPool& pool);

// The same with reliability (the bins of the confidence that have windows), data, held_out, threshold (null for more than
// two classes) and classes.
FAITHFUL_API Json to_json(const Evaluation& evaluation, const TrainedModel& model, const Windows& windows,
                          bool held_out);

}  // namespace faithful
