#include "faithful/predict/sample_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/io/csv.h"

namespace faithful {

namespace {

char find_separator(std::string_view line) {
  for (const char separator : {'\t', ';', ','})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ',';
}

}  // namespace

SampleLines::SampleLines(std::vector<std::string> channels, const ReadOptions& options, std::string place)
    : channels_(std::move(channels)),
      options_(options),
      place_(std::move(place)),
      values_(channels_.size()),
      time_(std::numeric_limits<std::int64_t>::min()) {
  if (options_.time == data::kNoTime) options_.time.clear();
  if (options.missing == Missing::kInterpolate)
    reject(
        {{.field = "missing"}, "error, zero or keep for a stream", "interpolate", "the next value is not known yet"});
}

bool SampleLines::take(std::string_view line, std::size_t number) {
  line_ = number > 0 ? number : line_ + 1;
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (columns_ == 0) separator_ = options_.separator != '\0' ? options_.separator : find_separator(line);
  CsvScanner scanner(line, place_, {.separator = separator_}, line_);
  if (!scanner.next(fields_)) return false;
  if (columns_ == 0) {
    begin();
    columns_ = fields_.size();  // after begin(), which may reject this line: the next one is then the first
    if (is_header()) return false;
  }
  if (fields_.size() != columns_)
    reject({{place_, line_}, fmt::format("{} fields", columns_), fmt::format("{}", fields_.size())});
  for (std::size_t c = 0; c < values_.size(); ++c) {
    const std::size_t column = match_.columns[c];
    const csv::Cell cell = csv::parse_cell(fields_[column], options_.decimal, values_[c]);
    if (cell != csv::Cell::kNumber) values_[c] = odd_value(cell, column);
    if (std::isinf(values_[c])) reject({{place_, line_, column + 1}, "a finite number", quote(fields_[column])});
  }
  if (has_times()) read_time();
  return true;
}

// The value of a cell that is no number; InputError where there is none.
float SampleLines::odd_value(csv::Cell cell, std::size_t column) const {
  const Place place{place_, line_, column + 1};
  if (cell == csv::Cell::kMissing && options_.missing == Missing::kError) {
    const std::string& text = fields_[column];
    reject({place, "a number", text.empty() ? "an empty cell" : quote(text),
            "missing values: " + field_text("missing", "keep")});
  }
  const float value = data::number_of_odd_cell(cell, fields_[column], options_.missing, place);
  return options_.missing == Missing::kZero ? 0 : value;
}

// A header has a word where a sample would have a number.
bool SampleLines::is_header() const {
  if (options_.header != Header::kAuto) return options_.header == Header::kYes;
  const std::optional<std::size_t> number = parse_number<std::size_t>(options_.time);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    float value = 0;
    if (number && i + 1 == *number) continue;
    if (csv::parse_cell(fields_[i], options_.decimal, value) == csv::Cell::kText) return true;
  }
  return false;
}

void SampleLines::begin() {
  std::vector<std::string> names = fields_;
  if (!is_header()) names = numbered_channels(fields_.size());
  if (has_times()) {
    auto found = std::ranges::find(names, options_.time);
    const std::optional<std::size_t> number = parse_number<std::size_t>(options_.time);
    if (found == names.end() && number && *number >= 1 && *number <= names.size())
      found = names.begin() + static_cast<std::ptrdiff_t>(*number - 1);
    if (found == names.end())
      reject(
          {{.field = "time"}, "the name or number of a column", quote(options_.time), suggest(options_.time, names)});
    time_column_ = static_cast<std::size_t>(found - names.begin());
    names.erase(found);
    if (!is_header()) names = numbered_channels(names.size());
  }
  match_ = match_channels(channels_, names, fmt::format("{}:{}", place_, line_));
  for (std::size_t& column : match_.columns) column += has_times() && column >= time_column_ ? 1 : 0;
}

void SampleLines::read_time() {
  const std::string& text = fields_[time_column_];
  const std::optional<std::int64_t> time = data::read_time(text, options_);
  const Place place{place_, line_, time_column_ + 1};
  if (!time) reject({place, data::time_words(options_), quote(text)});
  if (*time < time_) reject({place, "times that never decrease", quote(text)});
  time_ = *time;
}

}  // namespace faithful
