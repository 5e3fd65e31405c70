#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/evaluation.h"
#include "app/model_data.h"
#include "app/pages/evaluation_page.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/predict/predictor.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

struct EvaluateOptions {
  std::string model, data_path, output;
  DataArguments data;
  EvaluationOptions evaluation;
  std::size_t seed = 1;
  bool held_out = false, json = false;
  std::size_t drawn = 4;
  std::size_t threads = default_threads();
};

bool has_labels(const Series& series) {
  return series.label != kNoLabel || !series.labels.empty();
}

// Series that nobody labelled say nothing about a model.
void keep_labelled(ModelData& data) {
  std::vector<Series>& series = data.dataset.series;
  const std::size_t before = series.size();
  std::erase_if(series, [](const Series& one) { return !has_labels(one); });
  if (series.empty()) reject({{data.dataset.source}, "labels to compare with", "none", "--label COLUMN"});
  if (series.size() < before)
    data.notes.push_back(fmt::format("{} series without labels are left out", before - series.size()));
}

// Whoever evaluates on the training data is told so. The test part of a set that was split as given is no such data.
void note_training_data(const Dataset& dataset, const TrainedModel& model, std::vector<std::string>& notes) {
  const Json* name = model.record["data"].find("name");
  if (name == nullptr || *name != Json(dataset.name)) return;
  const bool test_alone =
      std::ranges::all_of(dataset.series, [](const Series& one) { return one.part == Part::kTest; });
  if (test_alone && model.record["split"]["kind"] == Json(to_string(SplitKind::kGiven))) return;
  notes.emplace_back(
      "this looks like the data that the model was trained on, so the scores are too good: --held-out takes its test "
      "part alone");
}

std::string trivial_text(const Evaluation& evaluation) {
  const Confusion& confusion = *evaluation.scores.binary;
  const double share = confusion.positives() / confusion.total();
  return fmt::format("{} of {} windows are positive; all positive has F1 {}, a random score AUC-PR {}",
                     confusion.positives(), confusion.total(), number_text(2 * share / (1 + share), 3),
                     number_text(share, 3));
}

std::string evaluation_text(const Evaluation& evaluation, const TrainedModel& model) {
  std::string text = to_text(measures_table(evaluation)) + "\n" + to_text(confusion_table(evaluation, model.classes));
  if (model.classes.size() > 2) text += "\n" + to_text(class_table(evaluation, model.classes));
  if (evaluation.scores.binary)
    text += fmt::format("\nthreshold {} ({})\n{}\n", number_text(model.threshold, 3), model.threshold_from,
                        trivial_text(evaluation));
  if (evaluation.scores.events) text += events_text(*evaluation.scores.events) + "\n";
  return text;
}

void evaluate(const EvaluateOptions& options) {
  Predictor predictor(load_model(options.model), {.threads = options.threads});
  const TrainedModel& model = predictor.model();
  ModelData data = load_for_model(options.data_path, options.data, model);
  if (!options.held_out) note_training_data(data.dataset, model, data.notes);
  if (!options.held_out) keep_labelled(data);
  const Windows windows = options.held_out ? held_out_windows(data.dataset, model) : cut_for_model(data.dataset, model);
  ThreadPool pool(options.threads);
  EvaluationOptions how = options.evaluation;
  how.seed = options.seed;
  const Evaluation evaluation = evaluate_answers(model, windows, predictor.probabilities(windows), how, pool);
  Json json = evaluation_json(evaluation);
  json.set("data", data.dataset.name)
      .set("held_out", options.held_out)
      .set("threshold", model.classes.size() == 2 ? Json(model.threshold) : Json())
      .set("classes", Json(Json::Array(model.classes.begin(), model.classes.end())));
  if (options.json) {
    print(dump_json(json, JsonLayout::kPretty));
  } else {
    for (const std::string& note : data.notes) print(note + "\n");
    print(evaluation_text(evaluation, model));
  }
  if (options.output.empty()) return;
  const std::string page =
      write_evaluation_page(options.output, {model, windows, evaluation, json, data.notes, options.drawn});
  if (!options.json) print(page + "\n");
}

}  // namespace

Command evaluate_verb() {
  const auto options = std::make_shared<EvaluateOptions>();
  std::vector<Option> list = {
      {.name = "MODEL", .target = &options->model, .help = "a model that faithful train wrote", .required = true},
      {.name = "DATA",
       .target = &options->data_path,
       .help = "a file or folder with labels, such as faithful data info reads",
       .required = true},
      {.name = "--held-out",
       .target = &options->held_out,
       .help = "of the data of its training, the test part alone, which it has not seen"},
      {.name = "-o,--output", .target = &options->output, .value = "DIR", .help = "write a page with figures"},
      {.name = "--drawn", .target = &options->drawn, .value = "N", .help = "timelines on the page"},
      {.name = "--json", .target = &options->json, .help = "print JSON"},
      {.name = "--resamples",
       .target = &options->evaluation.resamples,
       .value = "N",
       .help = "of the bootstrap",
       .at_least = 1},
      {.name = "--level",
       .target = &options->evaluation.level,
       .value = "X",
       .help = "share of the resamples inside of an interval",
       .at_least = 0.01,
       .at_most = 0.999},
      {.name = "--seed", .target = &options->seed, .value = "N", .help = "of the resamples"},
      threads_option(options->threads)};
  for (const Option& option : data_option_list(options->data)) list.push_back(option);
  return {
      .name = "evaluate",
      .summary = "how good a model is on labelled data",
      .description =
          "Compares what a model says with the labels of a data set: precision, recall, F1, areas under the curves, "
          "accuracy, each with an interval by bootstrap; the confusion matrix; events detected, false alarms and "
          "delay where points have labels. The threshold is the model's own: nothing is chosen here.",
      .options = list,
      .examples = {{"faithful evaluate pump.safetensors june.csv --time time --label broken", "another month"},
                   {"faithful evaluate pump.safetensors pump.csv --label broken --held-out -o page",
                    "the test part of its training, with figures"},
                   {"faithful evaluate motions.safetensors BasicMotions --part test --json", "for a script"}},
      .run = [options] { evaluate(*options); }};
}

}  // namespace faithful::app
