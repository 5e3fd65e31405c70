#include "app/command.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "app/job.h"
#include "faithful/base/error.h"
#include "faithful/base/utf8.h"

namespace faithful::app {

Option threads_option(std::size_t& threads) {
  return {"--threads N", &threads, "number of threads; it does not change the result", between(1, 1024),
          by_default("all cores")};
}

namespace {

constexpr std::size_t kHelpWidth = 100;  // of the help text

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

std::string list_text(const auto& values) {
  return values.empty() ? "" : fmt::format("{}", fmt::join(values, ","));
}

// Breaks a paragraph into lines of at most kHelpWidth characters, each after `indent` spaces.
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
    } else if (column + 1 + word.size() > kHelpWidth) {
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
  std::string help = option.help + option.choices_text();
  const std::string standard = option.default_text();
  if (!standard.empty()) help += fmt::format(" [{}]", standard);
  if (option.required && !option.is_positional()) help += " (required)";
  return help;
}

std::string option_line(const Option& option) {
  constexpr std::size_t kColumn = 30;
  const std::string head = "  " + option_head(option);
  const std::string help = wrapped(option_help(option), kColumn);
  return head.size() + 2 > kColumn ? head + "\n" + help + "\n" : head + help.substr(head.size()) + "\n";
}

// Help with more options than this is hard to read: they are grouped, and --help shows only the common ones.
constexpr std::size_t kManyOptions = 20;

// The options under headings, in the order in which the headings first appear, what has none last.
std::string options_text(const Command& command, const std::string& path, bool all) {
  const bool many = command.options.size() > kManyOptions;
  const std::string others = many ? "General" : "Options";
  std::vector<std::pair<std::string, std::string>> groups;  // heading, lines
  const auto add = [&](const std::string& heading, const Option& option) {
    auto found = std::ranges::find(groups, heading, [](const auto& group) { return group.first; });
    if (found == groups.end()) found = groups.insert(groups.end(), {heading, ""});
    found->second += option_line(option);
  };
  std::size_t hidden = 0;
  for (const Option& option : command.options) {
    if (option.is_positional()) {
      add("Arguments", option);
    } else if (many && !all && !option.common && !option.required) {
      ++hidden;
    } else {
      add(many && !option.group.empty() ? option.group : others, option);
    }
  }
  for (const Option& option : shared_options()) {
    if (many || option.name != "--help-all") add(others, option);
  }
  std::stable_partition(groups.begin(), groups.end(), [&](const auto& group) { return group.first != others; });
  std::string text;
  for (const auto& [heading, lines] : groups) text += fmt::format("\n{}:\n{}", heading, lines);
  return hidden == 0 ? text : text + fmt::format("\n{} more options: {} --help-all\n", hidden, path);
}

}  // namespace

Option option_of(const Setting& setting) {
  const Field& field = setting.field;
  std::string flag = "--" + field.name;
  std::ranges::replace(flag, '_', '-');
  const bool is_flag = std::holds_alternative<bool*>(setting.target);
  Option option(is_flag ? flag : flag + " " + field.value,
                is_flag ? Target(static_cast<bool*>(nullptr)) : Target(static_cast<std::string*>(nullptr)),
                (field.applies_to.empty() ? "" : field.applies_to + ": ") + field.help);
  option.group = to_string(field.group);
  option.common = field.common;
  option.choices = field.choices;
  option.shown_default = field.shown_default.value_or(is_flag ? "" : to_text(value_of(setting)));
  option.field = field.name;
  option.set = [setting](const std::string& text) { set_text(setting, text); };
  return option;
}

std::vector<Option> options_of(const std::vector<Setting>& settings) {
  std::vector<Option> options;
  for (const Setting& setting : settings)
    if (setting.field.group != FieldGroup::kNone) options.push_back(option_of(setting));
  return options;
}

bool Option::is_list() const {
  return std::visit(Overload{[](std::vector<std::string>*) { return true; }, [](std::vector<double>*) { return true; },
                             [](std::vector<std::size_t>*) { return true; }, [](const auto*) { return false; }},
                    target);
}

std::string Option::long_name() const {
  return name.substr(name.find(',') + 1);
}

std::string Option::field_name() const {
  if (!field.empty()) return field;
  std::string text = is_positional() ? "" : long_name().substr(2);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::string Option::choices_text() const {
  const auto named = [&](const std::string& choice) { return help.find(choice) != std::string::npos; };
  return std::ranges::all_of(choices, named) ? "" : fmt::format(": {}", fmt::join(choices, ", "));
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

std::vector<Option> grouped(const std::string& group, std::vector<Option> options) {
  for (Option& option : options) option.group = group;
  return options;
}

std::vector<Option> joined(const std::vector<std::vector<Option>>& lists) {
  std::vector<Option> all;
  for (const std::vector<Option>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

const std::vector<Option>& shared_options() {
  static bool help = false, unlimited = false;
  static std::string config;
  static const std::vector<Option> options = {
      {"--config FILE", &config, "read options from a TOML file; a section [verb] for each verb"},
      {"--no-limits", &unlimited, "read input of any size"},
      {"-h,--help", &help, "show this help"},
      {"--help-all", &help, "show this help with all options"}};
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

std::string help_text(const Command& command, const std::string& path, bool all) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", wrapped(command.description, 0), usage_line(command, path));
  if (!command.verbs.empty()) {
    text += "\nVerbs:\n";
    for (const Command& verb : command.verbs) text += fmt::format("  {:<12}{}\n", verb.name, verb.summary);
  }
  text += options_text(command, path, all);
  if (!command.examples.empty()) {
    text += "\nExamples:\n";
    for (const Example& example : command.examples) {
      text += fmt::format("  {}\n      {}\n", example.command, example.meaning);
    }
  }
  if (!command.verbs.empty()) text += fmt::format("\n{} VERB --help shows the options of a verb.\n", path);
  return text;
}

namespace {

// The flags of the verb that runs, by the library's name of the setting.
std::map<std::string, std::string, std::less<>>& running_flags() {
  static std::map<std::string, std::string, std::less<>> flags;
  return flags;
}

}  // namespace

void set_running(const Command& command) {
  running_flags().clear();
  for (const Option& option : joined({command.options, shared_options()})) {
    if (!option.is_positional()) running_flags().emplace(option.field_name(), option.long_name());
  }
}

std::string flag_text(std::string_view field, std::string_view value) {
  const auto found = running_flags().find(field);
  std::string name = found == running_flags().end() ? std::string(field) : found->second;
  if (value.empty()) return name;
  const bool in_quotes = value.find(' ') != std::string_view::npos && !value.starts_with('"');  // for the shell
  return in_quotes ? fmt::format("{} \"{}\"", name, value) : fmt::format("{} {}", name, value);
}

void notice(const std::string& line) {
  if (!line.empty() && !is_silent())
    std::fputs(fmt::format("faithful: {}\n", printable(spelled(line, flag_text))).c_str(), stderr);
}

namespace {

int output_error = 0;  // of the first text that could not be written

void write_out(const std::string& marked) {
  const std::string text = printable_lines(spelled(marked, flag_text));
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && output_error == 0) output_error = errno;
}

}  // namespace

void print_ahead(const std::string& text) {
  if (output_error == 0 && !is_silent()) write_out(text);
}

void print(const std::string& text) {
  print_ahead(text);
  if (output_error == 0) return;
  if (output_error == EPIPE) {  // as if nobody had caught it: quietly
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  throw Error(fmt::format("standard output: cannot be written: {}", std::strerror(output_error)));
}

void outlive_readers() {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // not SIG_IGN, which programs that we start would inherit
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPIPE, &action, nullptr);
  ::sigaction(SIGXFSZ, &action, nullptr);  // a file above the limit of its size is an error, as a full disk is
}

}  // namespace faithful::app
