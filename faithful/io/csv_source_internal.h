#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/io/csv.h"
#include "faithful/io/file.h"
#include "faithful/io/gzip.h"

namespace faithful::csv {

// The text of a file from its first byte to its last, read or inflated on the way: a window that moves forward.
class TextSource {
 public:
  TextSource(std::string_view bytes, const std::string& name, std::size_t most_inflated);  // text or gzip
  explicit TextSource(const InputFile& file);                                              // text; it must outlive this

  struct Window {
    std::string_view text;  // valid until the next call
    bool is_last;           // the text of the file ends with it
  };
  // What follows the consumed bytes: `size` bytes, less at the end of the text. The threads of the pool read a file side
  // by side, `piece` bytes at a time.
  Window window(std::size_t size, ThreadPool* pool = nullptr, std::size_t piece = 0);
  void consume(std::size_t size);
  // How long the text will probably be, by the size of the file, or the one that the gzip file states; 0 for text in
  // memory. Only a guess.
  std::size_t guessed_size() const { return guessed_size_; }
  bool is_in_memory() const { return file_ == nullptr && !gzip_; }

 private:
  void fill_up_to(std::size_t size, ThreadPool* pool, std::size_t piece);
  std::size_t read_more(std::span<char> into, ThreadPool* pool, std::size_t piece);

  std::string_view rest_;  // text in memory
  std::string name_;
  std::size_t inflated_left_ = 0;
  std::string inflated_hint_;
  std::size_t guessed_size_ = 0;
  std::optional<GzipReader> gzip_;
  const InputFile* file_ = nullptr;
  std::size_t file_at_ = 0;   // the next byte of the file
  bool ended_ = false;        // the buffer holds the last of the text
  std::vector<char> buffer_;  // text from the file; [begin_, end_) is not yet consumed
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

// The first of tab, semicolon and comma that the first record has outside of quotes; no comma beside a decimal one.
char find_separator(std::string_view text, char decimal);
// InputError where a separator is the decimal sign.
void check_separator(char separator, char decimal, const std::string& name);

// Whether a record is 0,1,2, ..: the names that pandas gives columns without names, after an empty cell for those of the
// rows. cells: at least one.
bool is_numbering(const std::vector<std::string>& cells);

}  // namespace faithful::csv
