#include "faithful/train/fit.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/data/leaks.h"
#include "faithful/evaluate/thresholds.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/infer.h"
#include "faithful/train/fit_details.h"
#include "faithful/train/record_json_internal.h"
#include "faithful/train/threshold_internal.h"
#include "faithful/train/times.h"

namespace faithful {

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What a training takes: windows, and a model form that fits them.
struct Prepared {
  ModelConfig config;
  ScalerRecord scaler;
  SeenRange seen;
  WindowSets sets;
  std::vector<std::string> notes;
};

void take_shape(ModelConfig& config, const Split& split) {
  config.input.channels = split.dataset().channels.size();
  config.input.length = split.window_length();
  config.input.classes = split.dataset().classes.size();
}

Prepared prepare(const Dataset& dataset, const FitOptions& options, const SplitOptions& split_options,
                 Scaling scaling) {
  const Split split(dataset, split_options);
  const Scaler scaler = fit_scaler(split.train(), options.scaler, scaling);
  Prepared made{options.model, scaler.record(), measure_seen(split.train()), cut_windows(split, scaler), {}};
  ModelConfig& config = made.config;
  take_shape(config, split);
  if (config.has_times()) made.notes = settle_times(config, split.train(), made.sets.train);
  for (std::string& note : settle(config)) made.notes.push_back(std::move(note));
  return made;
}

// What becomes of series without labels, in words; empty where there are none.
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

// Whether folds of a given training part, or with one fold a share of it, validate.
bool validates_given_part(const FitOptions& options) {
  return options.split.kind == SplitKind::kGiven && options.cross_validate && options.split.folds > 0 &&
         options.train.stop_after == 0 && !options.kernels;
}

// The split of the training on all of the training part.
SplitOptions final_split(const Dataset& dataset, const FitOptions& options) {
  SplitOptions split = options.split;
  apply_known_rules(dataset, split);
  split.labelled_only = true;
  split.refit = split.kind == SplitKind::kGiven && !(validates_given_part(options) && split.folds == 1);
  return split;
}

// The validation scores of a fold after the epoch that counts.
std::span<const float> validation_row(const FitResult& result, const TrainRecord& fold) {
  const Matrix<float>& scores = fold.validation_scores;
  return scores.row(result.epochs_chosen > 0 ? result.epochs_chosen - 1 : scores.rows - 1);
}

// One job: cross-validation where the split asks for it, then the training of the model.
class Job {
 public:
  Job(const Dataset& dataset, const FitOptions& options, ThreadPool& pool, const FitControl& control);
  FitResult run();

 private:
  void check_fold(const TrainRecord& fold) const;
  SplitOptions fold_split(std::size_t fold) const;
  Identity identity() const;
  TrainResult train(Classifier<float>& model, const WindowSets& sets, const TrainOptions& options,
                    const std::string& title, bool keep_scores);
  bool cross_validate();                                                // false: stopped
  bool train_transformer(const Prepared& prepared, FitResult& result);  // false: stopped
  void fit_kernels(FitResult& result) const;
  void choose_epochs(FitResult& result) const;
  void take_best_f1(FitResult& result) const;
  ThresholdCurve validation_curve(const FitResult& result) const;
  void take_threshold(FitResult& result) const;
  void score(FitResult& result) const;
  std::string choices_text() const;
  void note_data(FitResult& result, const Prepared& prepared) const;
  TrainedModel model_around(const Prepared& prepared) const;

  const Dataset& dataset_;
  const FitOptions& options_;
  ThreadPool& pool_;
  const FitControl& control_;
  SplitOptions split_;
  ScalingChoice scaling_;
  Checkpoints checkpoints_;
  std::size_t folds_ = 0;  // of the cross-validation; 0: none
  std::size_t resumed_from_ = 0;
  double data_seconds_ = 0;
};

Job::Job(const Dataset& dataset, const FitOptions& options, ThreadPool& pool, const FitControl& control)
    : dataset_(dataset), options_(options), pool_(pool), control_(control), checkpoints_(control.checkpoints) {
  check_train_options(options.train);
  const std::string place = dataset.source.empty() ? dataset.name : dataset.source;
  if (dataset.classes.size() < 2)
    reject({{place},
            "labels of two classes or more",
            fmt::format("{} classes", dataset.classes.size()),
            fmt::format("which column holds the labels? {}", field_text("label"))});
  split_ = final_split(dataset, options);
  if (validates_given_part(options) && split_.folds > 1) folds_ = split_.folds;
  train::check_threshold_rule(options.threshold, dataset,
                              options.kernels || folds_ > 0 || (!split_.refit && split_.validation > 0));
  data_seconds_ += seconds_of([&] { scaling_ = choose_scaling(dataset, options, pool); });
  if (!checkpoints_.found()) return;
  check_identity(identity(), *checkpoints_.found(), checkpoints_.path());
  if (checkpoints_.done().size() > folds_)
    reject({{checkpoints_.path()}, fmt::format("a checkpoint with {} folds", folds_), "one with more"});
  for (const TrainRecord& fold : checkpoints_.done()) check_fold(fold);
  resumed_from_ = checkpoints_.found()->state.step;
}

// Of a checkpoint: as many epochs and rows of scores as such a fold has.
void Job::check_fold(const TrainRecord& fold) const {
  const std::size_t epochs = fold.history.size(), scored = fold.validation_labels.empty() ? 0 : epochs;
  const bool as_many = options_.train.steps > 0 ? epochs > 0 : epochs == options_.train.epochs;
  const bool all_scored = fold.validation_scores.rows ==
                          (options_.train.select == Selection::kLast ? std::min<std::size_t>(scored, 1) : scored);
  if (!as_many || !all_scored)
    reject({{checkpoints_.path()}, "folds of the same run", fmt::format("one of {} epochs", epochs)});
}

SplitOptions Job::fold_split(std::size_t fold) const {
  SplitOptions split = split_;
  split.refit = false;
  split.fold = fold;
  return split;
}

// Windows are identified by their content; this is what they do not show.
Identity Job::identity() const {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  const bool former = is_former_scaling(scaling_.scaling, dataset_, split_.kind);
  Identity identity = {
      {"split", to_string(split_.kind)},
      {"split.seed", text(split_.seed)},
      {"split.window", text(split_.window.length)},
      {"split.stride", text(split_.window.stride)},
      {"split.label", to_string(split_.window.label_rule)},
      {"split.train", text(split_.train)},
      {"split.validation", text(split_.validation)},
      {"split.folds", text(folds_)},
      {"scale", to_string(options_.scaler)},
      {"scale.scope", former ? "0" : to_string(scaling_.scaling)}};  // "0": as earlier checkpoints have it
  if (split_.unlabelled == Unlabelled::kNormal) identity.emplace_back("split.unlabelled", "normal");
  return identity;
}

TrainResult Job::train(Classifier<float>& model, const WindowSets& sets, const TrainOptions& options,
                       const std::string& title, bool keep_scores) {
  TrainControl control;
  if (control_.stop) control.stop = [&] { return control_.stop(); };  // the caller's own, whatever it counts
  control.checkpoints = &checkpoints_;
  control.identity = identity();
  control.log = control_.log;
  control.title = title;
  control.progress = control_.progress;
  control.sink = control_.sink;
  control.keep_scores = keep_scores;
  if (control_.on_epoch)
    control.on_epoch = [&](std::size_t epoch, const EpochRecord& record) { control_.on_epoch(title, epoch, record); };
  return train_classifier(model, sets, options, pool_, control);
}

bool Job::cross_validate() {
  TrainOptions options = options_.train;
  options.patience = 0;  // every fold has a value for every epoch
  while (checkpoints_.done().size() < folds_) {
    const std::size_t fold = checkpoints_.done().size();
    std::optional<Prepared> prepared;
    data_seconds_ +=
        seconds_of([&] { prepared.emplace(prepare(dataset_, options_, fold_split(fold), scaling_.scaling)); });
    Classifier<float> model(prepared->config);
    TrainResult result = train(model, prepared->sets, options, fmt::format("fold {} of {}", fold + 1, folds_), true);
    if (result.reason == StopReason::kStopped) return false;
    checkpoints_.finish(std::move(result.record));
  }
  return true;
}

// By steps, or with the last epoch, there is nothing to choose; the folds still validate.
void Job::choose_epochs(FitResult& result) const {
  result.folds = checkpoints_.done();
  if (options_.train.steps > 0 || options_.train.select == Selection::kLast) {
    std::vector<TrainRecord> last(folds_);
    for (std::size_t fold = 0; fold < folds_; ++fold) last[fold].history = {result.folds[fold].history.back()};
    result.mean_of_folds = {mean_epoch(last, 0)};
    return;
  }
  for (std::size_t epoch = 0; epoch < options_.train.epochs; ++epoch) {
    result.mean_of_folds.push_back(mean_epoch(result.folds, epoch));
    const bool first = result.epochs_chosen == 0;
    if (first ||
        is_better(result.mean_of_folds[epoch], result.mean_of_folds[result.epochs_chosen - 1], options_.train.select))
      result.epochs_chosen = epoch + 1;
  }
}

// The largest F1 of the validation scores as they are; of folds pooled.
void Job::take_best_f1(FitResult& result) const {
  result.model.threshold = result.training.threshold;
  result.model.threshold_from = result.training.threshold_from;
  if (folds_ == 0 || dataset_.classes.size() != 2) return;
  std::vector<double> scores;
  std::vector<std::int32_t> labels;
  for (const TrainRecord& fold : result.folds) {
    const auto row = validation_row(result, fold);
    scores.insert(scores.end(), row.begin(), row.end());
    labels.insert(labels.end(), fold.validation_labels.begin(), fold.validation_labels.end());
  }
  const std::optional<Threshold> best = RankedScores(scores, flags_of(labels)).best_f1();
  if (!best) return;
  result.model.threshold = best->value;
  result.model.threshold_from = fmt::format("best F1 on the {} windows of {} folds", scores.size(), folds_);
}

ThresholdCurve Job::validation_curve(const FitResult& result) const {
  std::vector<ScoredWindows> parts;
  std::vector<WindowSets> sets;  // of the folds, as they were
  sets.reserve(folds_);
  for (std::size_t fold = 0; fold < folds_; ++fold) {
    sets.push_back(prepare(dataset_, options_, fold_split(fold), scaling_.scaling).sets);
    const Windows& held = sets.back().validation;
    if (result.folds[fold].validation_labels != held.labels())  // of a checkpoint, made for other data
      reject({{checkpoints_.path()}, "a checkpoint of the same run", "folds of other windows"});
    const std::span<const float> row = validation_row(result, result.folds[fold]);
    parts.push_back({&held, {row.begin(), row.end()}});
  }
  const Windows& held = result.sets.validation;
  if (folds_ == 0 && held.size() > 0)
    parts.push_back({&held, scores_of(probabilities_of(*result.model.predictor, held, pool_))});
  else if (options_.kernels)
    parts.push_back({&result.sets.train, result.held_out_scores});
  return threshold_curve(parts);
}

void Job::take_threshold(FitResult& result) const {
  if (dataset_.classes.size() == 2) {
    ThresholdCurve curve = validation_curve(result);
    if (curve.windows > 0) result.model.thresholds = std::move(curve);
  }
  ThresholdRule rule = options_.threshold;
  if (options_.kernels && rule.kind == ThresholdKind::kBestF1) rule.kind = ThresholdKind::kF1;
  if (dataset_.classes.size() != 2 || rule.kind == ThresholdKind::kBestF1) return take_best_f1(result);
  if (std::string warning = train::take_threshold(result.model, rule, dataset_); !warning.empty())
    result.notes.push_back(std::move(warning));
}

void Job::score(FitResult& result) const {
  const Windows& test = result.sets.test;
  if (test.size() == 0 || !options_.score_test) return;
  const bool in_order = split_.kind != SplitKind::kRandom;
  result.test_seconds = seconds_of([&] {
    result.test_probabilities = probabilities_of(*result.model.predictor, test, pool_);
    result.test =
        score_predictions(result.test_probabilities, test, {result.model.threshold, in_order, options_.prevalence});
  });
  if (!options_.baselines) return;
  result.baseline_seconds = seconds_of([&] {
    std::vector<WindowSets> folds;
    if (dataset_.classes.size() == 2)
      for (std::size_t fold = 0; fold < folds_; ++fold)
        folds.push_back(prepare(dataset_, options_, fold_split(fold), scaling_.scaling).sets);
    BaselineOptions baseline = options_.baseline;
    baseline.seed = options_.train.seed;
    baseline.events = in_order;
    baseline.best_f1 = options_.threshold.kind != ThresholdKind::kAuto || dataset_.has_point_labels();
    baseline.prevalence = options_.prevalence;
    result.baselines = score_baselines(result.sets, folds, baseline, pool_);
  });
}

// Split and scaling with the reason for each, in one line; empty where there was nothing to choose.
std::string Job::choices_text() const {
  const std::string split = reason_of_split(dataset_, split_);
  std::string text = split.empty() ? "" : fmt::format("{} {}: {}", field_text("split"), to_string(split_.kind), split);
  if (scaling_.why.empty()) return text;
  return fmt::format("{}{}{} {}: {}", text, text.empty() ? "" : "; ", field_text("scaling"),
                     to_string(scaling_.scaling), scaling_.why);
}

void Job::note_data(FitResult& result, const Prepared& prepared) const {
  const auto note = [&](std::string text) { result.notes.push_back(std::move(text)); };
  if (std::string choices = choices_text(); !choices.empty()) note(std::move(choices));
  for (const std::string& text : prepared.notes) note(text);
  for (std::string& text : unlabelled_notes(dataset_, split_, prepared.sets.train)) note(std::move(text));
  if (split_.leave_out.size() > options_.split.leave_out.size())
    note("MSL: P-14 is left out (it is P-10 again); M-1/M-2 and T-12/T-13 stay together");
  if (const std::size_t count = prepared.sets.proof.dropped_windows; count > 0)
    note(fmt::format("{} windows are left out of training and validation: their content is held out, too", count));
  if (split_.kind == SplitKind::kRandom)
    note("random split: overlapping windows leak between the parts");
  else if (!prepared.sets.proof.holds())
    note("windows are in two parts: see the proof");
  if (prepared.sets.validation.size() == 0 && folds_ == 0 && !options_.kernels)
    note("nothing validates: the weights are those of the last epoch");
  if (resumed_from_ > 0) note(fmt::format("resumed at step {}", resumed_from_));
}

// All of the model but its predictor, its threshold and its record.
TrainedModel Job::model_around(const Prepared& prepared) const {
  const Windows& train = prepared.sets.train;
  std::size_t shortest = train.length();  // padding aside
  for (std::size_t i = 0; i < train.size(); ++i) shortest = std::min<std::size_t>(shortest, train[i].length);
  return {.channels = dataset_.channels,
          .classes = dataset_.classes,
          .window = split_.window,
          .shortest_window = shortest,
          .scaler = prepared.scaler,
          .seen = prepared.seen};
}

// With the epochs that cross-validation chose.
bool Job::train_transformer(const Prepared& prepared, FitResult& result) {
  TrainOptions options = options_.train;
  if (folds_ > 0) {
    choose_epochs(result);
    options.stop_after = result.epochs_chosen;
  }
  Classifier<float> classifier(prepared.config);
  result.training = train(classifier, result.sets, options, folds_ > 0 ? "train on all" : "train", false);
  if (result.training.reason == StopReason::kStopped) return false;
  result.model.predictor = std::make_shared<Transformer>(std::move(classifier));
  return true;
}

void Job::fit_kernels(FitResult& result) const {
  KernelModelOptions options{.features = *options_.kernels};
  options.features.seed = options_.train.seed;
  const Windows& train = result.sets.train;
  KernelModelFit fit = fit_kernel_model(train, options, pool_);
  // Windows that the fit did not use are unseen as they are.
  Matrix<float> held_out = fit.windows.size() == train.size() ? Matrix<float>(train.size(), dataset_.classes.size())
                                                              : probabilities_of(fit.model, train, pool_);
  for (std::size_t i = 0; i < fit.windows.size(); ++i)
    std::ranges::copy(fit.held_out.row(i), held_out.row(fit.windows[i]).begin());
  result.held_out_scores = scores_of(held_out);
  result.held_out_log_loss = fit.log_loss;
  result.model.predictor = std::make_shared<KernelModel>(std::move(fit.model));
}

FitResult Job::run() {
  std::optional<Prepared> prepared;
  data_seconds_ += seconds_of([&] { prepared.emplace(prepare(dataset_, options_, split_, scaling_.scaling)); });
  const WindowSets& sets = prepared->sets;
  check_signal(dataset_, {sets.train.class_counts(), sets.validation.class_counts(),
                          options_.score_test ? sets.test.class_counts() : std::vector<std::size_t>{}});
  const bool complete = cross_validate();
  FitResult result{.model = model_around(*prepared), .sets = prepared->sets, .split = split_.kind};
  result.data_seconds = data_seconds_;
  note_data(result, *prepared);
  result.stopped = !complete;
  if (result.stopped) return result;

  if (options_.kernels)
    result.training.record.seconds.forward_backward = seconds_of([&] { fit_kernels(result); });
  else
    result.stopped = !train_transformer(*prepared, result);
  if (result.stopped) return result;
  take_threshold(result);
  score(result);
  result.model.record = train::record_json(result, options_, split_, dataset_);
  return result;
}

// A model file has each name once. That is said before the training, not after it.
void check_names(const Dataset& dataset) {
  const auto check = [&](const std::vector<std::string>& names, const char* what) {
    std::set<std::string> seen;
    for (const std::string& name : names)
      if (!seen.insert(name).second)
        reject({{dataset.source}, fmt::format("each {} once", what), quote(name) + " twice"});
  };
  check(dataset.channels, "channel");
  check(dataset.classes, "class");
}

}  // namespace

FitResult fit_in_detail(const Dataset& dataset, const FitOptions& options, ThreadPool& pool,
                        const FitControl& control) {
  check_names(dataset);
  return Job(dataset, options, pool, control).run();
}

std::vector<std::string> leak_warnings(const Dataset& dataset, const FitOptions& options, ThreadPool& pool) {
  std::vector<std::string> warnings;
  if (dataset.classes.size() < 2) return warnings;  // a fit says so
  const Split split(dataset, final_split(dataset, options));
  ModelConfig config = options.model;  // what cannot be trained needs no advice
  take_shape(config, split);
  settle(config);
  if (!config.has_times()) check_config(config);
  for (const Leak& leak : find_leaks(dataset, split.train().pieces(), pool))
    warnings.push_back(leak_warning(leak, dataset));
  for (const std::size_t channel : counting_channels(dataset)) warnings.push_back(counting_warning(channel, dataset));
  return warnings;
}

FitOptions default_fit_options() {
  return {.model = preset("small"), .split = {.window = {.stride = 20}}, .train = train_preset("small")};
}

FitOptions default_fit_options(const Dataset& dataset) {
  FitOptions options = default_fit_options();
  options.split = suggested_split(dataset, options.split);
  return options;
}

TrainedModel fit_classifier(const Dataset& dataset, const FitOptions& options, ThreadPool& pool,
                            const FitControl& control) {
  FitResult result = fit_in_detail(dataset, options, pool, control);
  if (result.stopped) throw Error("the training was stopped");
  return std::move(result.model);
}

}  // namespace faithful
