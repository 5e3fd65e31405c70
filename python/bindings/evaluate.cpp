#include "core.h"
#include "faithful/evaluate/evaluation.h"
#include "faithful/metrics/decide.h"
#include "trained.h"
#include "window.h"

namespace faithful::python {

namespace {

EvaluationOptions evaluation_options_of(const py::dict& said) {
  EvaluationOptions options;
  take(said, "resamples", options.resamples);
  take(said, "level", options.level);
  take(said, "seed", options.seed);
  return options;
}

// What the program prints as JSON, and of each window where it lies and what was predicted.
py::dict evaluate(const TrainedModel& given_model, const Dataset& given, const ModelChanges& changes, bool held_out,
                  const py::dict& said, std::size_t threads) {
  std::vector<std::string> warnings;
  const TrainedModel model = changed(given_model, changes, warnings);
  const EvaluationOptions options = evaluation_options_of(said);
  Dataset dataset;
  std::vector<Window> windows;
  Evaluation found;
  std::string json;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    dataset = data_for_model(given, model);
    dataset.notes.insert(dataset.notes.end(), warnings.begin(), warnings.end());
    const Windows all = windows_to_evaluate(dataset, model, held_out);
    found = evaluate_model(model, all, options, pool);
    json = dump_json(to_json(found, model, all, held_out));
    for (std::size_t i = 0; i < all.size(); ++i) windows.push_back(all[i]);
  }
  py::dict out = places_of(windows, dataset), names;
  for (const Measure& measure : found.measures) names[measure.key.c_str()] = measure.name;
  out["json"] = json;
  out["names"] = names;
  out["notes"] = note_texts(dataset.notes);
  out["predicted"] = owning_array(decide(found.probabilities, model.threshold));
  out["probabilities"] = owning_array(std::move(found.probabilities));
  return out;
}

}  // namespace

void bind_evaluate(py::module_& module) {
  module.def("evaluate", &evaluate);
}

}  // namespace faithful::python
