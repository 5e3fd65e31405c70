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
  if (model_.classes.size() == 2) return text + "score,class\n";
  for (const std::string& name : model_.classes) text += csv_words("p(" + name + ")") + ",";
  return text + "class\n";
}

std::string PredictionLines::line(const PredictionRow& row) const {
  std::string text = has_series_ ? csv_words(row.series) + "," : "";
  text += fmt::format("{},{},", row.begin, row.end);
  if (has_times_ && row.first && row.last)
    text += fmt::format("{},{},", format_time(*row.first), format_time(*row.last));
  if (row.probabilities.size() == 2) {
    text += fmt::format("{},", row.probabilities[1]);
  } else {
    text += fmt::format("{},", fmt::join(row.probabilities, ","));
  }
  const std::int32_t number = decide(row.probabilities, model_.threshold);
  return text + csv_words(model_.classes[static_cast<std::size_t>(number)]) + "\n";
}

}  // namespace faithful::app
