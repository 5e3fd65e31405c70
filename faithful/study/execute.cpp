#include <chrono>

#include <fmt/format.h>

#include "faithful/base/cpu.h"
#include "faithful/base/version.h"
#include "faithful/model/infer.h"
#include "faithful/study/controls.h"
#include "faithful/study/minirocket.h"
#include "faithful/study/study.h"

namespace faithful {

namespace {

FitOptions fit_options(const StudyPlan& plan, const StudyJob& job) {
  FitOptions fit = plan.options().fit;
  fit.model = with_arm(fit.model, job.arm);
  fit.split.seed = job.seed;
  fit.train.seed = job.arm.again ? job.seed + kAgainSeeds : job.seed;
  if (job.rate > 0) fit.train.learning_rate = job.rate;
  fit.baseline.seed = job.seed;
  fit.baselines = false;
  fit.threshold = {.kind = ThresholdKind::kBestF1};  // as in every published run
  return fit;
}

void take_fit(const FitResult& fit, const FitOptions& options, StudyRun& run) {
  const DisjointnessProof& proof = fit.sets.proof;
  run.windows = {proof.train_windows, proof.validation_windows, proof.test_windows};
  run.leaks = !proof.holds();
  run.weights = fit.model.weight_count();
  run.threshold = fit.model.classes.size() == 2 ? fit.model.threshold : StudyRun::kNone;
  const std::vector<EpochRecord>& history = fit.mean_of_folds.empty() ? fit.training.record.history : fit.mean_of_folds;
  run.epochs = fit.epochs_chosen > 0 ? fit.epochs_chosen : fit.training.record.best_epoch;
  for (const EpochRecord& epoch : history) {
    run.losses.push_back(epoch.loss);
    run.validations.push_back(epoch.value(options.train.select));
  }
  if (run.epochs > 0) run.validation = run.validations[run.epochs - 1];
}

bool fit_arm(const StudyPlan& plan, const StudyJob& job, const std::function<bool()>& stop, ThreadPool& pool,
             StudyRun& run) {
  FitOptions options = fit_options(plan, job);
  options.score_test = job.kind == RunKind::kRun;
  const FitResult fit = fit_in_detail(plan.dataset(), options, pool, {.stop = stop});
  if (fit.stopped) return false;
  run.rate = options.train.learning_rate;
  take_fit(fit, options, run);
  if (job.kind == RunKind::kRate) return true;
  run.scores = measures_of(fit.test);
  const Windows& test = fit.sets.test;
  const Classifier<float>& classifier = fit.model.transformer()->classifier();
  if (fit.model.classes.size() == 2)
    run.precision = precision_at_recalls(fit.test_probabilities, test.labels(), options.prevalence);
  const bool in_order = fit.split != SplitKind::kRandom;
  run.shuffled = measures_of(score_predictions(score_shuffled(classifier, test, job.seed, pool), test,
                                               {fit.model.threshold, in_order, options.prevalence}));
  if (plan.options().length_factor > 1) {
    LongerScores longer = score_longer(fit, plan.options().length_factor, options.prevalence, pool);
    run.longer = std::move(longer.scores);
    run.longer_note = std::move(longer.note);
  }
  Classifier<float> start(classifier.config());
  start.initialize(options.train.seed);
  run.norm_ratio = norm_ratio(start, fit.sets.train, pool);
  if (plan.options().projections) {
    run.start = projected_faithfulness(start, pool);
    run.trained = projected_faithfulness(classifier, pool);
  }
  return true;
}

WindowSets cut(const StudyPlan& plan, const SplitOptions& options) {
  const Split split(plan.dataset(), options);
  return cut_windows(split, fit_scaler(split.train(), plan.options().fit.scaler, plan.options().fit.scaling));
}

// The windows of a seed, as every arm has them; of a given split also its folds.
struct SeedWindows {
  WindowSets sets;
  std::vector<WindowSets> folds;
};

SeedWindows windows_of(const StudyPlan& plan, std::uint64_t seed, bool with_folds) {
  SplitOptions split = plan.options().fit.split;
  split.seed = seed;
  split.labelled_only = true;
  apply_known_rules(plan.dataset(), split);
  const bool folded = split.kind == SplitKind::kGiven && split.folds > 1;
  split.refit = folded;
  SeedWindows windows{cut(plan, split), {}};
  split.refit = false;
  for (split.fold = 0; folded && with_folds && split.fold < split.folds; ++split.fold)
    windows.folds.push_back(cut(plan, split));
  return windows;
}

void take_windows(const SeedWindows& windows, StudyRun& run) {
  const DisjointnessProof& proof = windows.sets.proof;
  run.windows = {proof.train_windows, proof.validation_windows, proof.test_windows};
  run.leaks = !proof.holds();
}

void fit_baselines(const StudyPlan& plan, const StudyJob& job, ThreadPool& pool, StudyRun& run) {
  const FitOptions options = fit_options(plan, job);
  const SeedWindows windows = windows_of(plan, job.seed, plan.dataset().classes.size() == 2);
  take_windows(windows, run);
  BaselineOptions baseline = options.baseline;
  baseline.events = options.split.kind != SplitKind::kRandom;
  baseline.prevalence = options.prevalence;
  for (const Baseline& one : score_baselines(windows.sets, windows.folds, baseline, pool))
    run.others.emplace_back(one.name, measures_of(one.test));
}

void fit_minirocket(const StudyPlan& plan, const StudyJob& job, ThreadPool& pool, StudyRun& run) {
  const FitOptions options = fit_options(plan, job);
  const SeedWindows windows = windows_of(plan, job.seed, true);
  take_windows(windows, run);
  const ScoreOptions scoring{.events = options.split.kind != SplitKind::kRandom, .prevalence = options.prevalence};
  const Baseline found = score_minirocket(windows.sets, windows.folds.empty() ? nullptr : windows.folds.data(),
                                          {.seed = job.seed}, scoring, pool);
  run.scores = measures_of(found.test);
  run.threshold = found.threshold;
}

bool fit_gap(const StudyPlan& plan, const StudyJob& job, const std::function<bool()>& stop, ThreadPool& pool,
             StudyRun& run) {
  GapProbeOptions probe = plan.options().gap;
  probe.seed = job.seed;
  const Dataset dataset = make_gap_data(probe);
  const FitOptions options = gap_fit_options(job.arm, job.seed);
  const FitResult fit = fit_in_detail(dataset, options, pool, {.stop = stop});
  if (fit.stopped) return false;
  take_fit(fit, options, run);
  run.rate = options.train.learning_rate;
  run.data = dataset.name;
  run.split = to_string(options.split.kind);
  const std::vector<double> accuracies = gap_accuracies(fit, probe);
  for (std::size_t i = 0; i < accuracies.size(); ++i) run.scores.add(std::to_string(probe.distances[i]), accuracies[i]);
  return true;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of a whole training, from one epoch of it.
double training_seconds(const Dataset& dataset, FitOptions options) {
  const std::size_t epochs = options.train.epochs;
  options.score_test = false;
  options.train.epochs = 1;
  ThreadPool pool(1);
  const auto start = std::chrono::steady_clock::now();
  fit_in_detail(dataset, options, pool);
  return seconds_since(start) * static_cast<double>(epochs);
}

}  // namespace

double estimate_seconds(const StudyPlan& plan, const std::vector<StudyRun>& runs, std::size_t threads) {
  double trainings = 0, gaps = 0;  // that are not there yet; baselines are quick
  for (const auto& jobs : {plan.rate_jobs(), plan.jobs(plan.choose_rates(runs))})
    for (const StudyJob& job : jobs) {
      if (find_run(runs, job.key) != nullptr) continue;
      trainings += job.kind == RunKind::kRun || job.kind == RunKind::kRate ? 1 : 0;
      gaps += job.kind == RunKind::kGap ? 1 : 0;
    }
  const Arm& arm = plan.options().arms.front();
  double seconds = 0;
  if (trainings > 0)
    seconds += trainings * training_seconds(plan.dataset(), fit_options(plan, {RunKind::kRate, arm, kRateSeed, 0, {}}));
  if (gaps > 0) seconds += gaps * training_seconds(make_gap_data(plan.options().gap), gap_fit_options(arm, kRateSeed));
  return seconds / static_cast<double>(threads);
}

std::optional<StudyRun> execute(const StudyPlan& plan, const StudyJob& job, const std::function<bool()>& stop) {
  const auto start = std::chrono::steady_clock::now();
  ThreadPool pool(1);
  StudyRun run;
  run.key = job.key;
  run.settings = job.kind == RunKind::kGap ? "" : plan.settings().digest();
  run.kind = job.kind;
  run.data = plan.settings().data;
  run.split = plan.settings().split;
  run.arm = job.arm;
  run.seed = job.seed;
  bool complete = true;
  switch (job.kind) {
    case RunKind::kRun:
    case RunKind::kRate:
      complete = fit_arm(plan, job, stop, pool, run);
      break;
    case RunKind::kBaselines:
      fit_baselines(plan, job, pool, run);
      break;
    case RunKind::kMinirocket:
      fit_minirocket(plan, job, pool, run);
      break;
    case RunKind::kGap:
      complete = fit_gap(plan, job, stop, pool, run);
      break;
  }
  if (!complete) return std::nullopt;
  run.seconds = seconds_since(start);
  const BuildInfo build = build_info();
  run.program = fmt::format("{} {} {}", build.version, build.commit, instruction_set());
  return run;
}

}  // namespace faithful
