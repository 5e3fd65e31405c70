#include "app/study_runner.h"

#include <cstdio>

#include <fmt/format.h>

#include "app/interrupt.h"
#include "app/live_study.h"
#include "faithful/base/error.h"

namespace faithful::app {

void notice(const std::string& text) {
  if (!text.empty()) std::fprintf(stderr, "faithful: %s\n", text.c_str());
}

std::vector<StudyRun> run_plans(const std::vector<StudyPlan>& plans, RunsFile* file, std::size_t threads) {
  const StopOnInterrupt interrupt;
  std::vector<StudyRun> runs;
  for (const StudyPlan& plan : plans) {
    LiveStudy live(plan.settings().data, plan.options().arms, plan.options().seeds);
    const StudyControl control{.threads = threads,
                               .stop = StopOnInterrupt::asked,
                               .on_change = [&](const StudyState& state) { live.show(state); }};
    const StudyResult result = run_study(plan, file, control);
    if (result.stopped)
      throw Error(file != nullptr
                      ? fmt::format("stopped; what is finished is in {}: the same command goes on", file->path())
                      : "stopped; nothing is kept without -o");
    for (const StudyRun& run : result.runs)
      if (find_run(runs, run.key) == nullptr) runs.push_back(run);  // the gap probe is the same for all data sets
  }
  return runs;
}

}  // namespace faithful::app
