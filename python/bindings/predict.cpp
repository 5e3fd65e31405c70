#include "faithful/predict/predict.h"

#include "core.h"
#include "faithful/trained/match.h"
#include "trained.h"
#include "window.h"

namespace faithful::python {

namespace {

// Of each window: where it lies, the probabilities, and the number of its class.
py::dict predict_data(const TrainedModel& given_model, const Dataset& given, const ModelChanges& changes,
                      std::size_t threads) {
  Predictions found;
  Dataset dataset;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    std::vector<std::string> warnings;
    const TrainedModel model = changed(given_model, changes, warnings);
    dataset = data_for_model(given, model);
    dataset.notes.insert(dataset.notes.end(), warnings.begin(), warnings.end());
    if (std::string note = scaling_note(model); !note.empty()) dataset.notes.push_back(std::move(note));
    found = predict(model, dataset, pool);
  }
  std::vector<std::string> statuses, reasons;
  for (const PredictionCheck& check : found.checks) {
    statuses.push_back(to_string(check.status));
    reasons.push_back(reason_text(given_model, check));
  }
  py::dict out = places_of(found.windows, dataset);
  out["status"] = statuses;
  out["reason"] = reasons;
  out["notes"] = note_texts(dataset.notes);
  out["probabilities"] = owning_array(std::move(found.probabilities));
  out["predicted"] = owning_array(std::move(found.classes));
  return out;
}

}  // namespace

void bind_predict(py::module_& module) {
  module.def("predict", &predict_data);
}

}  // namespace faithful::python
