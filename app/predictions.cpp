#include "app/predictions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/times.h"
#include "faithful/io/csv.h"
#include "faithful/metrics/decide.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

// Names that are all numbers need no protection from spreadsheets: -1|1 is no formula.
std::string set_cell(const std::vector<std::string>& names) {
  const bool numbers =
      std::ranges::all_of(names, [](const std::string& name) { return parse_number<double>(name).has_value(); });
  return numbers ? csv_cell(set_text(names)) : csv_words(set_text(names));
}

}  // namespace

PredictionLines::PredictionLines(const TrainedModel& model, bool has_series, bool has_times,
                                 std::optional<SetLimit> sets)
    : model_(model), has_series_(has_series), has_times_(has_times), sets_(std::move(sets)) {}

std::string PredictionLines::header() const {
  std::string text = has_series_ ? "series,begin,end," : "begin,end,";
  if (has_times_) text += "start_time,end_time,";
  const std::string end = sets_ ? "class,set,status,reason\n" : "class,status,reason\n";
  if (model_.classes.size() == 2) return text + "score," + end;
  for (const std::string& name : model_.classes) text += csv_words("p(" + name + ")") + ",";
  return text + end;
}

std::string PredictionLines::line(const PredictionRow& row) const {
  std::string text = has_series_ ? csv_words(row.series) + "," : "";
  text += fmt::format("{},{},", row.begin, row.end);
  const bool timed = row.first && row.last;
  if (has_times_) text += timed ? fmt::format("{},{},", format_time(*row.first), format_time(*row.last)) : ",,";
  const std::string end =
      fmt::format(",{},{}\n", to_string(row.status), row.reason.empty() ? "" : csv_words(row.reason));
  const std::size_t scores = model_.classes.size() == 2 ? 1 : model_.classes.size();
  if (row.status == PredictionStatus::kInvalid)
    return text + std::string(scores, ',') + "invalid" + (sets_ ? "," : "") + end;
  text += fmt::format("{},", fmt::join(row.probabilities.last(scores), ","));
  const std::int32_t number = decide(row.probabilities, model_.threshold);
  text += csv_words(model_.classes[static_cast<std::size_t>(number)]);
  if (!sets_) return text + end;
  std::vector<std::string> names;
  for (const std::int32_t k : prediction_set(row.probabilities, *sets_))
    names.push_back(model_.classes[static_cast<std::size_t>(k)]);
  return text + "," + set_cell(names) + end;
}

std::string set_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (&name != names.data()) text += '|';
    for (const char letter : name) {
      if (letter == '|' || letter == '\\') text += '\\';
      text += letter;
    }
  }
  return text;
}

}  // namespace faithful::app
