#pragma once

#include <memory>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/io/folder_crew.h"
#include "faithful/study/run.h"
#include "faithful/study/runs_file.h"

namespace faithful {

// One of several processes, on any machines, that run the jobs of a study together, through the folder of runs.jsonl:
//
//   StudyWorker worker("out/runs.jsonl", {.number = 2, .of = 3});
//   worker.use_settings(plan.settings());
//   const StudyResult result = run_study(plan, nullptr, {.crew = &worker.crew()});
//   if (worker.finish(result.runs)) ...            // this process makes the tables
//
// A finished run is a file of its own in the folder `workers`, until all are finished. Then one process moves them into
// runs.jsonl. Whatever dies, the next worker, or the next RunsFile, goes on with every finished run.
class FAITHFUL_API StudyWorker {
 public:
  // InputError while a process has the file alone.
  StudyWorker(const std::string& runs_path, const FolderCrewOptions& options);
  ~StudyWorker();

  Crew& crew();

  // As RunsFile's. The settings of the other workers count, too.
  void use_settings(const StudySettings& settings);

  // Sees to it that all runs are in runs.jsonl. False where another process did that.
  bool finish(const std::vector<StudyRun>& runs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace faithful
