#include "trained.h"

#include <memory>

#include "core.h"
#include "faithful/metrics/decide.h"
#include "faithful/model/infer.h"
#include "faithful/trained/match.h"
#include "faithful/trained/model_file.h"
#include "faithful/trained/readings.h"

namespace faithful::python {

Dataset data_for_model(const Dataset& given, const TrainedModel& model) {
  Dataset dataset = given;
  for (std::string& note : fit_to_model(dataset, model)) dataset.notes.push_back(std::move(note));
  return dataset;
}

TrainedModel changed(const TrainedModel& model, const ModelChanges& changes, std::vector<std::string>& notes) {
  TrainedModel copy = model;
  if (changes.scale_as) scale_as(copy, *changes.scale_as);
  if (!changes.threshold) return copy;
  if (std::string warning = set_threshold(copy, parse_threshold_rule(*changes.threshold)); !warning.empty())
    notes.push_back(std::move(warning));
  return copy;
}

namespace {

std::shared_ptr<TrainedModel> model_of_bytes(const py::bytes& bytes) {
  return std::make_shared<TrainedModel>(parse_model(bytes, "model"));
}

// [N, K], of all windows of the data set. The threads live as long as the call.
py::array_t<float> probabilities(const TrainedModel& model, Dataset& dataset, std::size_t threads) {
  Matrix<float> found;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    fit_to_model(dataset, model);
    const Windows windows = cut_for_model(dataset, model);
    found = probabilities_of(*model.predictor, windows, pool);
    require_scores(model, windows, found);  // no class is made of a score that is not finite
  }
  return owning_array(std::move(found));
}

py::array_t<std::int64_t> classes_of(const TrainedModel& model, const Dense<float>& rows) {
  const auto count = static_cast<std::size_t>(rows.shape(0)), classes = static_cast<std::size_t>(rows.shape(1));
  std::vector<std::int64_t> found(count);
  for (std::size_t i = 0; i < count; ++i)
    found[i] = decide(std::span<const float>{rows.data() + i * classes, classes}, model.threshold);
  return owning_array(std::move(found));
}

}  // namespace

void bind_trained(py::module_& module) {
  py::class_<TrainedModel, std::shared_ptr<TrainedModel>>(module, "Model")
      .def_property_readonly("classes", [](const TrainedModel& self) { return self.classes; })
      .def_property_readonly("channels", [](const TrainedModel& self) { return self.channels; })
      .def_property_readonly("length", [](const TrainedModel& self) { return self.shape().length; })
      .def_property_readonly("threshold", [](const TrainedModel& self) { return self.threshold; })
      .def_property_readonly("json", [](const TrainedModel& self) { return dump_json(describe_model(self)); })
      .def("note",  // puts something of the caller's into the record, which the model file keeps
           [](TrainedModel& self, const std::string& name, const std::string& json) {
             self.record.set(name, parse_json(json, name));
           })
      .def("probabilities", &probabilities)
      .def("classes_of", &classes_of)
      .def(
          "save", [](const TrainedModel& self, const std::string& path) { save_model(path, self); },
          py::call_guard<py::gil_scoped_release>())
      .def("bytes", [](const TrainedModel& self) { return py::bytes(model_bytes(self)); })
      .def(py::pickle([](const TrainedModel& self) { return py::bytes(model_bytes(self)); }, &model_of_bytes));
  py::class_<ModelChanges>(module, "ModelChanges")
      .def(py::init([](std::optional<std::string> scale_as, std::optional<std::string> threshold) {
        return ModelChanges{std::move(scale_as), std::move(threshold)};
      }));
  module.def(
      "load_model", [](const std::string& path) { return std::make_shared<TrainedModel>(load_model(path)); },
      py::call_guard<py::gil_scoped_release>());
}

}  // namespace faithful::python
