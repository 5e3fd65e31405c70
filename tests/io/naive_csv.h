#pragma once

// The rules of faithful/io/csv.h once more, character by character, on one thread, over the whole text: what the reader
// with its chunks, blocks and threads is compared with, here and in fuzz/fuzz_csv.cpp. No limits, no gzip; separator and
// header are given.

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/csv.h"
#include "faithful/io/csv_number_internal.h"

namespace faithful::testing {

struct NaiveField {
  std::string text;
  std::string after_quote;  // what follows the closing quote, an error
  bool unclosed = false;
};

struct NaiveRecord {
  std::size_t line;
  std::vector<NaiveField> fields;
};

class NaiveCsv {
 public:
  NaiveCsv(std::string_view text, char separator) : text_(text), separator_(separator) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    while (at_ < text_.size()) {
      if (!record_ends()) records_.push_back(take_record());
      if (at_ < text_.size() && text_[at_] == '\r') ++at_;
      if (at_ < text_.size() && text_[at_] == '\n') ++at_;
      ++line_;
    }
  }
  const std::vector<NaiveRecord>& records() const { return records_; }

 private:
  bool record_ends() const {
    if (at_ == text_.size() || text_[at_] == '\n') return true;
    return text_[at_] == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n');
  }
  std::string take_until_separator() {
    std::string taken;
    while (!record_ends() && text_[at_] != separator_) taken += text_[at_++];
    return taken;
  }
  NaiveField take_field() {
    NaiveField field;
    if (record_ends() || text_[at_] != '"') {
      field.text = take_until_separator();
      return field;
    }
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) break;
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++line_;
      field.text += text_[at_];
    }
    field.unclosed = at_ == text_.size();
    if (!field.unclosed) ++at_;
    field.after_quote = take_until_separator();
    return field;
  }
  NaiveRecord take_record() {
    NaiveRecord record{line_, {take_field()}};
    while (!record_ends()) {
      ++at_;
      record.fields.push_back(take_field());
    }
    return record;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0, line_ = 1;
  std::vector<NaiveRecord> records_;
};

inline void check_naive_field(const NaiveField& field, const Place& place) {
  if (field.unclosed) reject({place, "a closing quote", "the end of the file"});
  if (!field.after_quote.empty()) reject({place, "a separator after the closing quote", quote(field.after_quote)});
}

template <class T>
T naive_number(const std::string& text, const Place& place, const CsvOptions& options) {
  T value{};
  switch (csv::parse_cell(text, options.decimal, value)) {
    case csv::Cell::kNumber:
      return value;
    case csv::Cell::kTooLarge:
      reject({place, sizeof(T) == 4 ? "a number of at most 3.4e38" : "a number of at most 1.8e308", quote(text)});
    case csv::Cell::kMissing:
      if (options.missing == CsvMissing::kNan) return std::numeric_limits<T>::quiet_NaN();
      reject({place, "a number", text.empty() ? "an empty cell" : quote(text), options.missing_hint});
    case csv::Cell::kText:
      break;
  }
  reject({place, "a number", quote(text), options.text_hint});
}

// The row of a record as one text: its line, its numbers in hexadecimal (so every bit counts), its texts.
template <class T>
std::string naive_row(const NaiveRecord& record, std::span<const CsvColumn> wanted, const std::string& name,
                      const CsvOptions& options) {
  std::string row = fmt::format("{}", record.line), texts;
  const std::size_t found = record.fields.size();
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    const Place place{name, record.line, c + 1};
    const NaiveField& field = record.fields[c];
    check_naive_field(field, place);
    if (wanted[c] == CsvColumn::kNumber) row += fmt::format(" {:a}", naive_number<T>(field.text, place, options));
    if (wanted[c] == CsvColumn::kText) texts += fmt::format("|{}", field.text);
    if ((c + 1 == found) != (c + 1 == wanted.size())) {
      reject({{name, record.line, std::min(found, wanted.size()) + 1},
              fmt::format("{} column{}", wanted.size(), wanted.size() == 1 ? "" : "s"),
              fmt::format("{}", found)});
    }
  }
  return row + texts + '\n';
}

// The same text of a table that was read.
template <class T>
std::string rows_text(const CsvTable<T>& table) {
  std::string all;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    all += fmt::format("{}", table.lines[r]);
    for (const T value : table.numbers.row(r)) all += fmt::format(" {:a}", value);
    for (const CsvText& text : table.texts) all += fmt::format("|{}", text[r]);
    all += '\n';
  }
  return all;
}

// All rows, or the complaint. Columns whose number is below `wanted.size()` are wanted as it says, the others as numbers.
template <class T>
std::string naive_reading(std::string_view text, const std::string& name, std::vector<CsvColumn> wanted,
                          const CsvOptions& options) {
  try {
    const NaiveCsv csv(text, options.separator);
    const std::vector<NaiveRecord>& records = csv.records();
    if (records.empty()) reject({{name}, "a table", "an empty file"});
    const std::size_t header = options.header == CsvHeader::kYes ? 1 : 0;
    for (std::size_t r = 0; r < std::min(records.size(), header + 1); ++r) {  // what is looked at when the file opens
      for (std::size_t c = 0; c < records[r].fields.size(); ++c)
        check_naive_field(records[r].fields[c], {name, records[r].line, c + 1});
    }
    const std::vector<NaiveField>& first = records[0].fields;
    const bool other_width = header == 1 && records.size() > 1 && records[1].fields.size() != first.size();
    if (first[0].text.starts_with("sep=") || (first[0].text.starts_with('#') && other_width))
      reject({{name, 1},
              "names of columns, or numbers",
              quote(first[0].text),
              first[0].text.starts_with('#') ? "remove the lines that begin with #" : "remove this line"});
    wanted.resize(first.size(), CsvColumn::kNumber);
    std::string all;
    for (std::size_t r = header; r < records.size(); ++r) all += naive_row<T>(records[r], wanted, name, options);
    return all;
  } catch (const InputError& error) {
    return error.what();
  }
}

// The same by the reader, from `file`, as a whole or in pieces.
template <class T, class Open>
std::string table_reading(const Open& open, std::vector<CsvColumn> wanted, bool in_pieces) {
  try {
    const CsvFile file = open();
    wanted.resize(file.columns(), CsvColumn::kNumber);
    if (!in_pieces) return rows_text(file.template load<T>(wanted));
    std::string all;
    file.template stream<T>(wanted, [&](const CsvTable<T>& piece) { all += rows_text(piece); });
    return all;
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace faithful::testing
