#include "faithful/io/gzip.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

constexpr std::size_t kLimit = 1 << 20;

TEST(Gzip, RoundTrip) {
  for (const std::size_t size : {0, 1, 2, 65'535, 65'536, 65'537, 300'000}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * i >> 3);
    EXPECT_EQ(inflate_gzip(deflate_gzip(bytes), "f", kLimit), bytes);
  }
}

TEST(Gzip, TheSameBytesGiveTheSameFile) {
  const std::string gzip = deflate_gzip("abc");
  EXPECT_EQ(gzip, deflate_gzip("abc"));
  EXPECT_EQ(gzip.substr(3, 5), std::string(5, '\0')) << "no flags (no name), no time";
}

TEST(Gzip, MembersInARowAndPadding) {
  const std::string two = deflate_gzip("first ") + deflate_gzip("") + deflate_gzip("second");
  EXPECT_EQ(inflate_gzip(two, "f", kLimit), "first second");
  EXPECT_EQ(inflate_gzip(two + std::string(100, '\0'), "f", kLimit), "first second");
  EXPECT_EQ(rejection([&] { inflate_gzip(two + "rest", "f", kLimit); }),
            "f: expected the end of the gzip data, found 4 more bytes");
}

TEST(Gzip, PieceByPiece) {
  const std::string gzip = deflate_gzip("hello ") + deflate_gzip("world");
  for (const std::size_t piece : {1, 2, 3, 5, 6, 7, 11, 12}) {
    GzipReader reader(gzip, "f");
    std::string all, buffer(piece, '\0');
    std::size_t got = 0;
    do {
      got = reader.read(buffer);
      all.append(buffer, 0, got);
    } while (got == piece);
    EXPECT_EQ(all, "hello world") << piece;
    EXPECT_EQ(reader.read(buffer), 0U);
  }
}

TEST(Gzip, TruncatedAtEveryByte) {
  const std::string gzip = deflate_gzip("some text that is compressed, compressed, compressed");
  EXPECT_EQ(rejection([&] { inflate_gzip("", "f", kLimit); }), "f: expected gzip data, found an empty file");
  EXPECT_EQ(rejection([&] { inflate_gzip("\x1f", "f", kLimit); }),
            "f: expected gzip data, found other bytes at its start");
  for (std::size_t n = 2; n < gzip.size(); ++n) {
    EXPECT_EQ(rejection([&] { inflate_gzip(gzip.substr(0, n), "f", kLimit); }),
              "f: expected whole gzip data, found a truncated file")
        << n;
  }
}

TEST(Gzip, ChangedBytesAreSeen) {
  const std::string text = "some text that is compressed, compressed, compressed";
  const std::string gzip = deflate_gzip(text);
  int unseen = 0;
  for (std::size_t i = 10; i < gzip.size(); ++i) {  // behind the header
    std::string damaged = gzip;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    try {
      EXPECT_EQ(inflate_gzip(damaged, "f", kLimit), text) << i;
      ++unseen;
    } catch (const InputError& error) {
      const std::string_view message = error.what();
      EXPECT_TRUE(message == "f: expected valid gzip data, found a damaged file" ||
                  message == "f: expected whole gzip data, found a truncated file")
          << message;
    }
  }
  EXPECT_LE(unseen, 1) << "only the bits that fill the stream's last byte mean nothing";
}

TEST(Gzip, ABombStopsAtTheLimit) {
  const std::string bomb = deflate_gzip(std::string(50'000'000, '\0'));
  ASSERT_LT(bomb.size(), 60'000U);
  EXPECT_EQ(rejection([&] { inflate_gzip(bomb, "f", 1'000'000); }),
            "f: expected at most 1000000 bytes inflated, found more");
}

}  // namespace
}  // namespace faithful
