#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// Where a setting stands in the help and in the reference page.
enum class FieldGroup : std::uint8_t { kNone, kData, kWindows, kModel, kPosition, kTraining, kOutput };
FAITHFUL_API std::string_view to_string(FieldGroup group);  // "Windows"; "" of kNone: not an option, the data fix it

struct FieldDetails {
  std::optional<double> least = {}, above = {};   // lower bound of a number: itself allowed, not allowed
  std::optional<double> most = {}, below = {};    // upper bound of a number: itself allowed, not allowed
  std::vector<std::string> choices = {};          // the only values; of an enum, in its order
  std::string applies_to = {};                    // a form or encodings: "dfstrans", "mtan, time2vec"; empty: all
  std::optional<std::string> shown_default = {};  // where the default does not speak for itself; "" hides it
  FieldGroup group = FieldGroup::kNone;
  bool common = false;   // shown by --help; the others by --help-all
  std::string key = {};  // its name in files, where that is another one
};

// One setting, described once. Checks, files, the command line, Python and the reference page all read this.
struct Field : FieldDetails {
  std::string name;   // "head_width" in C++, Python and files; the program spells it as a flag
  std::string value;  // what stands for the value in the help: "N"; empty where it is true or false
  std::string help;   // one line, no full stop

  Field(std::string of, std::string placeholder, std::string meaning, FieldDetails details = {})
      : FieldDetails(std::move(details)), name(std::move(of)), value(std::move(placeholder)), help(std::move(meaning)) {
    if (key.empty()) key = name;
  }
};

// A copy of a variant, made beside its place and then moved there. libstdc++ 12 believes that a variant of strings and
// vectors always has a value: where there is no memory for a copy in place, it destroys what was never made.
template <class... T>
std::variant<T...> copy_of(const std::variant<T...>& of) {
  return std::visit(
      []<class Value>(const Value& value) { return std::variant<T...>(std::in_place_type<Value>, value); }, of);
}

// A choice is a std::string, the others are what they are.
struct FieldValue : std::variant<bool, std::size_t, double, std::string> {
  using variant::variant;
  FieldValue(const FieldValue& other) : variant(copy_of<bool, std::size_t, double, std::string>(other)) {}
  FieldValue(FieldValue&& other) noexcept = default;
  FieldValue& operator=(const FieldValue& other) { return *this = FieldValue(other); }
  FieldValue& operator=(FieldValue&& other) noexcept = default;
  ~FieldValue() = default;
};
FAITHFUL_API std::string to_text(const FieldValue& value);  // "true", "0.1", "post"

// "a whole number from 1 to 1023", "one of post, pre, bare": what the field takes, if it is of this value's kind.
FAITHFUL_API std::string wanted_text(const Field& field, const FieldValue& value);

// InputError where the value is out of bounds or no choice. `file` is where it came from, such as
// `m.safetensors: config`; empty: somebody set it.
FAITHFUL_API void check_value(const Field& field, const FieldValue& value, const std::string& file = {});

// The text as a value of the same kind as `like`, checked.
FAITHFUL_API FieldValue parse_value(const Field& field, const FieldValue& like, std::string_view text);

// A field, and where its value is: in a struct that must outlive this.
struct Setting {
  Field field;
  // A char is a text of one character, or "tab"; a std::uint8_t is an enum, by choice_of().
  std::variant<bool*, std::size_t*, double*, std::string*, char*, std::uint8_t*> target;
};

// Where an enum's value is. Enums of settings have std::uint8_t underneath, and values 0, 1, 2, .. in the order of
// their field's choices.
template <class Enum>
std::uint8_t* choice_of(Enum& value) {
  static_assert(std::is_same_v<std::underlying_type_t<Enum>, std::uint8_t>);
  return reinterpret_cast<std::uint8_t*>(&value);
}

FAITHFUL_API FieldValue value_of(const Setting& setting);

// InputError where the value is of another kind, out of bounds or no choice.
FAITHFUL_API void set_value(const Setting& setting, const FieldValue& value, const std::string& file = {});
FAITHFUL_API void set_text(const Setting& setting, std::string_view text);

// check_value of each.
FAITHFUL_API void check_settings(const std::vector<Setting>& settings);

}  // namespace faithful
