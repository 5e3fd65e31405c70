#include "train.h"

#include <memory>

#include "core.h"
#include "faithful/train/choose_encoding.h"
#include "faithful/train/fit_details.h"
#include "interrupts.h"
#include "model.h"
#include "window.h"

namespace faithful::python {

void take_fit_parts(FitOptions& options, const py::dict& said) {
  const auto part = [&](const char* name) { return said[name].cast<py::dict>(); };
  take_model_fields(options.model, part("model"));
  take_settings(settings(options.split), part("split"));
  take_scaler(part("split"), options.scaler, options.scaling);
  take_settings(settings(options.train), part("train"));
}

void take_suggested_split(FitOptions& options, const Dataset& dataset, const py::dict& said) {
  const auto split = said["split"].cast<py::dict>();
  const SplitKind said_kind = options.split.kind;
  options.split = suggested_split(dataset, options.split, split.contains("window"));
  if (split.contains("split")) options.split.kind = said_kind;
  if (!split.contains("stride")) close_gaps(options.split.window);
}

namespace {

// What Python says, else what `faithful train` starts from.
FitOptions fit_options_of(const Dataset& dataset, const py::dict& said) {
  FitOptions options = default_fit_options(dataset);
  const auto part = [&](const char* name) { return said[name].cast<py::dict>(); };
  const auto word = [&](const char* name) { return said.contains(name) ? said[name].cast<std::string>() : ""; };
  if (!word("model_kind").empty()) set_model(options, word("model_kind"));
  if (!word("preset").empty()) set_preset(options, word("preset"));
  for (const char* of : {"model", "train"})
    for (const auto& [name, value] : part(of))
      if (const auto field = name.cast<std::string>(); field != "seed") take_transformer_option(options, field);
  if (said.contains("ensemble")) {
    take_transformer_option(options, "ensemble");
    options.ensemble = said["ensemble"].cast<std::size_t>();
  }
  take_fit_parts(options, said);
  options.baselines = said["baselines"].cast<bool>();
  options.baseline.seed = options.train.seed;
  return options;
}

// Channels that give the labels away, a line each.
std::vector<std::string> warnings_of(const Dataset& dataset, const py::dict& said, std::size_t threads) {
  const FitOptions options = fit_options_of(dataset, said);
  const py::gil_scoped_release free;
  ThreadPool pool(threads);
  return note_texts(leak_warnings(dataset, options, pool));
}

// The model, and notes for the user. `threshold`: a rule; of more than two classes none.
py::tuple fit(const Dataset& dataset, const py::dict& said, const std::string& threshold, std::size_t threads,
              bool progress) {
  FitOptions options = fit_options_of(dataset, said);
  options.threshold = parse_threshold_rule(threshold);
  Interrupts interrupts;
  std::shared_ptr<TrainedModel> model;
  std::vector<std::string> notes;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    FitControl control;
    control.stop = [&] { return interrupts.pending(); };
    control.progress = progress;
    FitResult result = fit_in_detail(dataset, options, pool, control);
    notes = note_texts(result.notes);
    if (!result.stopped) model = std::make_shared<TrainedModel>(std::move(result.model));
  }
  interrupts.raise();
  return py::make_tuple(model, notes);
}

// What `faithful choose --json` prints.
std::string choose(const Dataset& dataset, const py::dict& said, std::size_t threads, bool progress) {
  ChooseOptions options;
  const std::string preset_name = said.contains("preset") ? said["preset"].cast<std::string>() : "standard";
  options.fit = default_fit_options();
  options.fit.kind = ModelKind::kTransformer;
  options.fit.model = preset(preset_name);
  options.fit.train = train_preset(preset_name);
  take_fit_parts(options.fit, said);
  take_suggested_split(options.fit, dataset, said);
  take(said, "encodings", options.encodings);
  take(said, "folds", options.folds);
  take(said, "repeats", options.repeats);
  take(said, "minutes", options.minutes);
  Interrupts interrupts;
  std::string json;
  try {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    const FitControl control{.stop = [&] { return interrupts.pending(); }, .progress = progress};
    json = dump_json(to_json(choose_encoding(dataset, options, pool, control)));
  } catch (const Error&) {
    interrupts.raise();  // it was Ctrl-C
    throw;
  }
  return json;
}

}  // namespace

void bind_train(py::module_& module) {
  module.def("fit", &fit);
  module.def("choose", &choose);
  module.def("leak_warnings", &warnings_of);
  module.def("train_settings", &described<TrainOptions>);
  module.def("model_words", &model_words);
  module.def("fit_presets", &fit_preset_names);
}

}  // namespace faithful::python
