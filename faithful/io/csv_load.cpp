#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "faithful/io/csv_load_internal.h"
#include "faithful/io/csv_number_internal.h"

namespace faithful::csv {

template <class T>
struct TableReader<T>::Part {
  std::size_t line = 0;  // of the record that is being read
  std::vector<CsvText> texts;
  CsvLines lines;
};

template <class T>
TableReader<T>::TableReader(TextSource source, const Head& head, std::span<const CsvColumn> wanted,
                            const std::string& name, const CsvOptions& options)
    : source_(std::move(source)),
      name_(name),
      options_(options),
      wanted_(wanted.begin(), wanted.end()),
      separator_(head.separator),
      line_(head.body_line),
      pool_(options.pool) {
  assert(wanted.size() == head.columns);
  numbers_ = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), CsvColumn::kNumber));
  texts_ = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), CsvColumn::kText));
  source_.window(head.body_offset);
  source_.consume(head.body_offset);
}

template <class T>
CsvTable<T> TableReader<T>::empty_table() const {
  CsvTable<T> table;
  table.numbers.columns = numbers_;
  table.texts.resize(texts_);
  for (std::size_t c = 0; c < wanted_.size(); ++c) {
    if (wanted_[c] == CsvColumn::kNumber) table.columns.push_back(c);
  }
  return table;
}

template <class T>
bool TableReader<T>::read_block_into(CsvTable<T>& table, std::size_t bytes) {
  while (true) {
    const TextSource::Window window = source_.window(bytes, &*pool_, options_.chunk_bytes);
    const Plan plan = plan_block(window.text, window.is_last, separator_, options_.chunk_bytes, *pool_);
    const auto size = plan.chunks.empty() ? 0 : static_cast<std::size_t>(plan.chunks.back().end - window.text.data());
    if (size == 0 && !window.is_last) {  // not one whole record
      if (bytes > options_.longest_record) {
        reject({{name_, line_}, fmt::format("a record of at most {} bytes", options_.longest_record), "a longer one"});
      }
      bytes = std::max<std::size_t>(2 * bytes, 1);
      continue;
    }
    parse_block(plan, table);
    source_.consume(size);
    return !window.is_last;
  }
}

template <class T>
void TableReader<T>::read_all_into(CsvTable<T>& table) {
  if (source_.is_in_memory()) {
    read_block_into(table, std::numeric_limits<std::size_t>::max());
    return;
  }
  bool more = read_block_into(table, options_.block_bytes);
  // Reserved memory costs nothing until it is written, and a vector that never moves is never there twice.
  const double share = static_cast<double>(source_.guessed_size()) / static_cast<double>(options_.block_bytes);
  const double room = 1.05 * share * static_cast<double>(table.rows() + 1);
  if (more && room < 1e15) table.numbers.values.reserve(static_cast<std::size_t>(room) * numbers_);
  while (more) more = read_block_into(table, options_.block_bytes);
}

// Takes from the system, by all threads, the memory that values.resize(size) will write: resize takes it page by page on
// one thread, a tenth of the time of a table. Only a hint: where the system has no such call, resize does it.
template <class T>
void touch_reserved(std::vector<T>& values, std::size_t size, ThreadPool& pool) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::uintptr_t kPage = 4096, kPiece = std::uintptr_t{1} << 19;
  if (size > values.capacity()) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(values.data() + values.size()) / kPage * kPage + kPage;
  const auto end = reinterpret_cast<std::uintptr_t>(values.data() + size) / kPage * kPage;
  if (begin >= end) return;
  pool.run((end - begin + kPiece - 1) / kPiece, [&](std::size_t i) {
    const std::uintptr_t piece = begin + i * kPiece;
    ::madvise(reinterpret_cast<void*>(piece), std::min(kPiece, end - piece), MADV_POPULATE_WRITE);
  });
#endif
}

template <class T>
void TableReader<T>::parse_block(const Plan& plan, CsvTable<T>& table) {
  std::vector<Part> parts(plan.chunks.size());
  std::vector<std::size_t> first_rows;
  std::size_t row = table.rows();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].line = line_;
    first_rows.push_back(row);
    line_ += plan.chunks[i].lines;
    row += plan.chunks[i].records;
  }
  table.numbers.rows = row;
  touch_reserved(table.numbers.values, row * numbers_, *pool_);
  table.numbers.values.resize(row * numbers_);
  run_in_order(*pool_, parts.size(), [&](std::size_t i) {
    parse_chunk(plan.chunks[i], parts[i], table.numbers.values.data() + first_rows[i] * numbers_);
  });
  for (Part& part : parts) {
    table.lines.append(part.lines);
    for (std::size_t t = 0; t < texts_; ++t) table.texts[t].append(std::exchange(part.texts[t], {}));
  }
}

template <class T>
void TableReader<T>::parse_chunk(const Chunk& chunk, Part& part, T* out) const {
  part.texts.resize(texts_);
  const char* at = chunk.begin;
  while (at != chunk.end) {
    if (at_record_end(at, chunk.end)) {
      ++part.line;
    } else {
      at = parse_record(at, chunk.end, part, out);
      out += numbers_;
    }
    at = behind_line_end(at, chunk.end);
  }
  assert(part.lines.size() == chunk.records);
}

// The number at the start of the text, and where it ends; nullptr where there is none, or it needs a closer look.
template <class T>
const char* take_number(const char* at, const char* end, T& value) {
  const char* stop = parse_short(at, end, value);
  if (stop == nullptr) stop = parse_plain(at, end, value);
  if (stop != nullptr) return stop;
  const auto [exact_stop, error] = std::from_chars(at, end, value);
  return error == std::errc{} && !std::isnan(value) ? exact_stop : nullptr;
}

// Reads the record at `at` into out[numbers_] and the part's texts, and returns where it ends.
template <class T>
const char* TableReader<T>::parse_record(const char* at, const char* end, Part& part, T* out) const {
  const char* begin = at;
  const std::size_t line = part.line;
  std::size_t text = 0;
  bool has_quotes = false;
  for (std::size_t c = 0; c < wanted_.size(); ++c) {
    if (wanted_[c] == CsvColumn::kNumber) {
      T value{};
      const char* stop = take_number(at, end, value);
      const bool plain = stop != nullptr && ((stop != end && *stop == separator_) || at_record_end(stop, end)) &&
                         options_.decimal == '.';
      if (plain) {
        at = stop;
      } else {
        has_quotes = has_quotes || (at != end && *at == '"');
        at = parse_number_slowly(begin, at, end, {name_, line, c + 1}, value);
      }
      *out++ = value;
    } else {
      const Field field = take_field(at, end, separator_);
      check_field(field, options_.longest_field, {name_, line, c + 1});
      has_quotes = has_quotes || field.quoted;
      if (wanted_[c] == CsvColumn::kText) part.texts[text++].push_back(field.doubled ? unescaped(field) : field.raw);
      at = field.end;
    }
    const bool at_end = at_record_end(at, end);
    if (at_end != (c + 1 == wanted_.size())) reject_width(line, begin, end);
    if (!at_end) ++at;
  }
  if (static_cast<std::size_t>(at - begin) > options_.longest_record) {
    reject({{name_, line}, fmt::format("a record of at most {} bytes", options_.longest_record), "a longer one"});
  }
  part.lines.push_back(line);
  part.line += 1 + (has_quotes ? static_cast<std::size_t>(std::count(begin, at, '\n')) : 0);
  return at;
}

template <class T>
const char* TableReader<T>::parse_number_slowly(const char* begin, const char* at, const char* end, const Place& place,
                                                T& value) const {
  const Field field = take_field(at, end, separator_);
  check_field(field, options_.longest_field, place);
  const std::string text = unescaped(field);
  const Cell cell = parse_cell(text, options_.decimal, value);
  if (cell == Cell::kNumber) return field.end;
  if (cell == Cell::kMissing && options_.missing == CsvMissing::kNan) {
    value = std::numeric_limits<T>::quiet_NaN();
    return field.end;
  }
  if (cell == Cell::kTooLarge)
    reject({place, sizeof(T) == 4 ? "a number of at most 3.4e38" : "a number of at most 1.8e308", quote(text)});
  T other{};
  const bool comma = options_.decimal == '.' && parse_cell(text, ',', other) == Cell::kNumber;
  reject({place, "a number", text.empty() ? "an empty cell" : quote(text),
          cell == Cell::kMissing       ? options_.missing_hint
          : comma                      ? options_.comma_hint
          : has_only_words(begin, end) ? options_.words_hint
                                       : options_.text_hint});
}

// Whether a record has words in several columns of numbers, and a number in none.
template <class T>
bool TableReader<T>::has_only_words(const char* begin, const char* end) const {
  std::size_t words = 0;
  const char* at = begin;
  for (std::size_t c = 0; c < wanted_.size(); ++c) {
    const Field field = take_field(at, end, separator_);
    T value{};
    if (wanted_[c] == CsvColumn::kNumber) {
      const Cell cell = parse_cell(unescaped(field), options_.decimal, value);
      if (cell == Cell::kNumber) return false;
      words += cell == Cell::kText ? 1 : 0;
    }
    if (at_record_end(field.end, end)) break;
    at = field.end + 1;
  }
  return words > 1;
}

template <class T>
void TableReader<T>::reject_width(std::size_t line, const char* begin, const char* end) const {
  std::size_t found = 1;
  Field field = take_field(begin, end, separator_);
  for (; !at_record_end(field.end, end); ++found) field = take_field(field.end + 1, end, separator_);
  const std::size_t wanted = wanted_.size();
  const auto count = [](std::size_t n) { return fmt::format("{} column{}", n, n == 1 ? "" : "s"); };
  reject({{name_, line, std::min(found, wanted) + 1}, count(wanted), fmt::format("{}", found)});
}

template class TableReader<float>;
template class TableReader<double>;

}  // namespace faithful::csv
