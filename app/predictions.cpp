#include "app/predictions.h"

#include <fmt/format.h>

#include "faithful/data/times.h"
#include "faithful/io/csv.h"
#include "faithful/predict/predictor.h"

namespace faithful::app {

AnswerLines::AnswerLines(const TrainedModel& model, bool has_series, bool has_times)
    : model_(model), has_series_(has_series), has_times_(has_times) {}

std::string AnswerLines::header() const {
  std::string text = has_series_ ? "series,begin,end," : "begin,end,";
  if (has_times_) text += "start_time,end_time,";
  if (model_.classes.size() == 2) return text + "score,class\n";
  for (const std::string& name : model_.classes) text += csv_cell("p(" + name + ")") + ",";
  return text + "class\n";
}

std::string AnswerLines::line(const Answer& answer) const {
  std::string text = has_series_ ? csv_cell(answer.series) + "," : "";
  text += fmt::format("{},{},", answer.begin, answer.end);
  if (has_times_ && answer.first && answer.last)
    text += fmt::format("{},{},", format_time(*answer.first), format_time(*answer.last));
  if (answer.probabilities.size() == 2) {
    text += fmt::format("{},", answer.probabilities[1]);
  } else {
    text += fmt::format("{},", fmt::join(answer.probabilities, ","));
  }
  const std::int32_t number = class_of(answer.probabilities, model_.threshold);
  return text + csv_cell(model_.classes[static_cast<std::size_t>(number)]) + "\n";
}

}  // namespace faithful::app
