// Tables of text: a row is a point in time, a column a channel, a label, a time, or the name of a series.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/folders_internal.h"
#include "faithful/data/readers_internal.h"
#include "faithful/data/times.h"
#include "faithful/io/csv.h"

namespace faithful::data {
namespace {

// Which column of the file, from 0, has which role.
struct Roles {
  std::optional<std::size_t> label, time, series, part;
  bool time_was_found = false;    // by its name or its dates: nobody named it
  std::vector<CsvColumn> wanted;  // [columns of the file]

  // The index of a column in CsvTable::texts.
  std::size_t text_index(std::size_t column) const {
    return static_cast<std::size_t>(
        std::count(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(column), CsvColumn::kText));
  }
};

constexpr const char* kOtherRole = "a column with no other role";

std::optional<std::size_t> take_role(const CsvFile& file, const std::string& column, const Place& place, Roles& roles) {
  if (column.empty()) return std::nullopt;
  const std::size_t at = file.column(column);
  if (roles.wanted[at] != CsvColumn::kNumber) reject({place, kOtherRole, quote(column)});
  roles.wanted[at] = CsvColumn::kText;
  return at;
}

std::string column_name(const CsvFile& file, std::size_t column) {
  return file.has_header() ? file.names()[column] : fmt::format("{}", column + 1);
}

std::string first_cell(const CsvFile& file, std::size_t column) {
  return column < file.first_row().size() ? file.first_row()[column] : "";  // the row may be cut short
}

// A column that nobody has given a role, and that has a name of times, or else dates in its first row.
std::optional<std::size_t> find_time(const CsvFile& file, const Roles& roles) {
  std::optional<std::size_t> dated;
  for (std::size_t i = 0; i < file.columns(); ++i) {
    if (roles.wanted[i] != CsvColumn::kNumber) continue;
    if (file.has_header() && is_name_of_times(file.names()[i])) return i;
    const std::string cell = first_cell(file, i);
    if (!dated && parse_time(cell) && !parse_number<double>(trimmed(cell))) dated = i;
  }
  return dated;
}

// A time of day without its date: 23:59, 23:59:59.5, 9:05 PM.
bool is_clock(std::string_view cell) {
  return cell.find(':') != std::string_view::npos &&
         cell.find_first_not_of("0123456789:., APMapm") == std::string_view::npos;
}

// The date alone would be the time of all samples of a day.
void check_one_column_of_times(const CsvFile& file, const Roles& roles, std::size_t time) {
  const std::string cell = first_cell(file, time);
  if (parse_number<double>(trimmed(cell)) || (cell.find(':') != std::string::npos && !is_clock(cell))) return;
  for (std::size_t i = 0; i < file.columns(); ++i) {
    const bool is_other_half = is_clock(cell) ? is_date(first_cell(file, i)) : is_clock(first_cell(file, i));
    if (i == time || roles.wanted[i] != CsvColumn::kNumber || !is_other_half) continue;
    reject({{file.place(1, 0).name},
            "dates and times of day in one column",
            fmt::format("two: {}, {}", quote(column_name(file, time)), quote(column_name(file, i))),
            fmt::format("join them into one, or take one as the time: {}", field_text("time", "COLUMN"))});
  }
}

// Gives the time to a column that find_time finds, where something is left besides.
void take_found_time(const CsvFile& file, Roles& roles) {
  if (std::ranges::count(roles.wanted, CsvColumn::kNumber) < 2) return;
  roles.time = find_time(file, roles);
  if (roles.time) check_one_column_of_times(file, roles, *roles.time);
  roles.time_was_found = roles.time.has_value();
  if (roles.time) roles.wanted[*roles.time] = CsvColumn::kText;
}

Roles find_roles(const CsvFile& file, const ReadOptions& options, const std::string& name) {
  Roles roles;
  roles.wanted.assign(file.columns(), CsvColumn::kNumber);
  roles.label = take_role(file, options.label, {.field = "label"}, roles);
  if (options.time != kNoTime) roles.time = take_role(file, options.time, {.field = "time"}, roles);
  roles.series = take_role(file, options.series, {.field = "series"}, roles);
  roles.part = take_role(file, options.part_column, {.field = "part_column"}, roles);
  for (const std::string& ignored : options.ignore) {
    const std::size_t at = file.column(ignored);
    if (roles.wanted[at] == CsvColumn::kText) reject({{.field = "ignore"}, kOtherRole, quote(ignored)});
    roles.wanted[at] = CsvColumn::kIgnore;
  }
  if (options.time.empty()) take_found_time(file, roles);
  const std::size_t named = file.has_header() && !options.only.empty() ? file.names().size() : 0;
  for (std::size_t i = 0; i < named; ++i)
    if (roles.wanted[i] == CsvColumn::kNumber && std::ranges::find(options.only, file.names()[i]) == options.only.end())
      roles.wanted[i] = CsvColumn::kIgnore;
  if (std::ranges::find(roles.wanted, CsvColumn::kNumber) == roles.wanted.end())
    reject({{name}, "a column of numbers", "none besides those with another role"});
  return roles;
}

// The rows of one series, in the order of the file.
struct Group {
  std::string name;
  DataPart part = DataPart::kNone;
  std::vector<std::size_t> rows;
};

DataPart read_part(std::string_view text, const Place& place) {
  if (same_word(text, "train")) return DataPart::kTrain;
  if (same_word(text, "test")) return DataPart::kTest;
  if (text.empty()) return DataPart::kNone;
  reject({place, "train, test or nothing", quote(text)});
}

constexpr const char* kUnsorted = "sort the rows by time; where clocks were set back, add the offset from UTC";

class TableSplitter {
 public:
  TableSplitter(const CsvFile& file, CsvTable<float>& table, const Roles& roles, const ReadOptions& options)
      : file_(file), table_(table), roles_(roles), options_(options) {}

  std::optional<bool> offset_of_times() const {
    const std::string_view first = first_time();
    return is_date(first) ? std::optional(has_offset(first)) : std::nullopt;
  }
  bool has_times_as_numbers() const { return roles_.time && parse_number<double>(trimmed(text(*roles_.time, 0))); }

  // Of points; empty where there are too many to keep.
  std::vector<std::string> normal_labels() const {
    if (normal_.size() > kMostNormalKept) return {};
    return {normal_.begin(), normal_.end()};
  }

  void split_into(Dataset& dataset, const std::string& single_name) {
    std::vector<std::string> class_of_series;
    if (!roles_.series && !roles_.part) {
      Series series{.name = single_name, .values = std::move(table_.numbers)};
      fill(
          series, [](std::size_t t) { return t; }, class_of_series);
      dataset.series.push_back(std::move(series));
    } else {
      for (const Group& group : groups(single_name)) {
        Series series{.name = group.name, .part = group.part};
        series.values = gather(group.rows);
        fill(
            series, [&](std::size_t t) { return group.rows[t]; }, class_of_series);
        dataset.series.push_back(std::move(series));
      }
    }
    if (!roles_.label) return;
    if (options_.label_of == LabelOf::kSeries) {
      set_classes(dataset, class_of_series, options_.positive, {file_.place(0, 0).name}, options_.positive_may_lack);
    } else {
      dataset.classes = anomaly_classes();
      add_note_of_normal(dataset, normal_, options_.positive);
    }
  }

 private:
  void take_normal(std::string_view label, const Place& place) {
    if (label == last_normal_) return;
    last_normal_ = label;
    check_spelling(label, options_.positive, place);
    check_known(label, options_, place);
    if (normal_.size() <= kMostNormalKept) normal_.emplace(label);
  }

  std::string_view text(std::size_t column, std::size_t row) const {
    return table_.texts[roles_.text_index(column)][row];
  }
  Place place(std::size_t column, std::size_t row) const { return file_.place(table_.lines[row], column); }

  std::vector<Group> groups(const std::string& single_name) const {
    std::vector<Group> groups;
    std::unordered_map<std::string, std::size_t> index;
    std::size_t last = 0;
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const std::string_view name = roles_.series ? text(*roles_.series, row) : std::string_view(single_name);
      if (roles_.series && trimmed(name).empty())
        reject({place(*roles_.series, row), "the name of a series", "an empty cell"});
      const DataPart part =
          roles_.part ? read_part(trimmed(text(*roles_.part, row)), place(*roles_.part, row)) : DataPart::kNone;
      if (groups.empty() || groups[last].name != name || groups[last].part != part) {
        std::string key = fmt::format("{}{}", static_cast<int>(part), name);
        last = index.try_emplace(std::move(key), groups.size()).first->second;
        if (last == groups.size()) groups.push_back({std::string(name), part, {}});
      }
      groups[last].rows.push_back(row);
    }
    return groups;
  }

  Matrix<float> gather(const std::vector<std::size_t>& rows) const {
    Matrix<float> values(rows.size(), table_.numbers.columns);
    for (std::size_t t = 0; t < rows.size(); ++t) std::ranges::copy(table_.numbers.row(rows[t]), values.row(t).begin());
    return values;
  }

  template <class RowOf>
  void fill(Series& series, const RowOf& row_of, std::vector<std::string>& class_of_series) {
    if (roles_.time) fill_times(series, row_of);
    if (!roles_.label) return;
    if (options_.label_of == LabelOf::kSeries) {
      class_of_series.push_back(constant_label(series, row_of));
      return;
    }
    series.labels.resize(series.length());
    for (std::size_t t = 0; t < series.length(); ++t) {
      const std::size_t row = row_of(t);
      const std::string_view cell = text(*roles_.label, row);
      const std::optional<std::uint8_t> label = point_label(cell, options_.positive);
      if (!label) reject_point_label(cell, place(*roles_.label, row));
      if (*label == 0 && !options_.positive.empty()) take_normal(trimmed(cell), place(*roles_.label, row));
      series.labels[t] = *label;
    }
  }

  template <class RowOf>
  void fill_times(Series& series, const RowOf& row_of) const {
    series.times.resize(series.length());
    const std::string_view first = first_time();
    for (std::size_t t = 0; t < series.length(); ++t) {
      const std::size_t row = row_of(t);
      const std::string_view cell = text(*roles_.time, row);
      const std::optional<std::int64_t> time = read_time(cell, options_);
      if (!time) {
        reject({place(*roles_.time, row), time_words(options_), cell.empty() ? "an empty cell" : quote(cell),
                time_hint(fmt::format("other units: {}; other formats: {}", field_text("time_unit", "ms"),
                                      field_text("time_format", "\"%d.%m.%Y\"")))});
      }
      if (t == 0) check_date(cell, options_, place(*roles_.time, row));
      if (options_.time_format.empty()) check_time_form(cell, first, place(*roles_.time, row));
      if (t > 0 && *time < series.times[t - 1])
        reject({place(*roles_.time, row), "times that never decrease", quote(cell), time_hint(kUnsorted)});
      series.times[t] = *time;
    }
    check_seconds({series.times.front(), series.times.back(), series.length() - 1}, text(*roles_.time, row_of(0)),
                  options_, place(*roles_.time, row_of(0)));
  }

  // Of the file, of which the table may be a later part.
  std::string_view first_time() const {
    const std::vector<std::string>& cells = file_.first_row();
    return *roles_.time < cells.size() ? std::string_view(cells[*roles_.time]) : text(*roles_.time, 0);
  }

  // What to do about a time; a column that was only found to be one may be none.
  std::string time_hint(const std::string& hint) const {
    return roles_.time_was_found ? fmt::format("{}; no time: {}", hint, field_text("time", kNoTime)) : hint;
  }

  template <class RowOf>
  std::string constant_label(const Series& series, const RowOf& row_of) const {
    std::string label(trimmed(text(*roles_.label, row_of(0))));
    check_label_of_series(label, place(*roles_.label, row_of(0)));
    if (!options_.positive.empty()) check_known(label, options_, place(*roles_.label, row_of(0)));
    for (std::size_t t = 1; t < series.length(); ++t) {
      const std::string_view other = trimmed(text(*roles_.label, row_of(t)));
      if (other != label) {
        reject({place(*roles_.label, row_of(t)), fmt::format("the label {} of the whole series", quote(label)),
                quote(other),
                fmt::format("labels of points, one against all others: {} and {}", field_text("label_of", "point"),
                            field_text("positive", "VALUE"))});
      }
    }
    return label;
  }

  const CsvFile& file_;
  CsvTable<float>& table_;
  const Roles& roles_;
  const ReadOptions& options_;
  std::set<std::string> normal_;  // labels of points that are not the positive one
  std::string last_normal_ = "\n";
};

CsvOptions csv_options(const ReadOptions& options, const std::string& name) {
  CsvOptions csv;
  csv.separator = options.separator;
  if (csv.separator == '\0' && extension_of(name) == ".tsv") csv.separator = '\t';
  csv.decimal = decimal_of(options);
  csv.header = options.header == Header::kAuto  ? CsvHeader::kAuto
               : options.header == Header::kYes ? CsvHeader::kYes
                                                : CsvHeader::kNo;
  csv.missing = is_refused(options.missing) ? CsvMissing::kError : CsvMissing::kNan;
  csv.missing_hint = missing_hint();
  csv.header_hint = header_hint();
  csv.comma_hint = fmt::format("a decimal comma: {}", field_text("decimal", ","));
  csv.text_hint = fmt::format("to leave out a column of words: {}", field_text("ignore", "COLUMN"));
  csv.words_hint = "no column of this line has a number: if it has units or names, remove the line";
  if (options.label.empty()) csv.text_hint += fmt::format("; if it has the labels: {}", field_text("label", "COLUMN"));
  return csv;
}

TableColumns columns_of(const CsvFile& file, const Roles& roles, const ReadOptions& options) {
  TableColumns table{.count = file.columns(), .named = file.has_header(), .decimal = decimal_of(options)};
  const auto name = [&](std::optional<std::size_t> column) { return column ? column_name(file, *column) : ""; };
  table.time = name(roles.time);
  if (roles.time) table.time_format = options.time_format;
  table.label = name(roles.label);
  if (roles.label) {
    table.positive = options.positive;
    table.label_of_series = options.label_of == LabelOf::kSeries;
  }
  table.series = name(roles.series);
  table.part = name(roles.part);
  for (std::size_t i = 0; i < roles.wanted.size(); ++i)
    if (roles.wanted[i] == CsvColumn::kIgnore) table.ignored.push_back(column_name(file, i));
  return table;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// What to say of rows such as 20,5: nobody said that the comma separates. Else empty.
std::string decimal_comma_note(const CsvFile& file, const CsvTable<float>& table, const ReadOptions& options) {
  const bool said = options.separator != '\0' || options.decimal != '\0';
  if (said || file.has_header() || file.separator() != ',' || file.columns() != 2 || table.columns.size() != 2)
    return "";
  const std::vector<std::string>& cells = file.first_row();
  if (cells.size() != 2 || !is_digits(cells[1]) || !is_digits(cells[0].substr(cells[0].starts_with('-') ? 1 : 0)))
    return "";
  const auto is_whole = [](float value) { return std::trunc(value) == value; };  // not of NaN
  for (std::size_t r = 0; r < table.numbers.rows; ++r)
    if (!is_whole(table.numbers(r, 0)) || !is_whole(table.numbers(r, 1)) || table.numbers(r, 1) < 0) return "";
  return fmt::format("lines such as {} are read as two columns (one number with a decimal comma: {})",
                     quote(cells[0] + "," + cells[1]), field_text("decimal", ","));
}

// The data set of some rows of a file, which must not be none.
Dataset dataset_of(const CsvFile& file, CsvTable<float>& table, const Roles& roles, const std::string& name,
                   const ReadOptions& options) {
  Dataset dataset;
  dataset.name = stem_of(name);
  if (file.has_header()) {
    for (const std::size_t column : table.columns) dataset.channels.push_back(file.names()[column]);
  } else {
    dataset.channels = numbered_channels(table.columns.size());
  }
  if (const std::string note = decimal_comma_note(file, table, options); !note.empty()) dataset.notes.push_back(note);
  TableSplitter splitter(file, table, roles, options);
  splitter.split_into(dataset, dataset.name);
  dataset.table = columns_of(file, roles, options);
  dataset.table.normal = splitter.normal_labels();
  if (roles.time && options.time_format.empty()) dataset.table.offset = splitter.offset_of_times();
  if (splitter.has_times_as_numbers()) dataset.table.time_unit = time_unit_of(options);
  if (roles.time_was_found) {
    dataset.notes.push_back(found_time_note(column_name(file, *roles.time)));
  }
  return dataset;
}

Dataset read_table(const CsvFile& file, const std::string& name, const ReadOptions& options) {
  const Roles roles = find_roles(file, options, name);
  CsvTable<float> table = file.load<float>(roles.wanted);
  if (table.rows() == 0) reject({{name}, "rows of data", "none"});
  return dataset_of(file, table, roles, name, options);
}

}  // namespace

std::string found_time_note(const std::string& column) {
  return fmt::format("column {} is taken as the time (another column: {}; none: {})", quote(column),
                     field_text("time", "COLUMN"), field_text("time", kNoTime));
}

void check_positive(const Dataset& dataset, const std::string& path, const ReadOptions& options) {
  if (options.positive.empty() || options.positive_may_lack || !dataset.has_point_labels()) return;
  for (const Series& series : dataset.series)
    if (std::ranges::find(series.labels, 1) != series.labels.end()) return;
  reject_positive(options.positive, {path});
}

Dataset load_csv_table(const std::string& path, const ReadOptions& options) {
  return finished(read_table(CsvFile(path, csv_options(options, path)), path, options), path, "csv", options);
}

Dataset load_csv(const std::string& path, const ReadOptions& options) {
  if (is_span_file(options.label)) return load_csv_with_spans(path, options);
  Dataset dataset = load_csv_table(path, options);
  check_positive(dataset, path, options);
  return dataset;
}

void stream_csv(const std::string& path, const ReadOptions& options, const std::function<void(Dataset&)>& take) {
  assert(options.series.empty() && options.part_column.empty() && options.missing != Missing::kInterpolate);
  const CsvFile file(path, csv_options(options, path));
  const Roles roles = find_roles(file, options, path);
  std::optional<std::int64_t> last;
  std::size_t rows = 0;
  file.stream<float>(roles.wanted, [&](CsvTable<float>& table) {
    if (table.rows() == 0) return;
    const std::size_t first_line = table.lines[0];
    Dataset block = finished(dataset_of(file, table, roles, path, options), path, "csv", options);
    const std::vector<std::int64_t>& times = block.series[0].times;
    if (last && !times.empty() && times[0] < *last)
      reject({file.place(first_line, *roles.time), "times that never decrease", "an earlier one", kUnsorted});
    if (!times.empty()) last = times.back();
    rows += block.rows();
    take(block);
  });
  if (rows == 0) reject({{path}, "rows of data", "none"});
}

Dataset parse_csv(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  const CsvFile file(bytes, name, csv_options(options, name));
  Dataset dataset = finished(read_table(file, name, options), name, "csv", options);
  check_positive(dataset, name, options);
  return dataset;
}

}  // namespace faithful::data

namespace faithful {

std::string found_time_column(const CsvFile& table, const ReadOptions& options) {
  if (!options.time.empty()) return "";
  const std::optional<std::size_t> column = data::find_roles(table, options, options.format).time;
  return column ? data::column_name(table, *column) : "";
}

}  // namespace faithful
