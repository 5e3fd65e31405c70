#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// A setting in a message, by the name of its field, with a value where the message recommends one. Each surface spells
// it in its own words: `missing = zero` in C++, `--missing zero` in the program, `missing="zero"` in Python.
FAITHFUL_API std::string field_text(std::string_view name, std::string_view value = {});

// How a surface spells a setting. `value` is empty where the message names no value.
using Spelling = std::function<std::string(std::string_view name, std::string_view value)>;

// The message with every setting spelled that way; without a spelling, in the words of C++.
FAITHFUL_API std::string spelled(std::string_view message, const Spelling& spelling = {});

// Something failed although the input was right (disk full, child died). The program exits with 1.
class FAITHFUL_API Error : public std::runtime_error {
 public:
  explicit Error(std::string message) : std::runtime_error(spelled(message)), message_(std::move(message)) {}

  // what() in the words of another surface.
  std::string spelled_by(const Spelling& spelling) const { return spelled(message_, spelling); }

 private:
  std::string message_;  // settings as field_text() marks them
};

// The input or the usage is wrong. The message says where, what was expected, what was found, and what to do. The
// program exits with 2.
class FAITHFUL_API InputError : public Error {
 public:
  using Error::Error;
};

// The place of an error: in a file (`pump.csv`, `pump.csv:17`, `pump.csv:17:4`), or a setting.
struct Place {
  std::string name = {};   // of a file, or of whatever else is wrong; empty for a setting
  std::size_t line = 0;    // from 1; 0: no line
  std::size_t column = 0;  // of the line, from 1; 0: no column
  std::string field = {};  // of a setting: `reject({{.field = "dim"}, "at least 1", "0"})`
};

// The one form of our messages: `PLACE: expected WANTED, found FOUND (HINT)`.
struct Complaint {
  Place place;
  std::string wanted;
  std::string found = {};
  std::string hint = {};  // what to do about it; may be empty
};

FAITHFUL_API std::string to_string(const Place& place);
FAITHFUL_API std::string to_string(const Complaint& complaint);

// Throws InputError with the complaint as its message.
[[noreturn]] FAITHFUL_API void reject(const Complaint& complaint);

// The text in double quotes, safe to print on one line: control characters and invalid UTF-8 are escaped, and it is cut
// after `most` bytes.
FAITHFUL_API std::string quote(std::string_view text, std::size_t most = 40);

// The candidates nearest to a misspelt name (at most three, nearest first; empty when none is near).
FAITHFUL_API std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates);

// `did you mean "dft"?`, or `known: a, b, c` when nothing is near; empty without candidates.
FAITHFUL_API std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace faithful
