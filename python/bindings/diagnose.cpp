#include "faithful/diagnose/diagnose.h"

#include "core.h"
#include "faithful/diagnose/words.h"
#include "faithful/trained/match.h"
#include "trained.h"

namespace faithful::python {

namespace {

DiagnoseOptions diagnose_options_of(const py::dict& said) {
  DiagnoseOptions options;
  take(said, "class_name", options.class_name);
  take(said, "above", options.above);
  take(said, "only_series", options.only_series);
  take(said, "held_out", options.held_out);
  take(said, "most", options.most);
  take(said, "seed", options.seed);
  take(said, "verbose", options.progress);
  return options;
}

// What the program prints as JSON, and its words. `normal` may be None.
py::dict diagnose_data(const TrainedModel& given_model, const Dataset& given, const Dataset* given_normal,
                       const ModelChanges& changes, const py::dict& said, std::size_t threads) {
  std::vector<std::string> notes, truths;
  const TrainedModel model = changed(given_model, changes, notes);
  DiagnoseOptions options = diagnose_options_of(said);
  std::string json, summary;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    Dataset dataset = data_for_model(given, model);
    if (std::string note = scaling_note(model); !note.empty() && !options.held_out)
      dataset.notes.push_back(std::move(note));
    Dataset normal;
    if (given_normal != nullptr) {
      normal = data_for_model(*given_normal, model);
      options.normal = &normal;
    }
    const DiagnosisReport report = diagnose(model, dataset, options, pool);
    json = dump_json(to_json(report));
    summary = note_text(summary_words(report));
    for (std::size_t i = 0; i < report.found.size(); ++i) truths.push_back(truth_words(report, i));
    for (std::string& note : note_texts(dataset.notes)) notes.push_back(std::move(note));
  }
  py::dict out;
  out["json"] = json;
  out["summary"] = summary;
  out["truths"] = truths;
  out["notes"] = notes;
  return out;
}

}  // namespace

void bind_diagnose(py::module_& module) {
  module.def("diagnose", &diagnose_data);
}

}  // namespace faithful::python
