#include "faithful/diagnose/diagnose.h"

#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/progress.h"
#include "faithful/diagnose/alarms.h"
#include "faithful/diagnose/diagnoser.h"
#include "faithful/diagnose/diagnosis_score.h"
#include "faithful/diagnose/normal.h"
#include "faithful/metrics/decide.h"
#include "faithful/model/infer.h"
#include "faithful/trained/readings.h"

namespace faithful {

namespace {

std::size_t class_to_detect(const std::string& name, const std::vector<std::string>& classes) {
  if (name.empty() && classes.size() == 2) return 1;
  const auto found = std::ranges::find(classes, name);
  if (found == classes.end())
    reject({{.field = "class_name"},
            "a class that the model knows",
            name.empty() ? "none" : quote(name),
            name.empty() ? fmt::format("known: {}", fmt::join(classes, ", ")) : suggest(name, classes)});
  return static_cast<std::size_t>(found - classes.begin());
}

double alarm_threshold(const DiagnoseOptions& options, const TrainedModel& model, std::size_t class_number) {
  if (options.above) return *options.above;
  if (model.classes.size() > 2) return 0.5;
  return class_number == 1 ? model.threshold : 1 - model.threshold;
}

// [series]: whether it was asked for; all where none was.
std::vector<bool> chosen_series(const std::vector<std::string>& wanted, const Dataset& dataset) {
  std::vector<bool> chosen(dataset.series.size(), wanted.empty());
  for (const std::string& name : wanted) {
    const auto named = std::ranges::find(dataset.series, name, &Series::name);
    const std::optional<std::size_t> number = parse_number<std::size_t>(name);
    if (named != dataset.series.end()) {
      chosen[static_cast<std::size_t>(named - dataset.series.begin())] = true;
    } else if (number && *number >= 1 && *number <= dataset.series.size()) {
      chosen[*number - 1] = true;
    } else {
      reject({{.field = "only_series"},
              fmt::format("the name of a series, or a number from 1 to {}", dataset.series.size()),
              quote(name),
              fmt::format("a column that names the series of each row: {}", field_text("series"))});
    }
  }
  return chosen;
}

Normal normal_of(const Dataset& reference, const TrainedModel& model, std::size_t class_number, ThreadPool& pool) {
  const bool has_parts =
      std::ranges::any_of(reference.series, [](const Series& s) { return s.part == DataPart::kTrain; });
  const Windows windows = cut_for_model(reference, model);
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < windows.size(); ++i) {
    const bool in_part = !has_parts || reference.series[windows[i].series].part == DataPart::kTrain;
    if (in_part && windows[i].label != static_cast<std::int32_t>(class_number)) numbers.push_back(i);
  }
  if (numbers.empty())
    reject({{.field = "normal"},
            fmt::format("data that is not all {}", quote(model.classes[class_number])),
            quote(reference.name)});
  Normal found = fit_normal(windows, numbers, model.takes_whole_series(), pool);
  found.from += fmt::format(" of {}", reference.name);
  return found;
}

// The surest alarms in the chosen series.
std::vector<Alarm> alarms_to_look_into(std::vector<Alarm> alarms, const std::vector<bool>& chosen) {
  std::erase_if(alarms, [&](const Alarm& one) { return !chosen[one.series]; });
  std::ranges::stable_sort(alarms, std::ranges::greater{}, &Alarm::score);
  return alarms;
}

std::optional<SurestWindow> surest_window(const Windows& windows, std::span<const double> scores,
                                          const std::vector<bool>& chosen) {
  std::optional<SurestWindow> surest;
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (chosen[windows[i].series] && (!surest || scores[i] > surest->score)) surest = {windows[i].series, scores[i]};
  return surest;
}

void look_into(DiagnosisReport& report, const Windows& windows, std::span<const Alarm> alarms,
               const DiagnoseOptions& options, ThreadPool& pool) {
  Diagnoser diagnoser(*report.model.predictor, report.normal, {.class_number = report.class_number}, pool);
  std::optional<Progress> progress;
  if (options.progress) progress.emplace("diagnosing", alarms.size());
  for (const Alarm& alarm : alarms) {
    report.found.push_back(diagnoser.diagnose(windows, alarm));
    report.truths.push_back(truth_of(report.dataset.series[alarm.series], alarm, report.class_number));
    if (progress) progress->advance();
  }
  report.scores = score_diagnoses(report.found, report.truths, {.seed = options.seed, .pool = &pool});
}

}  // namespace

Normal choose_normal(const TrainedModel& model, const Windows& windows, std::span<const double> scores,
                     double threshold, std::size_t class_number, const Dataset* reference, ThreadPool& pool) {
  constexpr std::size_t kLeast = 10;  // windows of the data: fewer say little
  if (reference != nullptr) return normal_of(*reference, model, class_number, pool);
  std::vector<std::uint32_t> below;
  for (std::uint32_t i = 0; i < windows.size(); ++i)
    if (scores[i] < threshold) below.push_back(i);
  if (below.size() < kLeast) return scaler_normal(model.scaler.kind, model.channels.size());
  Normal found = fit_normal(windows, below, model.takes_whole_series(), pool);
  found.from += " of this data that raise no alarm";
  return found;
}

// score -> alarms -> what is normal -> look into them -> compare with the labels
DiagnosisReport diagnose(const TrainedModel& model, const Dataset& dataset, const DiagnoseOptions& options,
                         ThreadPool& pool) {
  const std::size_t class_number = class_to_detect(options.class_name, model.classes);
  const std::vector<bool> chosen = chosen_series(options.only_series, dataset);
  DiagnosisReport report{model, dataset, class_number, alarm_threshold(options, model, class_number)};
  report.scaler = options.held_out ? model.scaler : prediction_scaler(model);
  const Windows windows = options.held_out ? held_out_windows(dataset, model) : cut_for_model(dataset, model);
  const Matrix<float> probabilities = probabilities_of(*model.predictor, windows, pool);
  require_scores(model, windows, probabilities);
  const std::vector<double> scores = scores_of(probabilities, class_number);
  report.surest = surest_window(windows, scores, chosen);
  std::vector<Alarm> alarms = alarms_to_look_into(find_alarms(windows, scores, report.threshold), chosen);
  report.alarms = alarms.size();
  alarms.resize(std::min(alarms.size(), options.most));
  report.normal = choose_normal(model, windows, scores, report.threshold, class_number, options.normal, pool);
  look_into(report, windows, alarms, options, pool);
  return report;
}

}  // namespace faithful
