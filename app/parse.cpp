// The only file that includes CLI11. CLI11 splits the command line and reads the TOML file. Values are converted here,
// so that every message has the same form: place, expected, found, hint.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "app/job.h"
#include "faithful/base/cpu.h"
#include "faithful/base/error.h"
#include "faithful/base/limits.h"
#include "faithful/base/number.h"
#include "faithful/base/version.h"

namespace faithful::app {

namespace {

// A command with CLI11's view of it.
struct Parsed {
  Command* command = nullptr;
  std::string path;  // "faithful encode"
  CLI::App* cli = nullptr;
  bool help = false, help_all = false;
  std::vector<CLI::Option*> options = {};  // as in command->options
  std::vector<Parsed> verbs = {};
};

// How a message about this command begins: "encode: "; empty for the program itself, whose name main() puts first.
std::string prefix(const Parsed& parsed) {
  const std::size_t space = parsed.path.find(' ');
  return space == std::string::npos ? "" : parsed.path.substr(space + 1) + ": ";
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : joined({shared_options(), command.options}))
    if (!option.is_positional()) names.push_back(option.long_name());
  return names;
}

void declare(Parsed& parsed) {
  parsed.cli->set_help_flag();
  parsed.cli->add_flag("-h,--help", parsed.help);
  parsed.cli->add_flag("--help-all", parsed.help_all);
  parsed.cli->allow_config_extras(CLI::config_extras_mode::error);
  parsed.cli->require_subcommand(0, 1);  // a word after the verb is no other verb: a folder may be named train
  for (const Option& option : parsed.command->options) {
    CLI::Option* declared = nullptr;
    if (option.is_flag()) {
      declared = parsed.cli->add_flag(option.name);
    } else {
      // One value a word; a list takes `a,b,c`, and a list that is a positional any number of words.
      declared = parsed.cli->add_option(option.name)->type_size(1)->expected(1);
      declared->delimiter(option.is_list() ? ',' : '\0');
      declared->multi_option_policy(option.is_list() ? CLI::MultiOptionPolicy::TakeAll
                                                     : CLI::MultiOptionPolicy::TakeLast);
      declared->allow_extra_args(option.is_list() && option.is_positional());
    }
    parsed.options.push_back(declared);
  }
  parsed.verbs.reserve(parsed.command->verbs.size());
  for (Command& verb : parsed.command->verbs) {
    CLI::App* cli = parsed.cli->add_subcommand(verb.name, verb.summary);
    cli->fallthrough();
    parsed.verbs.push_back({.command = &verb, .path = parsed.path + " " + verb.name, .cli = cli});
    declare(parsed.verbs.back());
  }
}

std::string bounds_text(const Option& option) {
  if (option.at_least && option.at_most) return fmt::format(" from {} to {}", *option.at_least, *option.at_most);
  if (option.at_least) return fmt::format(" of at least {}", *option.at_least);
  if (option.at_most) return fmt::format(" of at most {}", *option.at_most);
  return "";
}

template <class T>
T convert(const Option& option, const std::string& text) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (!option.choices.empty() &&
        std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end()) {
      reject({{option.long_name()}, fmt::format("one of {}", fmt::join(option.choices, ", ")), quote(text)});
    }
    return text;
  } else {
    const std::optional<T> value = parse_number<T>(text);
    const bool finite = !std::is_floating_point_v<T> || (value && std::isfinite(static_cast<double>(*value)));
    const bool inside = value && finite && static_cast<double>(*value) >= option.at_least.value_or(-HUGE_VAL) &&
                        static_cast<double>(*value) <= option.at_most.value_or(HUGE_VAL);
    if (!inside) {
      const char* kind = std::is_floating_point_v<T> ? "a number" : "a whole number";
      reject({{option.long_name()}, kind + bounds_text(option), quote(text)});
    }
    return *value;
  }
}

bool convert_flag(const Option& option, const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  reject({{option.long_name()}, "true or false", quote(text)});
}

// Puts the texts that CLI11 found into the option's target.
void assign(const Option& option, const CLI::Option& found) {
  const std::vector<std::string>& texts = found.results();
  if (option.set) {
    for (const std::string& text : option.is_list() ? texts : std::vector{texts.back()}) option.set(text);
    return;
  }
  std::visit(
      [&](auto* target) {
        using T = std::remove_pointer_t<decltype(target)>;
        if constexpr (std::is_same_v<T, bool>) {
          *target = convert_flag(option, texts.back());
        } else if constexpr (requires {
                               typename T::allocator_type;
                               target->front();
                             } &&
                             !std::is_same_v<T, std::string>) {
          target->clear();
          for (const std::string& text : texts) target->push_back(convert<typename T::value_type>(option, text));
        } else if constexpr (requires { target->has_value(); }) {
          *target = convert<typename T::value_type>(option, texts.back());
        } else {
          *target = convert<T>(option, texts.back());
        }
      },
      option.target);
}

void assign_all(const Parsed& parsed) {
  for (std::size_t i = 0; i < parsed.options.size(); ++i) {
    const Option& option = parsed.command->options[i];
    if (parsed.options[i]->count() > 0) {
      assign(option, *parsed.options[i]);
    } else if (option.required) {
      throw InputError(fmt::format("{}{} is missing (usage: {})", prefix(parsed), option.long_name(),
                                   usage_line(*parsed.command, parsed.path)));
    }
  }
}

// The deepest verb named on the command line.
Parsed& chosen(Parsed& parsed) {
  for (Parsed& verb : parsed.verbs) {
    if (verb.cli->parsed()) return chosen(verb);
  }
  return parsed;
}

std::vector<std::string> verb_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& verb : command.verbs) names.push_back(verb.name);
  return names;
}

// What CLI11 could not place: a misspelt verb or option, or one word too many.
[[noreturn]] void reject_extras(Parsed& root) {
  const Parsed& at = chosen(root);
  const std::vector<std::string> extras = root.cli->remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  if (word.starts_with("-")) {
    throw InputError(fmt::format("{}unknown option {} ({})", prefix(at), quote(word.substr(0, word.find('='))),
                                 suggest(word.substr(0, word.find('=')), option_names(*at.command))));
  }
  if (!at.command->verbs.empty()) {
    throw InputError(
        fmt::format("{}unknown verb {} ({})", prefix(at), quote(word), suggest(word, verb_names(*at.command))));
  }
  throw InputError(
      fmt::format("{}unexpected argument {} (usage: {})", prefix(at), quote(word), usage_line(*at.command, at.path)));
}

// "encode.lenght" or "endcode.++" (CLI11's mark of a section): a message with the nearest key or verb.
[[noreturn]] void reject_config_key(const Parsed& root, const std::string& file, const std::string& key) {
  const std::size_t dot = key.rfind('.');
  const std::string section = dot == std::string::npos ? "" : key.substr(0, dot);
  const std::string name = key.substr(dot == std::string::npos ? 0 : dot + 1);
  const std::string wanted = "the options of a verb under [verb]";
  if (name == "++") {
    reject({{file},
            wanted,
            fmt::format("the unknown section [{}]", section),
            suggest(section, verb_names(*root.command))});
  }
  std::vector<std::string> known;
  for (const Command& verb : root.command->verbs) {
    if (section != verb.name) continue;
    for (const Option& option : verb.options) {
      if (!option.is_positional()) known.push_back(option.long_name().substr(2));
    }
  }
  reject({{file}, wanted, "the unknown key " + quote(key), suggest(name, known)});
}

[[noreturn]] void reject_config_name(const Place& place, const std::string& found) {
  reject({place, fmt::format("the name of a section or key: at most {} bytes, 4 parts", limits().config_name), found,
          limits_hint()});
}

// CLI11 keeps every beginning of a name with dots: a long one would take gigabytes.
void check_config_names(std::string_view text, const std::string& file) {
  constexpr std::ptrdiff_t kMostDots = 3;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t start = std::min(line.find_first_not_of(" \t"), line.size());
    const bool is_section = line.substr(start).starts_with('[');
    const std::string_view name =
        line.substr(start, is_section ? std::string_view::npos : line.find('=', start) - start);
    if (name.starts_with('#') || name.starts_with(';')) continue;
    if (name.size() > limits().config_name) reject_config_name({file, number}, fmt::format("{} bytes", name.size()));
    const bool lifted = limits().config_name == no_limits().config_name;
    const auto dots = std::count(name.begin(), name.end(), '.');
    if (dots > kMostDots && !lifted) reject_config_name({file, number}, fmt::format("{} parts", dots + 1));
  }
}

std::vector<CLI::ConfigItem> config_items(std::istream& input, const std::string& file) {
  std::string text(64 << 10, '\0');
  std::string all;
  while (input.read(text.data(), static_cast<std::streamsize>(text.size())) || input.gcount() > 0) {
    all.append(text, 0, static_cast<std::size_t>(input.gcount()));
    if (all.size() > limits().config_bytes) {
      reject({{file}, fmt::format("a TOML file of at most {} bytes", limits().config_bytes), "more", limits_hint()});
    }
  }
  if (all.find('\0') != std::string::npos) reject({{file}, "a TOML file", "bytes that are no text"});
  check_config_names(all, file);
  std::istringstream checked(all);
  return CLI::ConfigTOML().from_config(checked);
}

// CLI11's reader of TOML, for text that was checked before.
class CheckedToml : public CLI::ConfigTOML {
 public:
  explicit CheckedToml(const CLI::App& root) : root_(root) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    if (root_.get_option("--no-limits")->count() > 0) set_limits(no_limits());
    return config_items(input, root_.get_config_ptr()->as<std::string>());
  }

 private:
  const CLI::App& root_;
};

std::string config_path(const Parsed& root) {
  const CLI::Option* config = root.cli->get_config_ptr();
  return config->count() > 0 ? config->as<std::string>() : "";
}

void parse(Parsed& root, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    root.cli->parse(arguments);
  } catch (const CLI::ExtrasError&) {
    reject_extras(root);
  } catch (const CLI::ConfigError& error) {
    const std::string text = error.what();  // "INI was not able to parse KEY"
    reject_config_key(root, config_path(root), text.substr(text.rfind(' ') + 1));
  } catch (const CLI::FileError&) {
    const bool is_folder = std::filesystem::is_directory(config_path(root));
    reject({{config_path(root)}, "a TOML file for --config", is_folder ? "a folder" : "no such file"});
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--dim: 1 required INT missing"
    reject({{text.substr(0, text.find(':'))}, "a value", "none"});
  } catch (const CLI::ParseError& error) {
    throw InputError(prefix(chosen(root)) + error.what());
  }
}

std::string version_text() {
  const BuildInfo info = build_info();
  return fmt::format("faithful {}\ncommit {}\ncompiler {}\ninstruction set {} (of {})\n", info.version, info.commit,
                     info.compiler, instruction_set(), fmt::join(instruction_sets(), ", "));
}

}  // namespace

void check_config_text(const std::string& text, const std::string& file) {
  std::istringstream input(text);
  config_items(input, file);
}

int run_program(Command& program, const std::vector<std::string>& arguments) {
  CLI::App cli;
  bool version = false, unlimited = false;
  std::string what;
  program.options = {{"--version", &version, "show version, commit, compiler and instruction set"},
                     {"--generate WHAT", &what, "print the man page, a shell completion, or docs/options.md",
                      one_of({"man", "bash", "zsh", "fish", "options"})}};
  Parsed root{.command = &program, .path = program.name, .cli = &cli};
  declare(root);
  cli.set_config("--config");
  cli.add_flag("--no-limits", unlimited);
  cli.config_formatter(std::make_shared<CheckedToml>(cli));
  set_running(program);  // until the verb is known
  parse(root, arguments);
  if (unlimited) set_limits(no_limits());
  const Parsed& verb = chosen(root);
  set_running(*verb.command);
  assign_all(root);
  const bool help_all = root.help_all || verb.help_all;
  if (root.help || verb.help || help_all) {
    print(help_text(*verb.command, verb.path, help_all));
  } else if (version) {
    print(version_text());
  } else if (!what.empty()) {
    print(generate(program, what));
  } else if (!verb.command->run) {
    throw InputError(fmt::format("{}a verb is missing ({} --help lists the verbs)", prefix(verb), verb.path));
  } else {
    if (!verb.command->takes_ranks) refuse_ranks(verb.path);
    assign_all(verb);
    verb.command->run();
    leave_job();
    print("");  // an Error where something that was printed ahead could not be written
  }
  return 0;
}

}  // namespace faithful::app
