#include "faithful/data/read.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/io/file.h"

namespace faithful {
namespace {

using data::is_file;
using data::is_folder;
using data::join_path;

using Reader = Dataset (*)(const std::string&, const ReadOptions&);

struct Format {
  const char* name;
  Reader read;
};

constexpr Format kFormats[] = {{"csv", data::load_csv},   {"csv-folder", data::load_csv_folder},
                               {"npy", data::load_npy},   {"npz", data::load_npz},
                               {"ts", data::load_ts},     {"arff", data::load_arff},
                               {"uea", data::load_uea},   {"smd", data::load_smd},
                               {"hdf5", data::load_hdf5}, {"telemanom", data::load_telemanom}};

bool has_uea_pair(const std::string& folder) {
  for (const std::string& name : data::files_in(folder))
    if (name.ends_with("_TRAIN.ts") || name.ends_with("_TRAIN.arff")) return true;
  return false;
}

std::string format_of_folder(const std::string& path) {
  if (is_folder(join_path(path, "test_label"))) return "smd";
  if (is_file(join_path(path, "labeled_anomalies.csv"))) return "telemanom";
  if (has_uea_pair(path)) return "uea";
  return "csv-folder";
}

std::string format_of(const std::string& path) {
  if (is_folder(path)) return format_of_folder(path);
  if (!is_file(path) && data::is_uea_name(path)) return "uea";
  const std::string extension = data::extension_of(path);
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt") return "csv";
  if (extension == ".npy" || extension == ".npz" || extension == ".ts" || extension == ".arff")
    return extension.substr(1);
  if (extension == ".h5" || extension == ".hdf5") return "hdf5";
  if (!is_file(path)) reject({{path}, "a file or folder", "nothing there"});
  reject({{path},
          "a name that ends in .csv .tsv .txt .npy .npz .ts .arff .h5",
          extension.empty() ? "no ending" : quote(extension),
          fmt::format("for other names set {}", field_text("format"))});
}

Dataset only_part(Dataset dataset, const std::string& name) {
  if (name.empty()) return dataset;
  const bool known = name == "train" || name == "test";
  Dataset part = part_of(dataset, name == "train" ? DataPart::kTrain : DataPart::kTest);
  if (!known || part.series.empty()) reject({{.field = "part"}, "a part that the data set has", quote(name)});
  return part;
}

}  // namespace

std::vector<Setting> settings(ReadOptions& options) {
  std::vector<Setting> all = {
      {{"format", "F", "format of the data, where the path does not say it", {.choices = read_formats()}},
       &options.format},
      {{"part", "PART", "only this part", {.choices = {"train", "test"}, .common = true}}, &options.part},
      {{"missing",
        "HOW",
        "what to do about missing values",
        {.choices = {"error", "interpolate", "zero", "keep", "auto"},
         .shown_default = "error; for a model as in its training",
         .common = true}},
       choice_of(options.missing)},
      {{"label",
        "NAME",
        "labels: a column of a table, an array of .npz or HDF5, a file for .npy, a .json of spans",
        {.common = true}},
       &options.label},
      {{"label_of",
        "WHAT",
        "a label in a table is that of a point or of its series",
        {.choices = {"point", "series"}, .common = true}},
       choice_of(options.label_of)},
      {{"positive", "VALUE", "the label that means anomalous, where labels are not 0 and 1", {.common = true}},
       &options.positive},
      {{"time",
        "COLUMN",
        "column of times: ISO 8601, or numbers since 1970; none: no such column",
        {.shown_default = "one named time, datetime, timestamp or date, or with dates", .common = true}},
       &options.time},
      {{"time_format", "FORMAT", "format of times, such as \"%d.%m.%Y %H:%M:%S\" (as strptime has it)"},
       &options.time_format},
      {{"time_unit",
        "U",
        "unit of times that are numbers; days: those of spreadsheets",
        {.choices = {"s", "ms", "us", "ns", "days"}, .shown_default = "s"}},
       &options.time_unit},
      {{"series", "COLUMN", "column with the names of series, where a table holds several", {.common = true}},
       &options.series},
      {{"part_column", "COLUMN", "column that says train or test for each row of a table"}, &options.part_column},
      {{"separator", "C", "character between columns", {.shown_default = "found in the first line"}},
       &options.separator},
      {{"decimal", "C", "decimal sign", {.choices = {".", ","}, .shown_default = "."}}, &options.decimal},
      {{"header", "H", "whether the first line has names", {.choices = {"auto", "yes", "no"}}},
       choice_of(options.header)},
      {{"values", "NAME", "the array to read from .npz or HDF5"}, &options.values},
      {{"axes", "AXES", "axes of an array in order: n series, t time, c channels; such as ntc"}, &options.axes},
      {{"channels",
        "C",
        "number of channels, for an HDF5 file in the DFStrans layout",
        {.shown_default = "as the file says, else 20"}},
       &options.channels},
      {{"spacecraft", "CRAFT", "which part of a telemanom folder to read", {.choices = {"MSL", "SMAP"}}},
       &options.spacecraft},
      {{"data_dir", "DIR", "another folder where to look for the data", {.shown_default = "FAITHFUL_DATA"}},
       &options.data_dir}};
  for (Setting& setting : all) setting.field.group = FieldGroup::kData;
  return all;
}

const std::vector<std::string>& read_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Format& format : kFormats) all.emplace_back(format.name);
    return all;
  }();
  return names;
}

std::string find_data(const std::string& path, const std::string& data_dir) {
  const auto exists = [](const std::string& candidate) {
    return is_file(candidate) || is_folder(candidate) || data::is_uea_name(candidate);
  };
  if (exists(path) || path.starts_with('/')) return path;
  const char* variable = std::getenv("FAITHFUL_DATA");
  const std::string folder = data_dir.empty() && variable != nullptr ? variable : data_dir;
  if (folder.empty()) return path;
  for (const std::string& candidate : {join_path(folder, path), join_path(join_path(folder, "UEA"), path)})
    if (exists(candidate)) return candidate;
  return path;
}

namespace {

struct Extent {
  float low = std::numeric_limits<float>::infinity(), high = -low;  // of the values that are there
};

std::vector<Extent> extents_of(const Dataset& dataset) {
  std::vector<Extent> extents(dataset.channels.size());
  for (const Series& series : dataset.series)
    for (std::size_t t = 0; t < series.length(); ++t)
      for (std::size_t c = 0; c < extents.size(); ++c) {  // no comparison with a missing value holds
        extents[c].low = std::min(extents[c].low, series.values(t, c));
        extents[c].high = std::max(extents[c].high, series.values(t, c));
      }
  return extents;
}

// Values are kept in single precision, which has steps of 64 at 1e9: too coarse for a counter that moves by 10.
void add_notes_of_digits(Dataset& dataset) {
  constexpr double kWhole = 1 << 24, kFewSteps = 64;  // from kWhole on, not even whole numbers are exact
  const std::vector<Extent> extents = extents_of(dataset);
  for (std::size_t c = 0; c < extents.size(); ++c) {
    const double low = static_cast<double>(extents[c].low), high = static_cast<double>(extents[c].high);
    const double most = std::max(std::fabs(low), std::fabs(high)), range = high - low;
    const double step = std::ldexp(1, std::max(std::ilogb(most), -100) - 23);
    if (!std::isfinite(range) || range < 0 || range >= kFewSteps * step || (range == 0 && most < kWhole)) continue;
    dataset.notes.push_back(
        fmt::format("channel {} has values from {} to {}, and single precision keeps only multiples of {} there: "
                    "subtract a constant from it first, else small differences are lost",
                    quote(dataset.channels[c]), extents[c].low, extents[c].high, step));
  }
}

}  // namespace

Dataset load_dataset(const std::string& path, const ReadOptions& options) {
  if (!options.time_format.empty()) check_time_format(options.time_format);
  const std::string found = find_data(path, options.data_dir);
  const std::string name = options.format.empty() ? format_of(found) : options.format;
  for (const Format& format : kFormats)
    if (name == format.name) {
      Dataset dataset = only_part(format.read(found, options), options.part);
      add_notes_of_digits(dataset);
      return dataset;
    }
  reject({{.field = "format"}, "a known format", quote(name), suggest(name, read_formats())});
}

std::string first_table(const std::string& path, const ReadOptions& options) {
  const std::string found = find_data(path, options.data_dir);
  if (!is_file(found) && !is_folder(found)) return "";
  const std::string format = options.format.empty() ? format_of(found) : options.format;
  if (format == "csv") return is_file(found) ? found : "";
  if (format != "csv-folder" || !is_folder(found)) return "";
  const std::vector<std::string> tables = data::tables_in(found);
  return tables.empty() ? "" : join_path(found, tables.front());
}

bool can_stream(const std::string& path, const ReadOptions& options) {
  const std::string found = find_data(path, options.data_dir);
  return is_file(found) && (options.format.empty() ? format_of(found) : options.format) == "csv" &&
         !data::is_span_file(options.label) && options.series.empty() && options.part.empty() &&
         options.part_column.empty() && options.label_of == LabelOf::kPoint &&
         options.missing != Missing::kInterpolate && options.missing != Missing::kZero;
}

void stream_dataset(const std::string& path, const ReadOptions& options, const std::function<void(Dataset&)>& take) {
  assert(can_stream(path, options));
  data::stream_csv(find_data(path, options.data_dir), options, take);
}

}  // namespace faithful
