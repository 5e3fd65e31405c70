#include "faithful/outcome/scores_json.h"

namespace faithful {

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

}  // namespace faithful
