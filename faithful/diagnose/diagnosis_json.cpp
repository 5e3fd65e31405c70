#include <utility>

#include "faithful/diagnose/diagnosis_score.h"
#include "faithful/diagnose/suspects.h"
#include "faithful/diagnose/words.h"

namespace faithful {

namespace {

Json span_json(const Clock& clock, const Series& series, const Range& span) {
  Json json = Json::object();
  json.set("begin", span.begin).set("end", span.end);
  if (!series.times.empty()) json.set("start_time", clock.text(span.begin)).set("end_time", clock.text(span.end - 1));
  return json;
}

Json spans_json(const Clock& clock, const Series& series, const std::vector<SuspectedSpan>& spans) {
  Json json = Json::array();
  for (const SuspectedSpan& span : spans) json.push_back(span_json(clock, series, span.span).set("share", span.share));
  return json;
}

Json sensors_json(const DiagnosisReport& report, const MethodAnswer& answer) {
  if (answer.sensors.empty()) return {};
  const std::vector<double> shares = shares_of(answer.sensors);
  Json json = Json::array();
  for (const std::size_t sensor : order_of(answer.sensors)) {
    Json one = Json::object();
    json.push_back(one.set("sensor", report.dataset.channels[sensor])
                       .set("share", shares[sensor])
                       .set("weight", answer.sensors[sensor]));
  }
  return json;
}

Json agreement_json(const std::optional<Agreement>& found) {
  if (!found) return {};
  Json json = Json::object();
  json.set("spearman", found->spearman ? Json(*found->spearman) : Json());
  return json.set("same_first", found->same_first).set("common_of_first_3", found->common);
}

// The local versions of the attention diagnosis, of the surest window; null where the model has none.
Json local_json(const DiagnosisReport& report, const WindowDetails& details) {
  if (details.steps_of_first.empty()) return {};
  Json json = Json::object();
  json.set("sensor", report.dataset.channels[details.first_sensor]);
  json.set("steps_of_sensor", Json(Json::Array(details.steps_of_first.begin(), details.steps_of_first.end())));
  json.set("step", details.first_step).set("step_begin", details.span.begin + details.first_step * details.step);
  return json.set("sensors_at_step",
                  Json(Json::Array(details.sensors_at_first.begin(), details.sensors_at_first.end())));
}

Json truth_json(const DiagnosisReport& report, std::size_t number) {
  if (!report.truths[number]) return {};
  const AlarmTruth& truth = *report.truths[number];
  const Diagnosis& one = report.found[number];
  const Series& series = report.series_of(one);
  const Clock clock(report.dataset, series);
  Json json = Json::object();
  json.set("false_alarm", truth.is_false);
  Json sensors = Json::array(), spans = Json::array(), measures = Json::object();
  for (const std::size_t sensor : truth.sensors) sensors.push_back(report.dataset.channels[sensor]);
  for (const Range& span : truth.spans) spans.push_back(span_json(clock, series, span));
  const MeasureRow row = score_answer(one.together, one.pieces, truth);
  for (std::size_t m = 0; m < kDiagnosisMeasures; ++m) measures.set(kDiagnosisMeasureNames[m], row[m]);
  return json.set("sensors", std::move(sensors))
      .set("spans", std::move(spans))
      .set("kinds", Json(Json::Array(truth.kinds.begin(), truth.kinds.end())))
      .set("measures", std::move(measures));
}

Json alarm_json(const DiagnosisReport& report, std::size_t number) {
  const Diagnosis& one = report.found[number];
  const Series& series = report.series_of(one);
  const Clock clock(report.dataset, series);
  Json json = Json::object();
  json.set("series", series.name);
  const Json at = span_json(clock, series, one.alarm.span);
  for (const auto& [name, value] : at.members()) json.set(name, value);
  json.set("score", one.alarm.score).set("windows", one.alarm.flagged).set("looked_into", one.alarm.windows.size());
  json.set("advice", advice(report, number));
  json.set("sensors", sensors_json(report, one.together)).set("spans", spans_json(clock, series, one.together.spans));
  Json pieces = Json::array(), methods = Json::object(), agreement = Json::array();
  for (const Range& piece : one.pieces) pieces.push_back(Json(Json::Array{piece.begin, piece.end}));
  json.set("pieces", std::move(pieces));
  for (const MethodAnswer& method : one.methods) {
    Json answer = Json::object();
    answer.set("sensors", sensors_json(report, method)).set("spans", spans_json(clock, series, method.spans));
    answer.set("times", Json(Json::Array(method.times.begin(), method.times.end())));
    methods.set(method.method, std::move(answer));
  }
  for (const MethodAgreement& pair : agreements(one)) {
    Json found = Json::object();
    found.set("methods", Json(Json::Array{pair.first, pair.second}));
    agreement.push_back(found.set("sensors", agreement_json(pair.sensors)).set("times", agreement_json(pair.times)));
  }
  json.set("methods", std::move(methods)).set("agreement", std::move(agreement));
  json.set("local_attention", local_json(report, one.details));
  return json.set("truth", truth_json(report, number));
}

template <class Measures>
Json measures_json(const Measures& measures) {
  Json json = Json::object();
  for (std::size_t m = 0; m < kDiagnosisMeasures; ++m) {
    Json one = Json::object();
    if (measures[m])
      one.set("value", measures[m]->value)
          .set("interval", Json(Json::Array{measures[m]->interval.low, measures[m]->interval.high}));
    json.set(kDiagnosisMeasureNames[m], measures[m] ? std::move(one) : Json());
  }
  return json;
}

Json scores_json(const DiagnosisScores& scores) {
  Json json = Json::object(), methods = Json::object(), differences = Json::array();
  json.set("alarms", scores.alarms).set("false_alarms", scores.false_alarms);
  json.set("with_sensors", scores.with_sensors).set("in_time", scores.in_time);
  for (const auto* list : {&scores.methods, &scores.baselines})
    for (const ScoredMethod& method : *list) methods.set(method.method, measures_json(method.measures));
  for (const ScoredDifference& one : scores.differences) {
    Json difference = Json::object();
    difference.set("method", one.method).set("less", one.other);
    differences.push_back(difference.set("measures", measures_json(one.measures)));
  }
  return json.set("methods", std::move(methods)).set("differences", std::move(differences));
}

}  // namespace

Json to_json(const DiagnosisReport& report) {
  Json json = Json::object(), alarms = Json::array();
  json.set("data", report.dataset.name).set("class", report.class_name()).set("threshold", report.threshold);
  json.set("normal", report.normal.from).set("found", report.alarms);
  for (std::size_t i = 0; i < report.found.size(); ++i) alarms.push_back(alarm_json(report, i));
  json.set("alarms", std::move(alarms));
  return json.set("scores", report.scores ? scores_json(*report.scores) : Json());
}

}  // namespace faithful
