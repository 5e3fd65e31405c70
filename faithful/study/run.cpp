#include "faithful/study/run.h"

#include <algorithm>
#include <cmath>

#include "faithful/base/error.h"
#include "faithful/metrics/ranking.h"
#include "faithful/train/answers.h"

namespace faithful {

namespace {

constexpr std::array kKinds = {"run", "rate", "baselines", "minirocket", "gap"};  // in the order of RunKind

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

double number_or_none(const Json& json, const std::string& place) {
  return json.is_null() ? StudyRun::kNone : json.number(place);
}

Json measures_json(const Measures& measures) {
  Json json = Json::object();
  for (const auto& [name, value] : measures.values) json.set(name, value);
  return json;
}

Measures parse_measures(const Json& json, const std::string& place) {
  Measures measures;
  if (json.is_null()) return measures;
  for (const auto& [name, value] : json.members(place)) measures.add(name, value.number(place));
  return measures;
}

Json numbers_json(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number_json(value));
  return json;
}

std::vector<double> parse_numbers(const Json& json, const std::string& place) {
  std::vector<double> values;
  if (json.is_null()) return values;
  for (const Json& value : json.items(place)) values.push_back(number_or_none(value, place));
  return values;
}

std::size_t parse_size(const Json& json, const std::string& place) {
  const std::int64_t value = json.integer(place);
  if (value < 0) reject({{place}, "a number from 0", std::to_string(value)});
  return static_cast<std::size_t>(value);
}

RunKind parse_kind(const std::string& name, const std::string& place) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) reject({{place}, "a kind of run", quote(name)});
  return static_cast<RunKind>(found - kKinds.begin());
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

Json to_json(const StudyRun& run) {
  Json others = Json::object();
  for (const auto& [name, measures] : run.others) others.set(name, measures_json(measures));
  Json json = Json::Object{{"kind", to_string(run.kind)},
                           {"data", run.data},
                           {"split", run.split},
                           {"encoding", run.arm.encoding},
                           {"scale", run.arm.scale},
                           {"again", run.arm.again},
                           {"seed", run.seed},
                           {"rate", number_json(run.rate)},
                           {"weights", run.weights},
                           {"norm_ratio", number_json(run.norm_ratio)},
                           {"windows", Json::Array{run.windows[0], run.windows[1], run.windows[2]}},
                           {"leaks", run.leaks},
                           {"threshold", number_json(run.threshold)},
                           {"epochs", run.epochs},
                           {"validation", number_json(run.validation)},
                           {"scores", measures_json(run.scores)},
                           {"shuffled", measures_json(run.shuffled)},
                           {"longer", measures_json(run.longer)},
                           {"longer_note", run.longer_note},
                           {"start", measures_json(run.start)},
                           {"trained", measures_json(run.trained)},
                           {"precision", numbers_json(run.precision)},
                           {"losses", numbers_json(run.losses)},
                           {"validations", numbers_json(run.validations)},
                           {"others", others},
                           {"key", run.key},
                           {"settings", run.settings},
                           {"seconds", run.seconds},
                           {"program", run.program}};
  return json;
}

StudyRun parse_run(const Json& json, const std::string& place) {
  StudyRun run;
  run.kind = parse_kind(json["kind"].string(place), place);
  run.data = json["data"].string(place);
  run.split = json["split"].string(place);
  run.arm = {json["encoding"].string(place), json["scale"].string(place), json["again"].boolean(place)};
  run.seed = parse_size(json["seed"], place);
  run.rate = number_or_none(json["rate"], place);
  run.weights = parse_size(json["weights"], place);
  run.norm_ratio = number_or_none(json["norm_ratio"], place);
  const Json::Array& windows = json["windows"].items(place);
  if (windows.size() != run.windows.size()) reject({{place}, "3 numbers of windows", std::to_string(windows.size())});
  for (std::size_t i = 0; i < windows.size(); ++i) run.windows[i] = parse_size(windows[i], place);
  run.leaks = json["leaks"].boolean(place);
  run.threshold = number_or_none(json["threshold"], place);
  run.epochs = parse_size(json["epochs"], place);
  run.validation = number_or_none(json["validation"], place);
  run.scores = parse_measures(json["scores"], place);
  run.shuffled = parse_measures(json["shuffled"], place);
  run.longer = parse_measures(json["longer"], place);
  run.longer_note = json["longer_note"].string(place);
  run.start = parse_measures(json["start"], place);
  run.trained = parse_measures(json["trained"], place);
  run.precision = parse_numbers(json["precision"], place);
  run.losses = parse_numbers(json["losses"], place);
  run.validations = parse_numbers(json["validations"], place);
  for (const auto& [name, measures] : json["others"].members(place))
    run.others.emplace_back(name, parse_measures(measures, place));
  run.key = json["key"].string(place);
  run.settings = json["settings"].string(place);
  run.seconds = json["seconds"].number(place);
  run.program = json["program"].string(place);
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
