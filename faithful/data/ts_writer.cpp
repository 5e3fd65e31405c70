#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/data/writers_internal.h"
#include "faithful/io/file.h"

namespace faithful::data {
namespace {

void check_ts(const Dataset& dataset, const std::string& path) {
  if (labelling_of(dataset, path) == Labelling::kPoints)
    reject({{path}, "one label a series, as .ts has", "point labels", ".npz and .csv hold them"});
  const DataPart part = dataset.series[0].part;
  if (std::ranges::any_of(dataset.series, [&](const Series& series) { return series.part != part; }))
    reject({{path},
            "one part, which is what a .ts file holds",
            "train and test",
            fmt::format("write {}, then {}", field_text("part", "train"), field_text("part", "test"))});
  for (const std::string& name : dataset.classes) {
    if (name.empty() || name.find_first_of(" \t\r\n:,()") != std::string::npos)
      reject({{path}, "class names without spaces, colons, commas and brackets", quote(name)});
  }
}

std::string header_text(const Dataset& dataset, bool times, bool classes) {
  const std::size_t length = dataset.series[0].length();
  const bool equal =
      std::ranges::all_of(dataset.series, [&](const Series& series) { return series.length() == length; });
  std::string name = dataset.name;
  std::ranges::replace_if(
      name, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::string text = fmt::format(
      "@problemName {}\n@timeStamps {}\n@missing {}\n@univariate {}\n@dimensions {}\n@equalLength {}\n", name, times,
      std::ranges::any_of(dataset.series,
                          [](const Series& series) {
                            return std::ranges::any_of(series.values.values, [](float v) { return std::isnan(v); });
                          }),
      dataset.channels.size() == 1, dataset.channels.size(), equal);
  if (equal) text += fmt::format("@seriesLength {}\n", length);
  text += classes ? fmt::format("@classLabel true {}\n", fmt::join(dataset.classes, " ")) : "@classLabel false\n";
  return text + "@data\n";
}

std::string case_line(const Dataset& dataset, const Series& series) {
  std::string line;
  for (std::size_t c = 0; c < series.values.columns; ++c) {
    if (c > 0) line += ':';
    for (std::size_t t = 0; t < series.length(); ++t) {
      if (t > 0) line += ',';
      if (!series.times.empty()) line += "(" + format_time(series.times[t]) + ",";
      if (std::isnan(series.values(t, c)))
        line += '?';
      else
        append_number(line, series.values(t, c));
      if (!series.times.empty()) line += ')';
    }
  }
  if (series.label != kNoLabel) line += ":" + dataset.classes[static_cast<std::size_t>(series.label)];
  return line + "\n";
}

}  // namespace

std::vector<std::string> save_ts_dataset(const Dataset& dataset, const std::string& path) {
  check_ts(dataset, path);
  const bool times = has_times(dataset, path);
  write_file(path, [&](FileWriter& file) {
    file.write(header_text(dataset, times, dataset.has_series_labels()));
    for (const Series& series : dataset.series) file.write(case_line(dataset, series));
  });
  std::vector<std::string> lost;
  if (dataset.channels != numbered_channels(dataset.channels.size())) lost.emplace_back("names of channels");
  for (std::size_t i = 0; i < dataset.series.size(); ++i) {
    if (dataset.series[i].name == fmt::format("{}", i + 1)) continue;
    lost.emplace_back("names of series");
    break;
  }
  if (has_parts(dataset)) lost.emplace_back("the part");
  if (has_spans_beyond_labels(dataset)) lost.emplace_back("labelled spans");
  if (dataset.rate > 0) lost.emplace_back("the rate");
  if (lost.empty()) return {};
  return {fmt::format("not kept in .ts: {}", fmt::join(lost, ", "))};
}

}  // namespace faithful::data
