#include "app/scores.h"

#include <algorithm>

namespace faithful::app {

namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json confusion_json(const Matrix<double>& confusion) {
  Json rows = Json::array();
  for (std::size_t truth = 0; truth < confusion.rows; ++truth) {
    Json row = Json::array();
    for (const double count : confusion.row(truth)) row.push_back(static_cast<std::int64_t>(count));
    rows.push_back(row);
  }
  return rows;
}

Json events_json(const EventScores& events) {
  return Json::Object{{"events", events.events},
                      {"detected", events.detected},
                      {"false_alarms", events.false_alarms},
                      {"precision", events.precision()},
                      {"recall", events.recall()},
                      {"f1", events.f1()},
                      {"mean_delay", or_null(events.mean_delay())},
                      {"median_delay", or_null(events.median_delay())}};
}

}  // namespace

Json scores_json(const Scores& scores) {
  Json json = Json::Object{{"windows", scores.windows},
                           {"accuracy", scores.report.accuracy},
                           {"macro_f1", scores.report.macro.f1},
                           {"weighted_f1", scores.report.weighted.f1},
                           {"confusion", confusion_json(scores.report.confusion)}};
  if (!scores.binary) return json;
  json.set("precision", scores.binary->precision())
      .set("recall", scores.binary->recall())
      .set("f1", scores.binary->f1())
      .set("auc_pr", or_null(scores.auc_pr))
      .set("auc_roc", or_null(scores.auc_roc));
  if (scores.events) json.set("events", events_json(*scores.events));
  return json;
}

Table scores_table(const std::string& title, const std::vector<NamedScores>& rows) {
  const bool binary = std::ranges::any_of(rows, [](const NamedScores& row) { return row.scores->binary.has_value(); });
  Table table{.title = title, .columns = {{""}}, .rows = {}};
  if (!binary) {
    for (const char* name : {"accuracy", "macro F1", "weighted F1"}) table.columns.push_back({name});
    for (const auto& [name, scores] : rows) {
      const ClassReport& report = scores->report;
      table.rows.push_back({name, {report.accuracy, 3}, {report.macro.f1, 3}, {report.weighted.f1, 3}});
    }
    return table;
  }
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
  return table;
}

}  // namespace faithful::app
