#include "app/evaluation.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "faithful/metrics/ranking.h"
#include "faithful/outcome/scores_json.h"
#include "faithful/report/text.h"
#include "faithful/train/answers.h"

namespace faithful::app {

namespace {

// What the bootstrap takes: the windows that have a label.
struct Labelled {
  std::vector<std::int32_t> truth, answers;
  std::vector<double> scores;         // P(class 1)
  std::vector<std::size_t> group_of;  // the stretch, or the series
};

// Which stretch each window belongs to: a run of the same label in an uninterrupted part of a series.
std::vector<std::size_t> stretch_numbers(const Windows& windows) {
  std::vector<std::size_t> numbers(windows.size());
  std::size_t number = 0;
  for (const Stretch& stretch : stretches_of(windows)) {
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      if (i > stretch.begin && windows[i].label != windows[i - 1].label) ++number;
      numbers[i] = number;
    }
    ++number;
  }
  return numbers;
}

Labelled labelled_of(const Windows& windows, const Matrix<float>& probabilities, double threshold, bool of_series) {
  const std::vector<std::int32_t> answers = decide(probabilities, threshold);
  const std::vector<std::size_t> stretches = stretch_numbers(windows);
  Labelled all;
  std::size_t last = SIZE_MAX;  // groups without labelled windows are not counted; those of windows never fall
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].label == kNoLabel) continue;
    const std::size_t group = of_series ? windows[i].series : stretches[i];
    const std::size_t number = all.group_of.empty() ? 0 : all.group_of.back() + (group == last ? 0 : 1);
    last = group;
    all.truth.push_back(windows[i].label);
    all.answers.push_back(answers[i]);
    all.scores.push_back(static_cast<double>(probabilities(i, 1)));
    all.group_of.push_back(number);
  }
  return all;
}

struct NamedStatistic {
  const char *key, *name;
  Statistic statistic;
};

std::vector<NamedStatistic> binary_statistics(const std::vector<std::uint8_t>& truth,
                                              const std::vector<std::uint8_t>& flags, const RankedScores& ranked) {
  using Counts = std::span<const double>;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  // A resample without positives says nothing about how they are found.
  const auto of_confusion = [&](double (Confusion::*measure)() const) {
    return [&, measure](Counts counts) {
      const Confusion found = confusion(truth, flags, counts);
      return found.positives() == 0 && measure != &Confusion::accuracy ? nan : (found.*measure)();
    };
  };
  return {{"precision", "precision", of_confusion(&Confusion::precision)},
          {"recall", "recall", of_confusion(&Confusion::recall)},
          {"f1", "F1", of_confusion(&Confusion::f1)},
          {"auc_pr", "AUC-PR", [&](Counts counts) { return ranked.average_precision(counts).value_or(nan); }},
          {"auc_roc", "AUC-ROC", [&](Counts counts) { return ranked.auc_roc(counts).value_or(nan); }},
          {"accuracy", "accuracy", of_confusion(&Confusion::accuracy)}};
}

std::vector<NamedStatistic> class_statistics(const Labelled& all, std::size_t classes) {
  const auto of_report = [&all, classes](auto measure) {
    return [&all, classes, measure](std::span<const double> counts) {
      return measure(class_report(all.truth, all.answers, classes, counts));
    };
  };
  return {{"accuracy", "accuracy", of_report([](const ClassReport& r) { return r.accuracy; })},
          {"macro_f1", "macro F1", of_report([](const ClassReport& r) { return r.macro.f1; })},
          {"weighted_f1", "weighted F1", of_report([](const ClassReport& r) { return r.weighted.f1; })}};
}

}  // namespace

Evaluation evaluate_answers(const TrainedModel& model, const Windows& windows, Matrix<float> probabilities,
                            const EvaluationOptions& options, ThreadPool& pool) {
  Evaluation evaluation{.probabilities = std::move(probabilities), .scores = {}, .measures = {}, .options = options};
  evaluation.of_series = !windows.dataset().has_point_labels();
  evaluation.scores = score_answers(evaluation.probabilities, windows, {.threshold = model.threshold});
  const Labelled all = labelled_of(windows, evaluation.probabilities, model.threshold, evaluation.of_series);
  evaluation.groups = all.group_of.empty() ? 0 : all.group_of.back() + 1;
  const std::vector<std::uint8_t> truth = flags_of(all.truth), flags = flags_of(all.answers);
  const RankedScores ranked(all.scores, truth);
  const std::vector<NamedStatistic> statistics =
      model.classes.size() == 2 ? binary_statistics(truth, flags, ranked) : class_statistics(all, model.classes.size());
  for (const auto& [key, name, statistic] : statistics) {
    const BootstrapOptions how{
        .resamples = options.resamples, .level = options.level, .seed = options.seed, .pool = &pool};
    evaluation.measures.push_back({key, name, bootstrap_groups(all.group_of, statistic, how)});
  }
  return evaluation;
}

Table measures_table(const Evaluation& evaluation) {
  Table table{.title = "", .columns = {{"measure"}, {"value"}, {"from"}, {"to"}}, .rows = {}};
  for (const Measure& measure : evaluation.measures) {
    const auto cell = [](double value) { return Cell(std::isnan(value) ? std::nullopt : std::optional(value), 3); };
    table.rows.push_back(
        {measure.name, cell(measure.found.value), cell(measure.found.interval.low), cell(measure.found.interval.high)});
  }
  table.note = fmt::format("From, to: {:g} % interval by bootstrap, {} resamples of {} {}.",
                           100 * evaluation.options.level, evaluation.options.resamples, evaluation.groups,
                           evaluation.of_series ? "series" : "stretches (events and what lies between them)");
  return table;
}

Table confusion_table(const Evaluation& evaluation, const std::vector<std::string>& classes) {
  Table table{.title = "Confusion: truth by row, answer by column", .columns = {{""}}, .rows = {}};
  for (const std::string& name : classes) table.columns.push_back({name});
  const Matrix<double>& counts = evaluation.scores.report.confusion;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    table.rows.push_back({classes[k]});
    for (const double count : counts.row(k)) table.rows.back().push_back(Cell::count(static_cast<std::size_t>(count)));
  }
  return table;
}

Table class_table(const Evaluation& evaluation, const std::vector<std::string>& classes) {
  Table table{.title = "Each class against the others",
              .columns = {{"class"}, {"windows"}, {"precision"}, {"recall"}, {"F1"}},
              .rows = {}};
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const ClassScore& score = evaluation.scores.report.classes[k];
    table.rows.push_back({classes[k], Cell::count(static_cast<std::size_t>(score.support)), Cell(score.precision, 3),
                          Cell(score.recall, 3), Cell(score.f1, 3)});
  }
  return table;
}

std::string events_text(const EventScores& events) {
  std::string text =
      fmt::format("events: {} of {} detected, false alarms: {}; precision {}, recall {}, F1 {}", events.detected,
                  events.events, events.false_alarms, number_text(events.precision(), 3),
                  number_text(events.recall(), 3), number_text(events.f1(), 3));
  if (events.median_delay()) text += fmt::format("; median delay {} samples", number_text(*events.median_delay(), 3));
  return text;
}

Json evaluation_json(const Evaluation& evaluation) {
  Json intervals = Json::object();
  for (const Measure& measure : evaluation.measures)
    intervals.set(measure.key, Json::Array{measure.found.interval.low, measure.found.interval.high});
  return Json::Object{{"scores", scores_json(evaluation.scores)},
                      {"intervals", intervals},
                      {"level", evaluation.options.level},
                      {"resamples", evaluation.options.resamples},
                      {"resampled", evaluation.of_series ? "series" : "stretches"},
                      {"groups", evaluation.groups}};
}

}  // namespace faithful::app
