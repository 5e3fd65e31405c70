#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// Something could not be done although the input was right (disk full, child died). The program exits with 1.
class FAITHFUL_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The input or the usage is wrong; the message says place, wanted, found, and what to do. The program exits with 2.
class FAITHFUL_API InputError : public Error {
 public:
  using Error::Error;
};

// Where in an input something stands: `pump.csv`, `pump.csv:17`, `pump.csv:17:4`, `--dim`.
struct Place {
  std::string name;        // file or option
  std::size_t line = 0;    // from 1; 0: no line
  std::size_t column = 0;  // field of the line, from 1; 0: no column
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

// The text in double quotes, control characters and bytes that are no UTF-8 escaped, cut after `most` bytes: safe to
// print on one line.
FAITHFUL_API std::string quote(std::string_view text, std::size_t most = 40);

// The candidates nearest to a misspelt name (at most three, nearest first; empty when none is near).
FAITHFUL_API std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates);

// `did you mean "dft"?`, or `known: a, b, c` when nothing is near; empty without candidates.
FAITHFUL_API std::string suggest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace faithful
