#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "app/show_model.h"
#include "app/tables.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/io/csv.h"
#include "faithful/io/json.h"
#include "faithful/io/npz.h"
#include "faithful/io/safetensors.h"
#include "faithful/model/infer.h"
#include "faithful/trained/model_file.h"

namespace faithful::app {

namespace {

struct ShowOptions {
  std::string file;
  bool json = false, thresholds = false;
};

struct Summary {
  std::string name;  // empty for the only array of a file
  std::string type;  // '<f4', or text
  std::vector<std::size_t> shape;
  std::size_t not_finite = 0;
  double lowest = NAN, mean = NAN, highest = NAN;  // of the finite values
};

Summary summary_of(const std::string& name, const std::string& type, const std::vector<std::size_t>& shape,
                   const std::vector<double>& values) {
  Summary summary{.name = name, .type = type, .shape = shape};
  std::size_t finite = 0;
  double sum = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    ++finite;
    sum += value;
    summary.lowest = std::fmin(summary.lowest, value);
    summary.highest = std::fmax(summary.highest, value);
  }
  summary.not_finite = values.size() - finite;
  if (finite > 0) summary.mean = sum / static_cast<double>(finite);
  return summary;
}

Summary summary_of(const std::string& name, const NpyArray& array) {
  return summary_of(name, to_string(array.type()), array.shape(), array.to_vector<double>());
}

// Other types than F32 and F64 have no values here, only a shape.
Summary summary_of(const Safetensors& file, const SafetensorsEntry& entry) {
  std::vector<double> values;
  if (entry.dtype == "F64") values = file.values<double>(entry.name);
  if (entry.dtype == "F32") {
    const std::vector<float> narrow = file.values<float>(entry.name);
    values.assign(narrow.begin(), narrow.end());
  }
  return summary_of(entry.name, entry.dtype, entry.shape, values);
}

std::vector<Summary> summaries(const std::string& path) {
  if (path.ends_with(".safetensors")) {
    std::vector<Summary> all;
    const Safetensors file = load_safetensors(path);
    for (const SafetensorsEntry& entry : file.entries()) all.push_back(summary_of(file, entry));
    return all;
  }
  switch (table_format(path)) {
    case TableFormat::kNpy:
      return {summary_of("", load_npy(path))};
    case TableFormat::kNpz: {
      std::vector<Summary> all;
      const NpzFile file(path);
      for (const std::string& name : file.names()) all.push_back(summary_of(name, file.array(name)));
      return all;
    }
    case TableFormat::kCsv: {
      const Matrix<double> table = load_csv_matrix(path, {.missing = CsvMissing::kNan});
      return {summary_of("", "text", {table.rows, table.columns}, table.values)};
    }
  }
  throw Error("no such format");
}

Json as_json(const Summary& s) {
  Json shape = Json::array();
  for (const std::size_t size : s.shape) shape.push_back(size);
  return Json::Object{{"name", s.name},  {"type", s.type}, {"shape", shape},  {"not_finite", s.not_finite},
                      {"min", s.lowest}, {"mean", s.mean}, {"max", s.highest}};
}

std::string as_text(const Summary& s) {
  std::string text = fmt::format("{}{} {}", s.name.empty() ? "" : s.name + ": ", s.type, shape_text(s.shape));
  if (!std::isnan(s.mean)) text += fmt::format(", {:.6g} to {:.6g}, mean {:.6g}", s.lowest, s.highest, s.mean);
  if (s.not_finite > 0) text += fmt::format(", {} not finite", s.not_finite);
  return text + "\n";
}

void show(const ShowOptions& options) {
  if (options.file.ends_with(".safetensors") && is_model_file(options.file)) {
    const TrainedModel model = load_model(options.file);
    if (options.thresholds && !options.json) return print(thresholds_text(model));
    print(options.json ? dump_json(describe_model(model), JsonLayout::kPretty) : model_text(model));
    return;
  }
  if (options.thresholds) reject({{"--thresholds"}, "a model that faithful train wrote", quote(options.file)});
  const std::vector<Summary> all = summaries(options.file);
  if (options.json) {
    Json arrays = Json::array();
    for (const Summary& summary : all) arrays.push_back(as_json(summary));
    print(dump_json(Json::Object{{"file", options.file}, {"arrays", arrays}}, JsonLayout::kPretty));
    return;
  }
  for (const Summary& summary : all) print(as_text(summary));
}

}  // namespace

Command show_verb() {
  const auto options = std::make_shared<ShowOptions>();
  return {
      .name = "show",
      .summary = "shows what is in a model file or a file of numbers",
      .description =
          "Shows the form, data, training and scores of a model that faithful train wrote. For other files it shows "
          "type, shape and range of the arrays. The file is checked first.",
      .options = {{"FILE", &options->file, ".safetensors, .npy, .npz, .csv, .tsv or .txt; text files also with .gz",
                   required},
                  {"--thresholds", &options->thresholds,
                   "of a model: what other thresholds would do on its validation part"},
                  {"--json", &options->json, "print JSON"}},
      .examples = {{"faithful show pump.safetensors", "a model"},
                   {"faithful show pump.safetensors --thresholds", "precision, recall and false alarms by threshold"},
                   {"faithful show table.npy", "one array"},
                   {"faithful show arrays.npz --json", "several arrays, for a script"}},
      .run = [options] { show(*options); }};
}

}  // namespace faithful::app
