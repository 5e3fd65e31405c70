#include "app/predictions.h"

#include <fmt/format.h>

#include "faithful/data/times.h"
#include "faithful/metrics/decide.h"
#include "faithful/report/text.h"

namespace faithful::app {

PredictionLines::PredictionLines(const TrainedModel& model, bool has_series, bool has_times)
    : model_(model), has_series_(has_series), has_times_(has_times) {}

std::string PredictionLines::header() const {
  std::string text = has_series_ ? "series,begin,end," : "begin,end,";
  if (has_times_) text += "start_time,end_time,";
  if (model_.classes.size() == 2) return text + "score,class,status,reason\n";
  for (const std::string& name : model_.classes) text += csv_words("p(" + name + ")") + ",";
  return text + "class,status,reason\n";
}

std::string PredictionLines::line(const PredictionRow& row) const {
  std::string text = has_series_ ? csv_words(row.series) + "," : "";
  text += fmt::format("{},{},", row.begin, row.end);
  const bool timed = row.first && row.last;
  if (has_times_) text += timed ? fmt::format("{},{},", format_time(*row.first), format_time(*row.last)) : ",,";
  const std::string end =
      fmt::format(",{},{}\n", to_string(row.status), row.reason.empty() ? "" : csv_words(row.reason));
  const std::size_t scores = model_.classes.size() == 2 ? 1 : model_.classes.size();
  if (row.status == PredictionStatus::kInvalid) return text + std::string(scores, ',') + "invalid" + end;
  text += fmt::format("{},", fmt::join(row.probabilities.last(scores), ","));
  const std::int32_t number = decide(row.probabilities, model_.threshold);
  return text + csv_words(model_.classes[static_cast<std::size_t>(number)]) + end;
}

}  // namespace faithful::app
