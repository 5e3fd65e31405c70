#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/predict/config_json_internal.h"

namespace faithful::predict {

namespace {

void read_into(std::size_t& field, const Json& json, const std::string& place) {
  field = parse_count(json, place);
}
void read_into(bool& field, const Json& json, const std::string& place) {
  field = json.boolean(place);
}
void read_into(std::string& field, const Json& json, const std::string& place) {
  field = json.string(place);
}
void read_into(double& field, const Json& json, const std::string& place) {
  field = json.number(place);
  if (!std::isfinite(field)) reject({{place}, "a finite number", fmt::format("{}", field)});
}

}  // namespace

std::size_t parse_count(const Json& json, const std::string& place) {
  const std::optional<std::size_t> count =
      json.is_integer() ? parse_number<std::size_t>(json.integer_text()) : std::nullopt;
  if (!count) reject({{place}, "a whole number from 0", quote(dump_json(json))});
  return *count;
}

Json config_json(const ModelConfig& config) {
  Json json = Json::object();
  visit_fields(config, [&](const char* name, const auto& field) { json.set(name, field); });
  return json;
}

ModelConfig parse_config(const Json& json, const std::string& place) {
  ModelConfig config;
  std::vector<std::string> names;
  const auto read = [&](const char* name, auto& field) {
    names.emplace_back(name);
    const Json* found = json.find(name);
    if (found != nullptr) read_into(field, *found, fmt::format("{}.{}", place, name));
    return found != nullptr;
  };
  visit_common_fields(config, [&](const char* name, auto& field) {
    if (!read(name, field)) reject({{place}, fmt::format("a field {}", quote(name)), "none of that name"});
  });
  visit_form_fields(config, read);          // an encoder's file has none of them
  read("differences", config.differences);  // nor has a file of a model without any
  for (const auto& [name, value] : json.members(place)) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      reject({{place}, "fields of this version", quote(name), suggest(name, names)});
  }
  return config;
}

void check_tables(const ModelConfig& config, std::size_t numbers, const std::string& place) {
  constexpr double kTablesPerWeight = 256, kSmallTable = 1 << 16;
  if (config.heads == 0 || config.segment == 0) reject({{place}, "heads and segment of at least 1", "0"});
  // In double, where products of hostile sizes do not overflow.
  const auto n = [](std::size_t size) { return static_cast<double>(size); };
  const double steps = std::ceil(n(config.length) / n(config.segment));
  const double codes = std::max(n(config.width), n(config.heads) * n(config.key_width()));
  const double tables = steps * (codes + 2 * n(config.heads)) + n(config.period) + n(config.time_dim) +
                        (2 * n(config.clip) + 1) * n(config.key_width());
  if (tables > kTablesPerWeight * n(numbers) + kSmallTable)
    reject({{place}, fmt::format("tables that fit a model of {} numbers", numbers), fmt::format("{} numbers", tables)});
}

}  // namespace faithful::predict
