#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace faithful {

// The whole text as a number, in the C locale; nothing where it is no number, has something left over or overflows.
// A leading plus sign is allowed; white space is not.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Adds the shortest text that reads back as the same number; `nan` for each that is none.
template <class T>
void append_number(std::string& text, T value) {
  char digits[64];
  text.append(digits, std::to_chars(digits, digits + sizeof(digits), std::isnan(value) ? std::abs(value) : value).ptr);
}

// "1 event", "2 events"
inline std::string counted(std::size_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  text += noun;
  return count == 1 ? text : text + "s";
}

}  // namespace faithful
