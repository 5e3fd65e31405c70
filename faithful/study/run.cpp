#include "faithful/study/run.h"

#include <algorithm>
#include <cmath>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"

namespace faithful {

namespace {

constexpr std::array kKinds = {"run", "rate", "baselines", "minirocket", "gap"};  // in the order of RunKind

// The members of a line of runs.jsonl, in their order there.
template <class Run, class Visit>
void visit_members(Run& run, const Visit& visit) {
  visit("kind", run.kind);
  visit("data", run.data);
  visit("split", run.split);
  visit("encoding", run.arm.encoding);
  visit("scale", run.arm.scale);
  visit("again", run.arm.again);
  visit("seed", run.seed);
  visit("rate", run.rate);
  visit("weights", run.weights);
  visit("norm_ratio", run.norm_ratio);
  visit("windows", run.windows);
  visit("leaks", run.leaks);
  visit("threshold", run.threshold);
  visit("epochs", run.epochs);
  visit("validation", run.validation);
  visit("scores", run.scores);
  visit("shuffled", run.shuffled);
  visit("longer", run.longer);
  visit("longer_note", run.longer_note);
  visit("start", run.start);
  visit("trained", run.trained);
  visit("precision", run.precision);
  visit("losses", run.losses);
  visit("validations", run.validations);
  visit("others", run.others);
  visit("key", run.key);
  visit("settings", run.settings);
  visit("seconds", run.seconds);
  visit("program", run.program);
}

using Others = std::vector<std::pair<std::string, Measures>>;

template <class T>
Json written(const T& value) {
  if constexpr (std::is_same_v<T, RunKind>) {
    return to_string(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::isfinite(value) ? Json(value) : Json();
  } else if constexpr (std::is_same_v<T, Measures>) {
    return to_json(value);
  } else if constexpr (std::is_same_v<T, Others>) {
    Json json = Json::object();
    for (const auto& [name, measures] : value) json.set(name, to_json(measures));
    return json;
  } else if constexpr (std::is_constructible_v<Json, T>) {
    return value;
  } else {
    Json json = Json::array();
    for (const auto& one : value) json.push_back(written(one));
    return json;
  }
}

template <class T>
void read(const Json& json, const std::string& place, T& value) {
  if constexpr (std::is_same_v<T, RunKind>) {
    const auto found = std::ranges::find(kKinds, json.string(place));
    if (found == kKinds.end()) reject({{place}, "a kind of run", quote(json.string(place))});
    value = static_cast<RunKind>(found - kKinds.begin());
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = json.string(place);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = json.boolean(place);
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    if (json.integer(place) < 0) reject({{place}, "a whole number of at least 0", json.integer_text(place)});
    value = static_cast<std::size_t>(json.integer(place));
  } else if constexpr (std::is_same_v<T, double>) {
    value = json.is_null() ? StudyRun::kNone : json.number(place);
  } else if constexpr (std::is_same_v<T, Measures>) {
    if (json.is_null()) return;
    for (const auto& [name, number] : json.members(place)) value.add(name, number.number(place));
  } else if constexpr (std::is_same_v<T, Others>) {
    for (const auto& [name, measures] : json.members(place))
      read(measures, place, value.emplace_back(name, Measures()).second);
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    if (json.is_null()) return;
    for (const Json& number : json.items(place)) read(number, place, value.emplace_back());
  } else {
    const Json::Array& items = json.items(place);
    if (items.size() != value.size()) reject({{place}, "3 numbers of windows", std::to_string(items.size())});
    for (std::size_t i = 0; i < items.size(); ++i) read(items[i], place, value[i]);
  }
}

}  // namespace

void Measures::add(std::string name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) values.emplace_back(std::move(name), *value);
}

std::optional<double> Measures::get(std::string_view name) const {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == name; });
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

Measures measures_of(const Scores& scores) {
  Measures measures;
  if (scores.binary) {
    measures.add("f1", scores.binary->f1());
    measures.add("precision", scores.binary->precision());
    measures.add("recall", scores.binary->recall());
    measures.add("auc_pr", scores.auc_pr);
    measures.add("auc_roc", scores.auc_roc);
    if (scores.events) measures.add("event_f1", scores.events->f1());
  } else {
    measures.add("accuracy", scores.report.accuracy);
    measures.add("macro_f1", scores.report.macro.f1);
  }
  return measures;
}

std::string to_string(RunKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<double> StudyRun::headline() const {
  const std::optional<double> f1 = scores.get("f1");
  return f1 ? f1 : scores.get("accuracy");
}

Json to_json(const Measures& measures) {
  Json json = Json::object();
  for (const auto& [name, value] : measures.values) json.set(name, value);
  return json;
}

Json to_json(const StudyRun& run) {
  Json json = Json::object();
  visit_members(run, [&](const char* name, const auto& value) { json.set(name, written(value)); });
  return json;
}

StudyRun parse_run(const Json& json, const std::string& place) {
  StudyRun run;
  visit_members(run, [&](const char* name, auto& value) { read(json[name], place, value); });
  run.arm.encoding = current_name(run.arm.encoding);
  return run;
}

std::vector<double> precision_at_recalls(const Matrix<float>& probabilities, const std::vector<std::int32_t>& labels,
                                         double prevalence) {
  std::vector<double> scores;
  std::vector<std::uint8_t> truth;
  const std::vector<double> all = scores_of(probabilities);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoLabel) continue;
    scores.push_back(all[i]);
    truth.push_back(labels[i] == 1 ? 1 : 0);
  }
  const bool both = std::find(truth.begin(), truth.end(), 1) != truth.end() &&
                    std::find(truth.begin(), truth.end(), 0) != truth.end();
  const std::vector<double> weights =
      prevalence > 0 && both ? prevalence_weights(truth, prevalence) : std::vector<double>{};
  const std::vector<PrPoint> curve = RankedScores(scores, truth).pr_curve(weights);
  if (curve.empty()) return {};
  std::vector<double> precision(kRecalls);
  std::size_t point = curve.size();  // recall rises along the curve
  double best = 0;
  for (std::size_t i = kRecalls; i-- > 0;) {
    const double recall = static_cast<double>(i) / static_cast<double>(kRecalls - 1);
    while (point > 0 && curve[point - 1].recall >= recall - 1e-12) best = std::max(best, curve[--point].precision);
    precision[i] = best;
  }
  if (curve.size() > 1) {  // nothing flagged has precision 1 by definition: the curve begins at its first real point
    double first = 0;
    for (std::size_t i = 1; i < curve.size(); ++i) first = std::max(first, curve[i].precision);
    precision[0] = first;
  }
  return precision;
}

}  // namespace faithful
