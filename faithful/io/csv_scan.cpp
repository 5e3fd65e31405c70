#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "faithful/io/csv_scan_internal.h"

namespace faithful {

namespace csv {

std::string unescaped(const Field& field) {
  if (!field.doubled) return std::string(field.raw);
  std::string text;
  text.reserve(field.raw.size());
  for (std::size_t i = 0; i < field.raw.size(); ++i) {
    text += field.raw[i];
    if (field.raw[i] == '"') ++i;  // the second of two
  }
  return text;
}

RecordEnd record_end(const char* at, const char* end, char separator) {
  const char* line_end = find(at, end, '\n');
  if (find(at, line_end, '"') == line_end) return {line_end, true};
  while (true) {
    const Field field = take_field(at, end, separator);
    if (field.error == FieldError::kNoClosingQuote) return {end, false};
    if (at_record_end(field.end, end)) return {find(field.end, end, '\n'), true};
    at = field.end + 1;
  }
}

void check_field(const Field& field, std::size_t longest, const Place& place) {
  if (field.error == FieldError::kNoClosingQuote) reject({place, "a closing quote", "the end of the file"});
  if (field.error == FieldError::kTextBehindQuote) {
    const char* behind = field.raw.data() + field.raw.size() + 1;
    const std::string_view text(behind, static_cast<std::size_t>(field.end - behind));
    reject({place, "a separator after the closing quote", quote(text)});
  }
  if (field.raw.size() > longest) {
    reject({place, fmt::format("a field of at most {} bytes", longest), fmt::format("{}", field.raw.size())});
  }
}

namespace {

bool is_blank(const char* begin, const char* line_end) {
  return begin == line_end || (*begin == '\r' && begin + 1 == line_end);
}

// Counts the chunk's records and lines. Where a record goes on after a line end: `across` decides whether that is
// followed (a chunk that is a whole block) or reported as false (the chunks' borders may lie inside quotes).
// A record that has no end is left out: the chunk ends before it, unless it is the last of the file.
bool count_records(Chunk& chunk, char separator, bool across, bool is_last) {
  const bool has_quotes = find(chunk.begin, chunk.end, '"') != chunk.end;
  const char* at = chunk.begin;
  while (at != chunk.end) {
    const char* line_end = find(at, chunk.end, '\n');
    if (is_blank(at, line_end)) {
      ++chunk.lines;
    } else if (!has_quotes) {
      ++chunk.lines;
      ++chunk.records;
    } else {
      const RecordEnd record = record_end(at, chunk.end, separator);
      if (record.at != line_end || !record.whole) {
        if (!across) return false;
        if (!is_last && (!record.whole || record.at == chunk.end)) {
          chunk.end = at;
          return true;
        }
      }
      chunk.lines += 1 + static_cast<std::size_t>(std::count(at, record.at, '\n'));
      ++chunk.records;
      line_end = record.at;
    }
    at = line_end == chunk.end ? line_end : line_end + 1;
  }
  return true;
}

std::vector<Chunk> cut_at_lines(const char* begin, const char* end, std::size_t chunk_bytes) {
  std::vector<Chunk> chunks;
  while (begin != end) {
    const char* near = static_cast<std::size_t>(end - begin) <= chunk_bytes ? end : begin + chunk_bytes;
    const char* line_end = near == end ? end : find(near - 1, end, '\n');
    const char* next = line_end == end ? end : line_end + 1;
    chunks.push_back({begin, next});
    begin = next;
  }
  return chunks;
}

}  // namespace

Plan plan_block(std::string_view block, bool is_last, char separator, std::size_t chunk_bytes, ThreadPool& pool) {
  const char* begin = block.data();
  const char* end = begin + block.size();
  if (!is_last) {
    const std::size_t last_line_end = block.rfind('\n');
    end = last_line_end == std::string_view::npos ? begin : begin + last_line_end + 1;
  }
  Plan plan;
  plan.chunks = cut_at_lines(begin, end, std::max<std::size_t>(chunk_bytes, 1));
  std::atomic<bool> lines_are_records = true;
  pool.run(plan.chunks.size(), [&](std::size_t i) {
    if (lines_are_records && !count_records(plan.chunks[i], separator, false, is_last)) lines_are_records = false;
  });
  if (!lines_are_records) {
    plan.chunks = {{begin, end}};
    count_records(plan.chunks[0], separator, true, is_last);
  }
  for (const Chunk& chunk : plan.chunks) plan.records += chunk.records;
  return plan;
}

}  // namespace csv

CsvScanner::CsvScanner(std::string_view text, std::string name, const CsvOptions& options, std::size_t first_line)
    : rest_(text), name_(std::move(name)), options_(options), next_line_(first_line) {}

bool CsvScanner::next(std::vector<std::string>& fields) {
  fields.clear();
  const char* at = rest_.data();
  const char* end = at + rest_.size();
  while (at != end && csv::at_record_end(at, end)) {
    at = csv::behind_line_end(at, end);
    ++next_line_;
  }
  line_ = next_line_;
  if (at == end) {
    rest_ = {};
    return false;
  }
  const char* begin = at;
  while (true) {
    const Place place{name_, line_, fields.size() + 1};
    if (fields.size() == options_.most_columns) {
      reject({place, fmt::format("at most {} columns", options_.most_columns), "more"});
    }
    const csv::Field field = csv::take_field(at, end, options_.separator);
    csv::check_field(field, options_.longest_field, place);
    fields.push_back(csv::unescaped(field));
    at = field.end;
    if (static_cast<std::size_t>(at - begin) > options_.longest_record) {
      reject({{name_, line_}, fmt::format("a record of at most {} bytes", options_.longest_record), "a longer one"});
    }
    if (csv::at_record_end(at, end)) break;
    ++at;
  }
  next_line_ += 1 + static_cast<std::size_t>(std::count(begin, at, '\n'));
  at = csv::behind_line_end(at, end);
  rest_ = {at, static_cast<std::size_t>(end - at)};
  return true;
}

}  // namespace faithful
