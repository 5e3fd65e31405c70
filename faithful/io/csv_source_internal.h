#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/io/csv.h"
#include "faithful/io/gzip.h"

namespace faithful::csv {

// The text of a file from its first byte to its last, mapped or inflated on the way: a window that moves forward.
class TextSource {
 public:
  TextSource(std::string_view bytes, const std::string& name, std::size_t most_inflated);

  struct Window {
    std::string_view text;  // valid until the next call
    bool is_last;           // the text of the file ends with it
  };
  // What follows the consumed bytes: `size` bytes, less at the end of the text.
  Window window(std::size_t size);
  void consume(std::size_t size);
  // How long the text will probably be, by the size that the gzip file states; 0 for plain text. Only a guess.
  std::size_t guessed_size() const { return guessed_size_; }
  bool is_inflated() const { return gzip_.has_value(); }

 private:
  void inflate_up_to(std::size_t size);

  std::string_view rest_;  // plain text
  std::string name_;
  std::size_t inflated_left_;
  std::size_t guessed_size_ = 0;
  std::optional<GzipReader> gzip_;
  bool gzip_ended_ = false;
  std::vector<char> buffer_;  // inflated text; [begin_, end_) is not yet consumed
  std::size_t begin_ = 0, end_ = 0;
};

// What the beginning of a file shows.
struct Head {
  char separator = ',';
  bool has_header = false;
  std::vector<std::string> names;      // [columns], or none
  std::vector<std::string> first_row;  // [columns], or none
  std::size_t columns = 0;
  std::size_t body_offset = 0;  // of the first row, in the text
  std::size_t body_line = 1;    // of the first row
};
Head read_head(TextSource source, const std::string& name, const CsvOptions& options);

}  // namespace faithful::csv
