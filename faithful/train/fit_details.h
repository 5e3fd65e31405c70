#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/evaluate/baselines.h"
#include "faithful/evaluate/scores.h"
#include "faithful/train/fit.h"
#include "faithful/train/train.h"
#include "faithful/window/windows.h"

namespace faithful {

// A trained model, and how it came about. The data set must outlive it: windows are places in it.
struct FitResult {
  TrainedModel model = {};  // complete, with its record, unless the fit was stopped
  WindowSets sets;          // that the model was trained on and scored on, with the proof that they are disjoint
  SplitKind split = SplitKind::kBlocked;

  bool stopped = false;                         // by FitControl::stop: nothing below is final, the test part is unseen
  TrainResult training = {};                    // of the model
  std::vector<TrainRecord> folds = {};          // split given: of the cross-validation
  std::vector<EpochRecord> mean_of_folds = {};  // [epochs]
  std::size_t epochs_chosen = 0;                // by it; 0: there was none
  std::size_t trainings = 0;                    // of Transformers; each has a checkpoint (checkpoint_path)

  Matrix<float> held_out = {};  // [n, K]: probabilities of windows by models that were not fitted to them
  std::vector<std::int32_t> held_out_labels = {};  // [n]
  std::optional<double> held_out_log_loss = {};    // of them
  std::optional<double> temperature = {};          // by which the logits of Transformers or a linear model were divided
  std::vector<ContestRow> contest = {};            // kAuto: the kinds that were tried, the Transformer first
  std::string contest_measure = {};                // "accuracy", "AUC-PR"

  Matrix<float> test_probabilities = {};                            // [n, K], of sets.test in order
  Scores test = {};                                                 // at the threshold
  std::vector<Baseline> baselines = {};                             // on the same windows
  double test_seconds = 0, baseline_seconds = 0, data_seconds = 0;  // data: split, scale, cut
  std::vector<std::string> notes = {};                              // what the user should know, a line each
};

// The same with everything that was found out on the way. It can be stopped: see FitResult::stopped.
FAITHFUL_API FitResult fit_in_detail(const Dataset& dataset, const FitOptions& options, ThreadPool& pool,
                                     const FitControl& control = {});
FitResult fit_in_detail(Dataset&&, const FitOptions&, ThreadPool&, const FitControl& = {}) = delete;

}  // namespace faithful
