#include "app/evaluation_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/metrics/calibration.h"
#include "faithful/report/text.h"

namespace faithful::app {

Table measures_table(const Evaluation& evaluation) {
  Table table{.title = "", .columns = {{"measure"}, {"value"}, {"from"}, {"to"}}, .rows = {}};
  for (const Measure& measure : evaluation.measures) {
    const auto cell = [](double value) { return Cell(std::isnan(value) ? std::nullopt : std::optional(value), 3); };
    table.rows.push_back(
        {measure.name, cell(measure.found.value), cell(measure.found.interval.low), cell(measure.found.interval.high)});
  }
  table.note = fmt::format("From, to: {:g} % interval by bootstrap, {} resamples of {} {}.",
                           100 * evaluation.options.level, evaluation.options.resamples, evaluation.groups,
                           evaluation.of_series ? "series" : "stretches (events and the spans between them)");
  return table;
}

Table confusion_table(const Evaluation& evaluation, const std::vector<std::string>& classes) {
  Table table{.title = "Confusion matrix: truth by row, prediction by column", .columns = {{""}}, .rows = {}};
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

std::string events_text(const Scores& scores) {
  const EventScores& events = *scores.events;
  std::string text =
      fmt::format("events: {} of {} detected, false alarms: {}", events.detected, events.events, events.false_alarms);
  if (events.events == 0) return text;
  text += fmt::format("; precision {}, recall {}, F1 {} (all positive {})", number_text(events.precision(), 3),
                      number_text(events.recall(), 3), number_text(events.f1(), 3),
                      number_text(scores.all_positive_events->f1(), 3));
  if (events.median_delay()) text += fmt::format("; median delay {} samples", number_text(*events.median_delay(), 3));
  return text;
}

std::string calibration_text(const Scores& scores) {
  return fmt::format(
      "expected calibration error (ECE) {} in {} bins; a perfectly calibrated model would have {} by chance",
      number_text(scores.ece, 3), kReliabilityBins, number_text(scores.ece_floor, 3));
}

namespace {

void add_class_scores(const std::vector<NamedScores>& rows, Table& table) {
  for (const char* name : {"accuracy", "macro F1", "weighted F1"}) table.columns.push_back({name});
  for (const auto& [name, scores] : rows) {
    const ClassReport& report = scores->report;
    table.rows.push_back({name, {report.accuracy, 3}, {report.macro.f1, 3}, {report.weighted.f1, 3}});
  }
}

void add_binary_scores(const std::vector<NamedScores>& rows, Table& table) {
  for (const char* name : {"precision", "recall", "F1", "AUC-PR", "AUC-ROC"}) table.columns.push_back({name});
  const bool events = std::ranges::any_of(rows, [](const NamedScores& row) { return row.scores->events.has_value(); });
  if (events) table.columns.push_back({"event F1"});
  for (const auto& [name, scores] : rows) {
    const Confusion& confusion = *scores->binary;
    std::vector<Cell> row{name,
                          {confusion.precision(), 3},
                          {confusion.recall(), 3},
                          {confusion.f1(), 3},
                          {scores->auc_pr, 3},
                          {scores->auc_roc, 3}};
    if (events) row.emplace_back(scores->events ? std::optional(scores->events->f1()) : std::nullopt, 3);
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

Table scores_table(const std::string& title, const std::vector<NamedScores>& rows) {
  const bool binary = std::ranges::any_of(rows, [](const NamedScores& row) { return row.scores->binary.has_value(); });
  Table table{.title = title, .columns = {{""}}, .rows = {}};
  (binary ? add_binary_scores : add_class_scores)(rows, table);
  for (const char* name : {"log loss", "Brier", "ECE", "floor"}) table.columns.push_back({name});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Scores& scores = *rows[i].scores;
    for (const std::optional<double>& value : {scores.log_loss, scores.brier, scores.ece, scores.ece_floor})
      table.rows[i].emplace_back(value, 3);
  }
  table.note = fmt::format(
      "Brier: summed over the classes. ECE: expected calibration error, {} bins; floor: what a perfectly calibrated model "
      "would have by chance.",
      kReliabilityBins);
  return table;
}

}  // namespace faithful::app
