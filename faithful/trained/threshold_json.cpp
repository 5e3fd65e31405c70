#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/trained/config_json_internal.h"
#include "faithful/trained/threshold_json_internal.h"

namespace faithful::trained {

namespace {

// A column for each number of a point.
using Column = std::pair<const char*, double (*)(const ThresholdPoint&)>;
const std::vector<Column>& curve_columns() {
  static const std::vector<Column> columns = {
      {"thresholds", [](const ThresholdPoint& p) { return p.threshold; }},
      {"precision", [](const ThresholdPoint& p) { return p.precision; }},
      {"recall", [](const ThresholdPoint& p) { return p.recall; }},
      {"detected", [](const ThresholdPoint& p) { return static_cast<double>(p.detected); }},
      {"false_alarms", [](const ThresholdPoint& p) { return static_cast<double>(p.false_alarms); }}};
  return columns;
}

Json curve_json(const ThresholdCurve& curve) {
  Json json = Json::Object{{"windows", curve.windows},
                           {"positives", curve.positives},
                           {"events", curve.events},
                           {"samples", curve.samples},
                           {"days", curve.days},
                           {"lowest_normal", curve.lowest_normal},
                           {"highest_anomalous", curve.highest_anomalous}};
  if (curve.smoothed_f1)
    json.set("smoothed_f1", *curve.smoothed_f1)
        .set("smoothed_f1_interval", Json::Array{curve.smoothed_f1_interval->low, curve.smoothed_f1_interval->high});
  for (const auto& [name, value] : curve_columns()) {
    Json column = Json::array();
    for (const ThresholdPoint& point : curve.points) column.push_back(value(point));
    json.set(name, column);
  }
  return json;
}

double parse_within(const Json& json, double most, const std::string& place) {
  const double number = json.number(place);
  if (!(number >= 0 && number <= most))
    reject({{place}, fmt::format("a number from 0 to {:g}", most), fmt::format("{}", number)});
  return number;
}

}  // namespace

Json threshold_json(const TrainedModel& model) {
  Json json = Json::Object{{"value", model.threshold}, {"from", model.threshold_from}};
  if (model.thresholds) json.set("curve", curve_json(*model.thresholds));
  return json;
}

ThresholdCurve parse_curve(const Json& json, const std::string& place) {
  constexpr double kMost = 1e15;  // counts that a double holds
  ThresholdCurve curve{.windows = parse_count(json["windows"], place),
                       .positives = parse_count(json["positives"], place),
                       .events = parse_count(json["events"], place),
                       .samples = parse_within(json["samples"], kMost, place),
                       .days = parse_within(json["days"], kMost, place),
                       .lowest_normal = parse_within(json["lowest_normal"], 1, place),
                       .highest_anomalous = parse_within(json["highest_anomalous"], 1, place)};
  const std::size_t count = json["thresholds"].items(place).size();
  for (const auto& [name, value] : curve_columns())
    if (json[name].items(place).size() != count)
      reject({{place},
              fmt::format("{} numbers in {}", count, quote(name)),
              fmt::format("{}", json[name].items(place).size())});
  const auto at = [&](const char* name, std::size_t i, double most) {
    return parse_within(json[name].items(place)[i], most, place);
  };
  for (std::size_t i = 0; i < count; ++i)
    curve.points.push_back({at("thresholds", i, 1), at("precision", i, 1), at("recall", i, 1),
                            static_cast<std::size_t>(at("detected", i, kMost)),
                            static_cast<std::size_t>(at("false_alarms", i, kMost))});
  if (!std::ranges::is_sorted(curve.points, std::ranges::greater{}, &ThresholdPoint::threshold))
    reject({{place}, "falling thresholds", "one that rises"});
  if (count > 0) {
    curve.smoothed_f1 = parse_within(json["smoothed_f1"], 1, place);
    const auto& interval = json["smoothed_f1_interval"].items(place);
    if (interval.size() != 2) reject({{place}, "an interval of two numbers", fmt::format("{}", interval.size())});
    curve.smoothed_f1_interval = {parse_within(interval[0], 1, place), parse_within(interval[1], 1, place)};
  }
  return curve;
}

}  // namespace faithful::trained
