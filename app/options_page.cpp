// docs/options.md: the options of `train`, from the same table as the help.

#include <algorithm>

#include <fmt/format.h>

#include "app/model_arguments.h"

namespace faithful::app {

namespace {

constexpr const char* kHead =
    "# Options\n\n"
    "These are the options of `faithful train`. `faithful compare` has most of them too. The program writes this page:\n"
    "`faithful --generate options`.\n\n"
    "In Python a setting is an argument of the same name: `--head-width 8` is `head_width=8`. `faithful.fit` takes those\n"
    "of windows, model, position and training; `TimeSeriesTransformer` takes those of model, position and training;\n"
    "`Dataset.split` takes those of windows, and `faithful.data.load` those of data.\n"
    "\n"
    "Options may stand in a TOML file, in a section for each verb: `--config FILE`. What the command line says wins.\n"
    "Verbs may share a file: every line of it must be right, whichever verb runs.\n"
    "\n"
    "```toml\n"
    "[train]\n"
    "label = \"broken\"\n"
    "epochs = 20\n"
    "ignore = [\"shift\", \"crew\"]\n"
    "\n"
    "[predict]\n"
    "threshold = \"false-alarms=2/day\"\n"
    "```\n";

std::string row(const Option& option) {
  const std::string names = fmt::format("`{}{}`", option.name, option.value.empty() ? "" : " " + option.value);
  return fmt::format("| {} | {} | {}{} |\n", names, option.default_text(), option.help, option.choices_text());
}

std::string presets_table(const std::vector<PresetRow>& rows) {
  std::string text =
      fmt::format("\nA preset sets these values:\n\n| | `{}` |\n|---|", fmt::join(preset_names(), "` | `"));
  for (std::size_t i = 0; i < preset_names().size(); ++i) text += "---|";
  for (const PresetRow& row : rows) {
    text += fmt::format("\n| `{}` |", row.field);
    for (const FieldValue& value : row.values) text += fmt::format(" {} |", to_text(value));
  }
  return text + "\n";
}

}  // namespace

std::string options_page(const Command& program) {
  const auto train = std::ranges::find(program.verbs, "train", &Command::name);
  std::string text = kHead;
  for (const char* group : {"Data", "Windows", "Model", "Position", "Training", "Output"}) {
    text += fmt::format("\n## {}\n\n| option | default | meaning |\n|---|---|---|\n", group);
    for (const Option& option : train->options)
      if (option.group == group) text += row(option);
    if (std::string_view(group) == "Model") text += presets_table(model_settings_of_presets());
    if (std::string_view(group) == "Training") text += presets_table(training_settings_of_presets());
  }
  return text;
}

}  // namespace faithful::app
