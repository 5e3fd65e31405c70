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

// Whether the end of a path is the other path: "data/pump.csv" and "pump.csv".
bool ends_with_path(std::string_view path, std::string_view end) {
  return path == end || (path.ends_with(end) && path[path.size() - end.size() - 1] == '/');
}

// The spans of the table: of the longest entry that is the end of its path, or else of the only entry whose end is the
// table; none where no entry fits.
const std::vector<TimeSpan>* spans_of_table(const SpansOfFiles& spans, const std::string& table,
                                            const std::string& span_file) {
  const SpansOfFiles::value_type *nearest = nullptr, *longer = nullptr, *another = nullptr;
  for (const auto& entry : spans) {
    if (ends_with_path(table, entry.first)) {
      if (nearest == nullptr || entry.first.size() > nearest->first.size()) nearest = &entry;
    } else if (ends_with_path(entry.first, table)) {
      another = longer;
      longer = &entry;
    }
  }
  if (nearest == nullptr && another != nullptr)
    reject({{span_file},
            fmt::format("one entry for {}", quote(table)),
            fmt::format("{} and {}", quote(another->first), quote(longer->first)),
            "give the path with its folder, as the entries have it"});
  const SpansOfFiles::value_type* found = nearest != nullptr ? nearest : longer;
  return found == nullptr ? nullptr : &found->second;
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
  const std::vector<TimeSpan>* found = spans_of_table(spans, table, span_file);
  if (found == nullptr) return;
  dataset.classes = anomaly_classes();
  for (Series& series : dataset.series) {
    if (series.times.empty())
      reject({{table},
              fmt::format("times, which the labels of {} need", span_file),
              "none",
              field_text("time", "COLUMN")});
    std::vector<LabelSpan> rows;
    for (const TimeSpan& span : *found) {
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
  label_by_spans(dataset, load_spans(options.label), path, options.label);
  if (!dataset.has_point_labels())
    reject({{options.label}, fmt::format("an entry of {}", quote(file_name(path))), "none"});
  return dataset;
}

}  // namespace faithful::data
