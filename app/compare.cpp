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
  ReadOptions data;
  ModelConfig model = preset("small");
  TrainingArguments training = {.train = {.epochs = 20}};
  std::vector<std::string> encodings = {"sinusoidal", "dft", "none"};
  std::vector<std::string> scales = {"as-defined"};
  std::size_t seeds = 10;
  std::vector<double> rates = {1e-3, 2e-3, 4e-3};
  std::size_t gap_seeds = 3;
  std::string length_test;
  double prevalence = 0;  // percent
  bool null_arm = false, no_minirocket = false, finished = false, json = false;
  std::string output;
  std::size_t threads = threads_of_rank();
  WorkerArguments worker;
};

// Every table has `none`: beside it one sees what an encoding is worth.
std::vector<Arm> arms_of(const CompareOptions& said) {
  std::vector<std::string> encodings = said.encodings;
  if (std::ranges::find(encodings, "none") == encodings.end()) encodings.emplace_back("none");
  std::vector<Arm> arms = make_arms(encodings, said.scales);
  if (said.null_arm) {
    const auto original = std::ranges::find(arms, "sinusoidal", &Arm::encoding);
    Arm again = original == arms.end() ? arms.front() : *original;
    again.again = true;
    arms.push_back(again);
  }
  return arms;
}

StudyOptions study_options(const CompareOptions& said, const Dataset& dataset, const std::vector<Arm>& arms) {
  StudyOptions options;
  options.fit.model = said.model;
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

// The finished runs of several studies.
std::vector<StudyRun> load_finished(const CompareOptions& said) {
  std::vector<StudyRun> runs;
  for (const std::string& path : said.data_paths) {
    const std::string file = std::filesystem::is_directory(path) ? runs_path(path) : path;
    if (!std::filesystem::exists(file)) reject({{path}, "a folder with runs.jsonl, or a file of runs", "none"});
    LoadedRuns loaded = load_worker_runs(file);  // first: they may move into the file at any time
    LoadedRuns own = load_runs(file);
    notice(own.notice);
    std::ranges::move(own.runs, std::back_inserter(loaded.runs));
    for (StudyRun& run : loaded.runs) {
      const bool wanted =
          !said.training.split_said || run.kind == RunKind::kGap || run.split == to_string(said.training.split.kind);
      if (wanted && find_run(runs, run.key) == nullptr) runs.push_back(std::move(run));
    }
  }
  if (std::ranges::find(runs, RunKind::kRun, &StudyRun::kind) == runs.end())
    reject({{said.data_paths.front()}, "finished runs", "none"});
  return runs;
}

// Runs the jobs that are not finished yet, data set by data set. None where another worker makes the tables.
std::optional<std::vector<StudyRun>> run_all(const CompareOptions& said) {
  Ranks* ranks = join_study(said.worker);
  const std::vector<Arm> arms = arms_of(said);
  std::vector<Dataset> datasets;
  std::vector<StudyPlan> plans;
  datasets.reserve(said.data_paths.size());  // plans point to them
  for (const std::string& path : said.data_paths) {
    check_output_apart(said.output, path, said.data);
    datasets.push_back(read_dataset(path, said.data));
    for (const std::string& note : datasets.back().notes) notice(note);
    plans.emplace_back(datasets.back(), study_options(said, datasets.back(), arms));
  }
  return StudySession(said.output, said.threads, said.worker, ranks).run(plans);
}

void compare(const CompareOptions& said) {
  if (said.finished) refuse_ranks("--finished");
  if (said.finished && said.worker.worker)
    reject({{.field = "worker"}, fmt::format("runs to train, without {}", field_text("finished")), "both"});
  const std::optional<std::vector<StudyRun>> runs = said.finished ? load_finished(said) : run_all(said);
  if (!runs) return;
  const StudyReport report = make_report(*runs);
  std::string path;
  if (!said.output.empty()) path = write_study_page(said.output, report);
  print(said.json ? dump_json(to_json(report), JsonLayout::kPretty) : report_text(report));
  if (!said.json && !path.empty()) print("\n" + path + "\n");
}

std::vector<Option> study_option_list(CompareOptions& o) {
  const std::vector<Option> study = {
      {"DATA", &o.data_paths, "labelled data sets: files or folders that faithful data info reads", required},
      {"--encodings NAMES", &o.encodings,
       "encodings to compare; none is always added; dft:unit means dft only at scale unit", common},
      {"--seeds N", &o.seeds, "number of seeds; each gives all encodings the same split; a verdict needs 10",
       between(1, 10'000), common},
      {"--scale LIST", &o.scales,
       "scales of added encodings: as-defined, unit (RMS norm 1), matched (sqrt(D/2)), decaying or a factor", common},
      {"--rates LIST", &o.rates, "learning rates to try; validation on an extra seed chooses one per norm level",
       common},
      {"--length-test 2S", &o.length_test, "also score the trained models on windows of 2, 3 or 4 times the length",
       one_of({"2S", "3S", "4S"})},
      {"--gap-seeds N", &o.gap_seeds, "seeds of the gap probe (which of two events came first?); 0: no probe"},
      {"--prevalence PERCENT", &o.prevalence,
       "reweight test scores to this share of the positive class; 0: do not reweight", between(0, 99)},
      {"--null", &o.null_arm, "add the original encoding again with other seeds, to show differences by chance"},
      {"--no-minirocket", &o.no_minirocket, "leave out the baseline with MiniRocket-style features"},
      {"--finished", &o.finished, "train nothing: DATA are folders with runs.jsonl; show all their runs", common}};
  const std::vector<Option> output = {
      {"-o,--output DIR", &o.output,
       "folder for the page, tables, figures and runs.jsonl; finished runs in it are reused", common},
      {"--json", &o.json, "print every number as JSON", common}};
  // Here --encodings, --scale and --rates are lists, in place of the single values of train.
  std::vector<Option> training = joined({data_option_list(o.data), window_option_list(o.training),
                                         model_option_list(o.model, "small"), schedule_option_list(o.training)});
  std::erase_if(training, [](const Option& option) {
    const std::string name = option.long_name();
    return name == "--encoding" || name == "--scale" || name == "--learning-rate";
  });
  return joined({grouped("Study", study),
                 training,
                 grouped("Output", output),
                 {threads_option(o.threads)},
                 worker_option_list(o.worker)});
}

}  // namespace

Command compare_verb() {
  const auto options = std::make_shared<CompareOptions>();
  return {
      .name = "compare",
      .summary = "trains several encodings on the same seeds and shows which differ",
      .description =
          "Trains each encoding on each seed. A seed gives all encodings the same split, batches and, where shapes "
          "agree, initial weights, so that differences are paired. Prints the scores with intervals, the baselines, the "
          "paired differences from the original encoding and one sentence per comparison. Every run takes one thread. "
          "With --output, finished runs are kept: the same command continues after a stop. The same seeds give the "
          "same tables.",
      .options = study_option_list(*options),
      .examples = {{"faithful compare MSL --encodings sinusoidal,dft,none --seeds 10 -o msl",
                    "three encodings, ten seeds"},
                   {"faithful compare SMD --stride 100 --encodings sinusoidal,dft,onehot --scale unit,matched -o smd",
                    "each encoding at two norms"},
                   {"faithful compare --finished msl smd -o both", "one page from the runs of two studies"}},
      .run = [options] { compare(*options); },
      .takes_ranks = true};
}

}  // namespace faithful::app
