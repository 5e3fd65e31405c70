#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "faithful/base/api.h"
#include "faithful/base/progress.h"
#include "faithful/base/threads.h"
#include "faithful/model/classifier.h"
#include "faithful/ranks/ranks.h"
#include "faithful/train/checkpoint.h"
#include "faithful/train/options.h"
#include "faithful/train/record.h"
#include "faithful/window/windows.h"

namespace faithful {

// How a training is watched and steered. Nothing of it changes the bits of the result.
struct TrainControl {
  std::function<bool()> stop = {};     // asked after every step; true: save a checkpoint and stop
  Checkpoints* checkpoints = nullptr;  // where to save and what to go on from; none: neither
  Identity identity = {};              // what a checkpoint must agree in besides model, options and windows
  std::string log = {};                // JSONL file to add a line to for every epoch; empty: none (see below)
  std::string title = "train";         // of the progress bar and in the log, such as "fold 2 of 5"
  bool progress = false;               // show a bar
  ProgressSink sink = {};              // where to
  Progress* shared_bar = nullptr;      // a bar that trainings side by side share, instead of one of its own
  std::mutex* shared_log = nullptr;    // held while a line is added to a log that they share
  bool keep_finished = false;          // save a checkpoint at the end, too: others of the same job still run
  bool keep_scores = false;            // fill TrainRecord::validation_scores (two classes)
  Ranks* ranks = nullptr;              // train together; rank 0 alone saves, logs and shows. None: this process alone
  std::function<void(std::size_t epoch, const EpochRecord&)> on_epoch = {};  // after every epoch, from 1
};

// A line of the log, one object for each epoch:
//   training            the title
//   epoch, epochs       its number, from 1, and the length of the schedule
//   loss .. seconds     the fields of EpochRecord; null where there is none
//   windows_per_second  of this run so far, with validation
// A resumed run adds to the log; the epochs that it does again have a second line.

enum class StopReason { kAllEpochs, kNoBetter, kStopped };
FAITHFUL_API std::string to_string(StopReason reason);  // "all epochs done", "no better validation value", "stopped"

struct TrainResult {
  TrainRecord record = {};
  StopReason reason = StopReason::kAllEpochs;
  double threshold = 0.5;                  // two classes: class 1 from this probability on
  std::string threshold_from = "default";  // default, or "best F1 on validation"
  std::size_t steps = 0;                   // all that were done
  std::size_t windows = 0;                 // that went forwards and backwards in this run
  std::size_t activation_bytes = 0;        // peak, over all threads
};

// The steps of a training on so many windows, of which the schedule is made.
FAITHFUL_API std::size_t schedule_steps(const TrainOptions& options, std::size_t windows);

// Trains a model on sets.train from start values of options.seed and leaves in it the weights of the best epoch by
// sets.validation (of the last one where that is empty). The loss is the cross-entropy, mean over a batch, weighted by
// class. Same data, config and options: same bits, for any number of threads and ranks, and however often it was stopped
// and resumed. When it was stopped (kStopped) the model holds the weights of that moment.
// InputError for impossible options, windows without labels, and a checkpoint of something else; Error where the loss
// is no longer a number.
FAITHFUL_API TrainResult train_classifier(Classifier<float>& model, const WindowSets& sets, const TrainOptions& options,
                                          ThreadPool& pool, const TrainControl& control = {});

}  // namespace faithful
