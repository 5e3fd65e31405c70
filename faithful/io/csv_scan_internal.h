#pragma once

// How bytes fall into records and fields. One rule for all readers: take_field() and record_end() agree.

#include <cstddef>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/io/csv.h"

namespace faithful::csv {

inline const char* find(const char* begin, const char* end, char c) {
  if (begin == end) return end;
  const void* at = std::memchr(begin, c, static_cast<std::size_t>(end - begin));
  return at == nullptr ? end : static_cast<const char*>(at);
}

// Whether a record ends here: at the end of the text, LF, or CR LF.
inline bool at_record_end(const char* at, const char* end) {
  return at == end || *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] == '\n'));
}

// Behind the line end at `at` (or the end of the text).
inline const char* behind_line_end(const char* at, const char* end) {
  if (at != end && *at == '\r') ++at;
  if (at != end && *at == '\n') ++at;
  return at;
}

enum class FieldError { kNone, kNoClosingQuote, kTextBehindQuote };

struct Field {
  std::string_view raw;  // between the quotes where there are any, else the whole field
  const char* end;       // at the separator or the record's end
  bool quoted = false;   // it stood in quotes
  bool doubled = false;  // it has "" in it
  FieldError error = FieldError::kNone;
};

inline Field take_quoted_field(const char* at, const char* end, char separator) {
  Field field{};
  field.quoted = true;
  const char* begin = at + 1;
  const char* close = find(begin, end, '"');
  while (close != end && close + 1 != end && close[1] == '"') {
    field.doubled = true;
    close = find(close + 2, end, '"');
  }
  field.raw = {begin, static_cast<std::size_t>(close - begin)};
  if (close == end) {
    field.error = FieldError::kNoClosingQuote;
    field.end = end;
    return field;
  }
  field.end = close + 1;
  while (!at_record_end(field.end, end) && *field.end != separator) {
    field.error = FieldError::kTextBehindQuote;
    ++field.end;
  }
  return field;
}

// The field that begins at `at`.
inline Field take_field(const char* at, const char* end, char separator) {
  if (at != end && *at == '"') return take_quoted_field(at, end, separator);
  Field field{};
  field.end = at;
  while (!at_record_end(field.end, end) && *field.end != separator) ++field.end;
  field.raw = {at, static_cast<std::size_t>(field.end - at)};
  return field;
}

// The field's text with each "" as one quote.
std::string unescaped(const Field& field);

// Where the record that begins at `at` ends: at its line end, or at `end`; `whole` is false where a quote is open
// there.
struct RecordEnd {
  const char* at;
  bool whole;
};
RecordEnd record_end(const char* at, const char* end, char separator);

// A piece of text that begins and ends at the border of a record.
struct Chunk {
  const char* begin;
  const char* end;
  std::size_t records = 0;
  std::size_t lines = 0;
};

// How a block is cut into chunks. The last chunk ends after the last whole record: in a block that is not
// the last one, what follows belongs to the next block.
struct Plan {
  std::vector<Chunk> chunks;
  std::size_t records = 0;
};
Plan plan_block(std::string_view block, bool is_last, char separator, std::size_t chunk_bytes, ThreadPool& pool);

// Runs all tasks, and throws the exception of the first one by number: that of a loop, whichever thread was first.
template <class Task>
void run_in_order(ThreadPool& pool, std::size_t count, const Task& task) {
  std::vector<std::exception_ptr> failures(count);
  pool.run(count, [&](std::size_t i) {
    try {
      task(i);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

// Rejects a field that take_field() found faulty or that is longer than `longest`.
void check_field(const Field& field, std::size_t longest, const Place& place);

}  // namespace faithful::csv
