#include <chrono>
#include <memory>
#include <optional>

#include "core.h"
#include "faithful/outcome/trained_model.h"
#include "faithful/train/fit.h"
#include "model.h"
#include "predict.h"
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

FitOptions fit_options_of(const py::dict& said) {
  FitOptions options;
  const auto part = [&](const char* name) { return said[name].cast<py::dict>(); };
  options.model = model_config_of(said["preset"].cast<std::string>(), part("model"));
  options.split = split_options_of(part("split"));
  options.scaler = scaler_options_of(part("split"));
  const py::dict train = part("train");
  visit_train_fields(options.train, [&](const char* name, auto& field) { take(train, name, field); });
  options.baselines = false;
  return options;
}

// `threshold`: of two classes; without one it is the one that validation chose.
std::shared_ptr<Model> fit(const Dataset& dataset, const py::dict& said, std::optional<double> threshold,
                           std::size_t threads, bool progress) {
  const FitOptions options = fit_options_of(said);
  Interrupts interrupts;
  std::shared_ptr<Model> model;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    FitControl control;
    control.stop = [&] { return interrupts.pending(); };
    control.progress = progress;
    FitResult result = fit_classifier(dataset, options, pool, control);
    if (!result.stopped) {
      TrainedModel trained = trained_model(result, options, dataset);
      if (threshold) trained.threshold = *threshold, trained.threshold_from = "stated";
      model = std::make_shared<Model>(std::move(trained));
    }
  }
  interrupts.raise();
  return model;
}

}  // namespace

void bind_train(py::module_& module) {
  module.def("fit", &fit);
}

}  // namespace faithful::python
