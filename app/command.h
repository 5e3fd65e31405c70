#pragma once

// The command tree: every verb describes itself here once. The parser, --help, the man page and the shell
// completions are all made from it.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "faithful/base/field.h"

namespace faithful::app {

// Where an option's value goes: a member of the verb's option struct, whose initial value is the default.
using Target =
    std::variant<bool*, std::size_t*, std::int64_t*, double*, std::string*, std::optional<std::size_t>*,
                 std::optional<double>*, std::vector<std::string>*, std::vector<double>*, std::vector<std::size_t>*>;

// One option of a verb, in one or two lines:
//
//   {"--window S", &o.window, "samples in a window", at_least(1), common}
//   {"DATA", &o.path, "a file or folder", required}
struct Option {
  // `form`: "--length S" (S stands for the value in the help), "-o,--output FILE", "--json" for a flag, or "NAME" for
  // a positional argument. `text`: one line, no full stop. The rest: required, common, at_least(1), one_of({..}), ...
  template <std::invocable<Option&>... Rules>
  Option(const std::string& form, Target to, std::string text, const Rules&... rules)
      : name(form.substr(0, form.find(' '))), target(to), help(std::move(text)) {
    if (name.size() < form.size()) value = form.substr(name.size() + 1);
    (rules(*this), ...);
  }

  std::string name;   // "--length", "-o,--output" or "NAME"
  Target target;      // a bool is a flag; a vector is a list: `a,b,c`, or several words for a positional
  std::string value;  // "S"; empty for flags and positionals
  std::string help;
  std::string group = {};  // its heading in the help of a long verb: Data, Windows, Model, Position, Training, Output
  bool common = false;     // in --help of a long verb; the others are in --help-all
  bool required = false;
  std::vector<std::string> choices = {};  // the only values allowed, where there is such a list
  std::optional<double> at_least = {};    // bounds of a number
  std::optional<double> at_most = {};
  std::optional<std::string> shown_default = {};  // where the default value does not speak for itself; "" hides it
  std::string field = {};                         // the library's name of the setting; empty: as the flag, with _ for -
  std::function<void(const std::string&)> set = {};  // instead of a target, whose kind alone counts then

  bool is_positional() const { return name.front() != '-'; }
  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  bool is_list() const;
  std::string long_name() const;     // "--output" of "-o,--output"
  std::string field_name() const;    // "output"
  std::string choices_text() const;  // ": gelu, relu"; empty where there are none, or the help names each of them
  std::string default_text() const;  // the default as the help shows it; empty: none
};

// What the rest of an option's line says.
// NOLINTBEGIN(readability-identifier-naming): they read as words of the line
inline constexpr auto required = [](Option& option) { option.required = true; };
inline constexpr auto common = [](Option& option) { option.common = true; };
// NOLINTEND(readability-identifier-naming)
inline auto at_least(double bound) {
  return [bound](Option& option) { option.at_least = bound; };
}
inline auto at_most(double bound) {
  return [bound](Option& option) { option.at_most = bound; };
}
inline auto between(double lowest, double highest) {
  return [=](Option& option) { option.at_least = lowest, option.at_most = highest; };
}
inline auto one_of(std::vector<std::string> choices) {
  return [choices = std::move(choices)](Option& option) { option.choices = choices; };
}
inline auto by_default(std::string text) {  // where the value itself does not say it; "" shows none
  return [text = std::move(text)](Option& option) { option.shown_default = text; };
}
inline auto of_field(std::string name) {
  return [name = std::move(name)](Option& option) { option.field = name; };
}

// The option of a setting that the library describes.
Option option_of(const Setting& setting);

// The options of those settings that are options: that have a group.
std::vector<Option> options_of(const std::vector<Setting>& settings);

// The options under one heading of the help.
std::vector<Option> grouped(const std::string& group, std::vector<Option> options);

std::vector<Option> joined(const std::vector<std::vector<Option>>& lists);

struct Example {
  std::string command;
  std::string meaning;
};

struct Command {
  std::string name;
  std::string summary;      // one line, for the list of verbs
  std::string description;  // a paragraph or two
  std::vector<Option> options = {};
  std::vector<Example> examples = {};
  std::vector<Command> verbs = {};
  std::function<void()> run = {};  // after the options are set; throws InputError or Error
  bool takes_ranks = false;        // may be started as several processes, and joins them (app/job.h)
};

// The whole program: app/verbs.cpp lists the verbs.
Command make_program();

// What `--help` prints, or with `all` what `--help-all` does: the same, but for a verb with so many options that --help
// shows only the common ones. `path` is how the command is called, such as "faithful encode".
std::string help_text(const Command& command, const std::string& path, bool all);
std::string usage_line(const Command& command, const std::string& path);

// --threads; the default is all cores.
Option threads_option(std::size_t& threads);

// --config, --no-limits, --help and --help-all, which the program and every verb take; the parser declares them itself.
const std::vector<Option>& shared_options();

// What `--generate WHAT` prints: man, bash, zsh, fish, or docs/options.md.
std::string generate(const Command& program, const std::string& what);
std::string options_page(const Command& program);

// Parses the arguments, sets the options and runs the verb. Returns the exit code; InputError for bad usage.
int run_program(Command& program, const std::vector<std::string>& arguments);

// How the running verb spells a setting of the library: `--missing zero`. A setting without a flag keeps the library's
// name.
std::string flag_text(std::string_view field, std::string_view value);

// Writes to standard output, settings spelled as flags; Error when it cannot be written (a full disk, say).
void print(const std::string& text);

// The same before the results are saved. Where it cannot be written, the work goes on, and the next print() is an Error.
void print_ahead(const std::string& text);

// A reader of the output that goes away (`| head`) ends the program at the next print(), not at once: results that are
// still to be saved are saved.
void outlive_readers();

// Writes `faithful: LINE` to standard error; nothing where the line is empty.
void notice(const std::string& line);

// Messages spell settings with the flags of this command from now on.
void set_running(const Command& command);

}  // namespace faithful::app
