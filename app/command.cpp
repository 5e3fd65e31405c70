#include "app/command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful::app {

Option threads_option(std::size_t& threads) {
  return {.name = "--threads",
          .target = &threads,
          .value = "N",
          .help = "threads to use; they change nothing but the time",
          .at_least = 1,
          .at_most = 1024,
          .shown_default = "all cores"};
}

namespace {

constexpr std::size_t kWidth = 100;  // of the help text

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

std::string list_text(const auto& values) {
  return values.empty() ? "" : fmt::format("{}", fmt::join(values, ","));
}

// Breaks a paragraph into lines of at most kWidth characters, each behind `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, space - at);
    if (column == 0) {
      out += std::string(indent, ' ') + word;
      column = indent + word.size();
    } else if (column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ') + word;
      column = indent + word.size();
    } else {
      out += " " + word;
      column += 1 + word.size();
    }
    at = space + 1;
  }
  return out;
}

std::string option_head(const Option& option) {
  std::string head = option.name;
  if (const auto comma = head.find(','); comma != std::string::npos) head.insert(comma + 1, " ");
  if (!option.value.empty()) head += " " + option.value;
  return head;
}

std::string option_help(const Option& option) {
  std::string help = option.help;
  if (!option.choices.empty()) help += fmt::format(": {}", fmt::join(option.choices, ", "));
  const std::string standard = option.default_text();
  if (!standard.empty()) help += fmt::format(" [{}]", standard);
  if (option.required && !option.is_positional()) help += " (required)";
  return help;
}

std::string option_lines(const std::vector<Option>& options, bool positional) {
  constexpr std::size_t kColumn = 30;
  std::string out;
  for (const Option& option : options) {
    if (option.is_positional() != positional) continue;
    const std::string head = "  " + option_head(option);
    const std::string help = wrapped(option_help(option), kColumn);
    if (head.size() + 2 > kColumn) {
      out += head + "\n" + help + "\n";
    } else {
      out += head + help.substr(head.size()) + "\n";
    }
  }
  return out;
}

}  // namespace

bool Option::is_list() const {
  return std::visit(Overload{[](std::vector<std::string>*) { return true; }, [](std::vector<double>*) { return true; },
                             [](std::vector<std::size_t>*) { return true; }, [](const auto*) { return false; }},
                    target);
}

std::string Option::long_name() const {
  return name.substr(name.find(',') + 1);
}

std::string Option::default_text() const {
  if (shown_default) return *shown_default;
  if (required || is_flag()) return "";
  return std::visit(Overload{[](const bool*) { return std::string(); }, [](const std::string* text) { return *text; },
                             [](const std::optional<std::size_t>* v) { return *v ? fmt::format("{}", **v) : ""; },
                             [](const std::optional<double>* v) { return *v ? fmt::format("{}", **v) : ""; },
                             [](const std::vector<std::string>* v) { return list_text(*v); },
                             [](const std::vector<double>* v) { return list_text(*v); },
                             [](const std::vector<std::size_t>* v) { return list_text(*v); },
                             [](const auto* number) { return fmt::format("{}", *number); }},
                    target);
}

const std::vector<Option>& shared_options() {
  static bool help = false;
  static std::string config;
  static const std::vector<Option> options = {
      {.name = "--config", .target = &config, .value = "FILE", .help = "set any option from a TOML file, under [verb]"},
      {.name = "-h,--help", .target = &help, .help = "show this help"}};
  return options;
}

std::string usage_line(const Command& command, const std::string& path) {
  std::string line = path;
  for (const Option& option : command.options) {
    if (!option.is_positional()) continue;
    const std::string word = option.name + (option.is_list() ? " ..." : "");
    line += option.required ? " " + word : " [" + word + "]";
  }
  for (const Option& option : command.options) {
    if (!option.is_positional() && option.required) line += " " + option.long_name() + " " + option.value;
  }
  return line + (command.verbs.empty() ? " [options]" : " VERB [options]");
}

std::string help_text(const Command& command, const std::string& path) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", wrapped(command.description, 0), usage_line(command, path));
  if (!command.verbs.empty()) {
    text += "\nVerbs:\n";
    for (const Command& verb : command.verbs) text += fmt::format("  {:<12}{}\n", verb.name, verb.summary);
  }
  const std::string positionals = option_lines(command.options, true);
  if (!positionals.empty()) text += "\nArguments:\n" + positionals;
  text += "\nOptions:\n" + option_lines(command.options, false) + option_lines(shared_options(), false);
  if (!command.examples.empty()) {
    text += "\nExamples:\n";
    for (const Example& example : command.examples) {
      text += fmt::format("  {}\n      {}\n", example.command, example.meaning);
    }
  }
  if (!command.verbs.empty()) text += fmt::format("\n{} VERB --help tells about one verb.\n", path);
  return text;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace faithful::app
