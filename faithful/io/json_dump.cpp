#include <cmath>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/base/utf8.h"
#include "faithful/io/json.h"

namespace faithful {

namespace {

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
    const std::size_t begin = out_.size();
    append_number(out_, number);
    if (out_.find_first_of(".e", begin) == std::string::npos) out_ += ".0";
  }

  void dump_string(std::string_view text) {
    out_ += '"';
    while (!text.empty()) {
      const auto [code, length] = first_character(text);
      if (pretty_ && code >= 0x7F && is_control(code)) {  // for people, perhaps on a terminal
        out_ += fmt::format("\\u{:04x}", code);
      } else if (length == 1) {
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
      dump_string(members[i].first);
      out_ += pretty_ ? ": " : ":";
      dump(members[i].second, depth + 1);
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
