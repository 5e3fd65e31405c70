#include "faithful/io/csv.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/io/csv_number_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/gzip.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;
using Strings = std::vector<std::string>;

Matrix<double> numbers(const std::string& text, const CsvOptions& options = {}) {
  const CsvFile file(text, "f.csv", options);
  return file.load<double>(std::vector<CsvColumn>(file.columns(), CsvColumn::kNumber)).numbers;
}

std::string complaint(const std::string& text, const CsvOptions& options = {}) {
  return rejection([&] { numbers(text, options); });
}

const Matrix<double> kGrid(2, 3, std::vector<double>{1, 2.5, -3, 4, 5e3, 0.125});

TEST(Csv, PlainTables) {
  EXPECT_EQ(numbers("1,2.5,-3\n4,5e3,.125\n"), kGrid);
  EXPECT_EQ(numbers("1,2.5,-3\n4,5e3,.125"), kGrid) << "no line end at the end";
  EXPECT_EQ(numbers("1,2.5,-3\r\n4,5e3,.125\r\n"), kGrid);
  EXPECT_EQ(numbers("1,2.5,-3\r\n4,5e3,.125\r"), kGrid);
  EXPECT_EQ(numbers("\xEF\xBB\xBF"
                    "1,2.5,-3\n4,5e3,.125\n"),
            kGrid)
      << "a mark of UTF-8";
  EXPECT_EQ(numbers("1;2.5;-3\n4;5e3;.125\n"), kGrid);
  EXPECT_EQ(numbers("1\t2.5\t-3\n4\t5e3\t.125\n"), kGrid);
  EXPECT_EQ(numbers("1|2.5|-3\n4|5e3|.125\n", {.separator = '|'}), kGrid);
  EXPECT_EQ(numbers("1;2,5;-3\n4;5e3;,125\n", {.decimal = ','}), kGrid);
  EXPECT_EQ(numbers("\n\n1,2.5,-3\n\r\n\n4,5e3,.125\n\n"), kGrid) << "blank lines";
  EXPECT_EQ(numbers(" 1 , +2.5,-3\n\"4\",\"5e3\",\".125\"\n"), kGrid) << "spaces, plus, quotes";
  EXPECT_EQ(numbers("7"), Matrix<double>(1, 1, 7.0));
  EXPECT_EQ(numbers(deflate_gzip("1,2.5,-3\n4,5e3,.125\n")), kGrid);
}

TEST(Csv, HeaderIsFound) {
  const auto has_header = [](const std::string& text) { return CsvFile(text, "f").has_header(); };
  EXPECT_TRUE(has_header("a,b\n1,2\n"));
  EXPECT_TRUE(has_header("time,1\n2020-01-01,0.5\n") == false) << "a number over a number, text over text";
  EXPECT_TRUE(has_header("time,a\n2020-01-01,0.5\n"));
  EXPECT_TRUE(has_header("name,city\nx,y\n")) << "only text: the first record is the header";
  EXPECT_TRUE(has_header("a,b"));
  EXPECT_FALSE(has_header("1,2\n3,4\n"));
  EXPECT_FALSE(has_header("2020-01-01,0.5\n2020-01-02,0.25\n"));
  EXPECT_FALSE(has_header("NA,NA\n1,2\n")) << "missing values are no names";
  EXPECT_TRUE(CsvFile("1,2\n3,4\n", "f", {.header = CsvHeader::kYes}).has_header());
  EXPECT_FALSE(CsvFile("a,b\n3,4\n", "f", {.header = CsvHeader::kNo}).has_header());
}

TEST(Csv, NamesAndColumns) {
  const CsvFile file("time,\"flow, in\",rate\n1,2,3\n", "f.csv");
  EXPECT_EQ(file.names(), (Strings{"time", "flow, in", "rate"}));
  EXPECT_EQ(file.first_row(), (Strings{"1", "2", "3"}));
  EXPECT_EQ(file.separator(), ',');
  EXPECT_EQ(file.column("rate"), 2U);
  EXPECT_EQ(file.column("1"), 0U);
  EXPECT_EQ(rejection([&] { file.column("rat"); }),
            "f.csv: expected the name of a column, found \"rat\" (did you mean \"rate\"?)");
  EXPECT_EQ(rejection([&] { file.column("4"); }),
            "f.csv: expected the name of a column, found \"4\" (known: \"time\", \"flow, in\", \"rate\")");
  const CsvFile nameless("1,2\n", "f.csv");
  EXPECT_TRUE(nameless.names().empty());
  EXPECT_EQ(nameless.column("2"), 1U);
  EXPECT_EQ(rejection([&] { nameless.column("x"); }),
            "f.csv: expected a column from 1 to 2, found \"x\" (the file has no header)");
}

TEST(Csv, NamesThatAreNoUtf8AreLatin1) {
  const CsvFile file(
      "temp \xB0"
      "C,gr\xFC\xDF,\xC2\xB0,\xB0\n1,2,3,4\n",
      "f.csv");
  EXPECT_EQ(file.names(), (Strings{"temp \u00B0C", "gr\u00FC\u00DF", "\u00B0", "\u00B0"}));
  EXPECT_EQ(file.column("temp \u00B0C"), 0U);
  EXPECT_EQ(file.column("temp \xB0"
                        "C"),
            0U);
}

TEST(Csv, ColumnsOfEachKind) {
  const std::string text = "id,note,v,w\na,\"say \"\"hi\"\",\nyou\",1,2\n\nb,,3,4\n\"c\",x\"y,5,6\n";
  const CsvFile file(text, "f.csv");
  using enum CsvColumn;
  const CsvTable<float> table = file.load<float>(std::vector{kText, kText, kIgnore, kNumber});
  EXPECT_EQ(table.numbers, Matrix<float>(3, 1, std::vector<float>{2, 4, 6}));
  EXPECT_EQ(table.columns, std::vector<std::size_t>{3});
  ASSERT_EQ(table.texts.size(), 2U);
  EXPECT_EQ(table.texts[0][0], "a");
  EXPECT_EQ(table.texts[0][2], "c");
  EXPECT_EQ(table.texts[1][0], "say \"hi\",\nyou");
  EXPECT_EQ(table.texts[1][1], "");
  EXPECT_EQ(table.texts[1][2], "x\"y") << "a quote inside a field is a letter";
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.lines[0], 2U);
  EXPECT_EQ(table.lines[1], 5U);
  EXPECT_EQ(table.lines[2], 6U);
  EXPECT_EQ(to_string(file.place(table.lines[1], 2)), "f.csv:5:3");
}

TEST(Csv, MissingNumbers) {
  const CsvOptions nan{.missing = CsvMissing::kNan};
  for (const char* cell : {"", " ", "NA", "n/a", "#N/A", "nan", "-nan", "NaN", "null", "None", "?", "-", "\"\""}) {
    const Matrix<double> table = numbers(std::string("1,2\n3,") + cell + "\n", nan);
    EXPECT_EQ(table(0, 1), 2);
    EXPECT_TRUE(std::isnan(table(1, 1))) << cell;
  }
  EXPECT_EQ(complaint("1,2\n3,n/a\n", {.missing_hint = "a hint"}),
            "f.csv:2:2: expected a number, found \"n/a\" (a hint)");
  EXPECT_EQ(complaint("1,2\n3,\n"), "f.csv:2:2: expected a number, found an empty cell");
  EXPECT_EQ(complaint("1,2\n3,x\n", nan), "f.csv:2:2: expected a number, found \"x\"");
}

TEST(Csv, Complaints) {
  EXPECT_EQ(complaint(""), "f.csv: expected a table, found an empty file");
  EXPECT_EQ(complaint("\n\r\n\n"), "f.csv: expected a table, found an empty file");
  EXPECT_EQ(complaint("a,b\n1,2\n3,4,5\n"), "f.csv:3:3: expected 2 columns, found 3");
  EXPECT_EQ(complaint("a,b,c\n1,2,3\n\n3,4\n"), "f.csv:4:3: expected 3 columns, found 2");
  EXPECT_EQ(complaint("a\n1\n3,4\n"), "f.csv:3:2: expected 1 column, found 2");
  EXPECT_EQ(complaint("a,b\n1,2 3\n"), "f.csv:2:2: expected a number, found \"2 3\"");
  EXPECT_EQ(complaint("a,b\n1,0x10\n"), "f.csv:2:2: expected a number, found \"0x10\"");
  EXPECT_EQ(complaint("a,b\n1,+-1\n"), "f.csv:2:2: expected a number, found \"+-1\"");
  EXPECT_EQ(complaint("a,b\n1,1e999\n"), "f.csv:2:2: expected a number of at most 1.8e308, found \"1e999\"");
  const CsvOptions hints{.text_hint = "words", .comma_hint = "a comma"};
  EXPECT_EQ(complaint("a;b\n1;0,5\n", hints), "f.csv:2:2: expected a number, found \"0,5\" (a comma)");
  EXPECT_EQ(complaint("a;b\n1;x\n", hints), "f.csv:2:2: expected a number, found \"x\" (words)");
  EXPECT_EQ(complaint("a;b\n1;1.5\n", {.decimal = ','}), "f.csv:2:2: expected a number, found \"1.5\"");
  EXPECT_EQ(complaint("a,b\n1,\"2\n3,4\n"), "f.csv:2:2: expected a closing quote, found the end of the file");
  EXPECT_EQ(complaint("a,b\n1,\"2\"x\n3,4\n"), "f.csv:2:2: expected a separator after the closing quote, found \"x\"");
  EXPECT_EQ(complaint("\xFF\xFE"
                      "1\0,\0"),
            "f.csv: expected UTF-8 text, found UTF-16 (iconv -f UTF-16 -t UTF-8 changes it)");
  EXPECT_EQ(complaint("1,2\n", {.separator = ',', .decimal = ','}),
            "f.csv: expected a separator that is not the decimal sign, found \",\"");
}

TEST(Csv, Limits) {
  EXPECT_EQ(complaint("1,2,3\n", {.most_columns = 2}), "f.csv:1:3: expected at most 2 columns, found more");
  EXPECT_EQ(complaint("1,2\n3,\"44444\"\n", {.longest_field = 4}),
            "f.csv:2:2: expected a field of at most 4 bytes, found 5");
  EXPECT_EQ(complaint("1,2\n3,4\n5,6666666666\n", {.longest_record = 10}),
            "f.csv:3: expected a record of at most 10 bytes, found a longer one");
  const std::string long_line(200'000, '1');
  const CsvOptions short_records{.longest_record = 1000, .block_bytes = 100};
  const std::string message = "f.csv:1: expected a record of at most 1000 bytes, found a longer one";
  EXPECT_EQ(complaint(long_line, short_records), message);
  EXPECT_EQ(complaint(deflate_gzip(long_line), short_records), message);
  EXPECT_EQ(complaint(deflate_gzip("1\n2\n" + long_line + "\n3\n"), short_records),
            "f.csv:3: expected a record of at most 1000 bytes, found a longer one");
}

TEST(Csv, TheFirstComplaintOfTheFileWins) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += i == 321 || i == 400 ? "1,x\n" : "1,2\n";
  ThreadPool pool(4);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(complaint(text, {.chunk_bytes = 16, .pool = &pool}), "f.csv:322:2: expected a number, found \"x\"");
  }
}

TEST(Csv, RangeOfFloats) {
  const auto load = [](const std::string& text) {
    return CsvFile(text, "f").load<float>(std::vector{CsvColumn::kNumber}).numbers.values.at(0);
  };
  EXPECT_EQ(load("1e-50"), 0.0F) << "too small is zero";
  EXPECT_EQ(load("1e-45"), 0x1p-149F);
  EXPECT_EQ(load("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(load("inf"), INFINITY);
  EXPECT_TRUE(std::signbit(load("-0")));
  EXPECT_EQ(rejection([&] { load("1e39"); }), "f:1:1: expected a number of at most 3.4e38, found \"1e39\"");
  EXPECT_EQ(load("16777217"), 16777216.0F) << "the middle of two floats goes to the even one";
  EXPECT_EQ(load("16777219"), 16777220.0F);
  EXPECT_EQ(load("16777217.0000000001"), 16777218.0F) << "and what is above it goes up";
}

// A fast parser against std::from_chars; whether it takes the text.
template <class T, class Parse>
bool is_from_chars(const Parse& parse, const std::string& text) {
  // Exactly these bytes on the heap, so that a sanitizer sees what is read after them.
  const std::vector<char> all(text.begin(), text.end());
  const char* begin = all.data();
  const char* end = begin + all.size();
  T fast{}, slow{};
  const char* fast_end = parse(begin, end, fast);
  if (fast_end == nullptr) return false;
  const auto [slow_end, error] = std::from_chars(begin, end, slow);
  EXPECT_EQ(error, std::errc{}) << text;
  EXPECT_EQ(fast_end, slow_end) << text;
  EXPECT_EQ(fast, slow) << text;
  EXPECT_EQ(std::signbit(fast), std::signbit(slow)) << text;
  return true;
}

// Both of them, on a text at the end of a file and in the midst of one.
template <class T>
void compare_with_from_chars(const std::string& text) {
  for (const std::string& padding : {std::string(), std::string(",12345678")}) {
    is_from_chars<T>(csv::parse_plain<T>, text + padding);
    is_from_chars<T>(csv::parse_short<T>, text + padding);
  }
}

TEST(Csv, ShortNumbers) {
  const auto takes = [](const std::string& text) { return is_from_chars<float>(csv::parse_short<float>, text); };
  for (const char* text : {"0", "7", "-7", "1.5", "-1.5", ".5", "-.5", "5.", "-0", "-0.0", "1234567", "-1234567",
                           "0.000001", "-9.999999", "123456.7", "-.1234567", "0012.50"}) {
    for (const char* after : {",12345678", "\n12345678", "\r\n1234567", ";-1.5;-1.5", " ,12345678"})
      EXPECT_TRUE(takes(std::string(text) + after)) << text << after;
    EXPECT_FALSE(takes(std::string(text) + "e5,1234567")) << text;
  }
  for (const char* text : {"12345678,12", "1.2345678,1", "-,12345678", "-.,1234567", ".,12345678", ",123456789",
                           "--1,1234567", "+1,1234567", "nan,123456", "1,2345678"}) {
    EXPECT_FALSE(takes(text)) << text << ": longer, none, or too near to the end";
  }
}

TEST(Csv, PlainNumbersAreThoseOfFromChars) {
  Random random(7);
  const std::string letters = "00112345678999..-e+E ,";
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    const std::uint64_t size = 1 + random.below(22);
    for (std::uint64_t k = 0; k < size; ++k) text += letters[random.below(letters.size())];
    compare_with_from_chars<float>(text);
    compare_with_from_chars<double>(text);
  }
  for (int i = 0; i < 100'000; ++i) {  // near the middle of two floats
    const auto mantissa = static_cast<double>((std::uint64_t{1} << 24) + random.below(std::uint64_t{1} << 24)) + 0.5;
    const std::string text = fmt::format("{}", mantissa * std::pow(10, static_cast<double>(random.below(30)) - 20));
    compare_with_from_chars<float>(text);
    compare_with_from_chars<double>(text);
  }
}

TEST(Csv, ScannerReadsAnyRecords) {
  CsvScanner scanner("a,\"b\nc\"\r\n\n,\nlast", "f", {.separator = ','});
  Strings fields;
  ASSERT_TRUE(scanner.next(fields));
  EXPECT_EQ(fields, (Strings{"a", "b\nc"}));
  EXPECT_EQ(scanner.line(), 1U);
  ASSERT_TRUE(scanner.next(fields));
  EXPECT_EQ(fields, (Strings{"", ""}));
  EXPECT_EQ(scanner.line(), 4U);
  ASSERT_TRUE(scanner.next(fields));
  EXPECT_EQ(fields, Strings{"last"});
  EXPECT_FALSE(scanner.next(fields));
  EXPECT_FALSE(scanner.next(fields));
}

TEST(Csv, StreamGivesTheSameTableInPieces) {
  std::string text = "t,v\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("\"{}\n\",{}\n", i, i / 8.0);
  for (const std::string& bytes : {text, deflate_gzip(text)}) {
    const CsvFile file(bytes, "f", {.chunk_bytes = 50, .block_bytes = 333});
    std::size_t pieces = 0, row = 0;
    file.stream<double>(std::vector{CsvColumn::kText, CsvColumn::kNumber}, [&](CsvTable<double>& table) {
      ++pieces;
      for (std::size_t i = 0; i < table.rows(); ++i, ++row) {
        ASSERT_EQ(table.texts[0][i], fmt::format("{}\n", row));
        ASSERT_EQ(table.numbers(i, 0), static_cast<double>(row) / 8);
        ASSERT_EQ(table.lines[i], 2 + 2 * row);
      }
    });
    EXPECT_EQ(row, 1000U);
    EXPECT_GT(pieces, 10U);
  }
}

TEST(Csv, SavedAndLoaded) {
  const TemporaryFolder folder;
  const Matrix<double> table(2, 2, std::vector<double>{0.1, -1e300, 5e-324, 3});
  for (const char* name : {"t.csv", "t.csv.gz"}) {
    save_csv(folder / name, Strings{"a", "b \"x\", y"}, table);
    EXPECT_EQ(load_csv_matrix(folder / name), table);
    EXPECT_EQ(CsvFile(folder / name).names(), (Strings{"a", "b \"x\", y"}));
    save_csv(folder / name, {}, table);
    EXPECT_EQ(load_csv_matrix(folder / name), table);
  }
  EXPECT_EQ(read_file(folder / "t.csv", 1000), "0.1,-1e+300\n5e-324,3\n");
  save_csv(folder / "f.csv", Strings{"v"}, Matrix<float>(2, 1, std::vector<float>{0.1F, NAN}));
  EXPECT_EQ(read_file(folder / "f.csv", 1000), "v\n0.1\nnan\n");
  write_file(folder / "head.csv", "a,b\n");
  EXPECT_EQ(rejection([&] { load_csv_matrix(folder / "head.csv"); }),
            (folder / "head.csv") + ": expected rows of numbers, found only a header");
}

TEST(Csv, CellsAreQuotedWhereTheyMust) {
  EXPECT_EQ(csv_cell("plain"), "plain");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("a,b", ';'), "a,b");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell(" x"), "\" x\"");
  EXPECT_EQ(csv_cell(""), "\"\"");
}

}  // namespace
}  // namespace faithful
