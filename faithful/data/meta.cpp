#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "faithful/data/arrays_internal.h"
#include "faithful/data/readers_internal.h"

namespace faithful::data {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "faithful-dataset";
constexpr int kVersion = 1;

Json span_json(const LabelSpan& span) {
  Json json = {{"begin", span.begin}, {"end", span.end}};
  if (!span.channels.empty()) json["channels"] = span.channels;
  if (!span.kind.empty()) json["kind"] = span.kind;
  return json;
}

LabelSpan read_span(const Json& json) {
  LabelSpan span{json.at("begin").get<std::size_t>(), json.at("end").get<std::size_t>()};
  span.channels = json.value("channels", std::vector<std::size_t>{});
  span.kind = json.value("kind", std::string());
  return span;
}

Series read_series(const Json& json) {
  Series series;
  series.name = json.at("name").get<std::string>();
  const std::string part = json.value("part", std::string());
  if (part != "" && part != "train" && part != "test") throw Error(fmt::format("part {}", quote(part)));
  series.part = part == "train" ? Part::kTrain : part == "test" ? Part::kTest : Part::kNone;
  for (const Json& span : json.value("spans", Json::array())) series.spans.push_back(read_span(span));
  return series;
}

Dataset read_meta(const Json& json) {
  if (json.at("format") != kFormat || json.at("version") != kVersion)
    throw Error(fmt::format("format {} version {}", json.at("format").dump(), json.at("version").dump()));
  Dataset dataset;
  dataset.name = json.at("name").get<std::string>();
  dataset.channels = json.at("channels").get<std::vector<std::string>>();
  dataset.classes = json.at("classes").get<std::vector<std::string>>();
  dataset.rate = json.value("rate", 0.0);
  for (const Json& series : json.at("series")) dataset.series.push_back(read_series(series));
  return dataset;
}

}  // namespace

std::string meta_text(const Dataset& dataset) {
  Json series = Json::array();
  for (const Series& each : dataset.series) {
    Json json = {{"name", each.name}};
    if (each.part != Part::kNone) json["part"] = to_string(each.part);
    for (const LabelSpan& span : each.spans) json["spans"].push_back(span_json(span));
    series.push_back(std::move(json));
  }
  const Json meta = {{"format", kFormat},         {"version", kVersion},         {"name", dataset.name},
                     {"channels", dataset.channels}, {"classes", dataset.classes}, {"rate", dataset.rate},
                     {"series", std::move(series)}};
  // Names come from anywhere: bytes that are no UTF-8 must not stop the writing.
  return meta.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Dataset parse_meta(std::string_view text, const std::string& name) {
  try {
    return read_meta(Json::parse(text));
  } catch (const Json::exception& error) {
    reject({{name}, "the description that faithful writes (JSON)", error.what()});
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    reject({{name}, "the description that faithful writes (JSON)", error.what()});
  }
}

void check_foreign(const Dataset& dataset, const std::string& name) {
  if (!std::isfinite(dataset.rate) || dataset.rate < 0) reject({{name}, "a rate of at least 0", fmt::format("{}", dataset.rate)});
  try {
    check_dataset(dataset);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    reject({{name}, "fields that agree with each other", error.what()});
  }
}

}  // namespace faithful::data
