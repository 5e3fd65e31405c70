#include "faithful/study/study.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace faithful {

namespace {

// Runs jobs on several threads, one job per thread.
class Runner {
 public:
  Runner(const StudyPlan& plan, RunsFile* file, const StudyControl& control, std::size_t expected)
      : plan_(plan), file_(file), control_(control), pool_(control.threads) {
    state_.jobs = expected;
    state_.runs = &runs_;
  }

  // Reuses the runs of the file and runs the other jobs. False: stopped.
  bool run(const std::vector<StudyJob>& jobs) {
    std::vector<const StudyJob*> left;
    for (const StudyJob& job : jobs) {
      const StudyRun* known = file_ == nullptr ? nullptr : find_run(file_->runs(), job.key);
      if (known == nullptr) {
        left.push_back(&job);
      } else if (find_run(runs_, job.key) == nullptr) {
        runs_.push_back(*known);
        ++state_.reused;
        ++state_.done;
      }
    }
    report(nullptr);
    pool_.run(left.size(), [&](std::size_t i) { work_on(*left[i]); });
    return !stopped_;
  }

  const std::vector<StudyRun>& runs() const { return runs_; }
  std::size_t reused() const { return state_.reused; }

 private:
  bool asked_to_stop() {
    if (control_.stop && control_.stop()) stopped_ = true;
    return stopped_;
  }

  void work_on(const StudyJob& job) {
    if (asked_to_stop()) return;
    std::optional<StudyRun> run = execute(plan_, job, [&] { return asked_to_stop(); });
    if (!run) return;
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) file_->add(*run);
    // Read back as from the file, so that new runs are equal to reused ones.
    runs_.push_back(parse_run(parse_json(dump_json(to_json(*run)), "run"), "run"));
    ++state_.done;
    spent_ += run->seconds;
    const std::size_t fresh = state_.done - state_.reused;
    state_.seconds_left = spent_ / static_cast<double>(fresh) * static_cast<double>(state_.jobs - state_.done) /
                          static_cast<double>(pool_.size());
    report(&runs_.back());
  }

  void report(const StudyRun* last) {
    state_.last = last;
    if (control_.on_change) control_.on_change(state_);
  }

  const StudyPlan& plan_;
  RunsFile* file_;
  const StudyControl& control_;
  ThreadPool pool_;
  std::mutex mutex_;
  std::atomic<bool> stopped_{false};
  std::vector<StudyRun> runs_;
  StudyState state_;
  double spent_ = 0;
};

}  // namespace

StudyResult run_study(const StudyPlan& plan, RunsFile* file, const StudyControl& control) {
  if (file != nullptr) file->use_settings(plan.settings());
  std::vector<StudyJob> jobs = plan.rate_jobs();
  // The number of jobs does not depend on the rates.
  Runner runner(plan, file, control, jobs.size() + plan.jobs(plan.choose_rates({})).size());
  bool complete = runner.run(jobs);
  if (complete) {
    const std::vector<StudyJob> rest = plan.jobs(plan.choose_rates(runner.runs()));
    complete = runner.run(rest);
    jobs.insert(jobs.end(), rest.begin(), rest.end());
  }
  StudyResult result{.stopped = !complete, .reused = runner.reused()};
  for (const StudyJob& job : jobs)
    if (const StudyRun* run = find_run(runner.runs(), job.key)) result.runs.push_back(*run);
  return result;
}

}  // namespace faithful
