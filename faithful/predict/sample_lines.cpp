#include "faithful/predict/sample_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/utf8.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/io/csv.h"
#include "faithful/io/csv_source_internal.h"

namespace faithful {

SampleLines::SampleLines(std::vector<std::string> channels, const ReadOptions& options, std::string place,
                         TableColumns known)
    : channels_(std::move(channels)),
      said_(options),
      place_(std::move(place)),
      known_(std::move(known)),
      values_(channels_.size()),
      is_read_(channels_.size()),
      time_(std::numeric_limits<std::int64_t>::min()) {
  if (options.decimal == '\0') said_.decimal = known_.decimal;
  options_ = said_;
  if (options.missing == Missing::kInterpolate)
    reject(
        {{.field = "missing"}, "error, zero or keep for a stream", "interpolate", "the next value is not known yet"});
}

bool SampleLines::take(std::string_view line, std::size_t number) {
  line_ = number > 0 ? number : line_ + 1;
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (columns_ == 0) {
    separator_ = said_.separator != '\0' ? said_.separator : csv::find_separator(line, said_.decimal);
    csv::check_separator(separator_, said_.decimal, place_);
  }
  CsvScanner scanner(line, place_, {.separator = separator_}, line_);
  if (!scanner.next(fields_)) return false;
  if (columns_ == 0) {
    begin();
    columns_ = fields_.size();  // after begin(), which may reject this line: the next one is then the first
    if (is_header()) return false;
  }
  if (fields_.size() != columns_)
    reject({{place_, line_}, fmt::format("{} fields", columns_), fmt::format("{}", fields_.size())});
  if (series_column_) check_series();
  for (std::size_t c = 0; c < values_.size(); ++c) {
    const std::size_t column = match_.columns[c];
    const csv::Cell cell = csv::parse_cell(fields_[column], options_.decimal, values_[c]);
    if (cell != csv::Cell::kNumber) values_[c] = odd_value(cell, column);
    is_read_[c] = std::isnan(values_[c]) ? 0 : 1;
    if (is_read_[c] == 0 && options_.missing == Missing::kZero) values_[c] = 0;
    if (std::isinf(values_[c])) reject({{place_, line_, column + 1}, "a finite number", quote(fields_[column])});
  }
  if (has_times()) read_time();
  return true;
}

// The value of a cell that is no number; InputError where there is none.
float SampleLines::odd_value(csv::Cell cell, std::size_t column) const {
  const Place place{place_, line_, column + 1};
  if (cell == csv::Cell::kMissing && data::is_refused(options_.missing)) {
    const std::string& text = fields_[column];
    reject({place, "a number", text.empty() ? "an empty cell" : quote(text),
            "missing values: " + field_text("missing", "keep")});
  }
  return data::number_of_odd_cell(cell, fields_[column], options_.missing, place);
}

// A header has a word where a sample would have a number.
bool SampleLines::is_header() const {
  if (options_.header != Header::kAuto) return options_.header == Header::kYes;
  if (csv::is_numbering(fields_))
    reject({{place_, line_}, "names of columns, or numbers", "0,1,2,.., which may be both", data::header_hint()});
  const bool like_training = !known_.named && known_.count == fields_.size();
  const std::optional<std::size_t> number =
      parse_number<std::size_t>(options_.time.empty() && like_training ? known_.time : options_.time);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    float value = 0;
    if (number && i + 1 == *number) continue;
    if (csv::parse_cell(fields_[i], options_.decimal, value) == csv::Cell::kText) return true;
  }
  return false;
}

// A column by its name or its number.
std::optional<std::size_t> SampleLines::find(const std::string& column, const std::vector<std::string>& names) const {
  if (column.empty()) return std::nullopt;
  const auto found = std::ranges::find(names, column);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::optional<std::size_t> number = parse_number<std::size_t>(column);
  if (number && *number >= 1 && *number <= fields_.size()) return *number - 1;
  return std::nullopt;
}

// A stream is one series: windows across two would mean nothing.
void SampleLines::check_series() {
  const std::string& name = fields_[*series_column_];
  if (!series_) series_ = name;
  if (name == *series_) return;
  reject({{place_, line_, *series_column_ + 1},
          fmt::format("series {}, as before", quote(*series_)),
          quote(name),
          "a stream is one series: predict each by a program of its own, or all from a file"});
}

// Takes what the options do not say from the training, where its columns are there.
void SampleLines::recall(const std::vector<std::string>& names, bool header) {
  if (header ? !known_.named : known_.named || known_.count != fields_.size()) return;
  if (options_.time.empty() && find(known_.time, names)) {
    options_.time = known_.time;
    if (options_.time_format.empty()) options_.time_format = known_.time_format;
    if (options_.time_unit.empty()) options_.time_unit = known_.time_unit;
  }
  if (options_.series.empty()) series_column_ = find(known_.series, names);
  for (const std::string& name : {known_.time, known_.label, known_.series, known_.part})
    if (name != options_.time) options_.ignore.push_back(name);
  options_.ignore.insert(options_.ignore.end(), known_.ignored.begin(), known_.ignored.end());
}

void SampleLines::begin() {
  options_ = said_;  // an earlier first line may have been rejected
  first_time_.reset();
  refused_.reset();
  time_column_.reset();
  series_column_.reset();
  series_.reset();
  const bool header = is_header();
  std::vector<std::string> names = header ? fields_ : numbered_channels(fields_.size());
  for (std::string& name : names) name = as_utf8(name);
  recall(names, header);
  if (!options_.time.empty() && options_.time != data::kNoTime) {
    time_column_ = find(options_.time, names);
    if (!time_column_)
      reject(
          {{.field = "time"}, "the name or number of a column", quote(options_.time), suggest(options_.time, names)});
  }
  std::vector<bool> skipped(names.size(), false);
  if (!options_.series.empty()) {
    series_column_ = find(options_.series, names);
    if (!series_column_)
      reject({{.field = "series"},
              "the name or number of a column",
              quote(options_.series),
              suggest(options_.series, names)});
  }
  if (time_column_) skipped[*time_column_] = true;
  if (series_column_) skipped[*series_column_] = true;
  options_.ignore.push_back(options_.label);
  for (const std::string& column : options_.ignore)
    if (const std::optional<std::size_t> at = find(column, names)) skipped[*at] = true;
  std::vector<std::size_t> kept;  // columns that may be channels
  std::vector<std::string> kept_names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (skipped[i]) continue;
    kept.push_back(i);
    kept_names.push_back(names[i]);
  }
  if (!header) kept_names = numbered_channels(kept.size());
  match_ = match_channels(channels_, kept_names, fmt::format("{}:{}", place_, line_));
  for (std::size_t& column : match_.columns) column = kept[column];
}

void SampleLines::read_time() {
  const std::string& text = fields_[*time_column_];
  const bool first = !first_time_;
  if (first) data::recall_time_form(known_, text, options_);  // of a column that training did not have
  const std::optional<std::int64_t> time = data::read_time(text, options_);
  const Place place{place_, line_, *time_column_ + 1};
  if (!time) reject({place, data::time_words(options_), quote(text)});
  if (first) first_time_ = text;
  if (options_.time_format.empty()) data::check_time_form(text, *first_time_, place);
  const bool goes_back = *time < time_, two_agree = goes_back && refused_ && *refused_ <= *time;
  if (goes_back && !two_agree) {
    refused_ = time;
    reject({place, "times that never decrease", quote(text)});
  }
  data::check_date(text, options_, place);
  if (!first) data::check_seconds({two_agree ? *refused_ : time_, *time, 1}, text, options_, place);
  begins_anew_ = two_agree;
  refused_.reset();
  time_ = *time;
}

}  // namespace faithful
