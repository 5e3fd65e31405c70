// Round trips of random content; the only file here that includes rapidcheck, which is slow to compile.

#include <bit>
#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "faithful/io/csv.h"
#include "faithful/io/file.h"
#include "faithful/io/gzip.h"
#include "faithful/io/json.h"
#include "faithful/io/npy.h"
#include "faithful/io/npz.h"
#include "faithful/io/safetensors.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::TemporaryFolder;

// Any double but NaN, from its bits: small and huge ones, infinities, both zeros.
std::vector<double> any_numbers(std::size_t count) {
  auto numbers = *rc::gen::container<std::vector<double>>(
      count, rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
        const auto value = std::bit_cast<double>(bits * 0x9E3779B97F4A7C15);
        return value == value ? value : 0.0;
      }));
  return numbers;
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

RC_GTEST_PROP(Property, GzipRoundTrip, (const std::string& bytes)) {
  RC_ASSERT(inflate_gzip(deflate_gzip(bytes), "f", bytes.size()) == bytes);
}

RC_GTEST_PROP(Property, NpyRoundTrip, ()) {
  const std::size_t rows = *rc::gen::inRange<std::size_t>(0, 8), columns = *rc::gen::inRange<std::size_t>(0, 8);
  const std::vector<double> values = any_numbers(rows * columns);
  const std::string bytes = npy_bytes(npy_view<double>({rows, columns}, values));
  const NpyArray array(bytes, nullptr, "f");
  RC_ASSERT(array.shape() == (std::vector<std::size_t>{rows, columns}));
  RC_ASSERT(bits_of(array.to_vector<double>()) == bits_of(values));
  RC_ASSERT(npy_bytes(npy_view<double>(array.shape(), array.to_vector<double>())) == bytes);
}

RC_GTEST_PROP(Property, NpzRoundTrip, (bool compress, bool zip64)) {
  const TemporaryFolder folder;
  const auto names = *rc::gen::unique<std::vector<std::string>>(rc::gen::arbitrary<std::string>());
  std::vector<std::vector<double>> values;
  std::vector<NamedArray> arrays;
  for (std::size_t i = 0; i < names.size(); ++i) values.push_back(any_numbers(i));
  for (std::size_t i = 0; i < names.size(); ++i) arrays.push_back({names[i], npy_view<double>({i}, values[i])});
  save_npz(folder / "f.npz", arrays, {.compress = compress, .zip64_from = zip64 ? 1U : 0xFFFFFFFFU});
  const auto loaded = load_npz(folder / "f.npz");
  RC_ASSERT(loaded.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    RC_ASSERT(loaded[i].first == names[i]);
    RC_ASSERT(bits_of(loaded[i].second.to_vector<double>()) == bits_of(values[i]));
  }
}

// Tables whose text cells hold every awkward letter, in chunks and blocks of every size, on several threads.
RC_GTEST_PROP(Property, CsvRoundTrip, ()) {
  const std::size_t rows = *rc::gen::inRange<std::size_t>(0, 12), columns = *rc::gen::inRange<std::size_t>(1, 4);
  const char separator = *rc::gen::element(',', ';', '\t');
  const bool crlf = *rc::gen::arbitrary<bool>();
  const std::vector<double> values = any_numbers(rows * columns);
  const auto texts = *rc::gen::container<std::vector<std::string>>(
      rows, rc::gen::container<std::string>(rc::gen::element('a', ',', ';', '\t', '"', '\n', '\r', ' ', '1', '.')));
  std::string csv = "text";
  for (std::size_t c = 0; c < columns; ++c) csv += fmt::format("{}n{}", separator, c);
  for (std::size_t r = 0; r < rows; ++r) {
    csv += crlf ? "\r\n" : "\n";
    csv += csv_cell(texts[r], separator);
    for (std::size_t c = 0; c < columns; ++c) csv += fmt::format("{}{}", separator, values[r * columns + c]);
  }
  std::vector<CsvColumn> wanted(columns + 1, CsvColumn::kNumber);
  wanted[0] = CsvColumn::kText;

  ThreadPool pool(3);
  const CsvOptions options{.separator = separator,
                           .header = CsvHeader::kYes,
                           .chunk_bytes = *rc::gen::inRange<std::size_t>(1, 50),
                           .block_bytes = *rc::gen::inRange<std::size_t>(1, 200),
                           .pool = &pool};
  const std::string bytes = *rc::gen::arbitrary<bool>() ? deflate_gzip(csv) : csv;
  const CsvTable<double> table = CsvFile(bytes, "f", options).load<double>(wanted);
  RC_ASSERT(table.rows() == rows);
  RC_ASSERT(bits_of(table.numbers.values) == bits_of(values));
  for (std::size_t r = 0; r < rows; ++r) RC_ASSERT(table.texts[0][r] == texts[r]);
}

RC_GTEST_PROP(Property, SavedCsvIsTheSameMatrix, ()) {
  const TemporaryFolder folder;
  const std::size_t rows = *rc::gen::inRange<std::size_t>(1, 8), columns = *rc::gen::inRange<std::size_t>(1, 8);
  const Matrix<double> table(rows, columns, any_numbers(rows * columns));
  save_csv(folder / "f.csv", {}, table);
  const Matrix<double> loaded = load_csv_matrix(folder / "f.csv");
  RC_ASSERT(loaded.rows == rows && loaded.columns == columns);
  RC_ASSERT(bits_of(loaded.values) == bits_of(table.values));
}

// Splits and threads change nothing, whatever the text: table or complaint are those of one chunk on one thread.
RC_GTEST_PROP(Property, CsvChunksChangeNothing, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::element('1', '2', '.', ',', ',', '\n', '\n', '\r', '"', '-', 'e', ' '));
  const auto read = [&](const std::string& bytes, const CsvOptions& options) {
    try {
      const CsvFile file(bytes, "f", options);
      const auto table = file.load<float>(std::vector<CsvColumn>(file.columns(), CsvColumn::kNumber));
      std::string all = fmt::format("{} columns:", file.columns());
      for (std::size_t r = 0; r < table.rows(); ++r) {
        all += fmt::format(" {}: {}", table.lines[r], fmt::join(table.numbers.row(r), " "));
      }
      return all;
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  ThreadPool one(1), three(3);
  CsvOptions serial{.missing = CsvMissing::kNan, .pool = &one};
  CsvOptions parallel{.missing = CsvMissing::kNan,
                      .chunk_bytes = *rc::gen::inRange<std::size_t>(1, 20),
                      .block_bytes = *rc::gen::inRange<std::size_t>(1, 30),
                      .pool = &three};
  RC_ASSERT(read(text, parallel) == read(text, serial));
  RC_ASSERT(read(deflate_gzip(text), parallel) == read(text, serial));
}

Json any_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<std::uint64_t>();
    case 4: {
      const double number = any_numbers(1)[0];
      return std::isfinite(number) ? number : 0.5;
    }
    case 5:
      return *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
    case 6: {
      Json array = Json::array();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) array.push_back(any_json(depth - 1));
      return array;
    }
    default: {
      Json object = Json::object();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        object.set(*rc::gen::container<std::string>(rc::gen::inRange('a', 'e')), any_json(depth - 1));
      }
      return object;
    }
  }
}

RC_GTEST_PROP(Property, JsonRoundTrip, ()) {
  const Json value = any_json(4);
  for (const JsonLayout layout : {JsonLayout::kCompact, JsonLayout::kPretty}) {
    const std::string text = dump_json(value, layout);
    RC_ASSERT(parse_json(text, "f") == value);
    RC_ASSERT(dump_json(parse_json(text, "f"), layout) == text);
  }
}

RC_GTEST_PROP(Property, AnyStringIsWrittenAsValidJson, (const std::string& bytes)) {
  RC_ASSERT(parse_json(dump_json(Json(bytes)), "f").is_string());
}

RC_GTEST_PROP(Property, SafetensorsRoundTrip, ()) {
  const auto letters = rc::gen::container<std::string>(rc::gen::inRange('\0', '\x7f'));
  const auto metadata = *rc::gen::container<SafetensorsMetadata>(letters, letters);
  const auto names = *rc::gen::unique<std::vector<std::string>>(letters);
  std::vector<std::vector<double>> values;
  std::vector<SafetensorsEntry> entries;
  for (std::size_t i = 0; i < names.size(); ++i) values.push_back(any_numbers(2 * (i % 5)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    entries.push_back(safetensors_entry<double>(names[i], {2, i % 5}, values[i]));
    if (i % 2 == 1) entries.back() = {names[i], "U8", {i % 5, 16}, entries.back().bytes};
  }
  const std::string bytes = safetensors_bytes(entries, metadata);
  const Safetensors file = parse_safetensors(bytes, "f");
  RC_ASSERT(file.metadata() == metadata);
  RC_ASSERT(file.entries().size() == names.size());
  for (const SafetensorsEntry& entry : entries) {
    RC_ASSERT(file.at(entry.name).dtype == entry.dtype);
    RC_ASSERT(file.at(entry.name).shape == entry.shape);
    RC_ASSERT(file.at(entry.name).bytes == entry.bytes);
  }
  RC_ASSERT(safetensors_bytes(file.entries(), file.metadata()) == bytes);
  RC_ASSERT(digest_of(file.entries(), file.metadata()) == digest_of(entries, metadata));
}

}  // namespace
}  // namespace faithful
