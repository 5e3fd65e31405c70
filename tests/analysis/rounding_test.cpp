#include "faithful/analysis/rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "faithful/base/random.h"

namespace faithful {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The value of a 16-bit pattern with this many digits behind the point.
double value_of(std::uint16_t bits, int digits, int bias) {
  const int exponent = (bits & 0x7FFF) >> digits, fraction = bits & ((1 << digits) - 1);
  const double size = exponent == 0 ? std::ldexp(fraction, 1 - bias - digits)
                                    : std::ldexp(fraction + (1 << digits), exponent - bias - digits);
  return bits & 0x8000 ? -size : size;
}

// Every finite number of a 16-bit format is itself; between neighbours the nearer is taken, and of two equally near
// ones that with the even pattern.
void check_format(Precision precision, int digits, int bias) {
  const auto end = static_cast<std::uint16_t>(((1 << (15 - digits)) - 1) << digits);  // infinity
  for (std::uint16_t bits = 0; bits + 1 < end; ++bits) {
    const double here = value_of(bits, digits, bias), next = value_of(bits + 1, digits, bias);
    const double middle = (here + next) / 2;
    ASSERT_EQ(rounded(here, precision), here);
    ASSERT_EQ(rounded(-here, precision), -here);
    ASSERT_EQ(rounded(std::nextafter(middle, 0), precision), here) << here;
    ASSERT_EQ(rounded(std::nextafter(middle, kInfinity), precision), next) << here;
    ASSERT_EQ(rounded(middle, precision), bits % 2 == 0 ? here : next) << here;
    ASSERT_EQ(rounded(-middle, precision), bits % 2 == 0 ? -here : -next) << here;
  }
  const double largest = value_of(end - 1, digits, bias), step = largest - value_of(end - 2, digits, bias);
  EXPECT_EQ(rounded(largest, precision), largest);
  EXPECT_EQ(rounded(std::nextafter(largest + step / 2, 0), precision), largest);
  EXPECT_EQ(rounded(largest + step / 2, precision), kInfinity);
  EXPECT_EQ(rounded(-1e300, precision), -kInfinity);
}

TEST(Rounding, EveryFp16Number) {
  check_format(Precision::kFp16, 10, 15);
}
TEST(Rounding, EveryBf16Number) {
  check_format(Precision::kBf16, 7, 127);
}

TEST(Rounding, Fp32IsTheProcessors) {
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(random.bits64());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(rounded(value, Precision::kFp32), static_cast<double>(static_cast<float>(value))) << value;
    const double near_one = std::ldexp(value, -std::ilogb(value) - static_cast<int>(random.below(160)));
    ASSERT_EQ(rounded(near_one, Precision::kFp32), static_cast<double>(static_cast<float>(near_one))) << near_one;
  }
}

TEST(Rounding, KnownValues) {
  EXPECT_EQ(rounded(0.1, Precision::kFp16), 0.0999755859375);
  EXPECT_EQ(rounded(0.1, Precision::kBf16), 0.10009765625);
  EXPECT_EQ(rounded(65504, Precision::kFp16), 65504);
  EXPECT_EQ(rounded(65520, Precision::kFp16), kInfinity);
  EXPECT_EQ(rounded(0x1p-24, Precision::kFp16), 0x1p-24);  // the smallest
  EXPECT_EQ(rounded(0x1p-25, Precision::kFp16), 0);        // half of it: to even
  EXPECT_EQ(rounded(0x1.8p-25, Precision::kFp16), 0x1p-24);
  EXPECT_EQ(rounded(257, Precision::kBf16), 256);
  EXPECT_TRUE(std::signbit(rounded(-1e-30, Precision::kFp16)));
  EXPECT_TRUE(std::isnan(rounded(NAN, Precision::kBf16)));
  EXPECT_EQ(rounded(0.1, Precision::kFp64), 0.1);
  // In two steps, by way of fp32, this would fall on a tie and go down to even.
  EXPECT_EQ(rounded(1 + 0x1p-11 + 0x1p-40, Precision::kFp16), 1 + 0x1p-10);
}

}  // namespace
}  // namespace faithful
