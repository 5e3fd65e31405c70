#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "faithful/io/json.h"

namespace faithful {

namespace {

// The length of the UTF-8 character at the start of the text; 0 where there is none (overlong forms, surrogates and
// what is above U+10FFFF are none).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF && follows(1)) return 2;
  if ((first & 0xF0) == 0xE0 && follows(1) && follows(2)) {
    const bool overlong = first == 0xE0 && second < 0xA0, surrogate = first == 0xED && second >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4 && follows(1) && follows(2) && follows(3)) {
    const bool overlong = first == 0xF0 && second < 0x90, too_large = first == 0xF4 && second >= 0x90;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

class Dumper {
 public:
  explicit Dumper(bool pretty) : pretty_(pretty) {}

  void dump(const Json& value, std::size_t depth) {
    if (value.is_bool()) {
      out_ += value.boolean() ? "true" : "false";
    } else if (value.is_number()) {
      dump_number(value);
    } else if (value.is_string()) {
      dump_string(value.string());
    } else if (value.is_array()) {
      dump_array(value.items(), depth);
    } else if (value.is_object()) {
      dump_object(value.members(), depth);
    } else {
      out_ += "null";
    }
  }

  std::string take() {
    if (pretty_) out_ += '\n';
    return std::move(out_);
  }

 private:
  void dump_number(const Json& value) {
    if (value.is_integer()) {
      out_ += value.integer_text();
      return;
    }
    const double number = value.number();
    if (!std::isfinite(number)) {
      out_ += "null";
      return;
    }
    std::array<char, 32> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out_ += text;
    if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  }

  void dump_string(std::string_view text) {
    out_ += '"';
    while (!text.empty()) {
      const std::size_t length = utf8_length(text);
      if (length == 1) {
        dump_ascii(text[0]);
      } else if (length == 0) {
        out_ += "\xEF\xBF\xBD";
      } else {
        out_ += text.substr(0, length);
      }
      text.remove_prefix(length == 0 ? 1 : length);
    }
    out_ += '"';
  }

  void dump_ascii(char c) {
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out_ += c;
    }
  }

  void dump_array(const Json::Array& items, std::size_t depth) {
    out_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ',';
      new_line(depth + 1);
      dump(items[i], depth + 1);
    }
    if (!items.empty()) new_line(depth);
    out_ += ']';
  }

  void dump_object(const Json::Object& members, std::size_t depth) {
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      new_line(depth + 1);
      dump_string(members[i].name);
      out_ += pretty_ ? ": " : ":";
      dump(members[i].value, depth + 1);
    }
    if (!members.empty()) new_line(depth);
    out_ += '}';
  }

  void new_line(std::size_t depth) {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(2 * depth, ' ');
  }

  bool pretty_;
  std::string out_;
};

}  // namespace

std::string dump_json(const Json& value, JsonLayout layout) {
  Dumper dumper(layout == JsonLayout::kPretty);
  dumper.dump(value, 0);
  return dumper.take();
}

}  // namespace faithful
