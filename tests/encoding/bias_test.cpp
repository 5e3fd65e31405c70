#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/encoding/encoding.h"
#include "faithful/encoding/t5_internal.h"
#include "tests/support.h"

namespace faithful {
namespace {

double at(const Encoding& encoding, std::size_t h, std::size_t i, std::size_t j) {
  return encoding.values.at((h * encoding.shape[1] + i) * encoding.shape[2] + j);
}

TEST(T5, BucketsBeginWhereTheyShould) {
  const std::ptrdiff_t starts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  std::ptrdiff_t distance = 0;
  for (std::size_t bucket = 0; bucket < 16; ++bucket) {
    const std::ptrdiff_t end = bucket + 1 < 16 ? starts[bucket + 1] : 1000;
    for (; distance < end; ++distance) {
      ASSERT_EQ(t5_bucket(static_cast<double>(-distance)), bucket) << distance;
      ASSERT_EQ(t5_bucket(static_cast<double>(distance)), distance == 0 ? 0 : bucket + 16) << distance;
    }
  }
}

// The formula of the authors' code; it rounds in floating point where ours compares integers.
TEST(T5, BucketsAgreeWithTheLogarithm) {
  for (int distance = 8; distance < 300; ++distance) {
    const double exact = 8 + 8 * std::log(distance / 8.0) / std::log(16.0);
    if (std::abs(exact - std::round(exact)) < 1e-9) continue;
    EXPECT_EQ(t5_bucket(-distance), std::min<std::size_t>(15, static_cast<std::size_t>(exact))) << distance;
  }
}

TEST(T5, RealDistancesHaveTheBucketThatTheyReach) {
  EXPECT_EQ(t5_bucket(-0.5), 0u);
  EXPECT_EQ(t5_bucket(0.5), 16u);
  EXPECT_EQ(t5_bucket(-7.9), 7u);
  EXPECT_EQ(t5_bucket(11.99), 16 + 8u);
  EXPECT_EQ(t5_bucket(12), 16 + 9u);
  EXPECT_EQ(t5_bucket(-1e300), 15u);
  std::vector<double> table(32);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<double>(i);
  const Encoding encoding =
      make_encoding("t5", {.length = 3, .heads = 1, .positions = {0, 2.5, 40}, .parameters = table});
  EXPECT_EQ(encoding.values, (std::vector<double>{0, 18, 28, 2, 0, 28, 12, 12, 0}));
}

TEST(T5, BiasReadsItsTable) {
  std::vector<double> table(32 * 2);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<double>(i);
  const Encoding encoding = make_encoding("t5", {.length = 20, .heads = 2, .parameters = table});
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{2, 20, 20}));
  EXPECT_EQ(at(encoding, 0, 3, 3), 0);
  EXPECT_EQ(at(encoding, 1, 3, 4), 2 * 17 + 1);   // one later
  EXPECT_EQ(at(encoding, 0, 13, 0), 2 * 9);       // thirteen earlier
  EXPECT_EQ(at(encoding, 1, 0, 19), 2 * 26 + 1);  // nineteen later
  const std::vector<double> start = start_parameters("t5", {.length = 20});
  double squares = 0;
  for (const double value : start) squares += value * value;
  EXPECT_EQ(start.size(), 256u);
  EXPECT_NEAR(std::sqrt(squares / 256), 0.02, 0.003);
}

// m_h, read off the bias between neighbours.
std::vector<double> alibi_slopes(std::size_t heads) {
  const Encoding encoding = make_encoding("alibi", {.length = 2, .heads = heads});
  std::vector<double> slopes;
  for (std::size_t h = 0; h < heads; ++h) slopes.push_back(-at(encoding, h, 0, 1));
  return slopes;
}

TEST(Alibi, SlopesFollowTheAuthorsRule) {
  EXPECT_EQ(alibi_slopes(8), (std::vector<double>{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625}));
  EXPECT_EQ(alibi_slopes(1), std::vector<double>{0.00390625});
  EXPECT_EQ(alibi_slopes(2), (std::vector<double>{0.0625, 0.00390625}));
  EXPECT_EQ(alibi_slopes(3), (std::vector<double>{0.0625, 0.00390625, 0.25}));
  const std::vector<double> ten = alibi_slopes(10);
  ASSERT_EQ(ten.size(), 10u);
  EXPECT_NEAR(ten[8], 0.7071067811865476, 1e-16);
  EXPECT_NEAR(ten[9], 0.3535533905932738, 1e-16);
}

TEST(Alibi, BiasFallsWithDistance) {
  const Encoding encoding = make_encoding("alibi", {.length = 4});
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{8, 4, 4}));
  EXPECT_EQ(at(encoding, 0, 0, 3), -1.5);
  EXPECT_EQ(at(encoding, 1, 3, 1), -0.5);
  EXPECT_FALSE(std::signbit(at(encoding, 0, 2, 2)));
  const Encoding uneven = make_encoding("alibi", {.length = 2, .positions = {0, 2.5}});
  EXPECT_EQ(at(uneven, 0, 1, 0), -1.25);
}

TEST(Alibi, OneSidedHeadsHideTheOtherSide) {
  const Encoding three = make_encoding("alibi", {.length = 3, .heads = 3, .own = {{"alibi_heads", "one-sided"}}});
  for (const std::size_t h : {0, 1}) {  // the slopes of two heads: 1/16, 1/256
    EXPECT_EQ(at(three, h, 2, 0), h == 0 ? -0.125 : -0.0078125);
    EXPECT_EQ(at(three, h, 0, 2), -1e4);
    EXPECT_EQ(at(three, h, 1, 1), 0);
  }
  EXPECT_EQ(at(three, 2, 0, 2), -0.0078125);  // the slope of one head: 1/256
  EXPECT_EQ(at(three, 2, 2, 0), -1e4);
  EXPECT_EQ(at(three, 2, 2, 2), 0);
  const Encoding one = make_encoding("alibi", {.length = 2, .heads = 1, .own = {{"alibi_heads", "one-sided"}}});
  EXPECT_EQ(one.values, (std::vector<double>{0, -1e4, -0.00390625, 0}));
}

TEST(Kerple, IsLogarithmic) {
  const Encoding start = make_encoding("kerple", {.length = 5, .heads = 2});
  EXPECT_NEAR(at(start, 1, 0, 4), -std::log(5.0), 1e-15);
  const std::vector<double> given{1, 2, 1, 0.5};  // r1, then r2
  const Encoding encoding = make_encoding("kerple", {.length = 5, .heads = 2, .parameters = given});
  EXPECT_NEAR(at(encoding, 1, 4, 1), -1.8325814637483102, 1e-15);  // -2 ln(1 + 3/2)
  EXPECT_EQ(testing::rejection([] {
              make_encoding("kerple", {.length = 5, .heads = 1, .parameters = {1, 0}});
            }),
            "parameters: expected r1, r2 > 0 for kerple, found 0");
}

TEST(Tupe, MultipliesNormalizedPositions) {
  std::vector<double> given{1, 2, 4, 8, 3, -1, 0, 2};  // p, then UQ, then UK
  for (int i = 0; i < 16; ++i) given.push_back(0.1 * i);
  for (int row = 3; row >= 0; --row) {
    for (int column = 0; column < 4; ++column) given.push_back(0.05 * (4 * row + column) + 0.2);
  }
  EncodingOptions options{.length = 2, .dim = 4, .heads = 2, .parameters = given};
  const Encoding encoding = make_encoding("tupe", options);
  const double numpy[] = {-1.47199795200285,   0.2170339744120882,  0.21703397441208827, -0.03199987200051197,
                          -1.4719979520028494, 0.21703397441208844, 0.21703397441208824, -0.03199987200051201};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(encoding.values[i], numpy[i], 2e-15) << i;

  options.own.set("tupe_relative", true);
  options.parameters.resize(given.size() + 64, 0.25);
  const Encoding relative = make_encoding("tupe", options);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(relative.values[i], numpy[i] + 0.25, 2e-15) << i;
}

TEST(Tupe, StartsSeededAndSmall) {
  const EncodingOptions options{.length = 6, .dim = 16};
  EXPECT_EQ(start_parameters("tupe", options).size(), 6 * 16 + 2 * 16 * 16u);
  const Encoding encoding = make_encoding("tupe", options);
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{8, 6, 6}));
  for (const double value : encoding.values) EXPECT_LT(std::abs(value), 0.2);
  EXPECT_EQ(encoding.values, make_encoding("tupe", options).values);
}

TEST(Shaw, HasAVectorForEveryClippedOffset) {
  const Encoding encoding = make_encoding("shaw", {.length = 80, .dim = 32});
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{2, 33, 4}));
  double squares = 0;
  for (const double value : encoding.values) squares += value * value;
  EXPECT_NEAR(std::sqrt(squares / 264), 0.02, 0.003);
}

TEST(Erpe, HasAWeightForEveryOffset) {
  for (const double value : make_encoding("erpe", {.length = 4}).values) EXPECT_EQ(value, 0);
  const std::vector<double> given{1, 2, 3, 4, 5};  // offsets i - j = -2 .. 2
  const Encoding encoding = make_encoding("erpe", {.length = 3, .heads = 1, .parameters = given});
  EXPECT_EQ(encoding.kind, EncodingKind::kWeightBias);
  EXPECT_EQ(encoding.values, (std::vector<double>{3, 2, 1, 4, 3, 2, 5, 4, 3}));
}

TEST(TapeErpe, IsTheTableOfTapeWithTheWeightsOfErpe) {
  for (const auto& [length, dim] : {std::pair{1, 1}, {2, 2}, {7, 5}, {11, 8}}) {
    EncodingOptions options{
        .length = static_cast<std::size_t>(length), .dim = static_cast<std::size_t>(dim), .heads = 3};
    const Encoding both = make_encoding("tape+erpe", options);
    EXPECT_EQ(both.values, make_encoding("tape", options).values);
    EXPECT_EQ(both.frequencies, make_encoding("tape", options).frequencies);
    EXPECT_EQ(start_parameters("tape+erpe", options), start_parameters("erpe", options));
  }
  const Encoding two = make_encoding("tape+erpe", {.length = 2, .dim = 2});  // d/S = 1
  EXPECT_EQ(two.values, (std::vector<double>{0, 1, std::sin(1.0), std::cos(1.0)}));
}

TEST(Erpe, InterpolatesBetweenWholeOffsets) {
  const std::vector<double> given{1, 2, 4, 8, 16};  // offsets i - j = -2 .. 2
  const Encoding encoding =
      make_encoding("erpe", {.length = 3, .heads = 1, .positions = {0, 0.5, 7}, .parameters = given});
  EXPECT_EQ(encoding.values, (std::vector<double>{4, 3, 1, 6, 4, 1, 16, 16, 4}));
}

}  // namespace
}  // namespace faithful
