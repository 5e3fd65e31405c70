#include "app/diagnosis_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "faithful/diagnose/suspects.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

// The method's shares of the blame, in percent; nothing where it says nothing.
std::vector<Cell> share_cells(const std::vector<double>& weights, std::size_t count) {
  std::vector<Cell> cells(count, Cell(std::optional<double>{}));
  if (weights.empty()) return cells;
  const std::vector<double> shares = shares_of(weights);
  for (std::size_t i = 0; i < count; ++i) cells[i] = Cell(100 * shares[i], 3);
  return cells;
}

std::string interval_text(const std::optional<Bootstrap>& found) {
  if (!found) return "–";
  return fmt::format("{} [{}, {}]", number_text(found->value, 2), number_text(found->interval.low, 2),
                     number_text(found->interval.high, 2));
}

// The sensors at fault; of many the first ones.
std::string truth_cell(const DiagnosisReport& report, const AlarmTruth& truth) {
  constexpr std::size_t kMost = 5;
  if (truth.is_false) return "false alarm";
  if (truth.sensors.empty()) return "–";
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, truth.sensors.size()); ++i)
    text += (i == 0 ? "" : " ") + report.dataset.channels[truth.sensors[i]];
  return truth.sensors.size() > kMost ? text + fmt::format(" and {} more", truth.sensors.size() - kMost) : text;
}

std::vector<Column> measure_columns(std::vector<Column> first) {
  for (const char* name : kDiagnosisMeasureNames) first.push_back({name, "", true});
  return first;
}

}  // namespace

Table alarms_table(const DiagnosisReport& report) {
  const bool truth = std::ranges::any_of(report.truths, [](const auto& one) { return one.has_value(); });
  Table table{.title = "Alarms, surest first", .columns = {{"series"}, {"score"}, {"sensors"}, {"when"}}, .rows = {}};
  if (truth) table.columns.push_back({"truth"});
  for (std::size_t i = 0; i < report.found.size(); ++i) {
    const Diagnosis& one = report.found[i];
    const Series& series = report.series_of(one);
    const Clock clock(report.dataset, series);
    std::vector<std::string> sensors;
    for (const std::size_t sensor : first_sensors(one.together)) sensors.push_back(report.dataset.channels[sensor]);
    const std::string when = clock.span_words(one.together.spans);
    const bool whole = one.alarm.span.length() == series.length();
    std::vector<Cell> row{whole ? series.name : series.name + ", " + clock.span_text(one.alarm.span),
                          {one.alarm.score, 3},
                          fmt::format("{}", fmt::join(sensors, " ")),
                          when.empty() ? "–" : when};
    if (truth) {
      row.emplace_back(report.truths[i] ? truth_cell(report, *report.truths[i]) : "–");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table sensors_table(const DiagnosisReport& report, std::size_t number, std::size_t most) {
  const Diagnosis& one = report.found[number];
  const std::vector<std::size_t> order = order_of(one.together.sensors);
  Table table{.title = "Sensors, most suspect first", .columns = {{"sensor"}, {"together", "%"}}, .rows = {}};
  std::vector<std::vector<Cell>> columns = {share_cells(one.together.sensors, order.size())};
  for (const MethodAnswer& method : one.methods) {
    table.columns.push_back({method.method, "%", true});
    columns.push_back(share_cells(method.sensors, order.size()));
  }
  for (const std::size_t sensor : order) {
    if (table.rows.size() == most) break;
    std::vector<Cell> row{report.dataset.channels[sensor]};
    for (const std::vector<Cell>& column : columns) row.push_back(column[sensor]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table spans_table(const DiagnosisReport& report, std::size_t number) {
  const Diagnosis& one = report.found[number];
  const Clock clock(report.dataset, report.series_of(one));
  Table table{
      .title = "Times that stand out", .columns = {{"method"}, {"when"}, {"samples"}, {"weight", "%"}}, .rows = {}};
  const auto add = [&](const MethodAnswer& answer) {
    for (const SuspectedSpan& span : answer.spans)
      table.rows.push_back({answer.method,
                            clock.span_text(span.span),
                            fmt::format("{} to {}", span.span.begin, span.span.end - 1),
                            {100 * span.share, 3}});
    if (answer.spans.empty()) table.rows.push_back({answer.method, "none", "–", Cell(std::optional<double>{})});
  };
  add(one.together);
  for (const MethodAnswer& method : one.methods) add(method);
  return table;
}

Table agreement_table(const DiagnosisReport& report, std::size_t number) {
  Table table{.title = "Do the methods agree?",
              .columns = {{"methods"},
                          {"rank correlation, sensors"},
                          {"same first sensor", "", true},
                          {"common of first 3", "", true},
                          {"rank correlation, time"}},
              .rows = {},
              .note = "Spearman's correlation of the ranks: 1 the same order, 0 none in common, -1 the opposite."};
  for (const MethodAgreement& pair : agreements(report.found[number])) {
    const std::optional<double> nothing;
    std::vector<Cell> row{pair.first + ", " + pair.second, Cell(pair.sensors ? pair.sensors->spearman : nothing, 2)};
    row.emplace_back(!pair.sensors ? "–" : pair.sensors->same_first ? "yes" : "no");
    row.emplace_back(!pair.sensors ? "–" : fmt::format("{}", pair.sensors->common));
    row.emplace_back(pair.times.spearman, 2);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table hits_table(const DiagnosisScores& scores) {
  Table table{.title = "Were the diagnoses right?", .columns = measure_columns({{"method"}}), .rows = {}};
  for (const auto* list : {&scores.methods, &scores.baselines}) {
    for (const ScoredMethod& method : *list) {
      std::vector<Cell> row{method.method};
      for (const auto& measure : method.measures) row.emplace_back(interval_text(measure));
      table.rows.push_back(std::move(row));
    }
  }
  table.note = fmt::format(
      "Means over {} alarms ({} with known sensors, {} with known times), 95 % interval by bootstrap over alarms; {} "
      "false alarms are not scored. hit@k: a sensor at fault is among the first k; hit@100%, @150%: share of the "
      "sensors at fault among the first 1 and 1.5 times as many; pointing: the time with the most weight lies in "
      "the fault; overlap: samples in both the first suspected span and the fault, over samples in either.",
      scores.alarms, scores.with_sensors, scores.in_time, scores.false_alarms);
  return table;
}

Table differences_table(const DiagnosisScores& scores) {
  Table table{.title = "Methods minus baselines",
              .columns = measure_columns({{"method"}, {"less"}}),
              .rows = {},
              .note =
                  "Differences alarm by alarm, 95 % interval. \"deviation\" is the better of largest peak and largest "
                  "mean, measure by measure. A method is better only where its whole interval is above 0."};
  for (const ScoredDifference& one : scores.differences) {
    std::vector<Cell> row{one.method, one.other};
    for (const auto& measure : one.measures) row.emplace_back(interval_text(measure));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace faithful::app
