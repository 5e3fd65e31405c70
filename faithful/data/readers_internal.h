#pragma once

// The readers, one per format, and what they share. Each that reads text has a twin that takes bytes, for the fuzzers.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"
#include "faithful/io/csv_number_internal.h"
#include "faithful/io/file.h"

namespace faithful::data {

Dataset load_csv(const std::string& path, const ReadOptions& options);
Dataset load_csv_table(const std::string& path, const ReadOptions& options);  // load_csv, `positive` not checked
void stream_csv(const std::string& path, const ReadOptions& options, const std::function<void(Dataset&)>& take);
Dataset load_csv_folder(const std::string& path, const ReadOptions& options);
Dataset load_npy(const std::string& path, const ReadOptions& options);
Dataset load_npz(const std::string& path, const ReadOptions& options);
Dataset load_ts(const std::string& path, const ReadOptions& options);
Dataset load_arff(const std::string& path, const ReadOptions& options);
Dataset load_uea(const std::string& path, const ReadOptions& options);
Dataset load_smd(const std::string& path, const ReadOptions& options);
Dataset load_telemanom(const std::string& path, const ReadOptions& options);
Dataset load_hdf5(const std::string& path, const ReadOptions& options);

// Whether files of a set of that name are there: X_TRAIN.ts, X_TRAIN.arff or XDimension1_TRAIN.arff.
bool is_uea_name(const std::string& path);

Dataset parse_csv(std::string_view bytes, const std::string& name, const ReadOptions& options);
Dataset parse_npz(std::string_view bytes, const std::string& name, const ReadOptions& options);
Dataset parse_ts(std::string_view text, const std::string& name, const ReadOptions& options);
Dataset parse_arff(std::string_view text, const std::string& name, const ReadOptions& options);

// ---- paths

bool is_folder(const std::string& path);
bool is_file(const std::string& path);
std::string join_path(const std::string& folder, const std::string& name);
std::string file_name(const std::string& path);              // "x.csv.gz" of "a/x.csv.gz", "SMD" of "a/SMD/"
std::string stem_of(const std::string& path);                // "x" of "a/x.csv.gz"
std::string extension_of(const std::string& path);           // ".csv", also of "x.csv.gz"; in lower case
std::vector<std::string> files_in(const std::string& path);  // names, in natural order: machine-1-2 before machine-1-10
bool natural_less(std::string_view a, std::string_view b);

// ---- text

// The text of a file, as it is, or inflated where it is gzipped; a UTF-8 mark at its start is left out.
class TextFile {
 public:
  explicit TextFile(const std::string& path);
  std::string_view text() const { return text_; }

 private:
  WholeFile file_;
  std::string inflated_;
  std::string_view text_;
};

// Takes the next line, without its line end, from the front of `rest`.
std::string_view take_line(std::string_view& rest);
std::string_view trimmed(std::string_view text);
std::string lower(std::string_view text);
bool same_word(std::string_view a, std::string_view b);  // in ASCII, upper or lower case

// What an error about a missing value recommends.
std::string missing_hint();
std::string header_hint();

inline bool is_refused(Missing missing) {
  return missing == Missing::kError || missing == Missing::kAuto;
}

// As the setting "missing" has it; empty where missing values are refused.
std::string missing_text(Missing missing);

// Rejects a cell that is no number, or gives NaN where it is missing and may be.
float number_of_odd_cell(csv::Cell cell, std::string_view text, Missing missing, const Place& place);

// The number, or NaN where it is missing and may be; rejects everything else. place() is asked only then.
template <class PlaceOf>
float read_number(std::string_view text, Missing missing, const PlaceOf& place) {
  float value = 0;
  const csv::Cell cell = csv::parse_cell(text, '.', value);
  return cell == csv::Cell::kNumber ? value : number_of_odd_cell(cell, text, missing, place());
}

// ---- times

inline char decimal_of(const ReadOptions& options) {
  return options.decimal == '\0' ? '.' : options.decimal;
}

inline constexpr const char* kNoTime = "none";  // ReadOptions::time: no column of times

std::string time_unit_of(const ReadOptions& options);  // "s" where they say nothing
// The unit of times in training, and the format where that cell has it; what the options say stays.
void recall_time_form(const TableColumns& known, std::string_view cell, ReadOptions& options);

// Whether a column of this name is taken as the time, unless the options say otherwise.
bool is_name_of_times(std::string_view column);
// What a user reads where nobody named the column of times.
std::string found_time_note(const std::string& column);

// A cell as a time, in the format or unit of the options.
std::optional<std::int64_t> read_time(std::string_view cell, const ReadOptions& options);
std::string time_words(const ReadOptions& options);  // what an error about it expected

// Of a time in ISO 8601 or as a number. The offset from UTC follows the date: Z, +02:00, -0500.
bool is_date(std::string_view cell);
bool has_offset(std::string_view cell);

// InputError where one column has times of two forms: numbers beside dates, or dates with and without an offset from
// UTC, which would be hours apart. `first`: the first cell of the column.
void check_time_form(std::string_view cell, std::string_view first, const Place& place);

// InputError where numbers are hardly seconds, and the options say neither unit nor format: 20240131 is a day; 45123.5
// is noon of a day in a spreadsheet, if other rows are a small part of 1 later. `cell`: at `place`, the first one.
void check_date(std::string_view cell, const ReadOptions& options, const Place& place);
struct TimeSteps {
  std::int64_t from = 0, to = 0;
  std::size_t count = 0;
};
void check_seconds(const TimeSteps& steps, std::string_view cell, const ReadOptions& options, const Place& place);

// ---- labels

// Makes dataset.classes of the names of all series (empty: no label), in the order of ordered_classes. `positive`: two
// classes, normal and anomalous; InputError where no series has it, unless it may lack.
void set_classes(Dataset& dataset, std::span<const std::string> class_of_series, const std::string& positive,
                 const Place& place, bool may_lack = false);

// 0 or 1; text labels are compared with `positive` where it is given. Nothing: it is neither.
std::optional<std::uint8_t> point_label(std::string_view text, const std::string& positive);
// A label of a whole series that is empty, NaN and the like: InputError.
void check_label_of_series(std::string_view label, const Place& place);
// A label spelled almost as `positive` (Leak, leak) would make an anomaly normal: InputError.
void check_spelling(std::string_view label, const std::string& positive, const Place& place);
// A label that the options do not know, beside `positive`: InputError.
void check_known(std::string_view label, const ReadOptions& options, const Place& place);
// Which labels count as normal, where there are several (other faults, perhaps) or a missing one. At most so many are
// named.
inline constexpr std::size_t kMostNormalNamed = 5, kMostNormalKept = 50;
void add_note_of_normal(Dataset& dataset, const std::set<std::string>& labels, const std::string& positive);

// The rule of check_positive: some point must have the label that `positive` names.
void check_positive(const Dataset& dataset, const std::string& path, const ReadOptions& options);
// `positive` is no label of the data: misspelt, it would make a data set without an anomaly.
[[noreturn]] void reject_positive(const std::string& positive, const Place& place);
[[noreturn]] void reject_point_label(std::string_view text, const Place& place);

// {"normal", "anomalous"}
std::vector<std::string> anomaly_classes();

// Whether a class of such a name is what is usual: of two classes it is the first, and the other one is detected.
bool means_normal(std::string_view name);

// ---- last steps of every reader

// Fills source and format, settles what is missing and checks.
Dataset finished(Dataset dataset, const std::string& path, const std::string& format, const ReadOptions& options);

}  // namespace faithful::data
