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
    return {time, time, has_offset(value.string())};
  }
  const Json::Array& ends = value.items(place);
  if (ends.size() != 2) reject({{place}, "a time, or two: [first, last]", fmt::format("{}", ends.size())});
  const TimeSpan span{read_span_time(ends[0], place), read_span_time(ends[1], place), has_offset(ends[0].string())};
  if (has_offset(ends[1].string()) != span.zoned)
    reject({{place}, "both ends with an offset from UTC, or both without", quote(ends[1].string())});
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

std::string text_of(const TimeSpan& span) {
  return fmt::format("{} to {}", format_time(span.first), format_time(span.last));
}

// From the first time of all series to the last.
TimeSpan range_of(const Dataset& dataset) {
  TimeSpan range{dataset.series[0].times.front(), dataset.series[0].times.back()};
  for (const Series& series : dataset.series) {
    range.first = std::min(range.first, series.times.front());
    range.last = std::max(range.last, series.times.back());
  }
  return range;
}

// Times of the one with offsets, and of the other without, are hours apart.
void check_offsets(const TableColumns& table, const std::vector<TimeSpan>& spans, const Place& place) {
  if (!table.offset) return;
  for (const TimeSpan& span : spans)
    if (span.zoned != *table.offset)
      reject({place,
              *table.offset ? "times with their offset from UTC, as the table has them"
                            : "times without an offset from UTC, as the table has them",
              span.zoned ? "an offset" : text_of(span) + " without one"});
}

// `matched`: set where a span has a row of this series.
void label_series(Series& series, const std::vector<TimeSpan>& spans, std::vector<bool>& matched) {
  std::vector<LabelSpan> rows;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto begin = std::ranges::lower_bound(series.times, spans[i].first) - series.times.begin();
    const auto end = std::ranges::upper_bound(series.times, spans[i].last) - series.times.begin();
    if (begin >= end) continue;
    matched[i] = true;
    rows.push_back({{static_cast<std::size_t>(begin), static_cast<std::size_t>(end)}});
  }
  series.labels = labels_of(rows, series.length());
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

void SpanLabels::label(Dataset& dataset, const std::string& table) {
  ++tables_;
  const std::vector<TimeSpan>* found = spans_of_table(spans_, table, file_);
  if (found == nullptr) {
    if (without_entry_++ == 0) first_without_ = table;
    return;
  }
  dataset.classes = anomaly_classes();
  std::vector<bool> matched(found->size());
  for (Series& series : dataset.series) {
    if (series.times.empty())
      reject({{table}, fmt::format("times, which the labels of {} need", file_), "none", field_text("time", "COLUMN")});
    label_series(series, *found, matched);
  }
  check_offsets(dataset.table, *found, {fmt::format("{}: {}", file_, quote(table))});
  const auto missed = static_cast<std::size_t>(std::ranges::count(matched, false));
  if (missed == 0) return;
  const TimeSpan& first = (*found)[static_cast<std::size_t>(std::ranges::find(matched, false) - matched.begin())];
  if (asked_ && missed == found->size())
    reject({{fmt::format("{}: {}", file_, quote(table))},
            fmt::format("spans within the times of the table, {}", text_of(range_of(dataset))),
            text_of(first),
            "times without a zone are UTC"});
  if (spans_missed_ == 0) first_missed_ = fmt::format("{} of {}", text_of(first), quote(table));
  spans_missed_ += missed;
}

std::vector<std::string> SpanLabels::notes() const {
  if (asked_ && without_entry_ == tables_)
    reject({{file_}, fmt::format("an entry of {}", quote(file_name(first_without_))), "none"});
  std::vector<std::string> notes;
  if (!asked_) notes.push_back(fmt::format("labels of {}", file_));
  if (without_entry_ > 0)
    notes.push_back(fmt::format("{} of {} tables have no entry in {}, and no labels: {}{}", without_entry_, tables_,
                                file_, quote(first_without_), without_entry_ > 1 ? ", .." : ""));
  if (spans_missed_ > 0)
    notes.push_back(fmt::format("{} of the spans in {} match{} no row: {}{}", spans_missed_, file_,
                                spans_missed_ > 1 ? "" : "es", first_missed_, spans_missed_ > 1 ? ", .." : ""));
  return notes;
}

Dataset load_csv_with_spans(const std::string& path, const ReadOptions& options) {
  ReadOptions table = options;
  table.label.clear();
  Dataset dataset = load_csv_table(path, table);
  SpanLabels labels(options.label, true);
  labels.label(dataset, path);
  for (std::string& note : labels.notes()) dataset.notes.push_back(std::move(note));
  return dataset;
}

}  // namespace faithful::data
