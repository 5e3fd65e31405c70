#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/progress.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/evaluate/baselines.h"
#include "faithful/kernels/kernel_features.h"
#include "faithful/metrics/threshold.h"
#include "faithful/model/config.h"
#include "faithful/train/options.h"
#include "faithful/trained/trained_model.h"
#include "faithful/window/scale.h"
#include "faithful/window/split.h"

// The whole job: split -> scale -> cut -> settle the model's form -> train -> threshold -> score the test part once.

namespace faithful {

struct EpochRecord;  // faithful/train/record.h
class Ranks;         // faithful/ranks/ranks.h

enum class ModelKind : std::uint8_t {
  kTransformer,
  kKernels,  // random convolutions with a ridge classifier
  kLinear,   // logistic regression on five summaries of each channel
  kAuto,     // the best of these on windows that validate; the Transformer unless another is better by more than a
             // standard error
  kMixed,    // an ensemble of Transformers and kernels
};

// All that decides about the result.
struct FitOptions {
  ModelKind kind = ModelKind::kTransformer;
  ModelConfig model = {};   // its form; channels, length, classes and what follows from them come from the data
  SplitOptions split = {};  // rules of known data sets are applied; series without labels: `unlabelled`
  ScalerKind scaler = ScalerKind::kStandard;  // fitted on the training part
  Scaling scaling = Scaling::kAuto;           // choose_scaling chooses
  TrainOptions train = {};                    // `stop_after` 0: for a given split, cross-validation finds it
  ThresholdRule threshold = {};               // two classes: how the threshold is chosen on the validation part
  std::size_t ensemble = 1;                   // Transformers with seeds of their own, whose mean counts
  KernelOptions kernels = {};                 // of random convolutions; the seed is that of `train`
  bool calibrate = false;                     // divide logits by the temperature that suits windows that validate
  bool cross_validate = true;  // split given: find the number of epochs (and for two classes the threshold) by
                               // folds of train, or on its validation share with one fold; false: all epochs, 0.5
  bool score_test = true;      // false: the test part stays unseen, and there are no baselines
  double prevalence = 0;       // of class 1, to which test scores are reweighted; 0: as the test part has it
  bool baselines = true;       // score them on the test part
  BaselineOptions baseline = {};
};

// What `faithful train` starts from: the best kind of model on windows that validate, the standard Transformer among
// them, calibrated; a stride of 20; split and window length as the data suggests (suggested_split). Who sets options of
// the Transformer should set `kind`, too.
FAITHFUL_API FitOptions default_fit_options();
FAITHFUL_API FitOptions default_fit_options(const Dataset& dataset);

// The words by which users choose a model: auto, encoder, dfstrans, kernels, linear.
FAITHFUL_API const std::vector<std::string>& model_words();

// best (Transformers and kernels), fast (kernels), and the presets of the Transformer (preset_names).
FAITHFUL_API const std::vector<std::string>& fit_preset_names();

// Sets kind, form and training by such a word: the model first, then the preset. InputError for another word, and for a
// preset of another model than the one that was set.
FAITHFUL_API void set_model(FitOptions& options, std::string_view word);
FAITHFUL_API void set_preset(FitOptions& options, std::string_view name);

// The user names an option of the Transformer: with kAuto it means the Transformer. InputError for a kind that has none.
FAITHFUL_API void take_transformer_option(FitOptions& options, std::string_view field);

// The description of FitOptions::ensemble.
FAITHFUL_API Setting ensemble_setting(std::size_t& members);

// By how much one model is better than another, and the standard error of that.
struct Lead {
  double difference = 0, error = 0;

  bool is_clear() const { return difference > error; }
};

// How one kind of model did on the windows that validate.
struct ContestRow {
  std::string name = {};
  double value = 0;                        // accuracy, or AUC-PR for timelines and rare positives
  double log_loss = 0;                     // mean
  std::string against = {};                // which one it is compared with; empty: the first has no other
  Lead lead = {};                          // of the value
  std::optional<Lead> log_loss_lead = {};  // where accuracy decides; above 0: the log loss is less
  bool kept = false;                       // it is the model
};

// Which statistics scale the windows, and why, in words (empty where there was nothing to choose).
struct ScalingChoice {
  Scaling scaling = Scaling::kCommon;
  std::string why = {};
};

// The options' own scaling; kAuto: kCommon for one timeline and for series with one label. For several timelines kWindow
// where the linear baseline has a higher AUC-PR on the validation part with it, else kCommon. Statistics that new data
// does not have (kSeries) are never chosen.
FAITHFUL_API ScalingChoice choose_scaling(const Dataset& dataset, const FitOptions& options, ThreadPool& pool);

// Channels that give the labels of the training part away (find_leaks): a line for each, for the user before training.
// InputError where split or model do not fit the data.
FAITHFUL_API std::vector<std::string> leak_warnings(const Dataset& dataset, const FitOptions& options,
                                                    ThreadPool& pool);

// How it is watched and steered. Nothing of it changes the result.
struct FitControl {
  std::function<bool()> stop = {};     // asked after every step; true: save a checkpoint and stop
  CheckpointOptions checkpoints = {};  // path, seconds, resume
  std::string log = {};                // JSONL, a line for every epoch; empty: none
  bool progress = false;               // show a bar
  ProgressSink sink = {};              // where to
  std::function<void(const std::string& training, std::size_t epoch, const EpochRecord&)> on_epoch = {};
  Ranks* ranks = nullptr;  // train together, on the same data and options; rank 0 alone writes, and has the result
};

// Fits a classifier to a data set. Same data and options: same bits, for any number of threads and ranks, and however
// often it was stopped and resumed.
//   blocked, series, random: one training; the validation part chooses the epoch and, for two classes, the threshold.
//   given: each fold of the training part validates a training on the others, with the same seed, over all epochs
//   (patience does not count); the epoch with the best mean value is where the training on all of train stops, on the
//   schedule of all epochs; for two classes the threshold is that of the best F1 of the scores after that epoch, all
//   folds pooled.
//   With a budget of steps, or without a choice of epoch, folds and members of an ensemble train side by side.
//   kKernels: one fit. What the validation part does for a Transformer, or the folds for a given split, training windows
//   do that are left out one by one; a validation part gives the threshold, where there is one.
// InputError where data and options do not fit, and for a checkpoint of another job; Error where the caller stopped it.
FAITHFUL_API TrainedModel fit_classifier(const Dataset& dataset, const FitOptions& options, ThreadPool& pool,
                                         const FitControl& control = {});

}  // namespace faithful
