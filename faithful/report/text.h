#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// `value` with `digits` significant digits, without exponent between 1e-4 and 1e7: 0.3403, 11.90, 1.2e-9.
// Not a number and infinities are "nan", "inf" and "-inf".
FAITHFUL_API std::string number_text(double value, int digits = 4);

// The same, and an en dash where there is no value.
FAITHFUL_API std::string number_text(const std::optional<double>& value, int digits = 4);

// The shortest text that reads back as the same double; for files.
FAITHFUL_API std::string exact_text(double value);

// Words as a cell of a CSV file for people. A spreadsheet would take words that begin with = + - or @ for a formula:
// they get a single quote before them, except numbers. Controls as printable() shows them.
FAITHFUL_API std::string csv_words(std::string_view text);

// `&`, `<`, `>` and both quotes as entities, controls as printable_lines() shows them: safe as text and inside a quoted
// attribute of HTML and SVG.
FAITHFUL_API std::string escape_html(std::string_view text);

// Columns that UTF-8 text takes on a terminal (one per code point, none for combining marks, two for wide ones).
FAITHFUL_API std::size_t text_width(std::string_view text);

}  // namespace faithful
