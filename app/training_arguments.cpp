#include "app/training_arguments.h"

#include <algorithm>

namespace faithful::app {

void apply_to(const TrainingArguments& said, const Dataset& dataset, FitOptions& options) {
  options.split = suggested_split(dataset, said.split, said.window_said);
  if (said.split_said) options.split.kind = said.split.kind;
  if (!said.stride_said) close_gaps(options.split.window);
  options.scaler = said.scaler;
  options.scaling = said.scaling;
  options.train = said.train;
}

std::vector<Option> window_option_list(TrainingArguments& o) {
  std::vector<Option> options = options_of(settings(o.split));
  options.push_back(option_of(scaler_setting(o.scaler)));
  options.push_back(option_of(scaling_setting(o.scaling)));
  const auto follows_data = [&](const char* name, bool& said, const char* standard) {
    Option& option = *std::ranges::find(options, name, &Option::name);
    option.shown_default = standard;
    option.set = [set = option.set, &said](const std::string& text) {
      set(text);
      said = true;
    };
  };
  follows_data("--window", o.window_said, "100, or 0 where each series has one label");
  follows_data("--stride", o.stride_said, "20, at most the window");
  follows_data("--split", o.split_said,
               "given where there is a test part, else series where each part can have anomalies, else blocked");
  return options;
}

std::vector<Option> schedule_option_list(TrainingArguments& o) {
  std::vector<Option> options = options_of(settings(o.train));
  for (Option& option : options)
    if (option.name == "--learning-rate") option.name = "--rate,--learning-rate";
  return options;
}

}  // namespace faithful::app
