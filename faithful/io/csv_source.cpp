#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/limits.h"
#include "faithful/base/utf8.h"
#include "faithful/io/csv_number_internal.h"
#include "faithful/io/csv_scan_internal.h"
#include "faithful/io/csv_source_internal.h"
#include "faithful/io/deflate_internal.h"

namespace faithful::csv {

namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// The last four bytes of a gzip file are the size of its last member; no file inflates more than kMostInflation times.
std::size_t guess_inflated(std::string_view gzip) {
  if (gzip.size() < 4) return 0;
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    size |= static_cast<std::uint32_t>(static_cast<unsigned char>(gzip[gzip.size() - 4 + i])) << (8 * i);
  }
  return gzip.size() > size / kMostInflation ? size : gzip.size() * kMostInflation;
}

// Fills `into` from the file. Copying it out of the cache of the system takes a tenth of the time of a table.
void read_in_pieces(const InputFile& file, std::size_t offset, std::span<char> into, ThreadPool* pool,
                    std::size_t piece) {
  if (pool == nullptr || piece == 0) return file.read_at(offset, into);
  run_in_order(*pool, (into.size() + piece - 1) / piece, [&](std::size_t i) {
    const std::size_t begin = i * piece;
    file.read_at(offset + begin, into.subspan(begin, std::min(piece, into.size() - begin)));
  });
}

}  // namespace

TextSource::TextSource(std::string_view bytes, const std::string& name, std::size_t most_inflated)
    : rest_(bytes), name_(name) {
  if (!is_gzip(bytes)) return;
  gzip_.emplace(bytes, name);
  inflated_left_ = most_inflated == 0 ? inflated_limit(bytes.size()) : most_inflated;
  inflated_hint_ = most_inflated == 0 ? limits_hint() : "gunzip it first, or cut it";
  guessed_size_ = std::min(guess_inflated(bytes), inflated_left_);
}

TextSource::TextSource(const InputFile& file) : name_(file.path()), guessed_size_(file.size()), file_(&file) {}

TextSource::Window TextSource::window(std::size_t size, ThreadPool* pool, std::size_t piece) {
  if (is_in_memory()) return {rest_.substr(0, size), size >= rest_.size()};
  fill_up_to(size, pool, piece);
  return {{buffer_.data() + begin_, std::min(size, end_ - begin_)}, ended_ && size >= end_ - begin_};
}

// As many bytes as there are, up to the size of `into`.
std::size_t TextSource::read_more(std::span<char> into, ThreadPool* pool, std::size_t piece) {
  if (file_ != nullptr) {
    into = into.first(std::min(into.size(), file_->size() - file_at_));
    read_in_pieces(*file_, file_at_, into, pool, piece);
    file_at_ += into.size();
    return into.size();
  }
  const std::size_t got = gzip_->read(into);
  if (got > inflated_left_) {
    reject({{name_}, "a smaller file", "more inflated text than may be read", inflated_hint_});
  }
  inflated_left_ -= got;
  return got;
}

void TextSource::fill_up_to(std::size_t size, ThreadPool* pool, std::size_t piece) {
  const std::size_t have = end_ - begin_;
  if (have >= size || ended_) return;
  std::move(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  begin_ = 0;
  end_ = have;
  // A small file takes little memory, not a whole block.
  const std::size_t more = file_ == nullptr ? size - have : std::min(size - have, file_->size() - file_at_);
  if (buffer_.size() < have + more) buffer_.resize(have + more);
  end_ += read_more(std::span(buffer_).subspan(have, more), pool, piece);
  ended_ = end_ < size || (file_ != nullptr && file_at_ == file_->size());
}

void TextSource::consume(std::size_t size) {
  if (is_in_memory()) {
    rest_.remove_prefix(size);
  } else {
    begin_ += size;
  }
}

namespace {

// Where `count` records (blank lines before them included) end in the text; nothing where they do not end in it.
std::optional<std::size_t> end_of_records(std::string_view text, int count, char separator) {
  const char* at = text.data();
  const char* end = at + text.size();
  while (count > 0 && at != end) {
    if (at_record_end(at, end)) {
      at = behind_line_end(at, end);
      continue;
    }
    const RecordEnd record = record_end(at, end, separator);
    if (!record.whole || record.at == end) return std::nullopt;
    at = record.at + 1;
    --count;
  }
  if (count > 0) return std::nullopt;
  return static_cast<std::size_t>(at - text.data());
}

// Whether the first record is a header, compared with the second: it has text above a number, or, where all columns of
// the second hold text, no cell of it is a number or missing.
bool looks_like_header(const std::vector<std::string>& first, const std::vector<std::string>& second, char decimal) {
  bool all_text = true;
  for (std::size_t i = 0; i < first.size(); ++i) {
    double value = 0;
    const Cell cell = parse_cell(first[i], decimal, value);
    if (cell != Cell::kText) all_text = false;
    if (cell == Cell::kText && i < second.size() && parse_cell(second[i], decimal, value) == Cell::kNumber) return true;
  }
  return all_text;
}

// First lines that are neither names nor numbers, or may be both.
void check_first_line(const std::vector<std::string>& first, const std::vector<std::string>& second,
                      const std::string& name, const CsvOptions& options) {
  if (first[0].starts_with("sep="))
    reject({{name, 1}, "names of columns, or numbers", quote(first[0]), "remove this line"});
  if (first[0].starts_with('#') && first.size() != second.size() && !second.empty())
    reject({{name, 1}, "names of columns, or numbers", quote(first[0]), "remove the lines that begin with #"});
  if (options.header == CsvHeader::kAuto && !options.header_hint.empty() && is_numbering(first))
    reject({{name, 1},
            "names of columns, or numbers",
            fmt::format("{}, which may be both", fmt::join(first, ",")),
            options.header_hint});
}

void check_encoding(std::string_view text, const std::string& name) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    reject({{name}, "UTF-8 text", "UTF-16", "iconv -f UTF-16 -t UTF-8 changes it"});
  }
}

}  // namespace

char find_separator(std::string_view text, char decimal) {
  bool tab = false, semicolon = false, in_quotes = false;
  const std::size_t begin = std::min(text.find_first_not_of("\r\n"), text.size());
  for (const char c : text.substr(begin)) {
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (c == '\n') break;
    tab = tab || c == '\t';
    semicolon = semicolon || c == ';';
  }
  if (tab) return '\t';
  return semicolon || decimal == ',' ? ';' : ',';
}

void check_separator(char separator, char decimal, const std::string& name) {
  if (separator == decimal)
    reject({{name}, "a separator that is not the decimal sign", quote(std::string(1, separator))});
}

bool is_numbering(const std::vector<std::string>& cells) {
  constexpr std::size_t kFewest = 3;
  const std::size_t first = cells[0].empty() ? 1 : 0;
  for (std::size_t i = first; i < cells.size(); ++i)
    if (cells[i] != std::to_string(i - first)) return false;
  return cells.size() >= kFewest;
}

Head read_head(TextSource source, const std::string& name, const CsvOptions& options) {
  Head head;
  std::size_t size = std::size_t{1} << 16;
  TextSource::Window window = source.window(size);
  check_encoding(window.text, name);
  const std::size_t mark = window.text.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0;
  head.separator = options.separator;
  // The window grows until it has two whole records.
  while (true) {
    window.text.remove_prefix(mark);
    if (options.separator == '\0') head.separator = find_separator(window.text, options.decimal);
    if (window.is_last || end_of_records(window.text, 2, head.separator)) break;
    if (size > options.longest_record) break;
    size *= 2;
    window = source.window(size);
  }
  if (!window.is_last && !end_of_records(window.text, 1, head.separator)) {
    reject({{name, 1}, fmt::format("a record of at most {} bytes", options.longest_record), "a longer one"});
  }
  check_separator(head.separator, options.decimal, name);

  CsvOptions scan = options;
  scan.separator = head.separator;
  CsvScanner scanner(window.text, name, scan);
  std::vector<std::string> first, second;
  if (!scanner.next(first)) reject({{name}, "a table", "an empty file"});
  if (options.header != CsvHeader::kNo) scanner.next(second);
  check_first_line(first, second, name, options);
  head.columns = first.size();
  head.has_header = options.header == CsvHeader::kYes ||
                    (options.header == CsvHeader::kAuto && looks_like_header(first, second, options.decimal));
  if (head.has_header && head.columns == 1 && options.separator == '\0' && options.decimal == ',' &&
      first[0].find(',') != std::string::npos && !window.text.starts_with('"'))
    reject({{name, 1}, "names with ; or a tab between them, beside a decimal comma", quote(first[0])});
  if (head.has_header) {
    for (const std::string& cell : first) head.names.push_back(as_utf8(cell));
    head.first_row = std::move(second);
    const std::size_t header_end = end_of_records(window.text, 1, head.separator).value_or(window.text.size());
    head.body_line = 1 + static_cast<std::size_t>(std::count(
                             window.text.begin(), window.text.begin() + static_cast<std::ptrdiff_t>(header_end), '\n'));
    head.body_offset = mark + header_end;
  } else {
    head.first_row = std::move(first);
    head.body_offset = mark;
  }
  return head;
}

}  // namespace faithful::csv
