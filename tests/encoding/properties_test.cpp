#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "faithful/base/random.h"
#include "faithful/encoding/dft.h"
#include "faithful/encoding/encoding.h"

namespace faithful {
namespace {

double product(const Encoding& encoding, std::size_t a, std::size_t b) {
  const std::size_t d = encoding.shape[1];
  const auto begin = encoding.values.begin();
  const auto row = [&](std::size_t s) { return begin + static_cast<std::ptrdiff_t>(s * d); };
  return std::inner_product(row(a), row(a + 1), row(b), 0.0);
}

TEST(EncodingProperty, FaithfulTablesAreOrthonormal) {
  EXPECT_TRUE(rc::check([] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 120);
    const auto length = *rc::gen::inRange<std::size_t>(1, d + 1);
    const std::string name = *rc::gen::element<std::string>("dft", "onehot", "rotation");
    const Encoding encoding = make_encoding(name, {.length = length, .dim = d});
    const auto a = *rc::gen::inRange<std::size_t>(0, length), b = *rc::gen::inRange<std::size_t>(0, length);
    RC_ASSERT(std::abs(product(encoding, a, b) - (a == b ? 1 : 0)) < 1e-14);
  }));
}

TEST(EncodingProperty, DftDecodesWhatItEncodesUnderNoise) {
  EXPECT_TRUE(rc::check([] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 200);
    const auto s = *rc::gen::inRange<std::size_t>(0, d);
    const Encoding encoding = make_encoding("dft", {.length = d, .dim = d});
    Matrix<double> code(1, d);
    std::copy_n(encoding.values.begin() + static_cast<std::ptrdiff_t>(s * d), d, code.values.begin());
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<double> noise(d);
    for (double& value : noise) value = random.normal();
    const double length = std::sqrt(std::inner_product(noise.begin(), noise.end(), noise.begin(), 0.0));
    for (std::size_t c = 0; c < d; ++c) code(0, c) += 0.7 * noise[c] / length;  // half the distance is .7071
    RC_ASSERT(decode_dft(code).front() == s);
  }));
}

TEST(EncodingProperty, DftAtRealPositionsRepeatsAfterItsPeriod) {
  EXPECT_TRUE(rc::check([] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 40);
    const double position = *rc::gen::inRange(-5000, 5000) / 16.0;  // exact in double, as is the sum below
    const auto turns = *rc::gen::inRange(-9, 9);
    const double other = position + turns * static_cast<double>(d);
    const Encoding one = make_encoding("dft", {.length = 1, .dim = d, .positions = {position}});
    const Encoding two = make_encoding("dft", {.length = 1, .dim = d, .positions = {other}});
    for (std::size_t c = 0; c < d; ++c) RC_ASSERT(std::abs(one.values[c] - two.values[c]) < 1e-14);
  }));
}

TEST(EncodingProperty, SinusoidalRowsHaveNormHalfTheWidth) {
  EXPECT_TRUE(rc::check([] {
    const std::size_t d = 2 * *rc::gen::inRange<std::size_t>(1, 100);
    const Encoding encoding = make_encoding("sinusoidal", {.length = 20, .dim = d});
    const auto s = *rc::gen::inRange<std::size_t>(0, 20);
    RC_ASSERT(std::abs(product(encoding, s, s) - static_cast<double>(d) / 2) < 1e-12);
  }));
}

}  // namespace
}  // namespace faithful
