#include "faithful/predict/predict.h"

#include "core.h"
#include "faithful/trained/match.h"
#include "trained.h"
#include "window.h"

namespace faithful::python {

namespace {

// The numbers of the classes in the set of each prediction; none for an invalid one.
std::vector<std::vector<std::int32_t>> sets_of(const TrainedModel& model, const Predictions& found, double coverage,
                                               std::vector<std::string>& notes) {
  const SetLimit limit = choose_set_limit(model, coverage);
  if (!limit.note.empty()) notes.push_back(limit.note);
  std::vector<std::vector<std::int32_t>> sets(found.classes.size());
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (found.checks[i].status != PredictionStatus::kInvalid)
      sets[i] = prediction_set(found.probabilities.row(i), limit);
  return sets;
}

// Of each window: where it lies, the probabilities, and the number of its class.
py::dict predict_data(const TrainedModel& given_model, const Dataset& given, const ModelChanges& changes,
                      std::optional<double> coverage, std::size_t threads) {
  Predictions found;
  Dataset dataset;
  std::vector<std::vector<std::int32_t>> sets;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    std::vector<std::string> warnings;
    const TrainedModel model = changed(given_model, changes, warnings);
    dataset = data_for_model(given, model);
    dataset.notes.insert(dataset.notes.end(), warnings.begin(), warnings.end());
    if (std::string note = scaling_note(model); !note.empty()) dataset.notes.push_back(std::move(note));
    found = predict(model, dataset, pool);
    if (coverage) sets = sets_of(model, found, *coverage, dataset.notes);
  }
  std::vector<std::string> statuses, reasons;
  for (const PredictionCheck& check : found.checks) {
    statuses.push_back(to_string(check.status));
    reasons.push_back(reason_text(given_model, check));
  }
  py::dict out = places_of(found.windows, dataset);
  out["status"] = statuses;
  out["reason"] = reasons;
  out["sets"] = sets;
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
