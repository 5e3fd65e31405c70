#include "predict.h"

#include <memory>

#include "core.h"
#include "faithful/predict/match.h"
#include "faithful/predict/predictor.h"
#include "faithful/train/score.h"

namespace faithful::python {

Model::Model(TrainedModel made) : trained(std::move(made)) {
  ThreadPool alone(1);
  trained.classifier.parameters().pack(alone);
}

namespace {

std::shared_ptr<Model> model_of_bytes(const py::bytes& bytes) {
  return std::make_shared<Model>(parse_model(bytes, "model"));
}

// [N, K], of all windows of the data set. The threads live as long as the call.
py::array_t<float> probabilities(const Model& model, Dataset& dataset, std::size_t threads) {
  Matrix<float> found;
  {
    const py::gil_scoped_release free;
    ThreadPool pool(threads);
    fit_to_model(dataset, model.trained);
    found = score_windows(model.trained.classifier, cut_for_model(dataset, model.trained), pool);
  }
  return owning_array(std::move(found));
}

py::array_t<std::int64_t> classes_of(const Model& model, const Dense<float>& rows) {
  const auto count = static_cast<std::size_t>(rows.shape(0)), classes = static_cast<std::size_t>(rows.shape(1));
  std::vector<std::int64_t> found(count);
  for (std::size_t i = 0; i < count; ++i)
    found[i] = class_of({rows.data() + i * classes, classes}, model.trained.threshold);
  return owning_array(std::move(found));
}

}  // namespace

void bind_predict(py::module_& module) {
  py::class_<Model, std::shared_ptr<Model>>(module, "Model")
      .def_property_readonly("classes", [](const Model& self) { return self.trained.classes; })
      .def_property_readonly("channels", [](const Model& self) { return self.trained.channels; })
      .def_property_readonly("length", [](const Model& self) { return self.trained.config().length; })
      .def_property_readonly("threshold", [](const Model& self) { return self.trained.threshold; })
      .def_property_readonly("json", [](const Model& self) { return dump_json(describe_model(self.trained)); })
      .def("probabilities", &probabilities)
      .def("classes_of", &classes_of)
      .def(
          "save", [](const Model& self, const std::string& path) { save_model(path, self.trained); },
          py::call_guard<py::gil_scoped_release>())
      .def("bytes", [](const Model& self) { return py::bytes(model_bytes(self.trained)); })
      .def(py::pickle([](const Model& self) { return py::bytes(model_bytes(self.trained)); }, &model_of_bytes));
  module.def(
      "load_model", [](const std::string& path) { return std::make_shared<Model>(load_model(path)); },
      py::call_guard<py::gil_scoped_release>());
}

}  // namespace faithful::python
