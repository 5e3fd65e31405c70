// The table reader against the naive one of naive_csv.h: same bits, same lines, same complaint, for any chunks, blocks
// and threads; from memory, from a file, from gzip; as a whole and in pieces.

#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/io/file.h"
#include "faithful/io/gzip.h"
#include "tests/io/naive_csv.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::naive_reading;
using testing::rejection;
using testing::table_reading;
using testing::TemporaryFolder;

template <std::size_t N>
std::string one_of(Random& random, const std::array<const char*, N>& all) {
  return all[random.below(N)];
}

std::string random_number(Random& random) {
  if (random.below(8) == 0) {
    return one_of(random, std::array{"-0", "+5", ".5", "5.", "-.25", "1e3", "-2.5E-7", "1e-40", "1e-400", "16777217",
                                     "9007199254740993", "0.30000001192092896", "00012.50", "12345678", "1234567",
                                     "123456.7", "-1234.5678", "340282350000000000000000000000000000000"});
  }
  std::string text = random.below(2) == 0 ? "-" : "";
  for (std::uint64_t i = 0, n = 1 + random.below(random.below(4) == 0 ? 18 : 5); i < n; ++i)
    text += static_cast<char>('0' + random.below(10));
  if (random.below(4) != 0) text.insert(text.size() - random.below(text.size() - (text[0] == '-' ? 1 : 0)), ".");
  return text;
}

// A cell; `fault` is how rare a wrong one is.
std::string random_cell(Random& random, bool number, std::uint64_t fault) {
  if (random.below(fault) == 0)
    return one_of(random, std::array{"x", "1 2", "\"1\"x", "1e999", "1e39", "0x1", "+-1", "\"", "", "1,2", "--1",
                                     "1.2.3", "-", "nan", "inf", "1e", "\r", "1\r"});
  if (!number)
    return one_of(random, std::array{"", "a", "\"a\"", "\"x,y\"", "\"one\ntwo\"", "\"say \"\"hi\"\"\"", "b\"c"});
  const std::string text = random_number(random);
  if (random.below(30) == 0) return fmt::format("\"{}\"", text);
  return random.below(30) == 0 ? fmt::format(" {} ", text) : text;
}

struct Case {
  std::string text;
  std::vector<CsvColumn> wanted;
  CsvOptions options;
};

Case random_case(Random& random) {
  Case made;
  const std::size_t columns = 1 + random.below(6), rows = random.below(40);
  const std::uint64_t fault = random.below(2) == 0 ? std::numeric_limits<std::uint64_t>::max() : 1 + columns * rows;
  for (std::size_t c = 0; c < columns; ++c)
    made.wanted.push_back(random.below(4) != 0   ? CsvColumn::kNumber
                          : random.below(2) == 0 ? CsvColumn::kText
                                                 : CsvColumn::kIgnore);
  made.options.separator = random.below(3) == 0 ? ';' : ',';
  made.options.header = random.below(2) == 0 ? CsvHeader::kYes : CsvHeader::kNo;
  made.options.missing = random.below(2) == 0 ? CsvMissing::kNan : CsvMissing::kError;
  made.options.missing_hint = "a hint";
  const std::string line_end = random.below(2) == 0 ? "\n" : "\r\n";
  if (random.below(4) == 0) made.text = "\xEF\xBB\xBF";
  for (std::size_t r = 0; r < rows; ++r) {
    if (r > 0) made.text += line_end;
    while (random.below(10) == 0) made.text += random.below(2) == 0 ? "\n" : "\r\n";
    const std::size_t width = random.below(fault) == 0 ? 1 + random.below(columns + 2) : columns;
    for (std::size_t c = 0; c < width; ++c) {
      if (c > 0) made.text += made.options.separator;
      made.text += random_cell(random, c >= columns || made.wanted[c] == CsvColumn::kNumber, fault);
    }
  }
  if (random.below(2) == 0) made.text += line_end;
  return made;
}

template <class T>
void compare_readings(const Case& given, const std::string& path, Random& random, ThreadPool& pool) {
  const std::string wanted = naive_reading<T>(given.text, path, given.wanted, given.options);
  CsvOptions options = given.options;
  options.pool = &pool;
  options.chunk_bytes = 1 + random.below(random.below(2) == 0 ? 40 : 400);
  options.block_bytes = 1 + random.below(random.below(2) == 0 ? 60 : 2000);
  const std::string zipped = deflate_gzip(given.text, 1);
  for (const bool in_pieces : {false, true}) {
    const auto found = [&](const auto& open) { return table_reading<T>(open, given.wanted, in_pieces); };
    ASSERT_EQ(found([&] { return CsvFile(given.text, path, options); }), wanted) << given.text;
    ASSERT_EQ(found([&] { return CsvFile(zipped, path, options); }), wanted) << given.text;
    ASSERT_EQ(found([&] { return CsvFile(path, options); }), wanted) << given.text;
  }
}

TEST(CsvOracle, AnyChunksBlocksAndThreadsReadTheSame) {
  const TemporaryFolder folder;
  const std::string path = folder / "f.csv";
  ThreadPool one(1), two(2), three(3);
  const std::array<ThreadPool*, 3> pools = {&one, &two, &three};
  Random random(11);
  std::size_t tables = 0, complaints = 0;
  for (int i = 0; i < 1000; ++i) {
    const Case made = random_case(random);
    std::ofstream(path, std::ios::binary) << made.text;  // write_file syncs each
    ThreadPool& pool = *pools[random.below(pools.size())];
    compare_readings<float>(made, path, random, pool);
    compare_readings<double>(made, path, random, pool);
    if (HasFatalFailure()) return;
    const bool rejected = naive_reading<float>(made.text, path, made.wanted, made.options).starts_with(path);
    ++(rejected ? complaints : tables);
  }
  EXPECT_GT(tables, 250U) << "the cases must have both";
  EXPECT_GT(complaints, 250U);
}

TEST(CsvOracle, AFileThatShrinksHasOneMessageForAnyThreads) {
  const TemporaryFolder folder;
  const std::string path = folder / "f.csv";
  for (const std::size_t threads : {1, 2, 3}) {
    std::string text = "a,b\n";
    while (text.size() < 100'000) text += "1.5,-2.25\n";
    write_file(path, text);
    ThreadPool pool(threads);
    const CsvFile file(path, {.chunk_bytes = 100, .block_bytes = 5000, .pool = &pool});
    std::filesystem::resize_file(path, 71'234);
    EXPECT_EQ(rejection([&] { file.load<float>(std::vector(2, CsvColumn::kNumber)); }),
              fmt::format("{}: expected {} bytes, as when it was opened, found 71234 (another program has changed the "
                          "file: read it again, or a copy of it)",
                          path, text.size()));
  }
}

}  // namespace
}  // namespace faithful
