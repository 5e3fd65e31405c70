#include "faithful/study/study.h"

#include "core.h"
#include "faithful/base/error.h"
#include "faithful/study/statistics.h"
#include "interrupts.h"
#include "train.h"

namespace faithful::python {

namespace {

// What Python says, else what `faithful compare` starts from.
StudyOptions study_options_of(const Dataset& dataset, const py::dict& said) {
  StudyOptions options;
  options.fit.model = preset(said["preset"].cast<std::string>());
  options.fit.train.epochs = said["epochs"].cast<std::size_t>();
  take_fit_parts(options.fit, said);
  take_suggested_split(options.fit, dataset, said);
  options.fit.prevalence = said["prevalence"].cast<double>() / 100;
  options.arms =
      make_arms(said["encodings"].cast<std::vector<std::string>>(), said["scales"].cast<std::vector<std::string>>());
  options.seeds = said["seeds"].cast<std::size_t>();
  options.rates = said["rates"].cast<std::vector<double>>();
  options.gap_seeds = said["gap_seeds"].cast<std::size_t>();
  options.minirocket = said["minirocket"].cast<bool>();
  return options;
}

// The runs of one data set after the other; a run that two of them share, such as the gap probe, once.
std::vector<StudyRun> run_all(const std::vector<StudyPlan>& plans, RunsFile* file, std::size_t threads,
                              Interrupts& interrupts) {
  std::vector<StudyRun> runs;
  for (const StudyPlan& plan : plans) {
    const StudyResult result =
        run_study(plan, file, {.threads = threads, .stop = [&] { return interrupts.pending(); }});
    if (result.stopped) break;
    for (const StudyRun& run : result.runs)
      if (find_run(runs, run.key) == nullptr) runs.push_back(run);
  }
  return runs;
}

// What `faithful compare --json` prints, and the runs that it follows from, an object each.
py::tuple compare(const std::vector<std::shared_ptr<Dataset>>& datasets, const py::dict& said, const std::string& path,
                  std::size_t threads) {
  std::vector<StudyPlan> plans;
  for (const auto& dataset : datasets) plans.emplace_back(*dataset, study_options_of(*dataset, said));
  Interrupts interrupts;
  std::string report;
  std::vector<std::string> lines;
  {
    const py::gil_scoped_release free;
    std::optional<RunsFile> file;
    if (!path.empty()) file.emplace(path);
    const std::vector<StudyRun> runs = run_all(plans, file ? &*file : nullptr, threads, interrupts);
    if (!interrupts.pending()) {
      report = dump_json(to_json(make_report(runs)));
      for (const StudyRun& run : runs) lines.push_back(dump_json(to_json(run)));
    }
  }
  interrupts.raise();
  return py::make_tuple(report, lines);
}

}  // namespace

void bind_study(py::module_& module) {
  module.def("compare", &compare);
}

}  // namespace faithful::python
