#include "app/config_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/limits.h"

namespace faithful::app {

namespace {

constexpr std::size_t kMostParts = 4;  // of a name

bool is_bare(char c) {  // in a name without quotes
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

class ConfigReader {
 public:
  ConfigReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  ConfigFile read() {
    for (skip_blank_lines(); !at_end(); skip_blank_lines()) {
      if (peek() == '[')
        read_section();
      else
        read_value();
      skip_spaces();
      if (!at_end() && peek() != '#' && peek() != '\n') complain("the end of the line", "put text in quotes");
    }
    return std::move(found_);
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\n' : text_[at_]; }

  void skip_spaces() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\r')) ++at_;
  }
  void skip_comment() {
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void skip_blank_lines() {
    for (skip_spaces(), skip_comment(); !at_end() && peek() == '\n'; skip_spaces(), skip_comment()) {
      ++at_;
      ++line_;
    }
  }

  // What stands here, up to the end of the line.
  std::string rest() const {
    std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    return line.empty() ? "the end of the line" : quote(line);
  }
  [[noreturn]] void complain(const std::string& wanted, const std::string& hint = {}) const {
    reject({{file_, line_}, wanted, rest(), hint});
  }
  [[noreturn]] void reject_name(const std::string& found) const {
    reject({{file_, line_},
            fmt::format("the name of a section or key: at most {} bytes, {} parts", limits().config_name, kMostParts),
            found,
            limits_hint()});
  }

  void take(char wanted, const std::string& words) {
    if (peek() != wanted) complain(words);
    ++at_;
  }

  // a, "a b", a.b: between brackets, or before the equals sign.
  std::vector<std::string> read_name(const std::string& wanted) {
    const std::size_t bytes = std::min(text_.find_first_of("]=\n", at_), text_.size()) - at_;
    if (bytes > limits().config_name) reject_name(fmt::format("{} bytes", bytes));
    std::vector<std::string> parts;
    for (;; ++at_) {
      skip_spaces();
      std::string& part = parts.emplace_back();
      if (peek() == '"' || peek() == '\'') {
        part = read_string();
      } else {
        const std::size_t begin = at_;
        while (!at_end() && is_bare(peek())) ++at_;
        part = text_.substr(begin, at_ - begin);
      }
      if (part.empty()) complain(wanted);
      skip_spaces();
      if (peek() != '.') break;
    }
    const bool lifted = limits().config_name == no_limits().config_name;
    if (parts.size() > kMostParts && !lifted) reject_name(fmt::format("{} parts", parts.size()));
    return parts;
  }

  void read_section() {
    const std::string wanted = "a section: [verb]";
    const std::size_t begin = at_++;
    if (peek() == '[') {
      at_ = begin;
      complain(wanted);
    }
    section_ = read_name(wanted);
    take(']', "the ] of a section");
    if (!opened_.insert(section_).second)
      reject({{file_, line_}, "each section once", fmt::format("[{}] again", section_name(section_))});
    found_.sections.emplace_back(section_, line_);
  }

  void read_value() {
    const std::string wanted = "[section] or KEY = VALUE";
    ConfigValue value{.section = section_, .key = {}, .texts = {}, .line = line_};
    if (!is_bare(peek()) && peek() != '"' && peek() != '\'') complain(wanted);
    const std::size_t begin = at_;
    const std::vector<std::string> name = read_name(wanted);
    if (peek() != '=') {
      at_ = begin;
      complain(wanted);
    }
    ++at_;
    value.section.insert(value.section.end(), name.begin(), name.end() - 1);
    value.key = name.back();
    skip_spaces();
    value.is_list = peek() == '[';
    if (value.is_list)
      read_list(value.texts);
    else
      value.texts.push_back(read_text(""));
    std::vector<std::string> whole = value.section;
    whole.push_back(value.key);
    if (!set_.insert(whole).second)
      reject({{file_, value.line}, "each key once", fmt::format("{} again", quote(section_name(whole)))});
    found_.values.push_back(std::move(value));
  }

  void read_list(std::vector<std::string>& texts) {
    const std::string wanted = "values with commas between them, and a ]";
    ++at_;
    for (;;) {
      skip_blank_lines();
      if (at_end()) complain(wanted);
      if (peek() == ']') break;
      if (peek() == '[' || peek() == ',') complain(wanted);
      texts.push_back(read_text(",]"));
      skip_blank_lines();
      if (peek() == ']') break;
      take(',', wanted);
    }
    ++at_;
  }

  // A string, or a word without quotes that ends before one of these, a space or a comment.
  std::string read_text(std::string_view ends) {
    if (peek() == '"' || peek() == '\'') return read_string();
    const std::size_t begin = at_;
    while (!at_end() && ends.find(peek()) == std::string_view::npos &&
           std::string_view(" \t\r\n#\"'").find(peek()) == std::string_view::npos)
      ++at_;
    if (at_ == begin) complain("a value");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string read_string() {
    const std::size_t begin = at_;
    const char quotes = text_[at_++];
    std::string out;
    for (; peek() != quotes; ++at_) {
      if (at_end() || peek() == '\n') {
        at_ = begin;
        complain("a string that ends on its line");
      }
      out += quotes == '"' && peek() == '\\' ? read_escape() : peek();
    }
    ++at_;
    return out;
  }

  char read_escape() {
    constexpr std::string_view kNames = "\\\"tnr", kMeanings = "\\\"\t\n\r";
    ++at_;
    const std::size_t which = at_end() ? std::string_view::npos : kNames.find(peek());
    if (which == std::string_view::npos) complain(R"(one of \\ \" \t \n \r in a string in " ")", "or use ' '");
    return kMeanings[which];
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_ = 1;
  std::vector<std::string> section_;
  std::set<std::vector<std::string>> opened_, set_;
  ConfigFile found_;
};

}  // namespace

std::string section_name(const std::vector<std::string>& section) {
  return fmt::format("{}", fmt::join(section, "."));
}

ConfigFile parse_config(std::string_view text, const std::string& file) {
  if (text.find('\0') != std::string_view::npos) reject({{file}, "a TOML file", "bytes that are no text"});
  return ConfigReader(text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0), file).read();
}

ConfigFile load_config(const std::string& path) {
  const std::string wanted = "a TOML file for --config";
  if (std::filesystem::is_directory(path)) reject({{path}, wanted, "a folder"});
  std::ifstream input(path, std::ios::binary);
  if (!input) reject({{path}, wanted, std::filesystem::exists(path) ? "one that cannot be read" : "no such file"});
  std::string block(64 << 10, '\0');
  std::string all;
  while (input.read(block.data(), static_cast<std::streamsize>(block.size())) || input.gcount() > 0) {
    all.append(block, 0, static_cast<std::size_t>(input.gcount()));
    if (all.size() > limits().config_bytes)
      reject({{path}, fmt::format("a TOML file of at most {} bytes", limits().config_bytes), "more", limits_hint()});
  }
  if (input.bad()) throw Error(fmt::format("{}: cannot be read", path));
  return parse_config(all, path);
}

}  // namespace faithful::app
