#include "faithful/io/json.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "faithful/base/error.h"
#include "faithful/base/field.h"
#include "faithful/base/number.h"
#include "faithful/io/file.h"

namespace faithful {

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(bool value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(Array items) : value_(std::move(items)) {}
Json::Json(Object members) : value_(std::move(members)) {}

Json::Json(const Json& other) : value_(copy_of(other.value_)) {}
Json& Json::operator=(const Json& other) {
  return *this = Json(other);
}

Json::Json(float value) : Json(static_cast<double>(value)) {
  std::string digits;
  append_number(digits, value);
  if (std::isfinite(value)) value_ = *parse_number<double>(digits);
}

Json Json::array() {
  return Json(Array{});
}
Json Json::array(const std::vector<std::string>& strings) {
  return Json(Array(strings.begin(), strings.end()));
}
Json Json::object() {
  return Json(Object{});
}

bool Json::is_integer() const {
  return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_);
}

std::string Json::kind() const {
  if (is_null()) return "null";
  if (is_bool()) return "a boolean";
  if (is_number()) return "a number";
  if (is_string()) return "a string";
  return is_array() ? "an array" : "an object";
}

bool Json::boolean(const std::string& place) const {
  if (!is_bool()) reject({{place}, "a boolean", kind()});
  return std::get<bool>(value_);
}

double Json::number(const std::string& place) const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  if (!is_number()) reject({{place}, "a number", kind()});
  return std::get<double>(value_);
}

std::int64_t Json::integer(const std::string& place) const {
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return *value;
  const double value = is_number() ? number() : NAN;
  const bool whole = value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value);
  if (!whole) reject({{place}, "a whole number of 64 bits", is_number() ? dump_json(*this) : kind()});
  return static_cast<std::int64_t>(value);
}

std::string Json::integer_text(const std::string& place) const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return std::to_string(*value);
  return std::to_string(integer(place));
}

const std::string& Json::string(const std::string& place) const {
  if (!is_string()) reject({{place}, "a string", kind()});
  return std::get<std::string>(value_);
}

const Json::Array& Json::items(const std::string& place) const {
  if (!is_array()) reject({{place}, "an array", kind()});
  return std::get<Array>(value_);
}

std::vector<std::string> Json::strings(const std::string& place) const {
  std::vector<std::string> all;
  for (const Json& item : items(place)) all.push_back(item.string(place));
  return all;
}

const Json::Object& Json::members(const std::string& place) const {
  if (!is_object()) reject({{place}, "an object", kind()});
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view name) const {
  if (!is_object()) return nullptr;
  for (const auto& [member, value] : std::get<Object>(value_)) {
    if (member == name) return &value;
  }
  return nullptr;
}

const Json& Json::operator[](std::string_view name) const {
  static const Json null;
  const Json* found = find(name);
  return found == nullptr ? null : *found;
}

Json& Json::set(std::string_view name, Json value) {
  assert(is_object());
  if (const Json* found = find(name)) {
    *const_cast<Json*>(found) = std::move(value);
  } else {
    std::get<Object>(value_).emplace_back(name, std::move(value));
  }
  return *this;
}

Json& Json::push_back(Json value) {
  assert(is_array());
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

bool Json::operator==(const Json& other) const {
  return value_ == other.value_;
}

void save_json(const std::string& path, const Json& value) {
  write_file(path, dump_json(value, JsonLayout::kPretty));
}

}  // namespace faithful
