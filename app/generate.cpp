// Man page and shell completions, from the command tree.

#include <algorithm>

#include <fmt/format.h>

#include "app/command.h"
#include "faithful/base/error.h"
#include "faithful/base/version.h"

namespace faithful::app {

namespace {

std::string replaced(std::string text, char from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, 1, to);
  }
  return text;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Text of a roff page: backslashes, minus signs, and lines that would look like a request.
std::string roff(const std::string& text) {
  std::string out = replaced(replaced(text, '\\', "\\e"), '-', "\\-");
  if (out.starts_with(".") || out.starts_with("'")) out.insert(0, "\\&");
  return out;
}

std::string roff_options(const std::vector<Option>& options) {
  std::string out;
  for (const Option& option : options) {
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}", roff(option.name),
                       option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR",
                       roff(option.help + option.choices_text()));
    const std::string standard = option.default_text();
    if (!standard.empty()) out += roff(fmt::format(" (default {})", standard));
    out += "\n";
  }
  return out;
}

void roff_verbs(const Command& command, const std::string& path, std::string& out) {
  for (const Command& verb : command.verbs) {
    const std::string verb_path = path + " " + verb.name;
    out += fmt::format(".SS {}\n.B {}\n.PP\n{}\n{}", roff(verb_path), roff(usage_line(verb, verb_path)),
                       roff(verb.description), roff_options(verb.options));
    for (const Example& example : verb.examples) {
      out += fmt::format(".PP\n.RS\n.nf\n{}\n.fi\n.RE\n{}\n", roff(example.command), roff(example.meaning));
    }
    roff_verbs(verb, verb_path, out);
  }
}

std::string man_page(const Command& program) {
  std::string out = fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n",
                                upper(program.name), program.name, build_info().version, program.name,
                                roff(program.summary), roff(usage_line(program, program.name)));
  out += fmt::format(".SH DESCRIPTION\n{}\n.SH OPTIONS\n{}", roff(program.description), roff_options(program.options));
  out += roff_options(shared_options());
  out += ".SH VERBS\n";
  roff_verbs(program, program.name, out);
  out += ".SH EXIT STATUS\n0 done, 1 failed, 2 bad usage or bad input.\n";
  out +=
      ".SH ENVIRONMENT\n.TP\n.B FAITHFUL_THREADS\nnumber of threads where \\-\\-threads is not given\n"
      ".TP\n.B FAITHFUL_ISA\nvector instruction set to use (\\-\\-version lists them)\n";
  return out;
}

// Every command with its path below the program: {"", program}, {"encode", ...}, {"data info", ...}.
void collect(const Command& command, const std::string& path,
             std::vector<std::pair<std::string, const Command*>>& all) {
  all.emplace_back(path, &command);
  for (const Command& verb : command.verbs) collect(verb, path.empty() ? verb.name : path + " " + verb.name, all);
}

std::vector<Option> flags_of(const Command& command) {
  std::vector<Option> options = joined({command.options, shared_options()});
  std::erase_if(options, [](const Option& option) { return option.is_positional(); });
  return options;
}

std::vector<std::string> words_after(const Command& command) {
  std::vector<std::string> words;
  for (const Command& verb : command.verbs) words.push_back(verb.name);
  for (const Option& option : flags_of(command)) words.push_back(option.long_name());
  return words;
}

std::string bash_completion(const std::vector<std::pair<std::string, const Command*>>& commands) {
  std::string out =
      "# bash completion for faithful; made by faithful --generate bash\n_faithful() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" verb='' values='' i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n    case \"${verb:+$verb }${COMP_WORDS[i]}\" in\n";
  for (const auto& [path, command] : commands) {
    if (!path.empty()) out += fmt::format("      '{0}') verb='{0}' ;;\n", path);
  }
  out += "    esac\n  done\n  case \"$verb|$before\" in\n";
  for (const auto& [path, command] : commands) {
    for (const Option& option : flags_of(*command)) {
      if (option.choices.empty()) continue;
      out += fmt::format("    '{}|{}') values='{}' ;;\n", path, option.long_name(), fmt::join(option.choices, " "));
    }
  }
  out += "  esac\n  if [ -z \"$values\" ]; then\n    case \"$verb\" in\n";
  for (const auto& [path, command] : commands) {
    out += fmt::format("      '{}') values='{}' ;;\n", path, fmt::join(words_after(*command), " "));
  }
  out +=
      "    esac\n  fi\n  mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\"; compgen -f -- \"$word\")\n}\n"
      "complete -o filenames -F _faithful faithful\n";
  return out;
}

std::string shell_quoted(const std::string& text) {
  return "'" + replaced(text, '\'', "'\\''") + "'";
}

// Colons and brackets mean something in zsh's argument specifications.
std::string zsh_text(const std::string& text) {
  return replaced(replaced(replaced(replaced(text, '\\', "\\\\"), ':', "\\:"), '[', "\\["), ']', "\\]");
}

std::string zsh_options(const Command& command) {
  std::string out;
  for (const Option& option : flags_of(command)) {
    std::string spec = fmt::format("{}[{}]", option.long_name(), zsh_text(option.help));
    if (!option.is_flag()) {
      spec += fmt::format(":{}:{}", zsh_text(option.value),
                          option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " ")));
    }
    out += " " + shell_quoted(spec);
  }
  return out + " '*:file:_files'";
}

std::string zsh_completion(const std::vector<std::pair<std::string, const Command*>>& commands) {
  std::string out =
      "#compdef faithful\n# made by faithful --generate zsh\n_faithful() {\n  local verb='' word\n"
      "  for word in ${words[2,CURRENT-1]}; do\n    case \"${verb:+$verb }$word\" in\n";
  for (const auto& [path, command] : commands) {
    if (!path.empty()) out += fmt::format("      '{0}') verb='{0}' ;;\n", path);
  }
  out += "    esac\n  done\n  case \"$verb\" in\n";
  for (const auto& [path, command] : commands) {
    out += fmt::format("    '{}')\n", path);
    if (!command->verbs.empty()) {
      out += "      local -a verbs=(";
      for (const Command& verb : command->verbs)
        out += " " + shell_quoted(zsh_text(verb.name) + ":" + zsh_text(verb.summary));
      out += " )\n      _describe verb verbs\n";
    }
    out += fmt::format("      _arguments{} ;;\n", zsh_options(*command));
  }
  return out + "  esac\n}\n_faithful \"$@\"\n";
}

std::string fish_completion(const std::vector<std::pair<std::string, const Command*>>& commands) {
  std::string out = "# fish completion for faithful; made by faithful --generate fish\n";
  for (const auto& [path, command] : commands) {
    const std::string seen = "__fish_seen_subcommand_from ";  // for each word of the path
    const std::string condition = path.empty() ? "__fish_use_subcommand" : seen + replaced(path, ' ', "; and " + seen);
    for (const Command& verb : command->verbs) {
      out += fmt::format("complete -c faithful -n {} -a {} -d {}\n", shell_quoted(condition), verb.name,
                         shell_quoted(verb.summary));
    }
    for (const Option& option : flags_of(*command)) {
      out += fmt::format("complete -c faithful -n {} -l {} -d {}", shell_quoted(condition),
                         option.long_name().substr(2), shell_quoted(option.help));
      if (!option.is_flag()) out += " -r";
      if (!option.choices.empty())
        out += fmt::format(" -f -a {}", shell_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
      out += "\n";
    }
  }
  return out;
}

}  // namespace

std::string generate(const Command& program, const std::string& what) {
  std::vector<std::pair<std::string, const Command*>> commands;
  collect(program, "", commands);
  if (what == "man") return man_page(program);
  if (what == "options") return options_page(program);
  if (what == "bash") return bash_completion(commands);
  if (what == "zsh") return zsh_completion(commands);
  return fish_completion(commands);
}

}  // namespace faithful::app
