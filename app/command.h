#pragma once

// The command tree: every verb describes itself here once. The parser, --help, the man page and the shell
// completions are all made from it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace faithful::app {

// Where an option's value goes: a member of the verb's option struct, whose initial value is the default.
using Target =
    std::variant<bool*, std::size_t*, std::int64_t*, double*, std::string*, std::optional<std::size_t>*,
                 std::optional<double>*, std::vector<std::string>*, std::vector<double>*, std::vector<std::size_t>*>;

struct Option {
  std::string name;        // "--length", "-o,--output", or "NAME" for a positional argument
  Target target;           // a bool is a flag; a vector is a list: `a,b,c`, or several words for a positional
  std::string value = {};  // what stands for the value in the help: "S"; empty for flags and positionals
  std::string help = {};   // one line, no full stop
  bool required = false;
  std::vector<std::string> choices = {};  // the only values allowed, where there is such a list
  std::optional<double> at_least = {};    // bounds of a number
  std::optional<double> at_most = {};
  std::optional<std::string> shown_default = {};  // where the default value does not speak for itself; "" hides it

  bool is_positional() const { return name.front() != '-'; }
  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  bool is_list() const;
  std::string long_name() const;     // "--output" of "-o,--output"
  std::string default_text() const;  // the default as the help shows it; empty: none
};

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
};

// The whole program: app/verbs.cpp lists the verbs.
Command make_program();

// What `--help` prints. `path` is how the command is called, such as "faithful encode".
std::string help_text(const Command& command, const std::string& path);
std::string usage_line(const Command& command, const std::string& path);

// --threads, for every verb that uses several; its default is all cores.
Option threads_option(std::size_t& threads);

// --help and --config, which the program and every verb take; the parser declares them itself.
const std::vector<Option>& shared_options();

// What `--generate WHAT` prints: man, bash, zsh or fish.
std::string generate(const Command& program, const std::string& what);

// Parses, fills the options, and runs the chosen verb. Returns the exit code; throws InputError for bad usage.
int run_program(Command& program, const std::vector<std::string>& arguments);

// Writes to standard output; Error when it cannot be written (a full disk, say).
void print(const std::string& text);

}  // namespace faithful::app
