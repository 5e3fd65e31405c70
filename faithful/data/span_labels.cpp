// Labels as spans of time in a JSON file beside the tables, as the Numenta Anomaly Benchmark (NAB) has them.

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/io/json.h"

namespace faithful::data {
namespace {

std::int64_t read_span_time(const Json& value, const std::string& place) {
  const std::string& text = value.string(place);
  const std::optional<std::int64_t> time = parse_time(text);
  if (!time) reject({{place}, "a time (ISO 8601)", quote(text)});
  return *time;
}

TimeSpan read_span(const Json& value, const std::string& place) {
  if (value.is_string()) {
    const std::int64_t time = read_span_time(value, place);
    return {time, time};
  }
  const Json::Array& ends = value.items(place);
  if (ends.size() != 2) reject({{place}, "a time, or two: [first, last]", fmt::format("{}", ends.size())});
  const TimeSpan span{read_span_time(ends[0], place), read_span_time(ends[1], place)};
  if (span.last < span.first) reject({{place}, "a span that ends after it begins", quote(ends[1].string(place))});
  return span;
}

// Whether one path is the end of the other: "pump.csv" and "data/pump.csv".
bool same_table(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a == b || (a.ends_with(b) && a[a.size() - b.size() - 1] == '/');
}

}  // namespace

SpansOfFiles parse_spans(std::string_view text, const std::string& name) {
  SpansOfFiles spans;
  const Json json = parse_json(text, name);
  for (const auto& [table, list] : json.members(name)) {
    const std::string place = fmt::format("{}: {}", name, quote(table));
    spans.emplace_back(table, std::vector<TimeSpan>());
    for (const Json& span : list.items(place)) spans.back().second.push_back(read_span(span, place));
  }
  return spans;
}

SpansOfFiles load_spans(const std::string& path) {
  return parse_spans(TextFile(path).text(), path);
}

bool is_span_file(const std::string& label) {
  return lower(label).ends_with(".json");
}

std::string find_span_file(const std::string& folder, const ReadOptions& options) {
  if (!options.label.empty()) return is_span_file(options.label) ? options.label : "";
  for (const std::string& place : {folder, join_path(folder, "labels"), join_path(folder, "../labels")}) {
    for (const char* name : {"combined_windows.json", "combined_labels.json"}) {
      std::string file = join_path(place, name);
      if (is_file(file)) return file;
    }
  }
  return "";
}

void label_by_spans(Dataset& dataset, const SpansOfFiles& spans, const std::string& table,
                    const std::string& span_file) {
  const auto found = std::ranges::find_if(spans, [&](const auto& entry) { return same_table(entry.first, table); });
  if (found == spans.end()) return;
  dataset.classes = anomaly_classes();
  for (Series& series : dataset.series) {
    if (series.times.empty())
      reject({{table},
              fmt::format("times, which the labels of {} need", span_file),
              "none",
              field_text("time", "COLUMN")});
    std::vector<LabelSpan> rows;
    for (const TimeSpan& span : found->second) {
      const auto begin = std::ranges::lower_bound(series.times, span.first) - series.times.begin();
      const auto end = std::ranges::upper_bound(series.times, span.last) - series.times.begin();
      if (begin < end) rows.push_back({{static_cast<std::size_t>(begin), static_cast<std::size_t>(end)}});
    }
    series.labels = labels_of(rows, series.length());
  }
}

Dataset load_csv_with_spans(const std::string& path, const ReadOptions& options) {
  ReadOptions table = options;
  table.label.clear();
  Dataset dataset = load_csv_table(path, table);
  label_by_spans(dataset, load_spans(options.label), file_name(path), options.label);
  if (!dataset.has_point_labels())
    reject({{options.label}, fmt::format("an entry of {}", quote(file_name(path))), "none"});
  return dataset;
}

}  // namespace faithful::data
