#include "app/scores.h"

#include <algorithm>

namespace faithful::app {

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
