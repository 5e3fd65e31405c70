#include "faithful/study/study.h"

#include <algorithm>

namespace faithful {

namespace {

// Has a crew run the jobs, and keeps their runs.
class Runner {
 public:
  Runner(const StudyPlan& plan, RunsFile* file, const StudyControl& control, Crew& crew, std::size_t expected)
      : plan_(plan), file_(file), control_(control), crew_(crew) {
    state_.jobs = expected;
    state_.runs = &runs_;
  }

  // Reuses the runs of the file and has the other jobs run. False: stopped.
  bool run(const std::vector<StudyJob>& jobs) {
    Tasks tasks;
    for (const StudyJob& job : jobs) {
      const StudyRun* known = file_ == nullptr ? nullptr : find_run(file_->runs(), job.key);
      tasks.list.push_back({job.key, known == nullptr ? crew_.find_finished(job.key) : dump_json(to_json(*known))});
      if (!tasks.list.back().known) continue;
      runs_.push_back(parse_run(parse_json(*tasks.list.back().known, "run"), "run"));
      ++state_.reused;
      ++state_.done;
    }
    report(nullptr);
    tasks.stop = control_.stop;
    tasks.run = [&](std::size_t i, const std::function<bool()>& stop) -> std::optional<std::string> {
      const std::optional<StudyRun> run = execute(plan_, jobs[i], stop);
      return run ? std::optional(dump_json(to_json(*run))) : std::nullopt;
    };
    tasks.take = [&](std::size_t i, const std::string& line) {
      if (!tasks.list[i].known) take(line);
    };
    return crew_.run(tasks);
  }

  const std::vector<StudyRun>& runs() const { return runs_; }
  std::size_t reused() const { return state_.reused; }

 private:
  // New runs are read back from their lines, so that they are equal to reused ones.
  void take(const std::string& line) {
    runs_.push_back(parse_run(parse_json(line, "run"), "run"));
    const StudyRun& run = runs_.back();
    if (file_ != nullptr) file_->add(run);
    ++state_.done;
    spent_ += run.seconds;
    const std::size_t fresh = state_.done - state_.reused;
    state_.seconds_left = spent_ / static_cast<double>(fresh) * static_cast<double>(state_.jobs - state_.done) /
                          static_cast<double>(crew_.size());
    report(&run);
  }

  void report(const StudyRun* last) {
    state_.last = last;
    if (control_.on_change) control_.on_change(state_);
  }

  const StudyPlan& plan_;
  RunsFile* file_;
  const StudyControl& control_;
  Crew& crew_;
  std::vector<StudyRun> runs_;
  StudyState state_;
  double spent_ = 0;
};

}  // namespace

StudyResult run_study(const StudyPlan& plan, RunsFile* file, const StudyControl& control) {
  if (file != nullptr) file->use_settings(plan.settings());
  ThreadCrew own(control.crew == nullptr ? control.threads : 1);
  Crew& crew = control.crew == nullptr ? own : *control.crew;
  std::vector<StudyJob> jobs = plan.rate_jobs();
  // The number of jobs does not depend on the rates.
  Runner runner(plan, file, control, crew, jobs.size() + plan.jobs(plan.choose_rates({})).size());
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
