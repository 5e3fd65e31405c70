#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/model_arguments.h"
#include "app/pages/study_page.h"
#include "app/study_runner.h"
#include "app/study_tables.h"
#include "app/training_arguments.h"
#include "app/verbs.h"
#include "faithful/base/error.h"

namespace faithful::app {

namespace {

struct CompareOptions {
  std::vector<std::string> data_paths;
  DataArguments data;
  ModelArguments model;
  TrainingArguments training = {.stride = 50, .train = {.epochs = 20}};
  std::vector<std::string> encodings = {"sinusoidal", "dft", "none"};
  std::vector<std::string> scales = {"as-defined"};
  std::size_t seeds = 10;
  std::vector<double> rates = {1e-3, 2e-3, 4e-3};
  std::size_t gap_seeds = 3;
  std::string length_test;
  double prevalence = 0;  // percent
  bool null_arm = false, no_minirocket = false, finished = false, json = false;
  std::string output;
  std::size_t threads = default_threads();
};

// `none` must stand in every table: what an encoding is good for is seen beside it.
std::vector<Arm> arms_of(const CompareOptions& said) {
  std::vector<std::string> encodings = said.encodings;
  if (std::ranges::find(encodings, "none") == encodings.end()) encodings.emplace_back("none");
  std::vector<Arm> arms = make_arms(encodings, said.scales);
  if (said.null_arm) {
    Arm again = arms.front();
    for (const Arm& arm : arms)
      if (arm.encoding == "sinusoidal" && again.encoding != "sinusoidal") again = arm;
    again.again = true;
    arms.push_back(again);
  }
  return arms;
}

StudyOptions study_options(const CompareOptions& said, const Dataset& dataset, const std::vector<Arm>& arms) {
  StudyOptions options;
  options.fit.model = resolved(said.model);
  apply_to(said.training, dataset, options.fit);
  options.fit.prevalence = said.prevalence / 100;
  options.arms = arms;
  options.seeds = said.seeds;
  options.rates = said.rates;
  options.gap_seeds = std::min(said.gap_seeds, said.seeds);
  options.length_factor = said.length_test.empty() ? 0 : static_cast<std::size_t>(said.length_test.front() - '0');
  options.minirocket = !said.no_minirocket;
  return options;
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

// What is there of several studies; nothing is trained.
std::vector<StudyRun> load_finished(const CompareOptions& said) {
  std::vector<StudyRun> runs;
  for (const std::string& path : said.data_paths) {
    const std::string file = std::filesystem::is_directory(path) ? in_folder(path, kRunsName) : path;
    if (!std::filesystem::exists(file)) reject({{path}, "a folder with runs.jsonl, or such a file", "none"});
    LoadedRuns loaded = load_runs(file);
    notice(loaded.notice);
    for (StudyRun& run : loaded.runs) {
      const bool wanted = said.training.split.empty() || run.kind == RunKind::kGap || run.split == said.training.split;
      if (wanted && find_run(runs, run.key) == nullptr) runs.push_back(std::move(run));
    }
  }
  const auto is_run = [](const StudyRun& run) { return run.kind == RunKind::kRun; };
  if (std::ranges::none_of(runs, is_run)) reject({{said.data_paths.front()}, "finished runs", "none"});
  return runs;
}

// Trains what is not there yet, data set by data set.
std::vector<StudyRun> run_all(const CompareOptions& said) {
  const std::vector<Arm> arms = arms_of(said);
  std::vector<Dataset> datasets;
  std::vector<StudyPlan> plans;
  datasets.reserve(said.data_paths.size());  // plans point to them
  for (const std::string& path : said.data_paths) {
    datasets.push_back(load_dataset(path, said.data));
    for (const std::string& note : datasets.back().notes) notice(note);
    plans.emplace_back(datasets.back(), study_options(said, datasets.back(), arms));
  }
  std::unique_ptr<RunsFile> file;
  if (!said.output.empty()) {
    make_page_folder(said.output);
    file = std::make_unique<RunsFile>(in_folder(said.output, kRunsName));
    notice(file->notice());
  }
  return run_plans(plans, file.get(), said.threads);
}

void compare(const CompareOptions& said) {
  const StudyReport report = make_report(said.finished ? load_finished(said) : run_all(said));
  std::string path;
  if (!said.output.empty()) {
    const WrittenStudy written = write_study_page(said.output, report);
    notice(written.problem);
    path = written.path;
  }
  print(said.json ? dump_json(report_json(report), JsonLayout::kPretty) : report_text(report));
  if (!said.json && !path.empty()) print("\n" + path + "\n");
}

std::vector<Option> study_option_list(CompareOptions& o) {
  return {
      {.name = "--encodings",
       .target = &o.encodings,
       .value = "NAMES",
       .help = "what is compared; none is always there too; dft:unit is dft at that scale alone"},
      {.name = "--seeds",
       .target = &o.seeds,
       .value = "N",
       .help = "1 to N, each with a split of its own for all arms; a verdict takes 10",
       .at_least = 1,
       .at_most = 10'000},
      {.name = "--scale",
       .target = &o.scales,
       .value = "LIST",
       .help = "of encodings that are added: as-defined, unit (RMS norm 1), matched (sqrt(D/2)), a factor, decaying"},
      {.name = "--rates",
       .target = &o.rates,
       .value = "LIST",
       .help = "learning rates to choose from, once per norm level, by validation on a seed that is not reported"},
      {.name = "--length-test",
       .target = &o.length_test,
       .value = "2S",
       .help = "score the trained models on windows of several times the length, too",
       .choices = {"2S", "3S", "4S"}},
      {.name = "--gap-seeds",
       .target = &o.gap_seeds,
       .value = "N",
       .help = "seeds of the gap probe (which of two events came first); 0: none"},
      {.name = "--prevalence",
       .target = &o.prevalence,
       .value = "PERCENT",
       .help = "of class 1, to which test scores are reweighted; 0: as the test part has it",
       .at_least = 0,
       .at_most = 99},
      {.name = "--null",
       .target = &o.null_arm,
       .help = "add the original encoding again, with other seeds on the same splits: what chance alone does"},
      {.name = "--no-minirocket", .target = &o.no_minirocket, .help = "leave out MiniRocket-style features"},
      {.name = "--finished",
       .target = &o.finished,
       .help = "train nothing: DATA are folders with runs.jsonl, and all of their runs are shown"},
      {.name = "-o,--output",
       .target = &o.output,
       .value = "DIR",
       .help = "folder for runs.jsonl (finished runs are kept and reused), the page, tables and figures"},
      {.name = "--json", .target = &o.json, .help = "print every number as JSON"},
      threads_option(o.threads)};
}

}  // namespace

Command compare_verb() {
  const auto options = std::make_shared<CompareOptions>();
  std::vector<Option> list = {{.name = "DATA",
                               .target = &options->data_paths,
                               .help = "files or folders with labels, such as faithful data info reads",
                               .required = true}};
  for (const std::vector<Option>& more :
       {study_option_list(*options), model_option_list(options->model), window_option_list(options->training),
        schedule_option_list(options->training), data_option_list(options->data)}) {
    for (const Option& option : more) {
      const bool ours = std::ranges::any_of(list, [&](const Option& known) { return known.name == option.name; });
      if (!ours && option.name != "--encoding" && option.name != "--rate") list.push_back(option);
    }
  }
  return {
      .name = "compare",
      .summary = "trains every encoding on the same seeds, and says which differences are shown",
      .description =
          "Trains each encoding on each seed; seed i gives every arm the same split, batches and, where shapes agree, "
          "start values, so that differences are paired. Ends with a table of means and intervals, the paired "
          "differences to the original encoding, trivial answers and baselines beside them, and one sentence per "
          "comparison. Runs use all cores, one each; finished ones are kept in the output folder, so that a stopped "
          "comparison goes on. The same seeds give the same table.",
      .options = list,
      .examples =
          {{"faithful compare MSL --encodings sinusoidal,dft,none --seeds 10 -o msl", "with all defaults"},
           {"faithful compare SMD --stride 100 --encodings none,sinusoidal,dft,haar,onehot --scale unit,matched "
            "-o smd",
            "form and norm apart"},
           {"faithful compare --finished msl smd -o both", "one page from the runs of two studies"}},
      .run = [options] { compare(*options); }};
}

}  // namespace faithful::app
