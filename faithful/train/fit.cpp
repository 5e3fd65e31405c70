#include "faithful/train/fit.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/evaluate/held_out.h"
#include "faithful/evaluate/thresholds.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/metrics/calibration.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/infer.h"
#include "faithful/train/candidate_internal.h"
#include "faithful/train/fit_details.h"
#include "faithful/train/notes_internal.h"
#include "faithful/train/over_ranks_internal.h"
#include "faithful/train/record_json_internal.h"
#include "faithful/train/side_by_side_internal.h"
#include "faithful/train/threshold_internal.h"
#include "faithful/window/marks.h"

namespace faithful {

namespace {

using train::Candidate;
using train::JobData;
using train::Prepared;
using train::Trained;
using train::Training;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool has_transformers(ModelKind kind) {
  return kind != ModelKind::kKernels && kind != ModelKind::kLinear;
}

// Of member 0, 1, .. of an ensemble. Far from each other, so that ensembles of neighbouring seeds share no member.
std::uint64_t seed_of_member(std::uint64_t seed, std::size_t member) {
  return seed + 1'000'003 * static_cast<std::uint64_t>(member);
}

// The validation scores of a fold after the epoch that counts.
std::span<const float> validation_row(const FitResult& result, const TrainRecord& fold) {
  const Matrix<float>& scores = fold.validation_scores;
  return scores.row(result.epochs_chosen > 0 ? result.epochs_chosen - 1 : scores.rows - 1);
}

// One job: the data, the trainings on it and on its folds, the model that is kept, and its scores.
class Job {
 public:
  Job(const Dataset& dataset, const FitOptions& options, ThreadPool& pool, const FitControl& control);
  FitResult run();

 private:
  bool chooses_epochs() const;    // by folds
  std::size_t trainings() const;  // of Transformers
  SplitOptions fold_split(std::size_t fold) const;
  Identity identity() const;
  void check_checkpoints();
  void remove_checkpoints() const;
  void prepare_data();

  bool fit(FitResult& result);                                     // false: stopped
  bool fit_transformers(FitResult& result, Candidate& candidate);  // false: stopped
  Training training_of(const Prepared& data, std::size_t member, std::string title, std::size_t stop_after) const;
  std::vector<Trained> train(const std::vector<Training>& plan, std::size_t first);
  void add_held_out(std::span<const Trained> folds, std::vector<Trained>& members, Candidate& candidate);
  void add_recorded_scores(const FitResult& result, Candidate& candidate) const;
  Candidate choose_kind(Candidate transformer, FitResult& result);
  void fit_left_out(FitResult& result);
  void keep(Candidate candidate, FitResult& result) const;

  void choose_epochs(FitResult& result) const;
  void take_best_f1(FitResult& result) const;
  ThresholdCurve validation_curve(const FitResult& result) const;
  void take_threshold(FitResult& result) const;
  void score(FitResult& result) const;
  TrainedModel model_around() const;

  const Dataset& dataset_;
  const FitOptions& options_;
  ThreadPool& pool_;
  const FitControl& control_;
  SplitOptions split_;
  TrainOptions train_;  // as the data settles them
  ScalingChoice scaling_;
  std::optional<JobData> data_;
  std::optional<Windows> left_out_;  // training windows that validate where nothing else does
  std::size_t folds_ = 0;            // of the cross-validation; 0: none
  std::size_t resumed_from_ = 0;
  double data_seconds_ = 0;
};

Job::Job(const Dataset& dataset, const FitOptions& options, ThreadPool& pool, const FitControl& control)
    : dataset_(dataset), options_(options), pool_(pool), control_(control), train_(options.train) {
  check_train_options(options.train);
  std::size_t members = options.ensemble;
  check_settings({ensemble_setting(members)});
  const std::string place = dataset.source.empty() ? dataset.name : dataset.source;
  if (dataset.classes.size() < 2)
    reject({{place},
            "labels of two classes or more",
            fmt::format("{} classes", dataset.classes.size()),
            fmt::format("which column holds the labels? {}", field_text("label"))});
  split_ = train::final_split(dataset, options);
  if (train::validates_given_part(options) && split_.folds > 1) folds_ = split_.folds;
  train::check_threshold_rule(
      options.threshold, dataset,
      options.kind == ModelKind::kKernels || folds_ > 0 || (!split_.refit && split_.validation > 0));
  data_seconds_ += seconds_of([&] { scaling_ = choose_scaling(dataset, options, pool); });
  check_checkpoints();
}

bool Job::chooses_epochs() const {
  return folds_ > 0 && options_.train.steps == 0 && options_.train.epochs > 0 &&
         options_.train.select != Selection::kLast;
}

std::size_t Job::trainings() const {
  if (!has_transformers(options_.kind)) return 0;
  return folds_ * (chooses_epochs() ? 1 : options_.ensemble) + options_.ensemble;
}

// Files to go on from must be of this job.
void Job::check_checkpoints() {
  if (!control_.checkpoints.resume || !train::is_first(control_.ranks)) return;
  const std::string& path = control_.checkpoints.path;
  std::vector<std::string> own;
  for (std::size_t i = 0; i < trainings(); ++i) own.push_back(checkpoint_path(path, i, trainings()));
  for (const std::string& file : checkpoint_files(path)) {
    const Checkpoint found = load_checkpoint(file);
    check_identity(identity(), found, file);
    if (std::ranges::find(own, file) == own.end())
      reject({{file},
              fmt::format("checkpoints of {} trainings", trainings()),
              "one of another job",
              fmt::format("without {} it begins anew", field_text("resume"))});
    resumed_from_ += found.state.step;
  }
}

// Where it begins anew, those of an earlier job must not stay.
void Job::remove_checkpoints() const {
  std::error_code ignored;
  if (!train::is_first(control_.ranks)) return;
  for (const std::string& file : checkpoint_files(control_.checkpoints.path)) std::filesystem::remove(file, ignored);
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
  if (trainings() > 1) identity.emplace_back("trainings", text(trainings()));
  return identity;
}

void Job::prepare_data() {
  data_seconds_ += seconds_of([&] {
    data_.emplace(JobData{train::prepare(dataset_, options_, split_, scaling_.scaling), {}, {}});
    WindowSets& sets = data_->all.sets;
    if (dataset_.has_point_labels() && (split_.kind == SplitKind::kBlocked || split_.kind == SplitKind::kSeries))
      sets.proof.copied_share = share_copied(sets.train, sets.test);
    for (std::size_t fold = 0; fold < folds_; ++fold)
      data_->folds.push_back(train::prepare(dataset_, options_, fold_split(fold), scaling_.scaling));
    for (const Windows* part : data_->held_out()) {
      const std::vector<std::int32_t> labels = part->labels();
      data_->labels.insert(data_->labels.end(), labels.begin(), labels.end());
    }
  });
  train_ = settled(options_.train, data_->all.sets.train.size());
}

// ---- Transformers

Training Job::training_of(const Prepared& data, std::size_t member, std::string title, std::size_t stop_after) const {
  Training made{.config = &data.config, .sets = &data.sets, .options = train_, .title = std::move(title)};
  made.options.seed = seed_of_member(train_.seed, member);
  if (stop_after > 0) made.options.stop_after = stop_after;
  return made;
}

std::vector<Trained> Job::train(const std::vector<Training>& plan, std::size_t first) {
  return train::train_side_by_side(plan, {first, trainings()}, identity(), control_, pool_);
}

// By steps, or with the last epoch, there is nothing to choose; the folds still validate.
void Job::choose_epochs(FitResult& result) const {
  if (!chooses_epochs()) {
    std::vector<TrainRecord> last(result.folds.size());
    for (std::size_t fold = 0; fold < last.size(); ++fold) last[fold].history = {result.folds[fold].history.back()};
    if (!last.empty()) result.mean_of_folds = {mean_epoch(last, 0)};
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

// Folds come first: fold 1 of every member, fold 2, .. Where folds choose the epochs, the members wait for them.
bool Job::fit_transformers(FitResult& result, Candidate& candidate) {
  const std::size_t members = options_.ensemble, of_fold = chooses_epochs() ? 1 : members;
  std::vector<Training> plan;
  for (std::size_t fold = 0; fold < folds_; ++fold)
    for (std::size_t member = 0; member < of_fold; ++member) {
      plan.push_back(training_of(data_->folds[fold], member, fmt::format("fold {} of {}", fold + 1, folds_), 0));
      plan.back().keep_scores = member == 0;
      if (chooses_epochs()) plan.back().options.patience = 0;  // every fold has a value for every epoch
    }
  const auto add_members = [&] {
    for (std::size_t member = 0; member < members; ++member)
      plan.push_back(training_of(data_->all, member,
                                 members > 1  ? fmt::format("member {} of {}", member + 1, members)
                                 : folds_ > 0 ? "train on all"
                                              : "train",
                                 result.epochs_chosen));
  };
  if (!chooses_epochs()) add_members();
  std::vector<Trained> trained = train(plan, 0);
  if (train::was_stopped(trained)) return false;
  for (std::size_t fold = 0; fold < folds_; ++fold) result.folds.push_back(trained[fold * of_fold].result.record);
  choose_epochs(result);
  std::vector<Trained> last;
  if (chooses_epochs()) {
    plan.clear();
    add_members();
    last = train(plan, folds_);
    if (train::was_stopped(last)) return false;
  } else {
    std::move(trained.begin() + static_cast<std::ptrdiff_t>(folds_ * members), trained.end(), std::back_inserter(last));
    trained.erase(trained.begin() + static_cast<std::ptrdiff_t>(folds_ * members), trained.end());
  }
  if (!train::is_first(control_.ranks)) return true;
  candidate.name = "Transformer";
  result.training = last[0].result;
  if (chooses_epochs())
    add_recorded_scores(result, candidate);
  else
    add_held_out(trained, last, candidate);
  for (Trained& one : last) candidate.members.push_back({std::make_shared<const Transformer>(std::move(one.model))});
  return true;
}

// What the models say about windows that validate, calibrated together with the members that are kept.
void Job::add_held_out(std::span<const Trained> folds, std::vector<Trained>& members, Candidate& candidate) {
  const std::size_t n = data_->labels.size(), outputs = data_->all.config.outputs(), classes = dataset_.classes.size();
  if (n == 0) return;
  Matrix<float> logits(n * members.size(), outputs);  // of every member, one below the other
  std::vector<std::int32_t> labels;
  const std::vector<const Windows*> parts = data_->held_out();
  for (std::size_t member = 0, at = 0; member < members.size(); ++member) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const Trained& one = folds.empty() ? members[member] : folds[part * members.size() + member];
      const std::span<float> own = std::span(logits.values).subspan(at * outputs, parts[part]->size() * outputs);
      logits_into(Transformer::view_of(one.model), *parts[part], 0, pool_, own);
      at += parts[part]->size();
    }
    labels.insert(labels.end(), data_->labels.begin(), data_->labels.end());
  }
  if (options_.calibrate) {
    const bool weighed = options_.train.class_weights == ClassWeights::kAuto;
    const train::Calibration found = train::fit_calibration(
        logits, labels, weighed ? data_->all.sets.train.class_weights() : std::vector<float>{}, classes);
    train::apply_to(found, logits);
    for (Trained& one : members) train::apply_to(found, one.model);
    candidate.temperature = found.temperature;
  }
  candidate.logits = members.size() == 1 ? std::move(logits) : train::mean_of_members(logits, members.size(), classes);
  candidate.held_out = train::probabilities_of_logits(candidate.logits, classes);
}

// Two classes: the scores of the folds after the epoch that they chose.
void Job::add_recorded_scores(const FitResult& result, Candidate& candidate) const {
  if (dataset_.classes.size() != 2) return;
  candidate.held_out = Matrix<float>(0, 2);
  for (const TrainRecord& fold : result.folds)
    for (const float score : validation_row(result, fold)) {
      candidate.held_out.values.insert(candidate.held_out.values.end(), {1 - score, score});
      candidate.held_out.rows += 1;
    }
}

// ---- other kinds

// Training windows that are left out one by one, or a stretch at a time, validate.
void Job::fit_left_out(FitResult& result) {
  KernelModelOptions options{.features = options_.kernels};
  options.features.seed = options_.train.seed;
  const Windows& train = result.sets.train;
  train::check_training_part(result.sets);
  KernelModelFit fit = fit_kernel_model(train, options, pool_);
  // Windows that the fit did not use say nothing: they may overlap those that it used.
  left_out_ = train.only(fit.windows);
  result.held_out = std::move(fit.held_out);
  result.held_out_labels = left_out_->labels();
  result.held_out_log_loss = fit.log_loss;
  result.model.predictor = std::make_shared<KernelModel>(std::move(fit.model));
}

Candidate Job::choose_kind(Candidate transformer, FitResult& result) {
  if (!transformer.is_known()) return transformer;
  std::vector<Candidate> candidates;
  candidates.push_back(std::move(transformer));
  candidates.push_back(train::fit_kernels_by_folds(*data_, options_, pool_));
  candidates.push_back(train::fit_linear_by_folds(*data_, options_, pool_));
  train::Contest contest = train::judge(candidates, *data_, pool_);
  result.contest = std::move(contest.rows);
  result.contest_measure = std::move(contest.measure);
  return std::move(candidates[contest.winner]);
}

void Job::keep(Candidate candidate, FitResult& result) const {
  result.model.predictor = train::model_of(candidate, data_->labels, options_.calibrate);
  result.temperature = candidate.temperature;
  if (!candidate.is_known()) return;
  result.held_out = std::move(candidate.held_out);
  result.held_out_labels = data_->labels;
  result.held_out_log_loss = mean_loss(log_losses(result.held_out, result.held_out_labels));
}

// Transformers take all ranks; rank 0 does the rest.
bool Job::fit(FitResult& result) {
  const ModelKind kind = options_.kind;
  const bool first = train::is_first(control_.ranks);
  if (!first && !has_transformers(kind)) return true;
  if (kind == ModelKind::kKernels && data_->labels.empty()) {
    result.training.record.seconds.forward_backward = seconds_of([&] { fit_left_out(result); });
    return true;
  }
  Candidate candidate;
  if (has_transformers(kind) && !fit_transformers(result, candidate)) return false;
  if (!first) return true;
  const double seconds = seconds_of([&] {
    if (kind == ModelKind::kAuto) candidate = choose_kind(std::move(candidate), result);
    if (kind == ModelKind::kMixed)
      candidate = train::mix(candidate, train::fit_kernels_by_folds(*data_, options_, pool_), *data_);
    if (kind == ModelKind::kKernels) candidate = train::fit_kernels_by_folds(*data_, options_, pool_);
    if (kind == ModelKind::kLinear) candidate = train::fit_linear_by_folds(*data_, options_, pool_);
    keep(std::move(candidate), result);
  });
  result.training.record.seconds.forward_backward += seconds;
  return true;
}

// ---- thresholds, scores, notes

// The largest F1 of the scores as they are.
void Job::take_best_f1(FitResult& result) const {
  if (dataset_.classes.size() != 2 || result.held_out.rows == 0) return;
  const auto best = RankedScores(scores_of(result.held_out), flags_of(result.held_out_labels)).best_f1();
  if (!best) return;
  result.model.threshold = best->value;
  result.model.threshold_from =
      folds_ == 0 ? "best F1 on validation"
                  : fmt::format("best F1 on the {} windows of {} folds", result.held_out.rows, folds_);
}

ThresholdCurve Job::validation_curve(const FitResult& result) const {
  std::vector<const Windows*> windows = data_->held_out();
  if (windows.empty() && result.held_out.rows > 0) windows = {&*left_out_};
  if (result.held_out.rows == 0) return {};
  const std::vector<double> scores = scores_of(result.held_out);
  std::vector<ScoredWindows> parts;
  auto at = scores.begin();
  for (const Windows* part : windows) {
    const auto end = at + static_cast<std::ptrdiff_t>(part->size());
    parts.push_back({part, {at, end}});
    at = end;
  }
  return threshold_curve(parts);
}

void Job::take_threshold(FitResult& result) const {
  if (dataset_.classes.size() == 2) {
    ThresholdCurve curve = validation_curve(result);
    if (curve.windows > 0) result.model.thresholds = std::move(curve);
  }
  const ThresholdRule& rule = options_.threshold;
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
      for (const Prepared& fold : data_->folds) folds.push_back(fold.sets);
    BaselineOptions baseline = options_.baseline;
    baseline.seed = options_.train.seed;
    baseline.events = in_order;
    baseline.best_f1 = options_.threshold.kind != ThresholdKind::kAuto || dataset_.has_point_labels();
    baseline.prevalence = options_.prevalence;
    result.baselines = score_baselines(result.sets, folds, baseline, pool_);
  });
}

// All of the model but its predictor, its threshold and its record.
TrainedModel Job::model_around() const {
  const Prepared& prepared = data_->all;
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

FitResult Job::run() {
  prepare_data();
  const WindowSets& sets = data_->all.sets;
  check_signal(dataset_, {sets.train.class_counts(), sets.validation.class_counts(),
                          options_.score_test ? sets.test.class_counts() : std::vector<std::size_t>{}});
  FitResult result{.model = model_around(), .sets = sets, .split = split_.kind};
  result.trainings = trainings();
  result.data_seconds = data_seconds_;
  result.notes = train::data_notes(dataset_, options_, {split_, scaling_, folds_}, data_->all);
  if (resumed_from_ > 0) result.notes.push_back(fmt::format("resumed at step {}", resumed_from_));
  if (!control_.checkpoints.resume) remove_checkpoints();  // what could be refused has been accepted
  result.stopped = !fit(result);
  if (result.stopped || !train::is_first(control_.ranks)) return result;
  take_threshold(result);
  score(result);
  if (std::string few = train::few_events_note(result, options_.threshold); !few.empty())
    result.notes.push_back(std::move(few));
  FitOptions recorded = options_;
  recorded.train = train_;
  result.model.record = train::record_json(result, recorded, split_, dataset_);
  if (options_.calibrate && result.held_out.rows > 0)
    keep_calibration(result.model, result.held_out, result.held_out_labels);
  return result;
}

}  // namespace

FitResult fit_in_detail(const Dataset& dataset, const FitOptions& options, ThreadPool& pool,
                        const FitControl& control) {
  train::check_names(dataset);
  return Job(dataset, options, pool, control).run();
}

TrainedModel fit_classifier(const Dataset& dataset, const FitOptions& options, ThreadPool& pool,
                            const FitControl& control) {
  FitResult result = fit_in_detail(dataset, options, pool, control);
  if (result.stopped) throw Error("the training was stopped");
  return std::move(result.model);
}

}  // namespace faithful
