#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "app/data_arguments.h"
#include "app/diagnosis_tables.h"
#include "app/model_data.h"
#include "app/pages/diagnosis_page.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/progress.h"
#include "faithful/predict/predictor.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

struct DiagnoseOptions {
  std::string model, data_path, output, looked_for, normal;
  std::vector<std::string> series;
  std::optional<double> above;
  std::size_t most = 100, shown = 3, seed = 1;
  bool held_out = false, json = false;
  DataArguments data;
  std::size_t threads = default_threads();
};

// The class whose alarms are asked for: of two the second, of more the one that was named.
std::size_t looked_for(const DiagnoseOptions& options, const TrainedModel& model) {
  const std::vector<std::string>& classes = model.classes;
  if (options.looked_for.empty() && classes.size() == 2) return 1;
  const auto found = std::ranges::find(classes, options.looked_for);
  if (found == classes.end()) {
    const bool named = !options.looked_for.empty();
    reject({{"--class"},
            "a class that the model knows",
            named ? quote(options.looked_for) : "none",
            named ? suggest(options.looked_for, classes) : fmt::format("known: {}", fmt::join(classes, ", "))});
  }
  return static_cast<std::size_t>(found - classes.begin());
}

double threshold_of(const DiagnoseOptions& options, const TrainedModel& model, std::size_t looked_for) {
  if (options.above) return *options.above;
  if (model.classes.size() > 2) return 0.5;
  return looked_for == 1 ? model.threshold : 1 - model.threshold;
}

// [series]: whether it was asked for, by name or by number from 1; all where none was.
std::vector<bool> chosen_series(const DiagnoseOptions& options, const Dataset& dataset) {
  std::vector<bool> chosen(dataset.series.size(), options.series.empty());
  for (const std::string& said : options.series) {
    const auto named = std::ranges::find(dataset.series, said, &Series::name);
    const std::optional<std::size_t> number = parse_number<std::size_t>(said);
    if (named != dataset.series.end()) {
      chosen[static_cast<std::size_t>(named - dataset.series.begin())] = true;
    } else if (number && *number >= 1 && *number <= dataset.series.size()) {
      chosen[*number - 1] = true;
    } else {
      reject({{"--series"},
              fmt::format("the name of a series, or a number from 1 to {}", dataset.series.size()),
              quote(said),
              "a column that names the series of each row: --series-column"});
    }
  }
  return chosen;
}

// The data of --normal: of a set with parts, what is there to learn from.
ModelData load_reference(const DiagnoseOptions& options, const TrainedModel& model) {
  DataArguments arguments = options.data;
  arguments.part.clear();
  ModelData reference = load_for_model(options.normal, arguments, model);
  std::vector<Series>& series = reference.dataset.series;
  const auto is_train = [](const Series& one) { return one.part == Part::kTrain; };
  if (std::ranges::any_of(series, is_train)) std::erase_if(series, [&](const Series& one) { return !is_train(one); });
  return reference;
}

// What is normal, by the first of these that there is: windows of --normal (where it has labels, those of other classes
// than the one looked for); windows of the data that the model finds normal; the middle that the model's scaler knows.
Normal choose_normal(const DiagnoseOptions& options, const Windows& windows, std::span<const double> scores,
                     const DiagnosisReport& report, ThreadPool& pool) {
  constexpr std::size_t kLeast = 10;  // windows of the data: fewer say little
  const TrainedModel& model = report.model;
  const bool aligned = model.window.length == 0;
  if (!options.normal.empty()) {
    const ModelData reference = load_reference(options, model);
    const Windows normal = cut_for_model(reference.dataset, model);
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < normal.size(); ++i)
      if (normal[i].label != static_cast<std::int32_t>(report.looked_for)) numbers.push_back(i);
    if (numbers.empty())
      reject({{"--normal"}, fmt::format("data that is not all {}", report.class_name()), quote(options.normal)});
    Normal found = fit_normal(normal, numbers, aligned, pool);
    found.from += fmt::format(" of {}", reference.dataset.name);
    return found;
  }
  std::vector<std::uint32_t> below;
  for (std::uint32_t i = 0; i < windows.size(); ++i)
    if (scores[i] < report.threshold) below.push_back(i);
  if (below.size() < kLeast) return scaler_normal(model.scaler.kind, model.channels.size());
  Normal found = fit_normal(windows, below, aligned, pool);
  found.from += " of this data that raise no alarm";
  return found;
}

std::string no_alarm_text(const DiagnosisReport& report, const Windows& windows, std::span<const double> scores,
                          const std::vector<bool>& chosen) {
  std::optional<std::size_t> surest;  // window
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (chosen[windows[i].series] && (!surest || scores[i] > scores[*surest])) surest = i;
  }
  if (!surest) return "no alarm: there is no window of the series asked for\n";
  const double highest = scores[*surest];
  // Rounded down, so that it is an alarm then.
  const double above = std::floor(highest * 1e4) / 1e4;
  return fmt::format("no alarm: the highest score is {} ({}), below the threshold {}; --above {} looks into it\n",
                     number_text(highest, 3), report.dataset.series[windows[*surest].series].name,
                     number_text(report.threshold, 3), above);
}

std::string report_text(const DiagnosisReport& report, std::size_t shown) {
  constexpr std::size_t kListedSensors = 5;
  std::string text =
      fmt::format("{} {} of at least {}; normal is {}\n", report.alarms, report.alarms == 1 ? "alarm" : "alarms",
                  number_text(report.threshold, 3), report.normal.from);
  if (report.found.size() < report.alarms)
    text += fmt::format("the {} surest are looked into: --most N\n", report.found.size());
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

// The surest alarms in the chosen series.
std::vector<Alarm> alarms_to_look_into(std::vector<Alarm> alarms, const std::vector<bool>& chosen) {
  std::erase_if(alarms, [&](const Alarm& one) { return !chosen[one.series]; });
  std::ranges::stable_sort(alarms, std::ranges::greater{}, &Alarm::score);
  return alarms;
}

void look_into(DiagnosisReport& report, const Windows& windows, std::span<const Alarm> alarms, std::uint64_t seed,
               ThreadPool& pool) {
  const DiagnosisOptions how{.looked_for = report.looked_for};
  Diagnoser diagnoser(report.model.classifier, report.normal, how, pool);
  Progress progress("diagnosing", alarms.size());
  for (const Alarm& alarm : alarms) {
    report.found.push_back(diagnoser.diagnose(windows, alarm));
    report.truths.push_back(truth_of(report.dataset.series[alarm.series], alarm, report.looked_for));
    progress.advance();
  }
  report.scores = score_diagnoses(report.found, report.truths, {.seed = seed, .pool = &pool});
}

// load -> score -> alarms -> what is normal -> look into them -> compare with the truth -> report
void diagnose(const DiagnoseOptions& options) {
  Predictor predictor(load_model(options.model), {.threads = options.threads});
  const TrainedModel& model = predictor.model();
  const std::size_t wanted = looked_for(options, model);
  const ModelData data = load_for_model(options.data_path, options.data, model);
  const std::vector<bool> chosen = chosen_series(options, data.dataset);
  const Windows windows = options.held_out ? held_out_windows(data.dataset, model) : cut_for_model(data.dataset, model);
  const Matrix<float> probabilities = predictor.probabilities(windows);
  std::vector<double> scores;
  for (std::size_t i = 0; i < windows.size(); ++i) scores.push_back(static_cast<double>(probabilities(i, wanted)));

  DiagnosisReport report{model, data.dataset, wanted, threshold_of(options, model, wanted)};
  report.notes = data.notes;
  ThreadPool pool(options.threads);
  std::vector<Alarm> alarms = alarms_to_look_into(find_alarms(windows, scores, report.threshold), chosen);
  report.alarms = alarms.size();
  alarms.resize(std::min(alarms.size(), options.most));
  report.normal = choose_normal(options, windows, scores, report, pool);
  look_into(report, windows, alarms, options.seed, pool);

  const Json json = diagnosis_json(report);
  if (options.json) {
    print(dump_json(json, JsonLayout::kPretty));
  } else {
    for (const std::string& note : report.notes) print(note + "\n");
    print(alarms.empty() ? no_alarm_text(report, windows, scores, chosen) : report_text(report, options.shown));
  }
  if (options.output.empty() || alarms.empty()) return;
  const std::string page = write_diagnosis_page(options.output, report, json, options.shown);
  if (!options.json) print(page + "\n");
}

std::vector<Option> diagnose_option_list(DiagnoseOptions& o) {
  std::vector<Option> list = {
      {.name = "MODEL", .target = &o.model, .help = "a model that faithful train wrote", .required = true},
      {.name = "DATA", .target = &o.data_path, .help = "a file or folder, labels not needed", .required = true},
      {.name = "--series",
       .target = &o.series,
       .value = "NAME,...",
       .help = "only these series, by name or by number from 1",
       .shown_default = "all"},
      {.name = "--held-out",
       .target = &o.held_out,
       .help = "of the data of its training, the test part alone, which it has not seen"},
      {.name = "--above",
       .target = &o.above,
       .value = "X",
       .help = "an alarm is a score of at least this",
       .at_least = 0,
       .at_most = 1,
       .shown_default = "the model's threshold"},
      {.name = "--class",
       .target = &o.looked_for,
       .value = "NAME",
       .help = "what is looked for",
       .shown_default = "the second of two classes"},
      {.name = "--normal",
       .target = &o.normal,
       .value = "DATA",
       .help = "what suspects are compared with and replaced by",
       .shown_default = "what raises no alarm in DATA"},
      {.name = "--most", .target = &o.most, .value = "N", .help = "alarms to look into, surest first", .at_least = 1},
      {.name = "--shown", .target = &o.shown, .value = "N", .help = "of them in full, the others as one line"},
      {.name = "-o,--output", .target = &o.output, .value = "DIR", .help = "write a page with figures"},
      {.name = "--json", .target = &o.json, .help = "print JSON"},
      {.name = "--seed", .target = &o.seed, .value = "N", .help = "of the intervals' resamples"},
      threads_option(o.threads)};
  for (Option option : data_option_list(o.data)) {
    if (option.name == "--series") option.name = "--series-column";
    list.push_back(std::move(option));
  }
  return list;
}

}  // namespace

Command diagnose_verb() {
  const auto options = std::make_shared<DiagnoseOptions>();
  return {.name = "diagnose",
          .summary = "which sensor, and when: what made a model raise an alarm",
          .description =
              "For each alarm (overlapping windows that the model flags are one): the sensors and the times that it "
              "came from, most suspect first, by three methods: attention (where the model looked, which is no "
              "proof), occlusion (how much the score falls when a sensor or a span is replaced by its normal) and "
              "gradient times input; and how far they agree. Where the data knows which sensors were at fault, or "
              "when, it ends with how often that was right, beside a random answer and the largest deviation. Works "
              "with every model that faithful train writes.",
          .options = diagnose_option_list(*options),
          .examples = {{"faithful diagnose lift.safetensors lift.npz --part test -o page", "all alarms, with figures"},
                       {"faithful diagnose lift.safetensors lift.npz --series \"test trip 17\"", "one trip"},
                       {"faithful diagnose pump.safetensors today.csv --time time --normal may.csv --json",
                        "compared with a good month, for a script"}},
          .run = [options] { diagnose(*options); }};
}

}  // namespace faithful::app
