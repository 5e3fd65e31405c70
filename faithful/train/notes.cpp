#include <set>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/data/leaks.h"
#include "faithful/data/suspicions.h"
#include "faithful/data/time_steps.h"
#include "faithful/train/notes_internal.h"
#include "faithful/window/marks.h"

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

std::vector<CopiedSeries> left_out_copies(const Dataset& dataset, const FitOptions& options) {
  SplitOptions known = options.split;
  apply_known_rules(dataset, known);
  return copied_series(dataset, known.leave_out);
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
  if (split.together.size() > options.split.together.size())
    notes.emplace_back("MSL: P-14 is left out (it is P-10 again); M-1/M-2 and T-12/T-13 stay together");
  if (const std::vector<CopiedSeries> copies = left_out_copies(dataset, options); !copies.empty())
    notes.push_back(
        fmt::format("series {} is the same as {}: it is left out{}", quote(dataset.series[copies[0].copy].name),
                    quote(dataset.series[copies[0].original].name),
                    copies.size() == 1 ? "" : fmt::format(", and so are {} more copies", copies.size() - 1)));
  if (std::string gaps = gaps_note(dataset); !gaps.empty()) notes.push_back(std::move(gaps));
  if (const WindowOptions& window = split.window; window.length > 0 && window.stride > window.length)
    notes.push_back(fmt::format("the model never sees the {} samples between two windows: {} is larger than {}",
                                window.stride - window.length, field_text("stride"), field_text("window")));
  if (dataset.has_series_labels() && dataset.classes.size() == 2 && dataset.classes[1] != "anomalous")
    notes.push_back(fmt::format("the class to detect is {}: scores are its probabilities ({} names another)",
                                quote(dataset.classes[1]), field_text("positive", dataset.classes[0])));
  if (const std::size_t count = prepared.sets.proof.dropped_windows; count > 0)
    notes.push_back(
        fmt::format("{} windows are left out of training and validation: their content is held out, too. A state that "
                    "repeats exactly, such as a machine that is off, may then be missing in training",
                    count));
  if (split.kind == SplitKind::kRandom)
    notes.emplace_back("random split: overlapping windows leak between the parts");
  else if (const double share = prepared.sets.proof.copied_share; share > 0)
    notes.push_back(fmt::format(
        "about {:.0f} % of the test part stands in the training part, too: tables or rows overlap, and the scores are too "
        "good",
        100 * share));
  else if (!prepared.sets.proof.holds())
    notes.emplace_back("windows are in two parts: see the proof");
  if (prepared.sets.validation.size() == 0 && chosen.folds == 0 && options.kind != ModelKind::kKernels)
    notes.push_back(nothing_validates_text(options.kind));
  return notes;
}

std::string few_events_note(const FitResult& result, const ThresholdRule& rule) {
  constexpr std::size_t kFew = 5;
  std::vector<std::string> found;
  const auto add = [&](const char* what, std::size_t events) {
    if (events > 0 && events < kFew) found.push_back(fmt::format("{} on {}", what, counted(events, "event")));
  };
  const bool by_events = rule.kind != ThresholdKind::kValue && result.sets.train.dataset().has_point_labels();
  if (by_events && result.model.thresholds) add("the threshold rests", result.model.thresholds->events);
  if (result.test.events) add("the test scores rest", result.test.events->events);
  if (found.empty()) return "";
  return fmt::format("{}: with other data they may differ much", fmt::join(found, ", and "));
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
  for (std::string& text : suspicions(dataset)) warnings.push_back(std::move(text));
  return warnings;
}

}  // namespace faithful
