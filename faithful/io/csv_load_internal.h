#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "faithful/io/csv_scan_internal.h"
#include "faithful/io/csv_source_internal.h"

namespace faithful::csv {

// Reads the rows of a file into a table, block by block, each block in parallel chunks.
template <class T>
class TableReader {
 public:
  TableReader(TextSource source, const Head& head, std::span<const CsvColumn> wanted, const std::string& name,
              const CsvOptions& options);

  CsvTable<T> empty_table() const;
  // Appends the next rows, of about `bytes` of text; whether there may be more.
  bool read_block_into(CsvTable<T>& table, std::size_t bytes);
  // Appends all rows. Text in memory is one block, so that its number of rows is known before memory is taken.
  void read_all_into(CsvTable<T>& table);

 private:
  struct Part;  // what a chunk gives besides numbers

  void parse_block(const Plan& plan, CsvTable<T>& table);
  void parse_chunk(const Chunk& chunk, Part& part, T* out) const;
  const char* parse_record(const char* at, const char* end, Part& part, T* out) const;
  const char* parse_number_slowly(const char* begin, const char* at, const char* end, const Place& place,
                                  T& value) const;
  bool has_only_words(const char* begin, const char* end) const;
  [[noreturn]] void reject_width(std::size_t line, const char* begin, const char* end) const;

  TextSource source_;
  std::string name_;
  const CsvOptions& options_;
  std::vector<CsvColumn> wanted_;  // [columns]
  std::size_t numbers_ = 0, texts_ = 0;
  char separator_;
  std::size_t line_;  // where the next block begins
  PoolOrOwn pool_;
};

}  // namespace faithful::csv
