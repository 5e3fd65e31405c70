// The only file that includes CLI11, which splits the command line. Values are converted here, so that every message has
// the same form: place, expected, found, hint.

#include <algorithm>
#include <cmath>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/command.h"
#include "app/config_file.h"
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
  struct Configured {
    std::vector<std::string> words;
    std::string place;
  };
  std::map<std::size_t, Configured> configured = {};  // what the file of --config says to the options, by their numbers
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

// Puts the texts into the option's target.
void assign(const Option& option, const std::vector<std::string>& texts) {
  for (const std::string& text : texts)  // a variable of the shell that is not set, perhaps
    if (text.empty()) reject({{option.long_name()}, "a value", "an empty text"});
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

// Sets the options of a verb in their order, because some set others: a preset comes before what it sets. What the
// command line says wins over the file of --config.
void assign_all(const Parsed& parsed) {
  for (std::size_t i = 0; i < parsed.options.size(); ++i) {
    const Option& option = parsed.command->options[i];
    const auto found = parsed.configured.find(i);
    if (parsed.options[i]->count() > 0) {
      assign(option, parsed.options[i]->results());
    } else if (found != parsed.configured.end()) {
      try {
        assign(option, found->second.words);
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", found->second.place, error.spelled_by(flag_text)));
      }
    }
  }
}

void check_required(const Parsed& parsed) {
  for (std::size_t i = 0; i < parsed.options.size(); ++i) {
    const Option& option = parsed.command->options[i];
    if (option.required && parsed.options[i]->count() == 0 && !parsed.configured.contains(i))
      throw InputError(fmt::format("{}{} is missing (usage: {})", prefix(parsed), option.long_name(),
                                   usage_line(*parsed.command, parsed.path)));
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

// The verb of a section; null: there is none.
Parsed* verb_of(Parsed& root, const std::vector<std::string>& section) {
  Parsed* at = &root;
  for (const std::string& name : section) {
    const auto found = std::ranges::find(at->verbs, name, [](const Parsed& verb) { return verb.command->name; });
    if (found == at->verbs.end()) return nullptr;
    at = &*found;
  }
  return at;
}

constexpr const char* kConfigWords = "the options of a verb under [verb]";

// The option of a key. Every section is checked, those of other verbs too: verbs share one file.
std::size_t option_of_key(const Parsed& verb, const ConfigValue& value, const std::string& file) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < verb.command->options.size() && !value.section.empty(); ++i) {
    const Option& option = verb.command->options[i];
    if (option.is_positional()) continue;
    known.push_back(option.long_name().substr(2));
    if (known.back() == value.key) return i;
  }
  std::vector<std::string> whole = value.section;
  whole.push_back(value.key);
  reject({{file, value.line},
          kConfigWords,
          "the unknown key " + quote(section_name(whole)),
          known.empty() ? "" : suggest(value.key, known)});
}

// As the words of a command line: `a,b` is a list.
std::vector<std::string> words_of(const Option& option, const ConfigValue& value, const std::string& file) {
  if (value.is_list && !option.is_list())
    reject({{file, value.line}, "one value of " + option.long_name(), fmt::format("a list of {}", value.texts.size())});
  if (value.is_list || !option.is_list()) return value.texts;
  return CLI::detail::split(value.texts[0], ',');
}

void check_sections(Parsed& root, const ConfigFile& config, const std::string& file) {
  for (const auto& [section, line] : config.sections) {
    if (verb_of(root, section) != nullptr) continue;
    reject({{file, line},
            kConfigWords,
            fmt::format("the unknown section [{}]", section_name(section)),
            suggest(section_name(section), verb_names(*root.command))});
  }
}

// Reads the file of --config.
void take_config(Parsed& root, const std::string& file) {
  const ConfigFile config = load_config(file);
  check_sections(root, config, file);
  for (const ConfigValue& value : config.values) {
    check_sections(root, {.sections = {{value.section, value.line}}}, file);
    Parsed& verb = *verb_of(root, value.section);
    const std::size_t at = option_of_key(verb, value, file);
    verb.configured[at] = {words_of(verb.command->options[at], value, file), fmt::format("{}:{}", file, value.line)};
  }
}

// What the file says to verbs that do not run must be right, too: it would only be found out when they do.
void check_other_verbs(const Parsed& parsed, const Parsed& running) {
  if (&parsed == &running) return;
  set_running(*parsed.command);
  if (!parsed.configured.empty()) assign_all(parsed);
  for (const Parsed& verb : parsed.verbs) check_other_verbs(verb, running);
}

void parse(Parsed& root, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    root.cli->parse(arguments);
  } catch (const CLI::ExtrasError&) {
    reject_extras(root);
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

int run_program(Command& program, const std::vector<std::string>& arguments) {
  CLI::App cli;
  bool version = false, unlimited = false;
  std::string what, config;
  program.options = {{"--version", &version, "show version, commit, compiler and instruction set"},
                     {"--generate WHAT", &what, "print the man page, a shell completion, or docs/options.md",
                      one_of({"man", "bash", "zsh", "fish", "options"})}};
  Parsed root{.command = &program, .path = program.name, .cli = &cli};
  declare(root);
  cli.add_option("--config", config);
  cli.add_flag("--no-limits", unlimited);
  set_running(program);  // until the verb is known
  parse(root, arguments);
  if (unlimited) set_limits(no_limits());
  const Parsed& verb = chosen(root);
  if (!config.empty()) {
    take_config(root, config);
    check_other_verbs(root, verb);
  }
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
    check_required(verb);
    assign_all(verb);
    verb.command->run();
    leave_job();
    print("");  // an Error where something that was printed ahead could not be written
  }
  return 0;
}

}  // namespace faithful::app
