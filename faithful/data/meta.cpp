#include <cmath>

#include <fmt/format.h>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/json.h"

namespace faithful::data {
namespace {

constexpr const char* kFormat = "faithful-dataset";
constexpr int kVersion = 1;

std::size_t read_index(const Json& json, const std::string& place) {
  const std::int64_t index = json.integer(place);
  if (index < 0) reject({{place}, "a whole number of at least 0", fmt::format("{}", index)});
  return static_cast<std::size_t>(index);
}

Json span_json(const LabelSpan& span) {
  Json json = Json::object();
  json.set("begin", span.begin).set("end", span.end);
  if (!span.channels.empty()) json.set("channels", Json(Json::Array(span.channels.begin(), span.channels.end())));
  if (!span.kind.empty()) json.set("kind", span.kind);
  return json;
}

LabelSpan read_span(const Json& json, const std::string& place) {
  LabelSpan span{{read_index(json["begin"], place + ": begin"), read_index(json["end"], place + ": end")}};
  if (const Json* channels = json.find("channels"))
    for (const Json& channel : channels->items(place + ": channels"))
      span.channels.push_back(read_index(channel, place + ": channels"));
  if (const Json* kind = json.find("kind")) span.kind = kind->string(place + ": kind");
  return span;
}

Series read_series(const Json& json, const std::string& place) {
  Series series;
  series.name = json["name"].string(place + ": name");
  if (const Json* part = json.find("part")) {
    const std::string& word = part->string(place + ": part");
    if (word != "train" && word != "test") reject({{place + ": part"}, "train or test", quote(word)});
    series.part = word == "train" ? DataPart::kTrain : DataPart::kTest;
  }
  if (const Json* spans = json.find("spans"))
    for (const Json& span : spans->items(place + ": spans")) series.spans.push_back(read_span(span, place + ": spans"));
  return series;
}

}  // namespace

std::string meta_text(const Dataset& dataset) {
  Json all = Json::array();
  for (const Series& series : dataset.series) {
    Json json = Json::object();
    json.set("name", series.name);
    if (series.part != DataPart::kNone) json.set("part", to_string(series.part));
    if (!series.spans.empty()) {
      Json spans = Json::array();
      for (const LabelSpan& span : series.spans) spans.push_back(span_json(span));
      json.set("spans", std::move(spans));
    }
    all.push_back(std::move(json));
  }
  Json meta = Json::object();
  meta.set("format", kFormat).set("version", kVersion).set("name", dataset.name);
  meta.set("channels", Json::array(dataset.channels)).set("classes", Json::array(dataset.classes));
  meta.set("rate", dataset.rate).set("series", std::move(all));
  return dump_json(meta);
}

Dataset parse_meta(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name);
  if (json["format"] != Json(kFormat) || json["version"] != Json(kVersion)) {
    reject({{name},
            fmt::format("format {} of version {}", kFormat, kVersion),
            fmt::format("{} of version {}", dump_json(json["format"]), dump_json(json["version"]))});
  }
  Dataset dataset;
  dataset.name = json["name"].string(name + ": name");
  dataset.channels = json["channels"].strings(name + ": channels");
  dataset.classes = json["classes"].strings(name + ": classes");
  dataset.rate = json["rate"].number(name + ": rate");
  for (const Json& series : json["series"].items(name + ": series"))
    dataset.series.push_back(read_series(series, name + ": series"));
  return dataset;
}

void check_foreign(const Dataset& dataset, const std::string& name) {
  if (!std::isfinite(dataset.rate) || dataset.rate < 0)
    reject({{name}, "a rate of at least 0", fmt::format("{}", dataset.rate)});
  try {
    check_dataset(dataset);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    reject({{name}, "fields that agree with each other", error.what()});
  }
}

}  // namespace faithful::data
