#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/study/arm.h"
#include "faithful/study/gap_probe.h"
#include "faithful/study/run.h"
#include "faithful/study/runs_file.h"
#include "faithful/train/fit.h"

// A study: arms x seeds on one data set, paired, with everything that must stand beside the scores. Every finished
// piece of work has a key of all that decides about it; what has been done before under the same key is not done again.

namespace faithful {

struct StudyOptions {
  FitOptions fit = {};  // what all arms share; encoding, scale, seeds and rate are the study's
  std::vector<Arm> arms = {};
  std::size_t seeds = 10;  // 1 .. seeds: each gives every arm the same split, batches and, where shapes agree, weights
  std::vector<double> rates = {1e-3, 2e-3, 4e-3};  // learning rates to choose from; one: it is taken
  std::size_t length_factor = 0;                   // 2: also scored on windows of 2 S; 0: not
  bool minirocket = true;                          // once, on the split of the first seed
  std::size_t gap_seeds = 0;                       // seeds of the gap probe; 0: none
  GapProbeOptions gap = {};
  bool projections = true;  // measure what the first projection has made of the codes
};

// InputError for what is wrong whatever the data; StudyPlan asks it too.
FAITHFUL_API void check_study_options(const StudyOptions& options);

// The seed on which learning rates are chosen; no result of it is reported.
inline constexpr std::uint64_t kRateSeed = 0;

// One piece of work.
struct StudyJob {
  RunKind kind = RunKind::kRun;
  Arm arm = {};
  std::uint64_t seed = 0;
  double rate = 0;  // 0: does not matter
  std::string key = {};
};

// What is to be done with one data set, and the names of it all.
class FAITHFUL_API StudyPlan {
 public:
  // InputError where the options are impossible. The data set must outlive it.
  StudyPlan(const Dataset& dataset, StudyOptions options);

  const StudyOptions& options() const { return options_; }
  const StudySettings& settings() const { return settings_; }
  const Dataset& dataset() const { return *dataset_; }

  // Arms that share a learning rate, by the name of their norm level.
  const std::map<std::string, std::vector<Arm>>& levels() const { return levels_; }

  // For every level the arms that choose, at every rate: sinusoidal and dft at norms unit and matched, learned for
  // "own", else the first arm. Empty where there is one rate.
  std::vector<StudyJob> rate_jobs() const;

  // The rate of each level with the best mean validation value among finished rate jobs; of equal ones, the lower.
  std::map<std::string, double> choose_rates(const std::vector<StudyRun>& finished) const;

  // Everything else: seed by seed, all arms of a seed beside each other, so that a part of it is paired too.
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

// Does one job on one thread. The same job gives the same run but for `seconds` and `program`; none where it was
// stopped.
FAITHFUL_API std::optional<StudyRun> execute(const StudyPlan& plan, const StudyJob& job,
                                             const std::function<bool()>& stop = {});

// How far a study is. `runs` are in the order in which they ended.
struct StudyState {
  std::size_t jobs = 0, done = 0, reused = 0;  // done: with those reused
  double seconds_left = -1;                    // by the mean of what ended so far; below 0: not known yet
  const std::vector<StudyRun>* runs = nullptr;
  const StudyRun* last = nullptr;  // the one that ended now; null at the start
};

struct StudyControl {
  std::size_t threads = 1;          // jobs at a time; each runs on one thread, which uses all cores best
  std::function<bool()> stop = {};  // asked after every step of every training
  std::function<void(const StudyState&)> on_change = {};  // at the start and after every job; one call at a time
};

struct StudyResult {
  std::vector<StudyRun> runs = {};  // in the order of the plan; where it was stopped, those that ended
  bool stopped = false;
  std::size_t reused = 0;
};

// Does all jobs of a plan that `file` (may be null) has not got yet, and adds each to it when it ends. The same result
// for any number of threads and however often it was stopped.
FAITHFUL_API StudyResult run_study(const StudyPlan& plan, RunsFile* file, const StudyControl& control);

// How many seconds the jobs of a plan that are not among these runs will take on so many threads, by the time of one
// epoch of one arm.
FAITHFUL_API double estimate_seconds(const StudyPlan& plan, const std::vector<StudyRun>& runs, std::size_t threads);

// The run of this key, or null.
FAITHFUL_API const StudyRun* find_run(const std::vector<StudyRun>& runs, const std::string& key);

}  // namespace faithful
