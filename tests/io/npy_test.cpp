#include "faithful/io/npy.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "faithful/io/file.h"
#include "tests/io/golden.h"
#include "tests/io/golden_file.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::hexadecimal_file;
using testing::rejection;
using testing::TemporaryFolder;

NpyArray golden(const std::string& name) {
  const auto bytes = std::make_shared<const std::string>(hexadecimal_file(kGolden, name + ".npy"));
  return {*bytes, bytes, name};
}

std::string with_header(const std::string& text) {
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size());
  bytes += '\0';
  return bytes + text;
}

const std::vector<double> kGrid = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5};

TEST(Npy, ReadsWhatNumPyWrites) {
  for (const char* name : {"f8_2x3", "f4_2x3", "f4_2x3_fortran", "format_2", "format_3"}) {
    EXPECT_EQ(golden(name).shape(), (std::vector<std::size_t>{2, 3})) << name;
    EXPECT_EQ(golden(name).to_vector<double>(), kGrid) << name;
    EXPECT_EQ(golden(name).to_matrix(), Matrix<double>(2, 3, kGrid)) << name;
    EXPECT_EQ(golden(name).to_vector<float>(), std::vector<float>(kGrid.begin(), kGrid.end())) << name;
  }
  const NpyArray cube = golden("f8_2x3x2_fortran_big");
  EXPECT_TRUE(cube.fortran_order());
  EXPECT_TRUE(cube.type().big_endian);
  EXPECT_EQ(cube.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(golden("b1").to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(golden("i4_big").to_vector<double>(), (std::vector<double>{-2, 258}));
  EXPECT_EQ(golden("scalar").to_vector<double>(), std::vector<double>{2.5});
  EXPECT_EQ(golden("scalar").shape().size(), 0U);
  EXPECT_EQ(golden("empty_0x3").to_vector<double>(), std::vector<double>{});
}

TEST(Npy, HalfPrecision) {
  const std::vector<double> values = golden("f2").to_vector<double>();
  ASSERT_EQ(values.size(), 6U);
  EXPECT_EQ(std::vector<double>(values.begin(), values.begin() + 5),
            (std::vector<double>{0, -1.5, 65504, 0x1p-24, INFINITY}));
  EXPECT_TRUE(std::isnan(values[5]));
}

template <class T>
void check_limits(const std::string& name) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values = {Limits::min(), 7, Limits::max()};
  EXPECT_EQ(npy_bytes(npy_view<T>({3}, values)), hexadecimal_file(kGolden, name + ".npy"));
  EXPECT_EQ(golden(name).to_vector<double>(),
            (std::vector<double>{static_cast<double>(Limits::min()), 7, static_cast<double>(Limits::max())}));
}

TEST(Npy, IntegersOfEverySize) {
  check_limits<std::int8_t>("i1");
  check_limits<std::int16_t>("i2");
  check_limits<std::int32_t>("i4");
  check_limits<std::int64_t>("i8");
  check_limits<std::uint8_t>("u1");
  check_limits<std::uint16_t>("u2");
  check_limits<std::uint32_t>("u4");
  check_limits<std::uint64_t>("u8");
  EXPECT_EQ(golden("i8").to_vector<std::int64_t>().front(), std::numeric_limits<std::int64_t>::min());
}

TEST(Npy, WritesWhatNumPyWrites) {
  const std::vector<float> floats(kGrid.begin(), kGrid.end());
  EXPECT_EQ(npy_bytes(npy_view<double>({2, 3}, kGrid)), hexadecimal_file(kGolden, "f8_2x3.npy"));
  EXPECT_EQ(npy_bytes(npy_view<float>({2, 3}, floats)), hexadecimal_file(kGolden, "f4_2x3.npy"));
  EXPECT_EQ(npy_bytes(npy_view(Matrix<double>(2, 3, kGrid))), hexadecimal_file(kGolden, "f8_2x3.npy"));
  EXPECT_EQ(npy_bytes(npy_view<double>({}, std::vector<double>{2.5})), hexadecimal_file(kGolden, "scalar.npy"));
  EXPECT_EQ(npy_bytes(npy_view<float>({0, 3}, {})), hexadecimal_file(kGolden, "empty_0x3.npy"));
  EXPECT_EQ(npy_bytes(npy_view<double>({12345, 0}, {})), hexadecimal_file(kGolden, "f8_row_12345.npy"));
  const bool truths[] = {true, false, true};
  EXPECT_EQ(npy_bytes(npy_view<bool>({3}, truths)), hexadecimal_file(kGolden, "b1.npy"));
}

TEST(Npy, FilesAreMapped) {
  const TemporaryFolder folder;
  save_npy(folder / "grid.npy", npy_view<double>({2, 3}, kGrid));
  EXPECT_EQ(read_file(folder / "grid.npy", 1 << 20), hexadecimal_file(kGolden, "f8_2x3.npy"));
  EXPECT_EQ(load_npy(folder / "grid.npy").to_matrix(), Matrix<double>(2, 3, kGrid));
  EXPECT_EQ(load_npy(folder / "grid.npy").name(), folder / "grid.npy");
}

TEST(Npy, OneDimensionIsOneColumn) {
  const std::vector<double> values = {1, 2, 3};
  const std::string bytes = npy_bytes(npy_view<double>({3}, values));
  EXPECT_EQ(NpyArray(bytes, nullptr, "f").to_matrix(), Matrix<double>(3, 1, values));
}

TEST(Npy, RejectedTypes) {
  const std::string hint = " (save it as plain numbers, such as array.astype('float32'))";
  EXPECT_EQ(rejection([] { golden("structured"); }),
            "structured: expected numbers of one type in the header, found a structured array" + hint);
  EXPECT_EQ(rejection([] { golden("object"); }),
            "object: expected numbers in the header, found Python objects (a pickle)" + hint);
  const std::string types = "expected a type of number (f2, f4, f8, i1-i8, u1-u8, b1) in the header, found ";
  EXPECT_EQ(rejection([] { golden("complex"); }), "complex: " + types + "\"<c16\"" + hint);
  EXPECT_EQ(rejection([] { golden("text"); }), "text: " + types + "\"<U2\"" + hint);
}

TEST(Npy, RejectedConversions) {
  EXPECT_EQ(rejection([] { golden("f8_2x3").to_vector<std::int64_t>(); }),
            "f8_2x3: expected whole numbers of 64 bits, found -2.5");
  EXPECT_EQ(rejection([] { golden("u8").to_vector<std::int64_t>(); }),
            "u8: expected whole numbers of 64 bits, found 18446744073709551615");
  EXPECT_EQ(rejection([] { golden("scalar").to_matrix(); }),
            "scalar: expected an array of two dimensions, found shape ()");
  EXPECT_EQ(rejection([] { golden("f8_2x3x2_fortran_big").to_matrix(); }),
            "f8_2x3x2_fortran_big: expected an array of two dimensions, found shape (2, 3, 2)");
  EXPECT_EQ(rejection([] { golden("empty_0x3").to_matrix(); }),
            "empty_0x3: expected an array with elements, found shape (0, 3)");
}

TEST(Npy, RejectedFiles) {
  const auto message = [](const std::string& bytes) { return rejection([&] { parse_npy_header(bytes, "f"); }); };
  EXPECT_EQ(message(""), "f: expected a .npy file, found an empty file");
  EXPECT_EQ(message("PK"), "f: expected a .npy file, found other bytes at its start");
  EXPECT_EQ(message("\x93NUMPY"), "f: expected a whole .npy header, found a truncated file");
  EXPECT_EQ(message(std::string("\x93NUMPY\x04\x00", 8)), "f: expected .npy format 1.0, 2.0 or 3.0, found 4.0");
  EXPECT_EQ(message(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }") + "12345678"),
            "f: expected 12 bytes of data for shape (3,) of <f4, found 8");
  EXPECT_EQ(message(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }") + "12345678"),
            "f: expected 4 bytes of data for shape (1,) of <f4, found 8");
  EXPECT_EQ(message(with_header("[]")), "f: expected \"{\" in the header, found \"[]\"");
  EXPECT_EQ(message(with_header("{'descr': '<f4'}")),
            "f: expected the keys descr, fortran_order and shape in the header, found fewer");
  EXPECT_EQ(message(with_header("{'descr': '<f4', 'descr': '<f4'}")),
            "f: expected the keys descr, fortran_order and shape once each in the header, found \"descr\"");
  EXPECT_EQ(message(with_header("{'fortran_order': 1}")), "f: expected True or False in the header, found \"1}\"");
  EXPECT_EQ(message(with_header("{'shape': (-1,)}")),
            "f: expected a length of the shape in the header, found \"-1,)}\"");
  EXPECT_EQ(message(with_header("{'shape': (99999999999999999999,)}")),
            "f: expected a length of the shape in the header, found \"99999999999999999999,)}\"");
  EXPECT_EQ(message(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (), } x")),
            "f: expected nothing after the dictionary in the header, found \"x\"");
  std::string many = "{'shape': (";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_EQ(message(with_header(many + ")}")), "f: expected at most 64 dimensions in the header, found more");
}

TEST(Npy, OtherSpellingsOfTheHeader) {
  const std::string bytes = with_header("{\"shape\": (2L, 1) , 'descr':'=u1','fortran_order':True}") + "ab";
  const NpyHeader header = parse_npy_header(bytes, "f");
  EXPECT_EQ(header.shape, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(header.type, (NpyType{'u', 1, false}));
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.count(), 2U);
}

TEST(Npy, EveryTruncationIsRejected) {
  const std::string bytes = hexadecimal_file(kGolden, "f8_2x3.npy");
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW(parse_npy_header(bytes.substr(0, n), "f"), InputError) << n;
  }
}

}  // namespace
}  // namespace faithful
