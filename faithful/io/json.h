#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// A JSON value. Objects keep the order of their members; integers of 64 bits stay exact.
//
//   Json report = Json::object();
//   report.set("width", 64).set("error", 0.25);
//   report["width"].integer();                    // 64
class FAITHFUL_API Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // name and value

  // Values are written as they are: {"width", 64}.
  // NOLINTBEGIN(google-explicit-constructor)
  Json();  // null
  Json(std::nullptr_t);
  Json(bool value);
  Json(double value);
  Json(float value);  // as the shortest decimal number of the float, not its longer double
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  Json(Array items);
  Json(Object members);
  template <class Integer>
  requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) Json(Integer value) {
    if (std::in_range<std::int64_t>(value)) {
      value_ = static_cast<std::int64_t>(value);
    } else {
      value_ = static_cast<std::uint64_t>(value);
    }
  }
  // NOLINTEND(google-explicit-constructor)
  Json(const Json& other);
  Json(Json&& other) noexcept = default;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept = default;
  ~Json() = default;
  static Json array();
  static Json array(const std::vector<std::string>& strings);
  static Json object();

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const;  // fits 64 bits, with or without sign, and was written without point and exponent
  bool is_number() const { return is_integer() || std::holds_alternative<double>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  std::string kind() const;  // "null", "a boolean", "a number", "a string", "an array", "an object"

  // The value as what it must be; otherwise InputError: `PLACE: expected a number, found a string`.
  bool boolean(const std::string& place = "JSON") const;
  double number(const std::string& place = "JSON") const;
  std::int64_t integer(const std::string& place = "JSON") const;      // also a double that is whole, such as 1e3
  std::string integer_text(const std::string& place = "JSON") const;  // all its digits, also above std::int64_t
  const std::string& string(const std::string& place = "JSON") const;
  const Array& items(const std::string& place = "JSON") const;
  const Object& members(const std::string& place = "JSON") const;
  std::vector<std::string> strings(const std::string& place = "JSON") const;  // of an array of strings

  const Json* find(std::string_view name) const;        // nullptr where this is no object or has no such member
  const Json& operator[](std::string_view name) const;  // null where there is none

  Json& set(std::string_view name, Json value);  // adds or replaces a member; this must be an object. Returns this.
  Json& push_back(Json value);                   // this must be an array. Returns this.

  bool operator==(const Json& other) const;

 private:
  // A uint64_t is always above the range of int64_t.
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

struct JsonLimits {
  std::size_t most_bytes = std::size_t{64} << 20;
  std::size_t deepest = 64;  // arrays and objects inside each other
};

// The value of a JSON text (UTF-8; no comments; a name at most once in an object). `name` is used in
// error messages, with line and column (in bytes) of the mistake.
FAITHFUL_API Json parse_json(std::string_view text, const std::string& name, const JsonLimits& limits = {});

enum class JsonLayout { kCompact, kPretty };  // in one line without spaces; indented by two spaces, with a line end

// Valid UTF-8 JSON whatever the value: NaN and infinity become null, invalid UTF-8 becomes U+FFFD. A double is
// the shortest text that reads back to the same bits, with a point or an exponent, so that it reads back as a double.
FAITHFUL_API std::string dump_json(const Json& value, JsonLayout layout = JsonLayout::kCompact);
FAITHFUL_API void save_json(const std::string& path, const Json& value);  // pretty

}  // namespace faithful
