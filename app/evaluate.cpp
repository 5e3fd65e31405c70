#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/evaluation_tables.h"
#include "app/pages/evaluation_page.h"
#include "app/used_model.h"
#include "app/verbs.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

struct EvaluateOptions {
  UsedModel model;
  std::string data_path, output;
  ReadOptions data;
  EvaluationOptions evaluation;
  std::size_t seed = 1;
  bool held_out = false, json = false;
  std::size_t drawn = 4;
  std::size_t threads = default_threads();
};

std::string trivial_text(const Evaluation& evaluation) {
  const Confusion& confusion = *evaluation.scores.binary;
  const double share = confusion.positives() / confusion.total();
  if (share == 0 || share == 1)
    return fmt::format("{} of {} windows are positive", confusion.positives(), confusion.total());
  return fmt::format("{} of {} windows are positive; all positive has F1 {}, a random score AUC-PR {}",
                     confusion.positives(), confusion.total(), number_text(2 * share / (1 + share), 3),
                     number_text(share, 3));
}

std::string evaluation_text(const Evaluation& evaluation, const TrainedModel& model) {
  std::string text = to_text(measures_table(evaluation)) + calibration_text(evaluation.scores) + "\n\n" +
                     to_text(confusion_table(evaluation, model.classes));
  if (model.classes.size() > 2) text += "\n" + to_text(class_table(evaluation, model.classes));
  if (evaluation.scores.binary)
    text += fmt::format("\nthreshold {} ({})\n{}\n", number_text(model.threshold, 3), model.threshold_from,
                        trivial_text(evaluation));
  if (evaluation.scores.events) text += events_text(evaluation.scores) + "\n";
  return text;
}

void evaluate(const EvaluateOptions& options) {
  const TrainedModel model = load_used_model(options.model);
  check_output_apart(options.output, options.data_path, options.data);
  Dataset dataset = read_for_model(options.data_path, options.data, model);
  const Windows windows = windows_to_evaluate(dataset, model, options.held_out);
  ThreadPool pool(options.threads);
  EvaluationOptions how = options.evaluation;
  how.seed = options.seed;
  const Evaluation evaluation = evaluate_model(model, windows, how, pool);
  const Json json = to_json(evaluation, model, windows, options.held_out);
  std::string page;  // written before anything is printed, which may fail
  if (!options.output.empty())
    page =
        write_evaluation_page(options.output, {model, windows, evaluation, json, dataset.notes, options.drawn}) + "\n";
  if (options.json) return print(dump_json(json, JsonLayout::kPretty));
  for (const std::string& note : dataset.notes) print(note + "\n");
  print(evaluation_text(evaluation, model) + page);
}

}  // namespace

Command evaluate_verb() {
  const auto options = std::make_shared<EvaluateOptions>();
  EvaluationOptions& e = options->evaluation;
  const std::vector<Option> evaluation = {
      {"DATA", &options->data_path, "a file or folder with labels, such as faithful data info reads", required},
      {"--held-out", &options->held_out, "only the test part of the model's own training data", common},
      {"--resamples N", &e.resamples, "resamples of the bootstrap", at_least(1)},
      {"--level X", &e.level, "share of the resamples inside of an interval", between(0.01, 0.999)},
      {"--seed N", &options->seed, "seed of the resamples"}};
  const std::vector<Option> output = {{"-o,--output DIR", &options->output, "write a page with figures", common},
                                      {"--drawn N", &options->drawn, "timelines on the page"},
                                      {"--json", &options->json, "print JSON", common}};
  return {
      .name = "evaluate",
      .summary = "how good a model is on labelled data",
      .description =
          "Compares the predictions of a model with the labels of a data set. Shows precision, recall, F1, accuracy, "
          "the areas under the curves, log loss and Brier score, each with a bootstrap interval, the calibration error and "
          "the confusion matrix. Where points have "
          "labels, also detected events, false alarms and delays. The threshold, and the columns of time and "
          "label, are the model's own, unless you name others.",
      .options = joined({grouped("Model", used_model_options(options->model)),
                         grouped("Evaluation", evaluation),
                         data_option_list(options->data),
                         grouped("Output", output),
                         {threads_option(options->threads)}}),
      .examples = {{"faithful evaluate pump.safetensors june.csv --time time --label broken", "another month"},
                   {"faithful evaluate pump.safetensors pump.csv --label broken --held-out -o page",
                    "the test part of its training, with figures"},
                   {"faithful evaluate motions.safetensors BasicMotions --part test --json", "for a script"}},
      .run = [options] { evaluate(*options); }};
}

}  // namespace faithful::app
