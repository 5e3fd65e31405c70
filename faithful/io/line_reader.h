#pragma once

#include <cstddef>
#include <string>

#include "faithful/base/api.h"

namespace faithful {

// Lines of a stream, as they come. Unlike std::getline it says why it stops, and a line has a bound.
class FAITHFUL_API LineReader {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  // Reads from the descriptor, which stays open. `place` is the stream's name in messages.
  LineReader(int descriptor, std::string place, std::size_t most_bytes = kMostBytes);

  // The next line without its line end; false at the end of the stream. InputError as soon as the line is longer than
  // `most_bytes` (the next call goes on after it) and where the descriptor is a folder; Error where it cannot be read.
  bool next(std::string& line);
  std::size_t number() const { return number_; }  // from 1, of the last line

 private:
  bool fill();       // false at the end
  bool skip_rest();  // of a line that was too long; false at the end

  int descriptor_;
  std::string place_;
  std::size_t most_bytes_, number_ = 0;
  std::string buffer_;
  std::size_t used_ = 0;      // bytes of the buffer that were given out
  bool inside_line_ = false;  // of one that was too long
};

}  // namespace faithful
