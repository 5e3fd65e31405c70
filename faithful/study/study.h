#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/crew.h"
#include "faithful/data/dataset.h"
#include "faithful/study/arm.h"
#include "faithful/study/gap_probe.h"
#include "faithful/study/run.h"
#include "faithful/study/runs_file.h"
#include "faithful/train/fit.h"

// A study trains every arm on every seed of one data set, paired, with baselines and controls. Every job has a key, a
// digest of everything that decides its result; a job whose key is already in runs.jsonl is not run again.

namespace faithful {

struct StudyOptions {
  FitOptions fit = {};  // what all arms share; encoding, scale, seeds and rate are the study's. Scaling kAuto is chosen
                        // once, on kRateSeed
  std::vector<Arm> arms = {};
  std::size_t seeds = 10;  // 1 .. seeds: each gives all arms the same split, batches and, where shapes agree, weights
  std::vector<double> rates = {1e-3, 2e-3, 4e-3};  // learning rates to choose from
  std::size_t length_factor = 0;                   // 2: also scored on windows of 2 S; 0: not
  bool minirocket = true;                          // once, on the split of the first seed
  std::size_t gap_seeds = 0;                       // seeds of the gap probe; 0: none
  GapProbeOptions gap = {};
  bool projections = true;  // measure the codes after the first projection
};

// InputError for options that are wrong for any data; StudyPlan checks them too.
FAITHFUL_API void check_study_options(const StudyOptions& options);

// The seed on which learning rates are chosen; its results are not reported.
inline constexpr std::uint64_t kRateSeed = 0;

struct StudyJob {
  RunKind kind = RunKind::kRun;
  Arm arm = {};
  std::uint64_t seed = 0;
  double rate = 0;  // 0: does not matter
  std::string key = {};
};

// The jobs of one data set.
class FAITHFUL_API StudyPlan {
 public:
  // InputError for impossible options. The data set must outlive the plan.
  StudyPlan(const Dataset& dataset, StudyOptions options);

  const StudyOptions& options() const { return options_; }
  const StudySettings& settings() const { return settings_; }
  const Dataset& dataset() const { return *dataset_; }

  // Arms that share a learning rate, by norm level.
  const std::map<std::string, std::vector<Arm>>& levels() const { return levels_; }

  // The arms that choose, at every rate: sinusoidal and dft for levels unit and matched, learned for own, else the first
  // arm of the level. Empty if there is only one rate.
  std::vector<StudyJob> rate_jobs() const;

  // For each level the rate with the best mean validation value; of equal ones, the lower.
  std::map<std::string, double> choose_rates(const std::vector<StudyRun>& finished) const;

  // All other jobs, seed by seed: a study that is stopped early is paired too.
  std::vector<StudyJob> jobs(const std::map<std::string, double>& rates) const;

  double rate_of(const Arm& arm, const std::map<std::string, double>& rates) const;

 private:
  StudyJob job(RunKind kind, const Arm& arm, std::uint64_t seed, double rate) const;
  const std::string& level_of(const Arm& arm) const;

  const Dataset* dataset_;
  StudyOptions options_;
  StudySettings settings_;
  std::map<std::string, std::vector<Arm>> levels_;
};

// SHA-256 of everything in a data set that a run depends on: names, classes, values, times and labels.
FAITHFUL_API std::string digest_of(const Dataset& dataset);

// Runs one job on one thread. The same job gives the same run, except for `seconds` and `program`; none if it was
// stopped.
FAITHFUL_API std::optional<StudyRun> execute(const StudyPlan& plan, const StudyJob& job,
                                             const std::function<bool()>& stop = {});

// The progress of a study. `runs` are in the order in which they ended.
struct StudyState {
  std::size_t jobs = 0, done = 0, reused = 0;  // done includes reused
  double seconds_left = -1;                    // from the mean of the jobs done; below 0: not known yet
  const std::vector<StudyRun>* runs = nullptr;
  const StudyRun* last = nullptr;  // the one that just ended; null at the start
};

struct StudyControl {
  std::size_t threads = 1;                                // jobs at a time; each runs on one thread
  Crew* crew = nullptr;                                   // instead of the threads of this process
  std::function<bool()> stop = {};                        // called after every training step
  std::function<void(const StudyState&)> on_change = {};  // at the start and after every job; one call at a time
};

struct StudyResult {
  std::vector<StudyRun> runs = {};  // in the order of the plan; if stopped, those that ended
  bool stopped = false;
  std::size_t reused = 0;
};

// Runs the jobs of a plan that `file` (may be null) does not have yet, and adds each when it ends. The result is the
// same for any number of threads and however often the study was stopped.
FAITHFUL_API StudyResult run_study(const StudyPlan& plan, RunsFile* file, const StudyControl& control);

// How many seconds the jobs of a plan that are not among these runs will take, from the time of one epoch of one arm.
FAITHFUL_API double estimate_seconds(const StudyPlan& plan, const std::vector<StudyRun>& runs, std::size_t threads);

// The run of this key, or null.
FAITHFUL_API const StudyRun* find_run(const std::vector<StudyRun>& runs, const std::string& key);

}  // namespace faithful
