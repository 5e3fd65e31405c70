#include <set>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/data/leaks.h"
#include "faithful/data/time_steps.h"
#include "faithful/train/notes_internal.h"

namespace faithful {

namespace train {

namespace {

// Split and scaling with the reason for each, in one line; empty where there was nothing to choose.
std::string choices_text(const Dataset& dataset, const Choices& chosen) {
  const std::string split = reason_of_split(dataset, chosen.split);
  std::string text =
      split.empty() ? "" : fmt::format("{} {}: {}", field_text("split"), to_string(chosen.split.kind), split);
  if (chosen.scaling.why.empty()) return text;
  return fmt::format("{}{}{} {}: {}", text, text.empty() ? "" : "; ", field_text("scaling"),
                     to_string(chosen.scaling.scaling), chosen.scaling.why);
}

std::string nothing_validates_text(ModelKind kind) {
  if (kind == ModelKind::kAuto)
    return "nothing validates, so no kinds of models are compared: a Transformer is trained";
  return kind == ModelKind::kLinear ? "nothing validates"
                                    : "nothing validates: the weights are those of the last epoch";
}

}  // namespace

void check_names(const Dataset& dataset) {
  const auto check = [&](const std::vector<std::string>& names, const char* what) {
    std::set<std::string> seen;
    for (const std::string& name : names)
      if (!seen.insert(name).second)
        reject({{dataset.source}, fmt::format("each {} once", what), quote(name) + " twice"});
  };
  check(dataset.channels, "channel");
  check(dataset.classes, "class");
}

std::vector<std::string> data_notes(const Dataset& dataset, const FitOptions& options, const Choices& chosen,
                                    const Prepared& prepared) {
  std::vector<std::string> notes;
  const SplitOptions& split = chosen.split;
  if (std::string choices = choices_text(dataset, chosen); !choices.empty()) notes.push_back(std::move(choices));
  if (options.kind != ModelKind::kKernels && options.kind != ModelKind::kLinear)  // they are about a Transformer
    notes.insert(notes.end(), prepared.notes.begin(), prepared.notes.end());
  for (std::string& text : unlabelled_notes(dataset, split, prepared.sets.train)) notes.push_back(std::move(text));
  if (split.leave_out.size() > options.split.leave_out.size())
    notes.emplace_back("MSL: P-14 is left out (it is P-10 again); M-1/M-2 and T-12/T-13 stay together");
  if (std::string gaps = gaps_note(dataset); !gaps.empty()) notes.push_back(std::move(gaps));
  if (const WindowOptions& window = split.window; window.length > 0 && window.stride > window.length)
    notes.push_back(fmt::format("the model never sees the {} samples between two windows: {} is larger than {}",
                                window.stride - window.length, field_text("stride"), field_text("window")));
  if (dataset.has_series_labels() && dataset.classes.size() == 2 && dataset.classes[1] != "anomalous")
    notes.push_back(fmt::format("the class to detect is {}: scores are its probabilities ({} names another)",
                                quote(dataset.classes[1]), field_text("positive", dataset.classes[0])));
  if (const std::size_t count = prepared.sets.proof.dropped_windows; count > 0)
    notes.push_back(
        fmt::format("{} windows are left out of training and validation: their content is held out, too", count));
  if (split.kind == SplitKind::kRandom)
    notes.emplace_back("random split: overlapping windows leak between the parts");
  else if (!prepared.sets.proof.holds())
    notes.emplace_back("windows are in two parts: see the proof");
  if (prepared.sets.validation.size() == 0 && chosen.folds == 0 && options.kind != ModelKind::kKernels)
    notes.push_back(nothing_validates_text(options.kind));
  return notes;
}

}  // namespace train

std::vector<std::string> leak_warnings(const Dataset& dataset, const FitOptions& options, ThreadPool& pool) {
  std::vector<std::string> warnings;
  if (dataset.classes.size() < 2) return warnings;  // a fit says so
  const Split split(dataset, train::final_split(dataset, options));
  ModelConfig config = options.model;  // what cannot be trained needs no advice
  train::take_shape(config, split);
  settle(config);
  if (!config.has_times()) check_config(config);
  for (const Leak& leak : find_leaks(dataset, split.train().pieces(), pool))
    warnings.push_back(leak_warning(leak, dataset));
  for (const std::size_t channel : counting_channels(dataset)) warnings.push_back(counting_warning(channel, dataset));
  return warnings;
}

}  // namespace faithful
