#include "faithful/io/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faithful/base/sha256.h"
#include "faithful/io/file.h"
#include "tests/allocations.h"
#include "tests/io/golden_file.h"
#include "tests/io/golden_safetensors.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::hexadecimal_file;
using testing::rejection;
using testing::TemporaryFolder;
using Shape = std::vector<std::size_t>;

const std::vector<float> kWeight = {1, 2, 3, 4, 5, 6}, kEmpty;
const std::vector<double> kScale = {0.5};
const std::vector<std::int64_t> kIds = {-1, 2};
const std::vector<std::uint8_t> kMarks = {7, 8, 9};
const SafetensorsMetadata kMetadata = {{"format", "caf\u00e9 \"x\"\n\x01\x7f/"}};

std::vector<SafetensorsEntry> several() {
  return {safetensors_entry<float>("weight", {2, 3}, kWeight), safetensors_entry<double>("scale", {}, kScale),
          safetensors_entry<std::int64_t>("ids", {2}, kIds),
          safetensors_entry<std::uint8_t>("mark\"s\n\u00e9", {3}, kMarks),
          safetensors_entry<float>("empty", {0, 4}, kEmpty)};
}

// A file with this header, spaces included, and so much data.
std::string file_of(const std::string& header, std::size_t data = 0, std::size_t claim = 0) {
  std::uint64_t length = claim > 0 ? claim : header.size();
  std::string bytes;
  for (int i = 0; i < 8; ++i, length >>= 8) bytes += static_cast<char>(length & 0xFF);
  return bytes + header + std::string(data, '\0');
}

std::string complaint_about(const std::string& header, std::size_t data = 0, std::size_t claim = 0) {
  return rejection([&] { parse_safetensors(file_of(header, data, claim), "m"); });
}

std::string one_array(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return fmt::format(R"({{"a":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
}

TEST(SafetensorsFile, WritesWhatTheReferenceWrites) {
  EXPECT_EQ(safetensors_bytes(several(), kMetadata), hexadecimal_file(kGoldenSafetensors, "several.safetensors"));
  const std::vector<float> b = {1.5F, -2}, a = {3};
  const std::vector<SafetensorsEntry> plain = {safetensors_entry<float>("b", {2}, b),
                                               safetensors_entry<float>("a", {1}, a)};
  EXPECT_EQ(safetensors_bytes(plain), hexadecimal_file(kGoldenSafetensors, "plain.safetensors"));
  EXPECT_EQ(safetensors_bytes({}), hexadecimal_file(kGoldenSafetensors, "nothing.safetensors"));
}

TEST(SafetensorsFile, ReadsWhatTheReferenceWrites) {
  const Safetensors file = parse_safetensors(hexadecimal_file(kGoldenSafetensors, "several.safetensors"), "m");
  EXPECT_EQ(file.metadata(), kMetadata);
  EXPECT_EQ(file.entries().size(), 5U);
  EXPECT_EQ(file.entries()[0].name, "ids");  // the widest elements first
  EXPECT_EQ(file.at("weight").shape, (Shape{2, 3}));
  EXPECT_EQ(file.at("scale").shape, Shape{});
  EXPECT_EQ(file.values<float>("weight"), kWeight);
  EXPECT_EQ(file.values<double>("scale"), kScale);
  EXPECT_EQ(file.values<std::int64_t>("ids"), kIds);
  EXPECT_EQ(file.values<std::uint8_t>("mark\"s\n\u00e9"), kMarks);
  EXPECT_EQ(file.values<float>("empty"), kEmpty);
  EXPECT_EQ(file.find("none"), nullptr);

  const std::string kinds_bytes = hexadecimal_file(kGoldenSafetensors, "kinds.safetensors");
  const Safetensors kinds = parse_safetensors(kinds_bytes, "m");
  EXPECT_EQ(kinds.entries().size(), 12U);
  EXPECT_EQ(kinds.values<double>("kf8"), (std::vector<double>{0, 1}));
  EXPECT_EQ(kinds.values<std::int8_t>("ki1"), (std::vector<std::int8_t>{0, 1}));
  EXPECT_EQ(kinds.values<std::uint16_t>("ku2"), (std::vector<std::uint16_t>{0, 1}));
  EXPECT_EQ(kinds.at("kf2").dtype, "F16");
  EXPECT_EQ(kinds.at("kbool").dtype, "BOOL");
  EXPECT_EQ(safetensors_bytes(kinds.entries(), kinds.metadata()), kinds_bytes);  // the order of every dtype
}

TEST(SafetensorsFile, ThroughAFile) {
  const TemporaryFolder folder;
  save_safetensors(folder / "m.safetensors", several(), kMetadata);
  EXPECT_EQ(read_file(folder / "m.safetensors", 1 << 20), safetensors_bytes(several(), kMetadata));
  std::optional<Safetensors> copy;
  {
    const Safetensors file = load_safetensors(folder / "m.safetensors");
    copy = file;
  }
  EXPECT_EQ(copy->values<float>("weight"), kWeight);  // a copy keeps the bytes alive
  EXPECT_EQ(copy->place(), folder / "m.safetensors");
  EXPECT_EQ(rejection([&] { save_safetensors(folder / "none/m", several()); }).find("a folder to write in") ==
                std::string::npos,
            false);
}

TEST(SafetensorsFile, AsksForWhatIsThere) {
  const Safetensors file = parse_safetensors(safetensors_bytes(several()), "m");
  EXPECT_EQ(rejection([&] { file.values<float>("wieght"); }),
            "m: expected an array \"wieght\", found none of that name");
  EXPECT_EQ(rejection([&] { file.values<double>("weight"); }), "m: \"weight\": expected dtype F64, found F32");
  std::vector<float> out(6);
  file.values_into<float>("weight", Shape{2, 3}, out);
  EXPECT_EQ(out, kWeight);
  EXPECT_EQ(rejection([&] {
              file.values_into<float>("weight", Shape{3, 2}, out);
            }),
            "m: \"weight\": expected shape (3, 2), found (2, 3)");
}

TEST(SafetensorsFile, DataOfOthersNeedNotBeAligned) {
  std::string bytes = file_of(one_array("F64", "[1]", "[0,8]") + " ");
  bytes += std::string(reinterpret_cast<const char*>(kScale.data()), 8);
  EXPECT_EQ(parse_safetensors(bytes, "m").values<double>("a"), kScale);
}

TEST(SafetensorsFile, RejectsLengths) {
  EXPECT_EQ(rejection([] { parse_safetensors("", "m"); }), "m: expected a safetensors file, found a file of 0 bytes");
  EXPECT_EQ(rejection([] { parse_safetensors(std::string(7, '\0'), "m"); }),
            "m: expected a safetensors file, found a file of 7 bytes");
  EXPECT_EQ(complaint_about("{}", 0, 3),
            "m: expected a header of 3 bytes, found 2 (the file is truncated, or no safetensors file)");
  EXPECT_EQ(
      complaint_about("{}", 0, 100'000'001),
      "m: expected a safetensors header of at most 100000000 bytes, found 100000001 (this is no safetensors file)");
  EXPECT_EQ(complaint_about("{}", 0, ~std::size_t{0}),
            "m: expected a safetensors header of at most 100000000 bytes, found 18446744073709551615 (this is no "
            "safetensors file)");
  EXPECT_EQ(complaint_about(" {}"), "m: expected a safetensors header that starts with {, found \" \"");
  EXPECT_EQ(complaint_about(""), "m: expected a safetensors header that starts with {, found \"\"");
  EXPECT_EQ(complaint_about("{}", 1), "m: expected 0 bytes of data, as the header says, found 1");
}

TEST(SafetensorsFile, RejectsArrays) {
  EXPECT_EQ(complaint_about(one_array("F32", "[2]", "[0,7]"), 8),
            "m: \"a\": expected 8 bytes of data for shape (2,) of F32, found 7");
  EXPECT_EQ(complaint_about(one_array("F32", "[2]", "[0,8]"), 7),
            "m: \"a\": expected data_offsets [begin, end] within the 7 bytes of data, found [0, 8]");
  EXPECT_EQ(complaint_about(one_array("F32", "[2]", "[8,0]"), 8),
            "m: \"a\": expected data_offsets [begin, end] within the 8 bytes of data, found [8, 0]");
  EXPECT_EQ(complaint_about(one_array("F32", "[2]", "[0]"), 8),
            "m: \"a\": expected data_offsets [begin, end] within the 8 bytes of data, found [0]");
  EXPECT_EQ(complaint_about(one_array("F32", "[2]", "[4,12]"), 12),
            "m: \"a\": expected data that begins at byte 0, found 4 (arrays must neither overlap nor leave holes)");
  EXPECT_EQ(complaint_about(one_array("F31", "[2]", "[0,8]"), 8),
            "m: \"a\": expected a dtype such as F32, F64, I64 or U8, found \"F31\"");
  EXPECT_EQ(complaint_about(one_array("F32", "[-2]", "[0,8]"), 8),
            "m: \"a\": expected a whole number from 0, found -2");
  EXPECT_EQ(complaint_about(one_array("F32", "[2.0]", "[0,8]"), 8),
            "m: \"a\": expected a whole number from 0, found 2.0");
  EXPECT_EQ(complaint_about(one_array("F32", "[4294967296,4294967296]", "[0,0]")),
            "m: \"a\": expected a shape that a file can hold, found (4294967296, 4294967296)");
  EXPECT_EQ(complaint_about(one_array("F32", "[0,4294967296,4294967296]", "[0,0]")),
            "m: \"a\": expected a shape that a file can hold, found (0, 4294967296, 4294967296)");
  EXPECT_EQ(complaint_about(R"({"a":{"dtype":"F32","shape":[0]}})"),
            "m: \"a\": expected dtype, shape and data_offsets, and nothing else, found "
            "\"{\\\"dtype\\\":\\\"F32\\\",\\\"shape\\\":[0]}\"");
  const auto two = [](const char* first, const char* second) {
    return fmt::format(R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":{}}},)"
                       R"("b":{{"dtype":"U8","shape":[4],"data_offsets":{}}}}})",
                       first, second);
  };
  EXPECT_EQ(complaint_about(two("[0,4]", "[2,6]"), 8),
            "m: \"b\": expected data that begins at byte 4, found 2 (arrays must neither overlap nor leave holes)");
  EXPECT_EQ(complaint_about(two("[0,4]", "[5,9]"), 9),
            "m: \"b\": expected data that begins at byte 4, found 5 (arrays must neither overlap nor leave holes)");
  EXPECT_EQ(complaint_about(two("[0,4]", "[4,8]"), 9), "m: expected 8 bytes of data, as the header says, found 9");
}

TEST(SafetensorsFile, RejectsHeaders) {
  EXPECT_EQ(complaint_about("{"), "m: header:1:2: expected valid JSON, found the end of the text");
  EXPECT_EQ(complaint_about("{}x"), "m: header:1:3: expected valid JSON, found \"x\"");
  EXPECT_EQ(complaint_about(R"({"a":1})"), "m: \"a\": expected an object, found a number");
  EXPECT_EQ(complaint_about(R"({"__metadata__":{"k":1}})"), "m: __metadata__: expected a string, found a number");
  EXPECT_EQ(complaint_about(R"({"__metadata__":[]})"), "m: __metadata__: expected an object, found an array");
  EXPECT_EQ(complaint_about(R"({"__metadata__":{"k":"","k":""}})"),
            "m: header: expected each name once in an object, found \"k\" twice");
  const std::string empty = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_EQ(complaint_about(fmt::format(R"({{"a":{0},"a":{0}}})", empty)),
            "m: header: expected each name once in an object, found \"a\" twice");
  EXPECT_EQ(complaint_about(R"({"a":[[[[)"), "m: header: expected at most 3 levels of arrays and objects, found more");
}

TEST(SafetensorsFile, HugeClaimsTakeNoMemory) {
  testing::forget_largest();
  complaint_about("{}", 0, 99'999'999);
  complaint_about(one_array("F64", "[9000000000]", "[0,72000000000]"));
  EXPECT_LT(testing::largest_allocation(), std::size_t{1} << 16);
}

TEST(SafetensorsFile, TheWriterRejects) {
  const std::vector<SafetensorsEntry> twice = {{"a", "U8", {0}, ""}, {"a", "U8", {0}, ""}};
  EXPECT_EQ(rejection([&] { safetensors_bytes(twice); }), "safetensors: expected each name once, found \"a\" twice");
  const auto writing = [](const SafetensorsEntry& entry) { return rejection([&] { safetensors_bytes({&entry, 1}); }); };
  EXPECT_EQ(writing({"a", "U8", {3}, "xy"}), "safetensors: \"a\": expected the bytes of shape (3,) of U8, found 2");
  EXPECT_EQ(writing({"a", "X8", {2}, "xy"}),
            "safetensors: \"a\": expected a dtype such as F32, F64, I64 or U8, found \"X8\"");
  EXPECT_EQ(writing({"\xFF", "U8", {2}, "xy"}), "safetensors: expected names and metadata in UTF-8, found \"\\xff\"");
  EXPECT_EQ(writing({"__metadata__", "U8", {2}, "xy"}),
            "safetensors: expected a name for an array, found \"__metadata__\"");
  EXPECT_EQ(rejection([] {
              safetensors_bytes({}, {{"k", "\xC0"}});
            }),
            "safetensors: expected names and metadata in UTF-8, found \"\\xc0\"");
}

TEST(SafetensorsDigest, OfTheCanonicalForm) {
  const auto number = [](char low) { return std::string(1, low) + std::string(7, '\0'); };
  const std::vector<std::uint8_t> bytes = {5, 6};
  const std::vector<SafetensorsEntry> entries = {safetensors_entry<std::uint8_t>("ab", {2, 1}, bytes)};
  const std::string form = number(1) + number(1) + "k" + number(2) + "xy" + number(1) + number(2) + "ab" + number(2) +
                           "U8" + number(2) + number(2) + number(1) + number(2) + "\x05\x06";
  EXPECT_EQ(digest_of(entries, {{"k", "xy"}}), sha256(form));
  EXPECT_EQ(digest_of(entries, {{"k", "xy"}, {"digest", "anything"}}), sha256(form));
}

// As the loader of a model does it.
bool is_undamaged(const Safetensors& file) {
  const auto digest = file.metadata().find(std::string(kDigestKey));
  return digest != file.metadata().end() && digest->second == digest_of(file.entries(), file.metadata());
}

TEST(SafetensorsDigest, FindsEveryFlippedBit) {
  SafetensorsMetadata metadata = kMetadata;
  metadata["digest"] = digest_of(several(), metadata);
  const std::string bytes = safetensors_bytes(several(), metadata);
  ASSERT_TRUE(is_undamaged(parse_safetensors(bytes, "m")));
  std::size_t harmless = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    try {
      const Safetensors file = parse_safetensors(changed, "m");
      if (!is_undamaged(file)) continue;
      ++harmless;
      EXPECT_EQ(safetensors_bytes(file.entries(), file.metadata()), bytes) << "bit " << bit;
    } catch (const InputError&) {
    }
  }
  EXPECT_EQ(harmless, 0U);
}

}  // namespace
}  // namespace faithful
