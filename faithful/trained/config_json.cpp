#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/trained/config_json_internal.h"

namespace faithful::trained {

namespace {

// Of the kind that the field has; what the value means is not looked at.
FieldValue value_in(const Json& json, const FieldValue& like, const std::string& place) {
  if (std::holds_alternative<bool>(like)) return json.boolean(place);
  if (std::holds_alternative<std::string>(like)) return json.string(place);
  if (std::holds_alternative<std::size_t>(like)) return parse_count(json, place);
  return json.number(place);
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
  for (const auto& [name, value] : recorded_fields(config)) {
    json.set(name, std::visit([](const auto& of) { return Json(of); }, value));
  }
  return json;
}

ModelConfig parse_config(const Json& json, const std::string& place) {
  ModelConfig config;
  std::vector<std::string> names, needed;
  for (const auto& [name, value] : recorded_fields(config)) needed.push_back(name);  // by every version
  for (const Setting& setting : settings(config)) {
    const std::string& name = names.emplace_back(setting.field.key);
    const Json* found = json.find(name);
    if (found != nullptr) {
      set_value(setting, value_in(*found, value_of(setting), fmt::format("{}.{}", place, name)), place);
    } else if (std::ranges::find(needed, name) != needed.end()) {
      reject({{place}, fmt::format("a field {}", quote(name)), "none of that name"});
    }
  }
  for (const auto& [name, value] : json.members(place)) {
    if (std::ranges::find(names, name) == names.end())
      reject({{place}, "fields of this version", quote(name), suggest(name, names)});
  }
  return config;
}

void check_tables(const ModelConfig& config, std::size_t numbers, const std::string& place) {
  constexpr double kTablesPerWeight = 256, kSmallTable = 1 << 16;
  if (config.body.heads == 0 || config.input.segment == 0) reject({{place}, "heads and segment of at least 1", "0"});
  // In double, where products of hostile sizes do not overflow.
  const auto n = [](std::size_t size) { return static_cast<double>(size); };
  const double steps = std::ceil(n(config.input.length) / n(config.samples_per_step()));
  const double codes = std::max(n(config.body.width), n(config.body.heads) * n(config.key_width()));
  double tables = steps * (codes + 2 * n(config.body.heads));
  for (const FieldValue& value : config.position.own.values()) {
    if (const auto* size = std::get_if<std::size_t>(&value)) tables += n(*size);
  }
  if (tables > kTablesPerWeight * n(numbers) + kSmallTable)
    reject({{place}, fmt::format("tables that fit a model of {} numbers", numbers), fmt::format("{} numbers", tables)});
}

}  // namespace faithful::trained
