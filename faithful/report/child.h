#pragma once

#include <string>
#include <vector>

namespace faithful {

// How a child process ended.
struct ChildResult {
  enum class End { kExited, kNotFound, kKilled, kTimedOut };
  End end = End::kExited;
  int status = 0;      // exit status, or the signal that killed it
  std::string output;  // its standard output
  std::string errors;  // its standard error
};

// Runs a program of the PATH with these arguments (arguments[0] is its name), without a shell, in a small environment
// of its own (PATH, HOME, LC_ALL=C.UTF-8, SOURCE_DATE_EPOCH=0), with `input` as its standard input. A child that
// runs for longer than `seconds` is killed.
ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input, double seconds);

}  // namespace faithful
