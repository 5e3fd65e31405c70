#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/job.h"
#include "faithful/study/study.h"
#include "faithful/study/worker.h"

namespace faithful::app {

// FOLDER/runs.jsonl.
std::string runs_path(const std::string& folder);

// --worker and --worker-timeout.
struct WorkerArguments {
  std::optional<FolderCrewOptions> worker;  // none: not one of several
  std::string said;                         // --worker: empty by default
  double time_out = FolderCrewOptions().time_out;
};
std::vector<Option> worker_option_list(WorkerArguments& arguments);

// Joins the ranks that mpirun or srun has started; null for a worker, which needs none.
Ranks* join_study(const WorkerArguments& arguments);

// Who runs the jobs of plans, and where finished runs are kept: this process alone, one of several workers, or the ranks
// of a job, of which rank 0 alone writes and prints.
class StudySession {
 public:
  // `folder`: for runs.jsonl; empty: nothing is kept. `ranks` may be null. InputError where another process uses it.
  StudySession(const std::string& folder, std::size_t threads, const WorkerArguments& arguments, Ranks* ranks);

  bool shows_estimate() const { return worker_ == nullptr && !is_silent(); }
  std::size_t trainings_at_once() const { return crew_->size(); }
  const std::vector<StudyRun>& runs() const;  // those that are there already; of a worker none

  // Runs the jobs that are not finished yet, and shows the progress on standard error. The runs of all plans; none where
  // another process makes the tables of them. Error where the user stopped it.
  std::optional<std::vector<StudyRun>> run(const std::vector<StudyPlan>& plans);

 private:
  std::string path_;
  std::unique_ptr<RunsFile> file_;
  std::unique_ptr<StudyWorker> worker_;
  std::unique_ptr<Crew> own_crew_;  // where this is no worker
  Crew* crew_ = nullptr;
  std::string name_;  // of the worker
};

}  // namespace faithful::app
