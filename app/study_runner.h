#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/study/study.h"
#include "faithful/study/worker.h"

namespace faithful::app {

// FOLDER/runs.jsonl.
std::string runs_path(const std::string& folder);

// --worker and --worker-timeout.
struct WorkerArguments {
  std::optional<FolderCrewOptions> worker;  // none: not one of several
  double time_out = FolderCrewOptions().time_out;
};
std::vector<Option> worker_option_list(WorkerArguments& arguments);

// Who runs the jobs of plans, and where finished runs are kept: this process alone, or as one of several workers.
class StudySession {
 public:
  // `folder`: for runs.jsonl; empty: nothing is kept. InputError where another process uses it.
  StudySession(const std::string& folder, std::size_t threads, const WorkerArguments& arguments);

  bool is_worker() const { return worker_ != nullptr; }
  const std::vector<StudyRun>& runs() const;  // those that are there already; of a worker none

  // Runs the jobs that are not finished yet, and shows the progress on standard error. The runs of all plans; none where
  // another worker makes the tables of them. Error where the user stopped it.
  std::optional<std::vector<StudyRun>> run(const std::vector<StudyPlan>& plans);

 private:
  std::string path_;
  std::size_t threads_;
  std::unique_ptr<RunsFile> file_;
  std::unique_ptr<StudyWorker> worker_;
  std::string name_;  // of the worker
};

}  // namespace faithful::app
