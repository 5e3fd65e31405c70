#pragma once

// What a model's answers are worth, with intervals.

#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/threads.h"
#include "faithful/io/json.h"
#include "faithful/metrics/bootstrap.h"
#include "faithful/predict/model_file.h"
#include "faithful/report/table.h"
#include "faithful/train/scores.h"
#include "faithful/window/windows.h"

namespace faithful::app {

struct Measure {
  std::string key, name;  // "auc_pr", "AUC-PR"
  Bootstrap found;
};

struct EvaluationOptions {
  std::size_t resamples = 2000;
  double level = 0.95;
  std::uint64_t seed = 1;
};

struct Evaluation {
  Matrix<float> probabilities;    // [n, K], of the windows in their order
  Scores scores;                  // at the model's threshold
  std::vector<Measure> measures;  // the same with intervals
  std::size_t groups = 0;         // that were drawn for them: series, or events and the stretches between them
  bool of_series = false;         // which of the two
  EvaluationOptions options;
};

// Scores answers to windows, some of which have labels. Windows of a timeline overlap, so resamples draw events and the
// stretches between them as wholes; where every series is one window, series.
Evaluation evaluate_answers(const TrainedModel& model, const Windows& windows, Matrix<float> probabilities,
                            const EvaluationOptions& options, ThreadPool& pool);

Table measures_table(const Evaluation& evaluation);
Table confusion_table(const Evaluation& evaluation, const std::vector<std::string>& classes);
Table class_table(const Evaluation& evaluation, const std::vector<std::string>& classes);
std::string events_text(const EventScores& events);  // one line

// scores (see scores_json), and intervals: {"f1": [low, high], ..}, level, resamples, groups.
Json evaluation_json(const Evaluation& evaluation);

}  // namespace faithful::app
