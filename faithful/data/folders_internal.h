#pragma once

// What the folders of published sets hold besides tables, read from bytes (for the fuzzers too).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/data/dataset.h"
#include "faithful/data/read.h"

namespace faithful::data {

// SMD's interpretation: a line `start-end:dim,dim` is positions start .. end-1, columns from 1. Sorted by begin.
std::vector<LabelSpan> parse_smd_interpretation(std::string_view text, const std::string& name, std::size_t length,
                                                std::size_t channels);

// SMD's labels: one 0 or 1 a line, `length` of them.
std::vector<std::uint8_t> parse_smd_labels(std::string_view text, const std::string& name, std::size_t length);

// One row of telemanom's labeled_anomalies.csv.
struct TelemanomLabels {
  std::string channel;           // "P-1"
  std::string spacecraft;        // "SMAP", "MSL"
  std::vector<LabelSpan> spans;  // with their kind; by begin
  std::size_t length = 0;        // rows of the test series
  std::size_t line = 0;          // in the file
};
std::vector<TelemanomLabels> parse_telemanom_labels(std::string_view text, const std::string& name);

// The spans of time that are anomalous, by the path of a table, as NAB's combined_windows.json has them:
// {"realKnownCause/pump.csv": [["2014-01-01 10:00:00", "2014-01-02 10:00:00"], ...]}. A single time, as in NAB's
// combined_labels.json, is a span of one row.
struct TimeSpan {
  std::int64_t first, last;  // ns since 1970, both included
  bool zoned = false;        // written with an offset from UTC
};
using SpansOfFiles = std::vector<std::pair<std::string, std::vector<TimeSpan>>>;
SpansOfFiles parse_spans(std::string_view text, const std::string& name);
SpansOfFiles load_spans(const std::string& path);

// The tables of a folder and of the folders in it, as paths below it, in natural order.
std::vector<std::string> tables_in(const std::string& folder);

bool is_span_file(const std::string& label);  // ReadOptions::label names a file of spans
// The file of spans of a folder of tables: that of the options, else one of NAB's names in it, in its folder labels, or
// in labels beside it; empty: none.
std::string find_span_file(const std::string& folder, const ReadOptions& options);

// Labels tables by the spans of a file, and keeps count of what fitted nothing: a label that is lost makes an anomaly
// normal.
class SpanLabels {
 public:
  // `asked`: the options name the file. Then it must fit: InputError where no span of a table matches a row, or no
  // table has an entry.
  SpanLabels(const std::string& file, bool asked) : file_(file), asked_(asked), spans_(load_spans(file)) {}

  // Labels the points of all series of the table with that path; a table without an entry stays unlabelled.
  void label(Dataset& dataset, const std::string& table);
  // After the last table: what a person should know about.
  std::vector<std::string> notes() const;

 private:
  std::string file_;
  bool asked_ = false;
  SpansOfFiles spans_;
  std::size_t tables_ = 0, without_entry_ = 0, spans_missed_ = 0;
  std::string first_without_, first_missed_;
};

// A table whose labels are in the file of spans that options.label names.
Dataset load_csv_with_spans(const std::string& path, const ReadOptions& options);

}  // namespace faithful::data
