#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/data/writers_internal.h"
#include "faithful/io/csv.h"
#include "faithful/io/file.h"
#include "faithful/io/gzip.h"

namespace faithful::data {
namespace {

// A column of names tells series apart.
void check_names_of_series(const Dataset& dataset, const std::string& path) {
  std::set<std::pair<DataPart, std::string>> names;
  for (const Series& series : dataset.series)
    if (!names.emplace(series.part, series.name).second)
      reject({{path}, "series of different names", quote(series.name) + " twice"});
}

// The columns besides the channels, and their names, each used once.
struct Columns {
  std::string series, part, time, label;  // empty: not there
  Labelling labelling = Labelling::kNone;
};

std::string free_name(std::string name, const Dataset& dataset) {
  while (std::ranges::find(dataset.channels, name) != dataset.channels.end()) name += "_";
  return name;
}

Columns columns_of(const Dataset& dataset, const std::string& path) {
  Columns columns;
  columns.labelling = labelling_of(dataset, path);
  if (dataset.series.size() > 1 || dataset.series[0].name != stem_of(path))
    columns.series = free_name("series", dataset);
  if (has_parts(dataset)) columns.part = free_name("part", dataset);
  if (has_times(dataset, path)) columns.time = free_name("time", dataset);
  if (columns.labelling != Labelling::kNone) columns.label = free_name("label", dataset);
  return columns;
}

// Also in quotes where it holds another separator, which a reader would take for the file's.
std::string safe_cell(const std::string& text) {
  for (const char other : {';', '\t'})
    if (text.find(other) != std::string::npos) return csv_cell(text, other);
  return csv_cell(text);
}

std::string header_line(const Dataset& dataset, const Columns& columns) {
  std::vector<std::string> cells;
  for (const std::string& name : {columns.series, columns.part, columns.time})
    if (!name.empty()) cells.push_back(name);
  for (const std::string& name : dataset.channels) cells.push_back(safe_cell(name));
  if (!columns.label.empty()) cells.push_back(columns.label);
  return fmt::format("{}\n", fmt::join(cells, ","));
}

template <class Take>
void write_series(const Dataset& dataset, const Series& series, const Columns& columns, const Take& take) {
  std::string front;
  if (!columns.series.empty()) front += safe_cell(series.name) + ",";
  if (!columns.part.empty()) front += to_string(series.part) + ",";
  std::string back;
  if (columns.labelling == Labelling::kSeries)
    back = safe_cell(dataset.classes[static_cast<std::size_t>(series.label)]);
  std::string line;
  for (std::size_t t = 0; t < series.length(); ++t) {
    line = front;
    if (!columns.time.empty()) line += format_time(series.times[t]) + ",";
    for (std::size_t c = 0; c < series.values.columns; ++c) {
      if (c > 0) line += ',';
      append_number(line, series.values(t, c));
    }
    if (columns.labelling == Labelling::kPoints) line += series.labels[t] == 1 ? ",1" : ",0";
    if (columns.labelling == Labelling::kSeries) line += "," + back;
    line += '\n';
    take(line);
  }
}

// The settings that read the file again.
std::vector<std::string> reading_settings(const Dataset& dataset, const Columns& columns) {
  std::vector<std::string> settings;
  const auto add = [&](const char* field, const std::string& name) {
    if (!name.empty()) settings.push_back(field_text(field, name));
  };
  add("series", columns.series);
  add("part_column", columns.part);
  add("time", columns.time.empty() && std::ranges::any_of(dataset.channels, is_name_of_times) ? kNoTime : columns.time);
  add("label", columns.label);
  if (columns.labelling == Labelling::kSeries) add("label_of", "series");
  const auto is_word = [](const std::string& name) {
    double value = 0;
    return csv::parse_cell(name, '.', value) == csv::Cell::kText;
  };
  if (std::ranges::none_of(dataset.channels, is_word)) add("header", "yes");
  return settings;
}

}  // namespace

std::vector<std::string> save_csv_dataset(const Dataset& dataset, const std::string& path) {
  check_names_of_series(dataset, path);
  const Columns columns = columns_of(dataset, path);
  const auto write_all = [&](const auto& take) {
    take(header_line(dataset, columns));
    for (const Series& series : dataset.series) write_series(dataset, series, columns, take);
  };
  if (lower(path).ends_with(".gz")) {
    std::string text;
    write_all([&](const std::string& line) { text += line; });
    write_file(path, deflate_gzip(text));
  } else {
    write_file(path, [&](FileWriter& file) { write_all([&](const std::string& line) { file.write(line); }); });
  }
  std::vector<std::string> notes;
  const std::vector<std::string> settings = reading_settings(dataset, columns);
  if (!settings.empty()) notes.push_back(fmt::format("read it with {}", fmt::join(settings, " ")));
  if (has_spans_beyond_labels(dataset)) notes.push_back("not kept in .csv: channels and kinds of the labelled spans");
  if (columns.labelling == Labelling::kPoints && dataset.has_series_labels())
    notes.push_back("not kept in .csv: the labels of whole series");
  if (columns.labelling == Labelling::kPoints && dataset.classes != anomaly_classes())
    notes.push_back("not kept in .csv: the names of the classes");
  if (dataset.rate > 0) notes.push_back("not kept in .csv: the rate");
  return notes;
}

}  // namespace faithful::data
