#include "faithful/base/field.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"

namespace faithful {

namespace {

std::string bounds_text(const Field& field) {
  if (field.least && field.most) return fmt::format(" from {} to {}", *field.least, *field.most);
  if (field.least && field.below) return fmt::format(" from {} to below {}", *field.least, *field.below);
  if (field.above && field.most) return fmt::format(" above {} and up to {}", *field.above, *field.most);
  if (field.least) return fmt::format(" of at least {}", *field.least);
  if (field.most) return fmt::format(" of at most {}", *field.most);
  if (field.above) return fmt::format(" above {}", *field.above);
  return "";
}

bool allows(const Field& field, double number) {  // a NaN is allowed nowhere
  return std::isfinite(number) && number >= field.least.value_or(number) && number <= field.most.value_or(number) &&
         (!field.above || number > *field.above) && (!field.below || number < *field.below);
}

bool allows(const Field& field, const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return field.choices.empty() || std::ranges::find(field.choices, *text) != field.choices.end();
  }
  if (const auto* count = std::get_if<std::size_t>(&value)) return allows(field, static_cast<double>(*count));
  if (const auto* number = std::get_if<double>(&value)) return allows(field, *number);
  return true;
}

std::string found_text(const FieldValue& value) {
  return std::holds_alternative<std::string>(value) ? quote(std::get<std::string>(value)) : to_text(value);
}

[[noreturn]] void reject_value(const Field& field, const FieldValue& like, const std::string& found,
                               const std::string& file) {
  const Place place = file.empty() ? Place{.field = field.name} : Place{.name = fmt::format("{}.{}", file, field.key)};
  reject({place, wanted_text(field, like), found});
}

}  // namespace

std::string_view to_string(FieldGroup group) {
  static constexpr std::array<std::string_view, 7> names{"",         "Data",     "Windows", "Model",
                                                         "Position", "Training", "Output"};
  return names[static_cast<std::size_t>(group)];
}

std::string to_text(const FieldValue& value) {
  return std::visit([](const auto& of) { return fmt::format("{}", of); }, value);
}

std::string wanted_text(const Field& field, const FieldValue& value) {
  if (!field.choices.empty()) return fmt::format("one of {}", fmt::join(field.choices, ", "));
  if (std::holds_alternative<bool>(value)) return "true or false";
  if (std::holds_alternative<std::string>(value)) return "a text";
  return (std::holds_alternative<double>(value) ? "a number" : "a whole number") + bounds_text(field);
}

void check_value(const Field& field, const FieldValue& value, const std::string& file) {
  if (!allows(field, value)) reject_value(field, value, found_text(value), file);
}

FieldValue parse_value(const Field& field, const FieldValue& like, std::string_view text) {
  std::optional<FieldValue> value;
  if (std::holds_alternative<std::string>(like)) value = std::string(text);
  if (std::holds_alternative<std::size_t>(like)) value = parse_number<std::size_t>(text);
  if (std::holds_alternative<double>(like)) value = parse_number<double>(text);
  if (std::holds_alternative<bool>(like)) {
    if (text == "true" || text == "1") value = true;
    if (text == "false" || text == "0") value = false;
  }
  if (!value || !allows(field, *value)) reject_value(field, like, quote(text), "");
  return *value;
}

FieldValue value_of(const Setting& setting) {
  return std::visit(
      [&](const auto* of) -> FieldValue {
        if constexpr (std::is_same_v<decltype(of), const std::uint8_t*>) {
          return setting.field.choices.at(*of);
        } else if constexpr (std::is_same_v<decltype(of), const char*>) {
          return *of == '\0' ? "" : *of == '\t' ? "tab" : std::string(1, *of);
        } else {
          return *of;
        }
      },
      setting.target);
}

void set_value(const Setting& setting, const FieldValue& value, const std::string& file) {
  const Field& field = setting.field;
  const FieldValue now = value_of(setting);
  if (value.index() != now.index()) reject_value(field, now, found_text(value), file);
  check_value(field, value, file);
  std::visit(
      [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          const auto place = std::ranges::find(field.choices, std::get<std::string>(value));
          *of = static_cast<std::uint8_t>(place - field.choices.begin());
        } else if constexpr (std::is_same_v<T, char>) {
          const std::string& text = std::get<std::string>(value);
          const bool is_tab = text == "tab" || text == "\\t";
          if (!is_tab && text.size() != 1) reject({{.field = field.name}, "one character, or tab", quote(text)});
          *of = is_tab ? '\t' : text[0];
        } else {
          *of = std::get<T>(value);
        }
      },
      setting.target);
}

void set_text(const Setting& setting, std::string_view text) {
  set_value(setting, parse_value(setting.field, value_of(setting), text));
}

void check_settings(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) check_value(setting.field, value_of(setting));
}

}  // namespace faithful
