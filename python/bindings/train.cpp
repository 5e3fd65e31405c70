#include <chrono>
#include <memory>
#include <optional>

#include "core.h"
#include "faithful/train/fit_details.h"
#include "model.h"
#include "window.h"

namespace faithful::python {

namespace {

// Asks Python between steps whether Ctrl-C was pressed; every 50 ms, for the GIL may be in the hands of another thread.
class Interrupts {
 public:
  bool pending() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(50);
    const py::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) raised_.emplace();
    return raised_.has_value();
  }
  void raise() {
    if (raised_) throw py::error_already_set(*raised_);
  }

 private:
  std::chrono::steady_clock::time_point next_ = {};
  std::optional<py::error_already_set> raised_ = {};
};

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
  take_model_fields(options.model, part("model"));
  take_settings(settings(options.split), part("split"));
  take_scaler(part("split"), options.scaler, options.scaling);
  take_settings(settings(options.train), part("train"));
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

}  // namespace

void bind_train(py::module_& module) {
  module.def("fit", &fit);
  module.def("leak_warnings", &warnings_of);
  module.def("train_settings", &described<TrainOptions>);
  module.def("model_words", &model_words);
  module.def("fit_presets", &fit_preset_names);
}

}  // namespace faithful::python
