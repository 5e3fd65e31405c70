// The table, or the complaint, does not depend on chunks, blocks, threads, compression or pieces. The scanner, which
// shares no loop with the table reader, finds the same cells; and the naive reader of tests/io/naive_csv.h, which shares
// none with either, has the same table or complaint. The first byte chooses options.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/threads.h"
#include "faithful/io/csv.h"
#include "faithful/io/gzip.h"
#include "tests/io/naive_csv.h"

namespace {

using namespace faithful;

std::string rows_of(const CsvTable<float>& table) {
  std::string all;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    all += fmt::format("{} {}", table.lines[r], fmt::join(table.numbers.row(r), " "));
    for (const CsvText& text : table.texts) all += fmt::format(" {}", text[r]);
    all += '\n';
  }
  return all;
}

// Everything that was read, or the complaint, as one text.
std::string reading(std::string_view bytes, const CsvOptions& options, CsvColumn second, bool in_pieces = false) {
  try {
    const CsvFile file(bytes, "fuzz.csv", options);
    std::vector<CsvColumn> wanted(file.columns(), CsvColumn::kNumber);
    if (wanted.size() > 1) wanted[1] = second;
    std::string all = fmt::format("{} {}\n", file.columns(), fmt::join(file.names(), "|"));
    if (!in_pieces) return all + rows_of(file.load<float>(wanted));
    file.stream<float>(wanted, [&](const CsvTable<float>& piece) { all += rows_of(piece); });
    return all;
  } catch (const InputError& error) {
    return error.what();
  }
}

// All cells as text, by the table reader and by the scanner.
void compare_with_scanner(std::string_view bytes, const CsvOptions& options) {
  if (is_gzip(bytes)) return;
  try {
    const CsvFile file(bytes, "fuzz.csv", options);
    const CsvTable<double> table = file.load<double>(std::vector<CsvColumn>(file.columns(), CsvColumn::kText));
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    CsvOptions scan = options;
    scan.separator = file.separator();
    CsvScanner scanner(bytes, "fuzz.csv", scan);
    std::vector<std::string> fields;
    if (file.has_header() && !scanner.next(fields)) std::abort();
    for (std::size_t r = 0; r < table.rows(); ++r) {
      if (!scanner.next(fields) || scanner.line() != table.lines[r] || fields.size() != table.texts.size())
        std::abort();
      for (std::size_t c = 0; c < fields.size(); ++c) {
        if (table.texts[c][r] != fields[c]) std::abort();
      }
    }
    if (scanner.next(fields)) std::abort();
  } catch (const InputError&) {
  }
}

// Two threads in small chunks against character by character. The second column as in reading(), separator and header
// by the options.
void compare_with_naive(std::string_view bytes, CsvOptions options, CsvColumn second) {
  if (is_gzip(bytes) || bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return;
  options.separator = ';';
  options.longest_record = 1 << 16;  // the naive reader has no limits; an input is shorter
  for (const CsvHeader header : {CsvHeader::kYes, CsvHeader::kNo}) {
    options.header = header;
    const std::vector<CsvColumn> wanted = {CsvColumn::kNumber, second};
    const std::string naive = testing::naive_reading<float>(bytes, "fuzz.csv", wanted, options);
    const auto open = [&] { return CsvFile(bytes, "fuzz.csv", options); };
    if (testing::table_reading<float>(open, wanted, false) != naive) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static ThreadPool one(1), two(2);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  CsvOptions options;
  options.missing = (data[0] & 1) != 0 ? CsvMissing::kNan : CsvMissing::kError;
  options.decimal = (data[0] & 2) != 0 ? ',' : '.';
  const CsvColumn second = (data[0] & 4) != 0 ? CsvColumn::kText : CsvColumn::kIgnore;
  options.longest_record = 1 << 13;
  options.most_inflated = 1 << 16;
  options.block_bytes = 1 << 12;
  CsvOptions parallel = options;
  options.pool = &one;
  parallel.pool = &two;
  parallel.chunk_bytes = 1 + (data[0] >> 3);
  parallel.block_bytes = 1 + (data[0] >> 3) * 2;

  const std::string wanted = reading(bytes, options, second);
  if (reading(bytes, parallel, second) != wanted) std::abort();
  if (reading(bytes, parallel, second, true) != wanted) std::abort();
  if (!is_gzip(bytes) && reading(deflate_gzip(bytes, 1), parallel, second) != wanted) std::abort();
  compare_with_scanner(bytes, options);
  compare_with_naive(bytes, parallel, second);
  return 0;
}
