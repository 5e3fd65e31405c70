#include "faithful/diagnose/diagnose.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/diagnosis_tables.h"
#include "app/pages/diagnosis_page.h"
#include "app/used_model.h"
#include "app/verbs.h"
#include "faithful/diagnose/words.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

struct DiagnoseVerbOptions {
  UsedModel model;
  std::string data_path, output, normal;
  DiagnoseOptions how;
  std::size_t seed = 1, shown = 3;
  bool json = false;
  ReadOptions data;
  std::size_t threads = default_threads();
};

std::string report_text(const DiagnosisReport& report, std::size_t shown) {
  constexpr std::size_t kListedSensors = 5;
  std::string text = summary_words(report) + "\n";
  for (std::size_t i = 0; i < std::min(shown, report.found.size()); ++i) {
    const std::string truth = truth_words(report, i);
    text += fmt::format("\n{}\n{}\n", advice(report, i), truth.empty() ? "" : truth + "\n");
    text += to_text(sensors_table(report, i, kListedSensors)) + "\n" + to_text(spans_table(report, i)) + "\n" +
            to_text(agreement_table(report, i));
  }
  if (report.found.size() > shown) text += "\n" + to_text(alarms_table(report));
  if (report.scores)
    text += "\n" + to_text(hits_table(*report.scores)) + "\n" + to_text(differences_table(*report.scores));
  return text;
}

// load -> diagnose -> report
void run(const DiagnoseVerbOptions& options) {
  const TrainedModel model = load_used_model(options.model);
  check_output_apart(options.output, options.data_path, options.data);
  Dataset dataset = read_for_model(options.data_path, options.data, model);
  DiagnoseOptions how = options.how;
  if (!how.held_out) add_scaling_note(model, dataset.notes);
  how.seed = options.seed;
  how.progress = true;
  Dataset normal;
  if (!options.normal.empty()) {
    ReadOptions arguments = options.data;
    arguments.part.clear();
    normal = read_for_model(options.normal, arguments, model);
    how.normal = &normal;
    for (const std::string& note : normal.notes) dataset.notes.push_back(note);
  }
  ThreadPool pool(options.threads);
  const DiagnosisReport report = diagnose(model, dataset, how, pool);
  const Json json = to_json(report);
  std::string page;  // written before anything is printed, which may fail
  if (!options.output.empty()) page = write_diagnosis_page(options.output, report, json, options.shown) + "\n";
  if (options.json) return print(dump_json(json, JsonLayout::kPretty));
  for (const std::string& note : dataset.notes) print(note + "\n");
  print(report_text(report, options.shown) + page);
}

std::vector<Option> diagnose_option_list(DiagnoseVerbOptions& o) {
  const std::vector<Option> diagnosis = {
      {"DATA", &o.data_path, "a file or folder, labels not needed", required},
      {"--series NAME,...", &o.how.only_series, "only these series, by name or by number from 1", common,
       by_default("all"), of_field("only_series")},
      {"--held-out", &o.how.held_out, "only the test part of its own training, which it has not seen", common},
      {"--above X", &o.how.above, "an alarm is a score of at least this", between(0, 1),
       by_default("the model's threshold"), common},
      {"--class NAME", &o.how.class_name, "the class to detect", common, by_default("the second of two classes"),
       of_field("class_name")},
      {"--normal DATA", &o.normal, "what suspects are compared with and replaced by", common,
       by_default("what raises no alarm in DATA")},
      {"--most N", &o.how.most, "alarms to look into, surest first", at_least(1)},
      {"--shown N", &o.shown, "of them in full, the others as one line"},
      {"--seed N", &o.seed, "seed of the resamples of the intervals"}};
  const std::vector<Option> output = {{"-o,--output DIR", &o.output, "write a page with figures", common},
                                      {"--json", &o.json, "print JSON", common}};
  std::vector<Option> data = data_option_list(o.data);
  for (Option& option : data) {
    if (option.name != "--series") continue;
    option.name = "--series-column";
    option.field = "series";
  }
  return joined({grouped("Model", used_model_options(o.model)),
                 grouped("Diagnosis", diagnosis),
                 data,
                 grouped("Output", output),
                 {threads_option(o.threads)}});
}

}  // namespace

Command diagnose_verb() {
  const auto options = std::make_shared<DiagnoseVerbOptions>();
  return {
      .name = "diagnose",
      .summary = "which sensor, and when: what made a model raise an alarm",
      .description =
          "Shows for each alarm which sensors and times caused it, most suspect first. Overlapping flagged windows "
          "are one alarm. Four methods rank them: attention (where the model looked, which is no proof), occlusion "
          "(how much the score falls when normal readings replace a sensor or a span), gradient times input, and "
          "disagreement (how far a sensor is from what the other sensors say it should read). The report says how far "
          "they agree. A model of kernels has only occlusion and disagreement. If the labels say which sensors "
          "were at fault, or when, it also shows how often each method was right, beside a random order and the largest deviation.",
      .options = diagnose_option_list(*options),
      .examples = {{"faithful diagnose lift.safetensors lift.npz --part test -o page", "all alarms, with figures"},
                   {"faithful diagnose lift.safetensors lift.npz --series \"test trip 17\"", "one trip"},
                   {"faithful diagnose pump.safetensors today.csv --time time --normal may.csv --json",
                    "compared with a good month, for a script"}},
      .run = [options] { run(*options); }};
}

}  // namespace faithful::app
