#include <cstring>

#include "core.h"
#include "faithful/data/catalogue.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"
#include "faithful/data/write.h"
#include "faithful/trained/match.h"

namespace faithful::python {

namespace {

ReadOptions read_options_of(const py::dict& said) {
  ReadOptions options;
  take_settings(settings(options), said);
  take(said, "ignore", options.ignore);
  return options;
}

DataPart part_named(const std::string& name) {
  if (name == "train") return DataPart::kTrain;
  if (name == "test") return DataPart::kTest;
  if (name.empty()) return DataPart::kNone;
  reject({{"parts"}, "train, test or nothing, for each series", quote(name)});
}

// The numbers of an array [T, C] as a series.
Series series_of(const Dense<float>& values, std::int32_t label, const std::string& part, std::string name) {
  return {.name = std::move(name), .part = part_named(part), .values = matrix_of(values), .label = label};
}

std::shared_ptr<Dataset> dataset_of(const py::list& arrays, const std::vector<std::int32_t>& labels,
                                    const py::dict& said) {
  auto dataset = std::make_shared<Dataset>();
  std::vector<std::string> parts;
  dataset->name = "arrays";
  dataset->source = "X";
  dataset->format = "arrays";
  take(said, "name", dataset->name);
  take(said, "channels", dataset->channels);
  take(said, "classes", dataset->classes);
  take(said, "rate", dataset->rate);
  take(said, "parts", parts);
  dataset->series.reserve(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    dataset->series.push_back(series_of(arrays[i].cast<Dense<float>>(), labels.empty() ? kNoLabel : labels[i],
                                        parts.empty() ? "" : parts[i], "series_" + std::to_string(i + 1)));
  }
  std::vector<float> weights;
  take(said, "weights", weights);
  for (std::size_t i = 0; i < weights.size(); ++i) dataset->series[i].weight = weights[i];
  if (said.contains("missing")) {
    py::dict missing;
    missing["missing"] = said["missing"];
    settle_missing(*dataset, read_options_of(missing).missing);
  }
  check_dataset(*dataset);
  check_names_of_classes(dataset->classes, {dataset->source});
  return dataset;
}

py::list series_list(const py::object& self) {
  py::list list;
  for (Series& series : self.cast<Dataset&>().series)
    list.append(py::cast(series, py::return_value_policy::reference_internal, self));
  return list;
}

py::list spans_of_series(const Series& series) {
  py::list list;
  for (const LabelSpan& span : series.spans)
    list.append(py::make_tuple(span.begin, span.end, span.channels, span.kind));
  return list;
}

void bind_series(py::module_& module) {
  py::class_<Series>(module, "Series")
      .def_readonly("name", &Series::name)
      .def_readonly("label", &Series::label)
      .def_property_readonly("part", [](const Series& self) { return to_string(self.part); })
      .def_property_readonly("spans", &spans_of_series)
      .def_property_readonly("values",
                             [](const py::object& self) {
                               const auto& values = self.cast<const Series&>().values;
                               return fixed_view_of(values.values, {values.rows, values.columns}, self);
                             })
      .def_property_readonly("times",
                             [](const py::object& self) {
                               const auto& times = self.cast<const Series&>().times;
                               return fixed_view_of(times, {times.size()}, self);
                             })
      .def_property_readonly("labels", [](const py::object& self) {
        const auto& labels = self.cast<const Series&>().labels;
        return fixed_view_of(labels, {labels.size()}, self);
      });
}

}  // namespace

void bind_data(py::module_& module) {
  bind_series(module);
  py::class_<Dataset, std::shared_ptr<Dataset>>(module, "Dataset")
      .def_readonly("name", &Dataset::name)
      .def_readonly("channels", &Dataset::channels)
      .def_readonly("classes", &Dataset::classes)
      .def_readonly("rate", &Dataset::rate)
      .def_readonly("source", &Dataset::source)
      .def_readonly("format", &Dataset::format)
      .def_property_readonly("notes", [](const Dataset& self) { return note_texts(self.notes); })
      .def_property_readonly("series", &series_list)
      .def("part", [](const Dataset& self, const std::string& name) {
        return std::make_shared<Dataset>(part_of(self, part_named(name)));
      });
  module.def("dataset_of", &dataset_of);
  module.def("load_dataset", [](const std::string& path, const py::dict& said) {
    const ReadOptions options = read_options_of(said);
    const py::gil_scoped_release free;
    return std::make_shared<Dataset>(load_dataset(path, options));
  });
  module.def("load_for_model",
             [](const std::string& path, const TrainedModel& model, const py::dict& said, bool with_labels) {
               const ReadOptions options = read_options_of(said);
               const py::gil_scoped_release free;
               return std::make_shared<Dataset>(load_for_model(path, model, options, with_labels));
             });
  module.def("save_dataset", [](const Dataset& dataset, const std::string& path) {
    const py::gil_scoped_release free;
    return note_texts(save_dataset(dataset, path));
  });
  module.def("ordered_classes", &ordered_classes);
  module.def("read_settings", &described<ReadOptions>);
}

}  // namespace faithful::python
