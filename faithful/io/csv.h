#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/error.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

// Tables as text: `,` `;` or tab between fields, LF or CRLF, an optional UTF-8 mark at the start, plain or gzipped.
// A field that begins with a double quote ends at the next single one, and may hold separators, line ends and ""
// for a quote; elsewhere a quote is a letter. Blank lines are skipped. Every record has the same number of fields.
//
//   const CsvFile file("pump.csv");                                     // finds separator, header, columns
//   std::vector<CsvColumn> wanted(file.columns(), CsvColumn::kNumber);
//   wanted[file.column("time")] = CsvColumn::kText;
//   const CsvTable<float> table = file.load<float>(wanted);             // table.numbers, table.texts[0]

namespace faithful {

enum class CsvHeader { kAuto, kYes, kNo };  // kAuto: by comparing the first two records
enum class CsvMissing { kError, kNan };     // what to do with an empty cell, NA, n/a, nan, null, none, ? or -
enum class CsvColumn : char { kNumber, kText, kIgnore };  // what the caller wants of a column

struct CsvOptions {
  char separator = '\0';                              // \0: the first of tab, `;`, `,` that the first record has
  char decimal = '.';                                 // or ','
  CsvHeader header = CsvHeader::kAuto;                // whether the first record has the names
  CsvMissing missing = CsvMissing::kError;            // a number that is not there
  std::string missing_hint = {};                      // what to do, in the error about a missing number
  std::string text_hint = {};                         // the same about words where a number should be
  std::string words_hint = {};                        // the same about a line of words where numbers should be
  std::string comma_hint = {};                        // the same about 0,5 where the decimal sign is a point
  std::string header_hint = {};                       // where a first record 0,1,2,.. may be names: what to do; empty:
                                                      // it is a sample
  std::size_t most_columns = std::size_t{1} << 16;    // of a record
  std::size_t longest_field = std::size_t{1} << 20;   // bytes
  std::size_t longest_record = std::size_t{1} << 26;  // bytes
  std::size_t most_inflated = 0;  // bytes that a gzipped file may hold; 0: inflated_limit() of its size
  std::size_t chunk_bytes = std::size_t{1} << 20;  // what one thread takes at a time
  std::size_t block_bytes = std::size_t{8} << 20;  // what is read or inflated at a time
  ThreadPool* pool = nullptr;                      // nullptr: one of default_threads()
};

// One column of text, one cell per row, in one buffer.
class FAITHFUL_API CsvText {
 public:
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return std::string_view(bytes_).substr(begin, ends_[row] - begin);
  }

  void push_back(std::string_view cell);
  void append(const CsvText& other);

 private:
  std::string bytes_;              // all cells, one after the other
  std::vector<std::size_t> ends_;  // of each cell in bytes_
};

// The line of the file that each row begins at: blank lines and line ends in quotes make them differ.
class FAITHFUL_API CsvLines {
 public:
  std::size_t size() const { return rows_; }
  std::size_t operator[](std::size_t row) const;  // from 1

  void push_back(std::size_t line);
  void append(const CsvLines& other);

 private:
  std::size_t rows_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> jumps_;  // (row, its line): in between, one line is one row
};

template <class T>
struct CsvTable {
  Matrix<T> numbers;                 // [rows, columns asked for as kNumber], in the order of the file
  std::vector<std::size_t> columns;  // [numbers.columns], number of each in the file, from 0
  std::vector<CsvText> texts;        // one per column asked for as kText, each [rows]
  CsvLines lines;                    // [rows]
  std::size_t rows() const { return lines.size(); }
};

// An open file. Names and number of columns are known; load() reads the rows.
class FAITHFUL_API CsvFile {
 public:
  explicit CsvFile(const std::string& path, const CsvOptions& options = {});
  // The same from bytes (text or gzip) that the caller keeps while this lives; `name` is used in error messages.
  CsvFile(std::string_view bytes, const std::string& name, const CsvOptions& options = {});
  ~CsvFile();
  CsvFile(CsvFile&&) noexcept;
  CsvFile& operator=(CsvFile&&) noexcept;

  std::size_t columns() const;  // >= 1
  bool has_header() const;
  const std::vector<std::string>& names() const;  // [columns], in UTF-8 (see as_utf8); empty without a header
  const std::vector<std::string>& first_row()
      const;  // as text; [columns], fewer where the file is cut short, none without a row
  char separator() const;
  std::size_t column(std::string_view name) const;  // by name, or by number from 1; from 0. InputError where unknown
  Place place(std::size_t line, std::size_t column) const;  // for error messages: of a line from 1 and a column from 0

  // Reads all rows; `wanted` has columns() entries. T is float or double. Takes chunks of the file in parallel, and
  // the memory of the result. The result does not depend on the number of threads.
  template <class T>
  FAITHFUL_API CsvTable<T> load(std::span<const CsvColumn> wanted) const;

  // The same table in consecutive pieces of about block_bytes of text each, for files larger than memory.
  template <class T>
  FAITHFUL_API void stream(std::span<const CsvColumn> wanted, const std::function<void(CsvTable<T>&)>& take) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All columns as numbers, [rows, columns], with or without a header. InputError where there is no row.
FAITHFUL_API Matrix<double> load_csv_matrix(const std::string& path, const CsvOptions& options = {});

// Reads records one by one as text: for small files with cells of any kind.
class FAITHFUL_API CsvScanner {
 public:
  // The text is borrowed; it begins with line `first_line` of what the name means. Of the options: separator (must be
  // given), and the three limits.
  CsvScanner(std::string_view text, std::string name, const CsvOptions& options, std::size_t first_line = 1);

  // The next record's fields, without their quotes; false at the end.
  bool next(std::vector<std::string>& fields);
  std::size_t line() const { return line_; }  // where the record that was read last begins, from 1

 private:
  std::string_view rest_;
  std::string name_;
  CsvOptions options_;
  std::size_t line_ = 0, next_line_;
};

// Writes a table, gzipped where the path ends in .gz: names (may be empty: no header), then rows. Numbers are the
// shortest that read back to the same bits; NaN is `nan`.
FAITHFUL_API void save_csv(const std::string& path, std::span<const std::string> names, const Matrix<double>& table);
FAITHFUL_API void save_csv(const std::string& path, std::span<const std::string> names, const Matrix<float>& table);

// A cell as it must be written: in quotes where it holds a separator, a quote, a line end or outer spaces.
FAITHFUL_API std::string csv_cell(std::string_view text, char separator = ',');

}  // namespace faithful
