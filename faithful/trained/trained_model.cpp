#include "faithful/trained/trained_model.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/model/infer.h"
#include "faithful/window/marks.h"

namespace faithful {

namespace {

constexpr const char* kUnlabelledKey = "unlabelled";
constexpr const char* kNormalName = "normal";

WindowOptions prediction_windows(const TrainedModel& model) {
  WindowOptions options = model.window;
  options.length = model.shape().length;
  if (model.takes_whole_series()) options.stride = options.length;  // one window: no series is longer
  return options;
}

}  // namespace

WindowShape TrainedModel::shape() const {
  return predictor->shape();
}

std::size_t TrainedModel::weight_count() const {
  return predictor->weight_count();
}

const Transformer* TrainedModel::transformer() const {
  return predictor->transformer();
}

const KernelModel* TrainedModel::kernels() const {
  return dynamic_cast<const KernelModel*>(predictor.get());
}

Windows cut_for_model(const Dataset& dataset, const TrainedModel& model) {
  assert(dataset.channels == model.channels);
  const Split split = Split::hold_out_all(dataset, prediction_windows(model));
  return std::move(cut_windows(split, Scaler(prediction_scaler(model))).test);
}

ScalerRecord prediction_scaler(const TrainedModel& model) {
  return {model.scaler.kind, model.scaler.common, {}, model.scaler.scaling};
}

ChosenThreshold choose_threshold(const TrainedModel& model, const ThresholdRule& rule) {
  if (model.classes.size() != 2)
    reject({{.field = "threshold"}, "a model of two classes", fmt::format("{}", model.classes.size())});
  if (!model.thresholds && rule.kind != ThresholdKind::kValue)
    reject({{.field = "threshold"},
            "a number, because the model does not keep its validation scores",
            quote(to_string(rule)),
            "models of two classes keep them where both are in the part that validates"});
  return choose_threshold(model.thresholds.value_or(ThresholdCurve{}), rule);
}

std::string set_threshold(TrainedModel& model, const ThresholdRule& rule) {
  ChosenThreshold chosen = choose_threshold(model, rule);
  model.threshold = chosen.value;
  model.threshold_from = std::move(chosen.from);
  return std::move(chosen.warning);
}

Json split_json(const SplitOptions& split) {
  Json together = Json::array();
  for (const std::vector<std::string>& names : split.together) together.push_back(Json::array(names));
  Json json = Json::Object{{"kind", to_string(split.kind)},
                           {"seed", split.seed},
                           {"window", split.window.length},
                           {"stride", split.window.stride},
                           {"label", to_string(split.window.label_rule)},
                           {"train", split.train},
                           {"validation", split.validation},
                           {"block_windows", split.block_windows},
                           {"folds", split.folds},
                           {"refit", split.refit},
                           {"labelled_only", split.labelled_only},
                           {"together", together},
                           {"leave_out", Json::array(split.leave_out)}};
  if (split.unlabelled == Unlabelled::kNormal) json.set(kUnlabelledKey, kNormalName);  // else as earlier files have it
  return json;
}

SplitOptions parse_split(const Json& json, const std::string& place) {
  SplitOptions split;
  const auto count = [&](const char* name) { return static_cast<std::size_t>(json[name].integer(place)); };
  split.kind = parse_split_kind(json["kind"].string(place));
  split.seed = static_cast<std::uint64_t>(json["seed"].integer(place));
  split.window = {.length = count("window"),
                  .stride = count("stride"),
                  .label_rule = parse_label_rule(json["label"].string(place))};
  split.leave_out = json["leave_out"].strings(place);
  // Version 0.1.0 kept no more than that: the rest were the defaults.
  split.labelled_only = true;
  split.refit = split.kind == SplitKind::kGiven;
  if (json.find("train") == nullptr) return split;
  split.train = json["train"].number(place);
  split.validation = json["validation"].number(place);
  split.block_windows = count("block_windows");
  split.folds = count("folds");
  split.refit = json["refit"].boolean(place);
  split.labelled_only = json["labelled_only"].boolean(place);
  if (const Json* unlabelled = json.find(kUnlabelledKey)) {
    if (unlabelled->string(place) != kNormalName)
      reject({{place}, quote(kNormalName), quote(unlabelled->string(place))});
    split.unlabelled = Unlabelled::kNormal;
  }
  for (const Json& names : json["together"].items(place)) split.together.push_back(names.strings(place));
  return split;
}

Json table_json(const TableColumns& table) {
  Json json = Json::Object{{"count", table.count}, {"named", table.named}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) json.set(name, value);
  };
  add("time", table.time);
  add("time_format", table.time_format);
  add("time_unit", table.time_unit);
  add("label", table.label);
  add("positive", table.positive);
  add("series", table.series);
  add("part", table.part);
  add("decimal", std::string(1, table.decimal));
  if (!table.normal.empty()) json.set("normal", Json::array(table.normal));
  return json.set("label_of_series", table.label_of_series).set("ignored", Json::array(table.ignored));
}

double recorded_step(const TrainedModel& model) {
  const Json* data = model.record.find("data");
  const Json* step = data != nullptr ? data->find("step") : nullptr;
  return step != nullptr ? step->number("record of the model: data.step") : 0;
}

Missing recorded_missing(const TrainedModel& model) {
  const Json* data = model.record.find("data");
  const Json* how = data != nullptr ? data->find("missing") : nullptr;
  ReadOptions options{.missing = Missing::kError};
  if (how == nullptr) return options.missing;
  const std::string place = "record of the model: data.missing";
  for (const Setting& setting : settings(options))
    if (setting.field.name == "missing") set_value(setting, how->string(place), place);
  return options.missing;
}

Json marks_json(const ContentMarks& marks) {
  std::vector<std::string> digests;
  for (const std::uint64_t digest : marks.digests) digests.push_back(fmt::format("{:016x}", digest));
  return Json::Object{{"length", marks.length}, {"digests", Json::array(digests)}};
}

ContentMarks recorded_marks(const TrainedModel& model) {
  const std::string place = "record of the model: data.marks";
  const Json* data = model.record.find("data");
  const Json* json = data != nullptr ? data->find("marks") : nullptr;
  if (json == nullptr) return {};
  ContentMarks marks{.length = static_cast<std::size_t>((*json)["length"].integer(place))};
  if (marks.length == 0) reject({{place}, "a length above 0", "0"});
  for (const std::string& digest : (*json)["digests"].strings(place)) {
    std::uint64_t value = 0;
    const char* end = digest.data() + digest.size();
    if (std::from_chars(digest.data(), end, value, 16).ptr != end || digest.empty())
      reject({{place}, "a hexadecimal number", quote(digest)});
    marks.digests.push_back(value);
  }
  return marks;
}

TableColumns recorded_table(const TrainedModel& model) {
  const std::string place = "record of the model: data.columns";
  const Json* data = model.record.find("data");
  const Json* json = data != nullptr ? data->find("columns") : nullptr;
  if (json == nullptr) return {};
  const auto text = [&](const char* name) {
    const Json* found = json->find(name);
    return found == nullptr ? "" : found->string(place);
  };
  TableColumns table;
  table.count = static_cast<std::size_t>((*json)["count"].integer(place));
  table.named = (*json)["named"].boolean(place);
  table.time = text("time");
  table.time_format = text("time_format");
  table.time_unit = text("time_unit");
  table.label = text("label");
  table.positive = text("positive");
  if (const Json* normal = json->find("normal")) table.normal = normal->strings(place);
  table.label_of_series = (*json)["label_of_series"].boolean(place);
  table.series = text("series");
  table.part = text("part");
  table.ignored = (*json)["ignored"].strings(place);
  table.decimal = text("decimal") == "," ? ',' : '.';
  return table;
}

namespace {

WindowSets split_as_recorded(const Dataset& dataset, const TrainedModel& model) {
  SplitOptions options = parse_split(model.record["split"], "record of the model: split");
  if (options.together.empty()) {  // of version 0.1.0
    SplitOptions known;
    apply_known_rules(dataset, known);
    options.together = known.together;
  }
  return cut_windows(Split(dataset, options), Scaler(model.scaler));
}

bool has_recorded(const char* part, std::uint64_t digest, const TrainedModel& model) {
  const Json& expected = model.record["proof"]["digests"][part];
  return expected.is_string() && expected.string() == fmt::format("{:016x}", digest);
}

bool has_recorded_windows(const Dataset& dataset, const TrainedModel& model) {
  const DisjointnessProof proof = split_as_recorded(dataset, model).proof;
  return (proof.train_windows > 0 && has_recorded("train", proof.train_digest, model)) ||
         (proof.test_windows > 0 && has_recorded("test", proof.test_digest, model));
}

}  // namespace

Windows held_out_windows(const Dataset& dataset, const TrainedModel& model) {
  WindowSets sets = split_as_recorded(dataset, model);
  if (!has_recorded("test", sets.proof.test_digest, model))
    reject({{dataset.source},
            "the data that the model was trained on",
            "other windows",
            fmt::format("leave out {}", field_text("held_out"))});
  return std::move(sets.test);
}

Acquaintance acquaintance_of(const Dataset& dataset, const TrainedModel& model) {
  const bool is_test =
      std::ranges::all_of(dataset.series, [](const Series& one) { return one.part == DataPart::kTest; });
  if (is_test && model.record["split"]["kind"] == Json(to_string(SplitKind::kGiven))) return {};
  const Json& data = model.record["data"];
  const bool has_rows = data["rows"] == Json(dataset.rows()), has_name = data["name"] == Json(dataset.name);
  try {
    if (has_rows && has_recorded_windows(dataset, model)) return {Acquaintance::Kind::kSameData};
  } catch (const InputError&) {  // it cannot be split as the training data was, so it is not that data
  }
  if (const ContentMarks marks = recorded_marks(model); !marks.digests.empty()) {
    const double share = share_found(marks, dataset);
    return share > 0 ? Acquaintance{Acquaintance::Kind::kPart, share} : Acquaintance{};
  }
  // Arrays of Python all have the same name.
  return {has_name && (has_rows || dataset.format != "arrays") ? Acquaintance::Kind::kSameName
                                                               : Acquaintance::Kind::kNone};
}

}  // namespace faithful
