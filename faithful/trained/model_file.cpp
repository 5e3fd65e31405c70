#include "faithful/trained/model_file.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/file.h"
#include "faithful/io/npy.h"
#include "faithful/io/safetensors.h"
#include "faithful/model/infer.h"
#include "faithful/trained/config_json_internal.h"
#include "faithful/trained/conformal_json_internal.h"
#include "faithful/trained/predictor_file_internal.h"
#include "faithful/trained/threshold_json_internal.h"

namespace faithful {

namespace {

using trained::check_conformal;
using trained::conformal_json;
using trained::parse_conformal;
using trained::parse_count;
using trained::parse_curve;
using trained::threshold_json;

// Keys of the metadata; each holds JSON but the first, which is plain text.
constexpr const char* kFormatKey = "format";
constexpr const char* kFormat = "faithful classifier, version 1";
constexpr const char* kConformalKey = "conformal";  // not in files of other models and of earlier versions
constexpr const char* kShift = "scaler.shift";      // [1 + series, C]: common, then of each series
constexpr const char* kFactor = "scaler.factor";    // the same
// [3, C]: least and greatest reading, 1 where every window had one; older files have two rows, or no such array.
constexpr const char* kSeen = "seen";

bool is_of_predictor(const std::string& name) {
  return name != kShift && name != kFactor && name != kSeen;
}

void check_names(const std::vector<std::string>& names, std::size_t count, const std::string& place) {
  if (names.size() != count) reject({{place}, fmt::format("{} names", count), fmt::format("{}", names.size())});
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) reject({{place}, "each name once", quote(name) + " twice"});
}

void check_scale(const Scale& scale, std::size_t channels, const std::string& place) {
  for (const std::vector<float>* numbers : {&scale.shift, &scale.factor}) {
    if (numbers->size() != channels)
      reject({{place}, fmt::format("{} channels", channels), fmt::format("{}", numbers->size())});
    for (const float number : *numbers)
      if (!std::isfinite(number)) reject({{place}, "finite numbers", fmt::format("{}", number)});
  }
}

void check_seen(const SeenRange& seen, std::size_t channels, const std::string& place) {
  if (!seen.known()) return;
  if (seen.low.size() != channels || seen.high.size() != channels)
    reject({{place}, fmt::format("{} channels", channels), fmt::format("{}", seen.low.size())});
  for (std::size_t c = 0; c < channels; ++c)
    if (!std::isfinite(seen.low[c]) || !std::isfinite(seen.high[c]) || seen.low[c] > seen.high[c])
      reject({{place}, "ranges of finite numbers", fmt::format("{} to {}", seen.low[c], seen.high[c])});
}

// ---- the scaler: names in the metadata, numbers as arrays, which keep every bit

struct ScalerArrays {
  std::vector<std::string> series;
  std::vector<float> shift, factor;  // [1 + series, C]
};

ScalerArrays scaler_arrays(const ScalerRecord& record) {
  ScalerArrays arrays;
  const auto add = [&](const Scale& scale) {
    arrays.shift.insert(arrays.shift.end(), scale.shift.begin(), scale.shift.end());
    arrays.factor.insert(arrays.factor.end(), scale.factor.begin(), scale.factor.end());
  };
  add(record.common);
  for (const auto& [name, scale] : record.by_series) {
    arrays.series.push_back(name);
    add(scale);
  }
  return arrays;
}

// The value of an enum by its name.
template <class Enum>
Enum parse_named(const std::string& name, std::initializer_list<Enum> all, const std::string& place) {
  for (const Enum value : all)
    if (to_string(value) == name) return value;
  reject({{place}, "a name that this version knows", quote(name)});
}

ScalerRecord read_scaler(const Safetensors& file, const Json& json, std::size_t channels, const std::string& place) {
  ScalerRecord record;
  record.kind =
      parse_named(json["kind"].string(place),
                  {ScalerKind::kNone, ScalerKind::kStandard, ScalerKind::kMinMax, ScalerKind::kRobust}, place);
  const std::vector<std::string> series = json["series"].strings(place);
  check_names(series, series.size(), place);
  const std::vector<std::size_t> shape = {1 + series.size(), channels};
  const std::size_t bytes = file.at(kShift).bytes.size();  // both arrays fit the file, or their shapes are wrong
  if (bytes / sizeof(float) / channels != shape[0]) {
    reject({{place}, fmt::format("scales {}", shape_text(shape)), shape_text(file.at(kShift).shape)});
  }
  std::vector<float> shift(shape[0] * channels), factor(shape[0] * channels);
  file.values_into<float>(kShift, shape, shift);
  file.values_into<float>(kFactor, shape, factor);
  const auto row = [&](const std::vector<float>& all, std::size_t r) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * channels);
    return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(channels));
  };
  record.common = {row(shift, 0), row(factor, 0)};
  for (std::size_t i = 0; i < series.size(); ++i) record.by_series[series[i]] = {row(shift, i + 1), row(factor, i + 1)};
  record.scaling = series.empty() ? Scaling::kCommon : Scaling::kSeries;  // files before version 0.2 do not say
  if (const Json* scaling = json.find("scaling"))
    record.scaling = parse_named(scaling->string(place), {Scaling::kCommon, Scaling::kSeries, Scaling::kWindow}, place);
  return record;
}

SeenRange read_seen(const Safetensors& file, std::size_t channels) {
  SeenRange seen;
  if (file.find(kSeen) == nullptr) return seen;
  const std::vector<std::size_t>& shape = file.at(kSeen).shape;
  const std::size_t rows = !shape.empty() && shape[0] == 3 ? 3 : 2;
  Matrix<float> all(rows, channels);
  file.values_into<float>(kSeen, std::vector<std::size_t>{rows, channels}, all.values);
  seen.low.assign(all.row(0).begin(), all.row(0).end());
  seen.high.assign(all.row(1).begin(), all.row(1).end());
  if (rows == 3) seen.always.assign(all.row(2).begin(), all.row(2).end());
  return seen;
}

// ---- metadata

Json window_json(const TrainedModel& model) {
  return Json::Object{{"length", model.window.length},
                      {"stride", model.window.stride},
                      {"label", to_string(model.window.label_rule)},
                      {"shortest", model.shortest_window}};
}

SafetensorsMetadata metadata_of(const TrainedModel& model) {
  SafetensorsMetadata metadata;
  const Json all = describe_model(model);
  for (const auto& [key, value] : all.members()) metadata[key] = value.is_string() ? value.string() : dump_json(value);
  return metadata;
}

Json metadata_json(const Safetensors& file, const char* key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) reject({{file.place()}, fmt::format("metadata {}", quote(key)), "none"});
  return parse_json(found->second, fmt::format("{}: {}", file.place(), key));
}

bool says_model(const Safetensors& file) {
  const auto format = file.metadata().find(kFormatKey);
  return format != file.metadata().end() && format->second.starts_with("faithful classifier");
}

void check_format(const Safetensors& file) {
  if (!says_model(file))
    reject(
        {{file.place()}, "a model of faithful", "a safetensors file of another kind", "faithful train makes models"});
  const std::string& format = file.metadata().at(kFormatKey);
  if (format != kFormat) reject({{file.place()}, quote(kFormat), quote(format), "a newer program wrote it"});
  const auto digest = file.metadata().find(std::string(kDigestKey));
  if (digest == file.metadata().end()) reject({{file.place()}, "a digest", "none"});
  const std::string actual = digest_of(file.entries(), file.metadata());
  if (digest->second != actual)
    reject({{file.place()}, "digest " + quote(digest->second, 64), quote(actual, 64), "the file is damaged"});
}

// ---- the predictor

std::shared_ptr<const WindowModel> read_predictor_of(const Safetensors& file) {
  const Safetensors arrays =
      file.part([](const std::string& name) { return is_of_predictor(name) ? std::optional(name) : std::nullopt; });
  const auto& keys = trained::predictor_keys();
  const auto key = std::ranges::find_if(keys, [&](const std::string& one) { return file.metadata().contains(one); });
  if (key == keys.end()) reject({{file.place()}, fmt::format("metadata {}", quote(keys.front())), "none"});
  return trained::read_predictor(arrays, *key, metadata_json(file, key->c_str()), file.place());
}

TrainedModel read_model(const Safetensors& file) {
  check_format(file);
  const std::string& place = file.place();
  TrainedModel model{.predictor = read_predictor_of(file)};
  const std::size_t channels = model.shape().channels;
  model.channels = metadata_json(file, "channels").strings(place + ": channels");
  model.classes = metadata_json(file, "classes").strings(place + ": classes");
  check_names_of_classes(model.classes, {place + ": classes"});
  model.scaler = read_scaler(file, metadata_json(file, "scaler"), channels, place + ": scaler");
  model.seen = read_seen(file, channels);
  const Json window = metadata_json(file, "window"), threshold = metadata_json(file, "threshold");
  model.window = {
      .length = parse_count(window["length"], place + ": window.length"),
      .stride = parse_count(window["stride"], place + ": window.stride"),
      .label_rule = parse_named(window["label"].string(place + ": window.label"),
                                {LabelRule::kAny, LabelRule::kLast, LabelRule::kMajority}, place + ": window.label")};
  model.shortest_window = parse_count(window["shortest"], place + ": window.shortest");
  model.threshold = threshold["value"].number(place + ": threshold.value");
  model.threshold_from = threshold["from"].string(place + ": threshold.from");
  if (const Json* curve = threshold.find("curve")) model.thresholds = parse_curve(*curve, place + ": threshold.curve");
  if (file.metadata().contains(kConformalKey))
    model.conformal = parse_conformal(metadata_json(file, kConformalKey), place + ": " + kConformalKey);
  model.record = metadata_json(file, "record");
  check_model(model, place);
  return model;
}

}  // namespace

void check_model(const TrainedModel& model, const std::string& place) {
  const WindowShape shape = model.shape();
  check_names(model.channels, shape.channels, place + ": channels");
  check_names(model.classes, shape.classes, place + ": classes");
  check_scale(model.scaler.common, shape.channels, place + ": scaler");
  if (model.scaler.scaling != Scaling::kSeries && !model.scaler.by_series.empty())
    reject({{place + ": scaler"}, "statistics of series only with scaling series", to_string(model.scaler.scaling)});
  for (const auto& [name, scale] : model.scaler.by_series)
    check_scale(scale, shape.channels, fmt::format("{}: scaler of {}", place, quote(name)));
  check_seen(model.seen, shape.channels, place + ": seen");
  const auto require = [&](bool holds, const char* where, const std::string& wanted, const auto& found) {
    if (!holds) reject({{fmt::format("{}: {}", place, where)}, wanted, fmt::format("{}", found)});
  };
  require(model.window.length == 0 || model.window.length == shape.length, "window.length",
          fmt::format("0 or the model's {} samples", shape.length), model.window.length);
  require(model.window.stride >= 1, "window.stride", "at least 1", model.window.stride);
  require(model.shortest_window >= 1 && model.shortest_window <= shape.length, "window.shortest",
          fmt::format("1 to {}", shape.length), model.shortest_window);
  require(model.threshold >= 0 && model.threshold <= 1, "threshold.value", "a probability", model.threshold);
  require(!model.conformal || model.takes_whole_series(), "conformal", "scores only in a model of whole series",
          "a model of windows");
  if (model.conformal) check_conformal(*model.conformal, place + ": conformal");
  if (!model.record.is_object()) reject({{place + ": record"}, "an object", model.record.kind()});
}

Json describe_model(const TrainedModel& model) {
  Json json = Json::Object{{kFormatKey, kFormat},
                           trained::predictor_json(*model.predictor),
                           {"channels", Json::array(model.channels)},
                           {"classes", Json::array(model.classes)},
                           {"window", window_json(model)},
                           {"scaler", Json::Object{{"kind", to_string(model.scaler.kind)},
                                                   {"scaling", to_string(model.scaler.scaling)},
                                                   {"series", Json::array(scaler_arrays(model.scaler).series)}}},
                           {"threshold", threshold_json(model)}};
  if (model.conformal) json.set(kConformalKey, conformal_json(*model.conformal));
  return json.set("record", model.record);
}

std::string model_bytes(const TrainedModel& model) {
  check_model(model, "model");
  SafetensorsMetadata metadata = metadata_of(model);
  const ScalerArrays scaler = scaler_arrays(model.scaler);
  const std::vector<std::size_t> shape = {1 + scaler.series.size(), model.channels.size()};
  std::vector<SafetensorsEntry> entries = {safetensors_entry<float>(kShift, shape, scaler.shift),
                                           safetensors_entry<float>(kFactor, shape, scaler.factor)};
  std::vector<float> seen = model.seen.low;
  seen.insert(seen.end(), model.seen.high.begin(), model.seen.high.end());
  seen.insert(seen.end(), model.seen.always.begin(), model.seen.always.end());
  if (model.seen.known())
    entries.push_back(
        safetensors_entry<float>(kSeen, {seen.size() / model.channels.size(), model.channels.size()}, seen));
  const trained::PredictorArrays arrays(*model.predictor);
  entries.insert(entries.end(), arrays.entries().begin(), arrays.entries().end());
  metadata[std::string(kDigestKey)] = digest_of(entries, metadata);
  return safetensors_bytes(entries, metadata);
}

void save_model(const std::string& path, const TrainedModel& model) {
  write_file(path, model_bytes(model));
}

TrainedModel load_model(const std::string& path) {
  return read_model(load_safetensors(path));
}

TrainedModel parse_model(std::string bytes, const std::string& place) {
  return read_model(parse_safetensors(std::move(bytes), place));
}

bool is_model_file(const std::string& path) {
  return says_model(load_safetensors(path));
}

}  // namespace faithful
