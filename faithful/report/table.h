#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// One field of a table: the text for people, and the number, which files get in full.
struct FAITHFUL_API Cell {
  std::string text;
  std::optional<double> number;  // empty: words, or a missing number
  bool missing = false;          // no value: printed as an en dash, an empty field in a file

  Cell(std::string words) : text(std::move(words)) {}  // NOLINT(google-explicit-constructor): rows read as lists
  Cell(const char* words) : text(words) {}             // NOLINT(google-explicit-constructor)
  Cell(double value, int digits = 4);                  // NOLINT(google-explicit-constructor)
  Cell(std::optional<double> value, int digits = 4);   // NOLINT(google-explicit-constructor)
  static Cell count(std::size_t value);
};

struct Column {
  std::string name;
  std::string unit = {};  // printed after the name: `width [samples]`
  bool right = false;     // aligned right though it holds words too
};

// A table of words and numbers. Columns that hold numbers only are aligned right.
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
  std::string note = {};                // one paragraph below
};

// For a terminal: title, names, a rule, the rows; two spaces between columns and none at the ends of lines.
FAITHFUL_API std::string to_text(const Table& table);
// Names with units in the first line, then the rows with their numbers in full; no title.
FAITHFUL_API std::string to_csv(const Table& table);
// A <table> with caption; everything escaped.
FAITHFUL_API std::string to_html(const Table& table);

}  // namespace faithful
