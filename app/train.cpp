#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/evaluation_tables.h"
#include "app/interrupt.h"
#include "app/model_arguments.h"
#include "app/training_arguments.h"
#include "app/used_model.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/base/progress.h"
#include "faithful/encoding/catalog.h"
#include "faithful/io/file.h"
#include "faithful/kernels/kernel_model.h"
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
  bool kernels = false;  // --model kernels
  bool no_baselines = false, resume = false, json = false;
  double checkpoint_every = 30;
  std::string log, threshold = "auto";
  std::size_t threads = default_threads();
};

FitOptions fit_options(const TrainVerbOptions& said, const Dataset& dataset) {
  FitOptions options;
  options.model = said.model;
  if (said.kernels) options.kernels.emplace();
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

FitControl fit_control(const TrainVerbOptions& said) {
  return {
      .stop = StopOnInterrupt::asked,
      .checkpoints = {.path = checkpoint_path(said.output), .seconds = said.checkpoint_every, .resume = said.resume},
      .log = said.log,
      .progress = true};
}

void check_output(const TrainVerbOptions& said) {
  if (said.kernels && (said.resume || !said.log.empty()))
    throw InputError(fmt::format("{} does not apply to {}", field_text(said.resume ? "resume" : "log"),
                                 field_text("form", "kernels")));
  if (!said.output.ends_with(".safetensors")) {
    reject({{"--output"}, "a file name that ends in .safetensors", quote(said.output)});
  }
  const std::filesystem::path folder = std::filesystem::path(said.output).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    reject({{"--output"}, "a file in a folder that exists", quote(said.output)});
  }
  if (said.resume && !std::filesystem::exists(checkpoint_path(said.output))) {
    reject({{"--resume"}, "a checkpoint of a training that was stopped", "no " + checkpoint_path(said.output)});
  }
}

std::string time_line(const FitResult& result, double seconds) {
  if (result.model.kernels() != nullptr)
    return fmt::format("time: {} in all; fit {:.1f} s, split {:.1f} s, test {:.1f} s, baselines {:.1f} s\n",
                       duration_text(seconds), result.training.record.seconds.forward_backward, result.data_seconds,
                       result.test_seconds, result.baseline_seconds);
  TrainSeconds sum = result.training.record.seconds;
  for (const TrainRecord& fold : result.folds) {
    sum.data += fold.seconds.data;
    sum.forward_backward += fold.seconds.forward_backward;
    sum.update += fold.seconds.update;
    sum.validation += fold.seconds.validation;
  }
  return fmt::format(
      "time: {} in all; forward and backward {:.1f} s, update {:.1f} s, batches {:.1f} s, validation {:.1f} s, "
      "split {:.1f} s, test {:.1f} s, baselines {:.1f} s\n",
      duration_text(seconds), sum.forward_backward, sum.update, sum.data, sum.validation, result.data_seconds,
      result.test_seconds, result.baseline_seconds);
}

std::string headline(const FitResult& result, const FitOptions& options) {
  const DisjointnessProof& proof = result.sets.proof;
  std::string text = fmt::format("{} windows to train, {} to validate, {} to test ({} split{})\n", proof.train_windows,
                                 proof.validation_windows, proof.test_windows, to_string(result.split),
                                 proof.holds() ? "" : "; parts share samples: scores are too good");
  text += fmt::format("{} weights", result.model.weight_count());
  if (const KernelModel* kernels = result.model.kernels())
    text += fmt::format(", {} features of random convolutions; held-out log loss {:.3f}",
                        kernels->parts().features.count(), *result.held_out_log_loss);
  else
    text += fmt::format(", encoding {}", options.model.position.encoding);
  if (result.epochs_chosen > 0) {
    text += fmt::format("; {} epochs, chosen by cross-validation", result.epochs_chosen);
  } else if (!result.mean_of_folds.empty()) {
    text += fmt::format("; {} steps; cross-validation: accuracy {:.3f}, log loss {:.3f}", result.training.steps,
                        result.mean_of_folds[0].accuracy, result.mean_of_folds[0].validation_loss);
  } else if (options.train.select == Selection::kLast) {
    text += fmt::format("; {} steps", result.training.steps);
  } else if (result.training.record.best_epoch > 0) {
    text += fmt::format("; epoch {} of {} is the best by validation", result.training.record.best_epoch,
                        result.training.record.history.size());
  }
  if (result.model.classes.size() == 2) {
    text += fmt::format("; threshold {:.3g} ({})", result.model.threshold, result.model.threshold_from);
  }
  return text + "\n";
}

void report(const FitResult& result, const FitOptions& options, double seconds) {
  std::string text;
  for (const std::string& note : result.notes) text += note + "\n";
  text += headline(result, options);
  if (result.test.windows > 0) {
    std::vector<NamedScores> rows{{"this model", &result.test}};
    for (const Baseline& baseline : result.baselines) rows.push_back({baseline.name, &baseline.test});
    text += "\n" + to_text(scores_table("Test scores", rows)) + "\n";
    if (result.baselines.empty() && result.test.events) text += events_text(result.test) + "\n\n";
  }
  print(text + time_line(result, seconds));
}

// load -> window -> model -> train -> evaluate -> report
void train(const TrainVerbOptions& said) {
  check_output(said);
  const OutputLock lock(said.output);
  const auto start = std::chrono::steady_clock::now();
  const Dataset dataset = read_dataset(said.data_path, said.data);
  if (!said.json) {
    for (const std::string& note : dataset.notes) print_ahead(note + "\n");
  }
  const FitOptions options = fit_options(said, dataset);
  ThreadPool pool(said.threads);
  if (!said.resume)
    for (const std::string& warning : leak_warnings(dataset, options, pool)) notice(warning);
  const StopOnInterrupt stop;
  const FitResult result = fit_in_detail(dataset, options, pool, fit_control(said));
  if (result.stopped) {
    throw Error(fmt::format("stopped; all of it is in {}: go on with the same command and --resume",
                            checkpoint_path(said.output)));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  save_model(said.output, result.model);  // before anything is printed, which may fail
  std::error_code ignored;
  std::filesystem::remove(checkpoint_path(said.output), ignored);
  if (!said.json) report(result, options, seconds);
  print(said.json ? dump_json(describe_model(result.model), JsonLayout::kPretty) : fmt::format("{}\n", said.output));
}

// A preset also sets how the model is trained.
std::vector<Option> model_options(TrainVerbOptions& o) {
  std::vector<Option> options = model_option_list(o.model);
  Option& option = *std::ranges::find(options, "--preset", &Option::name);
  option.help = "sets all other options of model and training";
  option.set = [&o, set = option.set](const std::string& text) {
    set(text);
    o.training.train = train_preset(text);
  };
  return options;
}

// --model kernels, which takes none of the other options of models and schedules.
std::vector<Option> with_kernels(std::vector<Option> options, TrainVerbOptions& o) {
  for (Option& option : options) {
    if (option.name == "--model") {
      option.choices.emplace_back("kernels");
      option.help += "; kernels: random convolutions with a ridge classifier";
      option.set = [&o, set = option.set](const std::string& text) {
        o.kernels = text == "kernels";
        if (!o.kernels) set(text);
      };
      continue;
    }
    option.set = [&o, name = option.field_name(), set = option.set](const std::string& text) {
      if (o.kernels)
        throw InputError(fmt::format("{} does not apply to {}", field_text(name), field_text("form", "kernels")));
      set(text);
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
  const std::vector<Option> output = {{"-o,--output FILE", &o.output, "the model, a file .safetensors", required},
                                      {"--log FILE", &o.log, "add a line of JSON for every epoch"},
                                      {"--json", &o.json, "print what is in the model file as JSON", common}};
  return joined({{{"DATA", &o.data_path, "a file or folder with labels, such as faithful data info reads", required}},
                 data_option_list(o.data),
                 window_option_list(o.training),
                 with_kernels(joined({model_options(o), schedule_option_list(o.training)}), o),
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
          "Trains a Transformer (or, with --model kernels, a ridge classifier on random convolutions) that predicts "
          "the class of each window, or of each series. It splits the data "
          "without leaks, scales it by the training part, trains, and chooses epoch and threshold on the "
          "validation part. It scores the test part once, beside baselines. One model file holds all that "
          "predictions need. Ctrl-C stops after the current step and saves a checkpoint for --resume. The same "
          "seed gives the same bytes.",
      .options = train_option_list(*options),
      .examples = {{"faithful train pump.csv --time time --label broken -o pump.safetensors", "sensible defaults"},
                   {"faithful train SMD --encoding sinusoidal --stride 100 -o smd.safetensors",
                    "a published set, below FAITHFUL_DATA"},
                   {"faithful train BasicMotions --split given --seed 2 -o motions.safetensors",
                    "whole series, the set's own test part"}},
      .run = [options] { train(*options); }};
}

}  // namespace faithful::app
