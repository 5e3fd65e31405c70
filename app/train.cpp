#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/encoding_choice.h"
#include "app/evaluation_tables.h"
#include "app/interrupt.h"
#include "app/job.h"
#include "app/model_arguments.h"
#include "app/training_arguments.h"
#include "app/used_model.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/progress.h"
#include "faithful/encoding/catalog.h"
#include "faithful/io/file.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/model/ensemble.h"
#include "faithful/model/linear_model.h"
#include "faithful/train/checkpoint.h"
#include "faithful/train/fit_details.h"
#include "faithful/trained/model_file.h"

namespace faithful::app {

namespace {

struct TrainVerbOptions {
  std::string data_path, output;
  ReadOptions data;
  ModelConfig model = default_fit_options().model;
  TrainingArguments training = {.split = default_fit_options().split, .train = default_fit_options().train};
  std::size_t seed = 1;
  ModelKind kind = default_fit_options().kind;
  std::size_t ensemble = 1;
  bool no_baselines = false, resume = false, json = false;
  bool chooses_encoding = false;  // --encoding auto
  double checkpoint_every = 30;
  std::string log, threshold = "auto";
  std::size_t threads = threads_of_rank();
};

FitOptions fit_options(const TrainVerbOptions& said, const Dataset& dataset) {
  FitOptions options;
  options.model = said.model;
  options.kind = said.kind;
  options.ensemble = said.ensemble;
  options.calibrate = true;
  apply_to(said.training, dataset, options);
  options.split.seed = options.train.seed = said.seed;
  options.baselines = !said.no_baselines;
  options.threshold = parse_threshold_rule(said.threshold);
  options.baseline.seed = said.seed;
  return options;
}

std::string checkpoint_path(const std::string& output) {
  return output + ".checkpoint";
}

FitControl fit_control(const TrainVerbOptions& said, Ranks& ranks) {
  return {
      .stop = StopOnInterrupt::asked,
      .checkpoints = {.path = checkpoint_path(said.output), .seconds = said.checkpoint_every, .resume = said.resume},
      .log = said.log,
      .progress = true,
      .ranks = &ranks};
}

// In this folder, by the name of the data: pump.safetensors for logs/pump.csv.gz and for logs/pump/.
std::string usual_output(const std::string& data) {
  namespace fs = std::filesystem;
  fs::path name = fs::absolute(data).lexically_normal();
  name = name.has_filename() ? name.filename() : name.parent_path().filename();
  if (!fs::is_directory(data))
    while (name.has_extension()) name = name.stem();
  std::string output = (name.empty() || data == "-" ? "model" : name.string()) + ".safetensors";
  if (fs::exists(output))
    throw InputError(fmt::format("{0} is there already: -o {0} replaces it, -o FILE writes another file", output));
  return output;
}

void check_output(const TrainVerbOptions& said) {
  FitOptions chosen{.kind = said.kind};
  if (said.resume || !said.log.empty()) take_transformer_option(chosen, said.resume ? "resume" : "log");
  if (!said.output.ends_with(".safetensors")) {
    reject({{"--output"}, "a file name that ends in .safetensors", quote(said.output)});
  }
  const std::filesystem::path folder = std::filesystem::path(said.output).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    reject({{"--output"}, "a file in a folder that exists", quote(said.output)});
  }
  if (said.resume && said.chooses_encoding)
    throw InputError("--resume needs the encoding that was chosen: --encoding NAME instead of auto");
  if (said.resume && checkpoint_files(checkpoint_path(said.output)).empty()) {
    reject({{"--resume"}, "a checkpoint of a training that was stopped", "no " + checkpoint_path(said.output)});
  }
}

std::string time_line(const FitResult& result, double seconds) {
  TrainSeconds sum = result.training.record.seconds;
  for (const TrainRecord& fold : result.folds) {
    sum.data += fold.seconds.data;
    sum.forward_backward += fold.seconds.forward_backward;
    sum.update += fold.seconds.update;
    sum.validation += fold.seconds.validation;
  }
  const std::string rest = fmt::format("split {:.1f} s, test {:.1f} s, baselines {:.1f} s\n", result.data_seconds,
                                       result.test_seconds, result.baseline_seconds);
  if (result.training.record.history.empty())
    return fmt::format("time: {} in all; fit {:.1f} s, {}", duration_text(seconds), sum.forward_backward, rest);
  return fmt::format(
      "time: {} in all; forward and backward {:.1f} s, update {:.1f} s, batches {:.1f} s, validation {:.1f} s, {}",
      duration_text(seconds), sum.forward_backward, sum.update, sum.data, sum.validation, rest);
}

std::string kind_text(const TrainedModel& model) {
  if (const KernelModel* kernels = model.kernels())
    return fmt::format("{} features of random convolutions", kernels->parts().features.count());
  if (const Transformer* transformer = model.transformer())
    return fmt::format("encoding {}", transformer->config().position.encoding);
  if (const auto* ensemble = dynamic_cast<const Ensemble*>(model.predictor.get()))
    return fmt::format("{} models whose mean counts", ensemble->members().size());
  return "linear model";
}

std::string schedule_text(const FitResult& result, const FitOptions& options) {
  const bool without_steps =
      result.model.kernels() != nullptr || dynamic_cast<const LinearModel*>(result.model.predictor.get()) != nullptr;
  if (result.training.record.history.empty() || without_steps) return {};
  if (result.epochs_chosen > 0) return fmt::format("; {} epochs, chosen by cross-validation", result.epochs_chosen);
  if (options.train.select == Selection::kLast || !result.mean_of_folds.empty())
    return fmt::format("; {} steps", result.training.steps);
  if (result.training.record.best_epoch == 0) return {};
  return fmt::format("; epoch {} of {} is the best by validation", result.training.record.best_epoch,
                     result.training.record.history.size());
}

std::string headline(const FitResult& result, const FitOptions& options) {
  const DisjointnessProof& proof = result.sets.proof;
  const bool has_events = result.test.events.has_value();
  const auto events = [](std::size_t count) { return count > 0 ? fmt::format(" ({})", counted(count, "event")) : ""; };
  std::string text = fmt::format(
      "{} windows to train, {} to validate{}, {} to test{} ({} split{})\n", proof.train_windows,
      proof.validation_windows, events(has_events && result.model.thresholds ? result.model.thresholds->events : 0),
      proof.test_windows, events(has_events ? result.test.events->events : 0), to_string(result.split),
      proof.holds() ? "" : "; parts share samples: scores are too good");
  text += fmt::format("{} weights, {}{}", result.model.weight_count(), kind_text(result.model),
                      schedule_text(result, options));
  if (!result.mean_of_folds.empty() && result.contest.empty())
    text += fmt::format("; cross-validation: accuracy {:.3f}", result.mean_of_folds.back().accuracy);
  if (result.held_out_log_loss) text += fmt::format("; validation log loss {:.3f}", *result.held_out_log_loss);
  if (result.temperature) text += fmt::format("; temperature {:.3g}", *result.temperature);
  if (result.model.classes.size() == 2) {
    text += fmt::format("; threshold {:.3g} ({})", result.model.threshold, result.model.threshold_from);
  }
  return text + "\n";
}

std::string lead_text(const Lead& lead, double sign = 1) {
  const std::string difference = fmt::format("{:+.3f}", sign * lead.difference);
  return std::isfinite(lead.error) ? fmt::format("{} ± {:.3f}", difference, lead.error) : difference;
}

std::string why_kept(const ContestRow& row, const std::string& measure) {
  if (row.against.empty()) return "The Transformer is kept: no other kind is better by more than a standard error.";
  const std::string& better = row.lead.is_clear() ? measure : "log loss";
  return fmt::format("{} is kept: better than {} in {}, by more than a standard error.", row.name, row.against, better);
}

// The kinds of models that were tried, and which one is kept.
std::string contest_text(const FitResult& result) {
  if (result.contest.empty()) return {};
  const std::string& measure = result.contest_measure;
  Table table{.title = fmt::format("Kinds of models on {} validation windows", result.held_out_labels.size()),
              .columns = {{"model"}, {measure}, {"log loss"}, {"compared with"}, {measure + " difference"}},
              .rows = {}};
  const bool by_accuracy = result.contest.back().log_loss_lead.has_value();
  if (by_accuracy) table.columns.push_back({"log loss difference"});
  for (const ContestRow& row : result.contest) {
    std::vector<Cell> cells{row.name, fmt::format("{:.3f}", row.value), fmt::format("{:.3f}", row.log_loss),
                            row.against, row.against.empty() ? "" : lead_text(row.lead)};
    if (by_accuracy) cells.push_back(row.log_loss_lead ? lead_text(*row.log_loss_lead, -1) : "");
    table.rows.push_back(std::move(cells));
  }
  const auto kept = std::ranges::find(result.contest, true, &ContestRow::kept);
  return to_text(table) + "\n" + why_kept(*kept, measure) + "\n";
}

void report(const FitResult& result, const FitOptions& options, double seconds) {
  std::string text;
  for (const std::string& note : result.notes) text += note + "\n";
  if (!result.contest.empty()) text += "\n" + contest_text(result) + "\n";
  text += headline(result, options);
  if (result.test.windows > 0) {
    std::vector<NamedScores> rows{{"this model", &result.test}};
    for (const Baseline& baseline : result.baselines) rows.push_back({baseline.name, &baseline.test});
    text += "\n" + to_text(scores_table("Test scores", rows)) + "\n";
    if (result.baselines.empty() && result.test.events) text += events_text(result.test) + "\n\n";
  }
  print(text + time_line(result, seconds));
}

// The encoding of the options, unless folds of the training part show that another one is better.
void take_encoding(FitOptions& options, const Dataset& dataset, bool quiet, ThreadPool& pool) {
  const EncodingChoice choice =
      choose_encoding(dataset, {.fit = options}, pool, {.stop = StopOnInterrupt::asked, .progress = !is_silent()});
  options.model.position.encoding = choice.encoding;
  if (!quiet) print_ahead(choice_text(choice) + "\n");
}

void save_and_report(const TrainVerbOptions& said, const FitOptions& options, const FitResult& result, double seconds) {
  save_model(said.output, result.model);  // before anything is printed, which may fail
  std::error_code ignored;
  for (std::size_t i = 0; i < result.trainings; ++i)
    std::filesystem::remove(faithful::checkpoint_path(checkpoint_path(said.output), i, result.trainings), ignored);
  if (!said.json) report(result, options, seconds);
  print(said.json ? dump_json(describe_model(result.model), JsonLayout::kPretty) : fmt::format("{}\n", said.output));
}

// load -> window -> model -> train -> evaluate -> report. Each rank of a job loads and trains; rank 0 does the rest.
void train(const TrainVerbOptions& said) {
  Ranks& ranks = join_job();
  std::optional<OutputLock> lock;
  if (ranks.is_first()) {
    check_output(said);
    lock.emplace(said.output);
  }
  const auto start = std::chrono::steady_clock::now();
  const Dataset dataset = read_dataset(said.data_path, said.data);
  if (!said.json) {
    for (const std::string& note : dataset.notes) print_ahead(note + "\n");
  }
  FitOptions options = fit_options(said, dataset);
  ThreadPool pool(said.threads);
  if (!said.resume && ranks.is_first())
    for (const std::string& warning : leak_warnings(dataset, options, pool)) notice(warning);
  const StopOnInterrupt stop;
  if (said.chooses_encoding) take_encoding(options, dataset, said.json, pool);
  const FitResult result = fit_in_detail(dataset, options, pool, fit_control(said, ranks));
  if (result.stopped) {
    throw Error(fmt::format("stopped; all of it is in {}: go on with the same command and --resume",
                            fmt::join(checkpoint_files(checkpoint_path(said.output)), ", ")));
  }
  if (!ranks.is_first()) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  save_and_report(said, options, result, seconds);
}

// Changes what the library calls options of a fit.
void change(TrainVerbOptions& o, const std::function<void(FitOptions&)>& how) {
  FitOptions fit{.kind = o.kind, .model = o.model, .train = o.training.train, .ensemble = o.ensemble};
  how(fit);
  o.kind = fit.kind;
  o.model = fit.model;
  o.training.train = fit.train;
  o.ensemble = fit.ensemble;
}

void describe_model_option(Option& option) {
  option.choices = model_words();
  option.help =
      "auto: the best of encoder, kernels and linear on validation data; encoder: a Transformer over steps; dfstrans: "
      "attention over steps and over sensors; kernels: random convolutions with a ridge classifier; linear: logistic "
      "regression on summaries of each channel";
  option.shown_default = "auto, or encoder if an option of the Transformer is named";
}

void describe_preset_option(Option& option) {
  option.choices = fit_preset_names();
  option.help =
      "sets all other options of model and training; best: Transformers and kernels together; fast: kernels alone; the "
      "others are Transformers";
  option.shown_default = "standard, or dfstrans for --model dfstrans";
}

std::vector<Option> model_options(TrainVerbOptions& o) {
  std::vector<Option> schedule = schedule_option_list(o.training);
  say_by_preset(schedule, training_settings_of_presets());
  std::vector<Option> options =
      joined({model_option_list(o.model, "standard"), {option_of(ensemble_setting(o.ensemble))}, schedule});
  for (Option& option : options) {
    if (option.name == "--model") describe_model_option(option);
    if (option.name == "--preset") describe_preset_option(option);
    if (option.name == "--encoding") option.help += "; auto: as faithful choose finds, which may take ten minutes";
    option.set = [&o, name = option.name, field = option.field_name(), set = option.set](const std::string& text) {
      if (name == "--model") return change(o, [&](FitOptions& fit) { set_model(fit, text); });
      if (name == "--preset") return change(o, [&](FitOptions& fit) { set_preset(fit, text); });
      change(o, [&](FitOptions& fit) { take_transformer_option(fit, field); });
      if (name == "--encoding") o.chooses_encoding = text == "auto";
      if (name != "--encoding" || text != "auto") set(text);
    };
  }
  return options;
}

std::vector<Option> train_option_list(TrainVerbOptions& o) {
  const std::vector<Option> run = {
      {"--seed N", &o.seed, "seed of split, start values, batches and dropout", common},
      threshold_option(o.threshold, "0.5 where each series has one label, else f1"),
      {"--no-baselines", &o.no_baselines, "do not score the baselines"},
      {"--checkpoint-every SECONDS", &o.checkpoint_every,
       "how often to save a checkpoint beside the output; 0: after every step", at_least(0)},
      {"--resume", &o.resume, "continue a stopped training into this output", common}};
  const std::vector<Option> output = {{"-o,--output FILE", &o.output, "the model, a file .safetensors", common,
                                       by_default("the name of the data, in this folder")},
                                      {"--log FILE", &o.log, "add a line of JSON for every epoch"},
                                      {"--json", &o.json, "print what is in the model file as JSON", common}};
  return joined({{{"DATA", &o.data_path, "a file or folder with labels, such as faithful data info reads", required}},
                 data_option_list(o.data),
                 window_option_list(o.training),
                 model_options(o),
                 grouped("Training", run),
                 grouped("Output", output),
                 {threads_option(o.threads)}});
}

}  // namespace

Command train_verb() {
  const auto options = std::make_shared<TrainVerbOptions>();
  return {
      .name = "train",
      .summary = "fits a classifier to a labelled data set",
      .description =
          "Fits a classifier that predicts the class of each window, or of each series. It splits the data without "
          "leaks and scales it by the training part. By default it compares a Transformer, random convolutions "
          "(kernels) and a linear model on windows that validate, and keeps the best. Options of the Transformer, such "
          "as --encoding or --epochs, train a Transformer. Probabilities are calibrated, and the threshold is chosen, "
          "on windows that validate. The test part is scored once, beside baselines. One model file holds all that "
          "predictions need. Ctrl-C stops after the current step and saves checkpoints for --resume. The same seed "
          "gives the same bytes.",
      .options = train_option_list(*options),
      .examples = {{"faithful train pump.csv --label broken", "sensible defaults; writes pump.safetensors"},
                   {"faithful train SMD --encoding sinusoidal --stride 100 -o smd.safetensors",
                    "a published set, below FAITHFUL_DATA"},
                   {"faithful train BasicMotions --split given --seed 2 -o motions.safetensors",
                    "whole series, the set's own test part"},
                   {"faithful train pump.csv --label broken --preset best -o pump.safetensors",
                    "the most accurate, in minutes"}},
      .run =
          [options] {
            if (options->output.empty()) options->output = usual_output(options->data_path);
            train(*options);
          },
      .takes_ranks = true};
}

}  // namespace faithful::app
