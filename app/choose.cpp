#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/encoding_choice.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/model_arguments.h"
#include "app/study_runner.h"
#include "app/training_arguments.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/io/folder_crew.h"
#include "faithful/io/json.h"
#include "faithful/ranks/rank_crew.h"

namespace faithful::app {

namespace {

struct ChooseVerbOptions {
  std::string data_path;
  ReadOptions data;
  ModelConfig model = default_fit_options().model;
  TrainingArguments training = {.split = default_fit_options().split, .train = default_fit_options().train};
  ChooseOptions choose;
  std::size_t seed = 1;
  bool json = false;
  std::string output;
  std::size_t threads = threads_of_rank();
  WorkerArguments worker;
};

// Trainings of workers are kept in no other place than their folder.
class NothingElse final : public KeptResults {
 public:
  void refresh() override {}
  std::optional<std::string> find(const std::string& /*name*/) override { return std::nullopt; }
};

// Who runs the trainings, if not the threads of this process alone, and where finished ones are kept.
std::unique_ptr<Crew> make_crew(const ChooseVerbOptions& said, Ranks* ranks, KeptResults& kept) {
  if (said.worker.worker && said.output.empty())
    reject({{.field = "worker"}, fmt::format("a folder that all workers see: {}", field_text("output")), "none"});
  const std::string folder = said.output.empty() ? "" : (std::filesystem::path(said.output) / "trainings").string();
  if (said.worker.worker) {
    FolderCrewOptions options = *said.worker.worker;
    options.threads = said.threads;
    options.time_out = said.worker.time_out;
    return std::make_unique<FolderCrew>(folder, options, kept);
  }
  std::unique_ptr<Crew> crew;
  if (ranks != nullptr && !ranks->is_alone())
    crew = std::make_unique<RankCrew>(*ranks, said.threads);
  else if (!folder.empty())
    crew = std::make_unique<ThreadCrew>(said.threads);
  if (folder.empty() || is_silent()) return crew;
  return std::make_unique<KeepingCrew>(std::move(crew), folder);
}

void choose(const ChooseVerbOptions& said) {
  Ranks* ranks = join_study(said.worker);
  NothingElse kept;
  const std::unique_ptr<Crew> crew = make_crew(said, ranks, kept);
  const Dataset dataset = read_dataset(said.data_path, said.data);
  for (const std::string& note : dataset.notes) notice(note);
  ChooseOptions options = said.choose;
  options.fit.kind = ModelKind::kTransformer;
  options.fit.model = said.model;
  apply_to(said.training, dataset, options.fit);
  options.fit.split.seed = options.fit.train.seed = said.seed;
  ThreadPool pool(said.threads);
  const StopOnInterrupt stop;
  const EncodingChoice choice =
      choose_encoding(dataset, options, pool, {.stop = StopOnInterrupt::asked, .progress = true}, crew.get());
  print(said.json ? dump_json(to_json(choice), JsonLayout::kPretty) : choice_text(choice));
}

std::vector<Option> choose_option_list(ChooseVerbOptions& o) {
  const std::vector<Option> study = {
      {"DATA", &o.data_path, "a file or folder with labels, such as faithful data info reads", required},
      {"--encodings NAMES", &o.choose.encodings, "encodings to try; that of the model is always among them", common},
      {"--minutes X", &o.choose.minutes, "how long it may take; trainings are shortened so that all folds end in time",
       common},
      {"--repeats N", &o.choose.repeats, "how often the folds are repeated with other seeds, while there is time",
       between(1, 1000)},
      {"--seed N", &o.seed, "seed of folds, start values, batches and dropout", common}};
  const std::vector<Option> output = {
      {"-o,--output DIR", &o.output, "folder that keeps finished trainings: the same command continues", common},
      {"--json", &o.json, "print every number as JSON", common}};
  std::vector<Option> training = joined({data_option_list(o.data), window_option_list(o.training),
                                         model_option_list(o.model, "standard"), schedule_option_list(o.training)});
  for (Option& option : training) {
    if (option.name == "--encoding") option.help = "the encoding that is kept unless another is shown to be better";
    if (option.name == "--preset") {
      option.set = [&o, set = option.set](const std::string& text) {
        set(text);
        o.training.train = train_preset(text);
      };
    }
  }
  std::erase_if(training, [](const Option& option) { return option.long_name() == "--folds"; });
  const std::vector<Option> folds = {
      {"--folds N", &o.choose.folds, "folds of the training part", between(2, 1000), common}};
  return joined({grouped("Choice", joined({study, folds})),
                 training,
                 grouped("Output", output),
                 {threads_option(o.threads)},
                 worker_option_list(o.worker)});
}

}  // namespace

Command choose_verb() {
  const auto options = std::make_shared<ChooseVerbOptions>();
  return {
      .name = "choose",
      .summary = "finds the encoding that suits a data set",
      .description =
          "Trains a Transformer with each encoding on the same folds of the training part, one training on each thread, "
          "until the time is over. Prints the mean scores, their differences from the model's own encoding with "
          "intervals for overlapping training parts (Nadeau and Bengio 2003), p-values by Holm's correction, and one "
          "sentence. The test part is not used. faithful train --encoding auto does the same, and then trains.",
      .options = choose_option_list(*options),
      .examples = {{"faithful choose BasicMotions", "seven encodings, at most ten minutes"},
                   {"faithful choose pump.csv --label broken --encodings none,spectral --minutes 3",
                    "two against the default"}},
      .run = [options] { choose(*options); },
      .takes_ranks = true};
}

}  // namespace faithful::app
