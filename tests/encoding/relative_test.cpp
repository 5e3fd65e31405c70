// Relative encodings with small networks or projected vectors: closed forms of their tables.

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/encoding/catalog.h"
#include "faithful/encoding/encoding.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

double at(const Encoding& encoding, std::size_t h, std::size_t i, std::size_t j) {
  return encoding.values.at((h * encoding.shape[1] + i) * encoding.shape[2] + j);
}

// One hidden unit: c = 1, L = e^2 - 1 (so psi(L) = 2), W1 = 3, b1 = 1; W2 = 2, -1; b2 = 0.5, 0.
EncodingOptions small_fire(std::size_t length) {
  return {.length = length,
          .heads = 2,
          .own = {{"fire_hidden", 1}},
          .parameters = {0, std::log(std::exp(2.0) - 1), 3, 1, 2, -1, 0.5, 0}};
}

TEST(Fire, IsANetworkOfTheLogDistance) {
  const Encoding encoding = make_encoding("fire", small_fire(5));
  EXPECT_NEAR(at(encoding, 0, 2, 2), 2.5, 1e-14);                                  // x = 0: 2 * 1 + 0.5
  EXPECT_NEAR(at(encoding, 0, 3, 1), 2 * (1.5 * std::log(3.0) + 1) + 0.5, 1e-14);  // x = ln 3 / 2
  EXPECT_NEAR(at(encoding, 1, 3, 1), -(1.5 * std::log(3.0) + 1), 1e-14);
  EXPECT_NEAR(at(encoding, 0, 1, 3), 0.5, 1e-14);  // a later key: x = -ln 3 / 2, the hidden unit is off
  EXPECT_NEAR(at(encoding, 1, 1, 3), 0, 1e-14);
}

TEST(Fire, LongWindowsAreBroughtToTheSameRange) {
  const Encoding encoding = make_encoding("fire", small_fire(20));  // L = 6.39 is below 19
  EXPECT_NEAR(at(encoding, 1, 19, 0), -4, 1e-13);                   // x = 1
  EXPECT_NEAR(at(encoding, 1, 1, 0), -(3 * std::log(2.0) / std::log(20.0) + 1), 1e-13);
  EncodingOptions uneven = small_fire(3);
  uneven.positions = {0, 0.5, 2};
  EXPECT_NEAR(at(make_encoding("fire", uneven), 1, 1, 0), -(1.5 * std::log(1.5) + 1), 1e-14);
}

TEST(Fire, StartsAtTheAuthorsConstants) {
  const std::vector<double> start = start_parameters("fire", {.length = 5, .heads = 3});
  EXPECT_EQ(start.size(), 2 + 32 * 5 + 3u);
  EXPECT_NEAR(start[0], std::log(0.1), 1e-15);
  EXPECT_NEAR(start[1], std::log(512.0), 1e-15);
  EXPECT_EQ(rejection([] {
              make_encoding("fire", {.length = 2, .own = {{"fire_threshold", 0}}});
            }),
            "fire_threshold: expected a number above 0, found 0");
}

// Two hidden units: the first layer gives (o, 0), normalized to (sign, -sign) for |o| well above the epsilon.
TEST(DynamicBias, IsANetworkOfTheOffset) {
  const std::vector<double> given = {1, 0,  0,   0, 1, 1, 0, 0,            // W1, b1, gain1, shift1
                                     2, 1,  0,   3, 0, 0, 1, 1, 0.5, 0.5,  // W2, b2, gain2, shift2
                                     1, 10, 0.25};                         // W3, b3
  const Encoding encoding =
      make_encoding("dynamic-bias", {.length = 4, .heads = 1, .own = {{"dynamic_hidden", 2}}, .parameters = given});
  const auto expected = [](double o) {
    const double r1 = 1 / std::sqrt(o * o / 4 + 1e-5), a0 = std::max(0.0, o / 2 * r1), a1 = std::max(0.0, -o / 2 * r1);
    const double z0 = 2 * a0 + a1, z1 = 3 * a1, half = (z0 - z1) / 2, r2 = 1 / std::sqrt(half * half + 1e-5);
    return std::max(0.0, half * r2 + 0.5) + 10 * std::max(0.0, -half * r2 + 0.5) + 0.25;
  };
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(at(encoding, 0, i, j), expected(static_cast<double>(j) - static_cast<double>(i)), 1e-12);
    }
  }
}

TEST(DynamicBias, AWidthOfOneIsAConstant) {
  EncodingOptions options{.length = 3, .heads = 2, .own = {{"dynamic_hidden", 1}}};
  const Encoding encoding = make_encoding("dynamic-bias", options);  // a layer norm of one number is its shift
  for (std::size_t h = 0; h < 2; ++h) EXPECT_EQ(at(encoding, h, 0, 2), at(encoding, h, 2, 0));
  EXPECT_EQ(start_parameters("dynamic-bias", options).size(), 1 + 9 * 1 + 2u);
}

TEST(TransformerXl, IsAVectorTimesProjectedSinusoids) {
  for (const std::size_t dim : {1, 2, 3, 4}) {
    const std::size_t columns = 2 * ((dim + 1) / 2);
    std::vector<double> given(dim + dim * columns);
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = std::sin(static_cast<double>(i + 1));
    const Encoding encoding =
        make_encoding("transformer-xl", {.length = 4, .dim = dim, .heads = 1, .parameters = given});
    for (const auto& [i, j] : {std::pair{0, 3}, {3, 0}, {2, 2}}) {
      double expected = 0;
      for (std::size_t c = 0; c < dim; ++c) {
        for (std::size_t k = 0; k < columns; ++k) {
          const double number = std::floor(static_cast<double>(k) / 2);
          const double frequency = std::pow(1e4, -2.0 * number / static_cast<double>(columns));
          const double wave = k % 2 == 0 ? std::cos(frequency * (j - i)) : std::sin(frequency * (j - i));
          expected += given[c] * given[dim + c * columns + k] * wave / std::sqrt(static_cast<double>(dim));
        }
      }
      EXPECT_NEAR(at(encoding, 0, static_cast<std::size_t>(i), static_cast<std::size_t>(j)), expected, 1e-13);
    }
  }
  EXPECT_EQ(rejection([] { make_encoding("transformer-xl", {.length = 4, .dim = 12}); }),
            "heads: expected a divisor of dim 12, found 8");
}

// P = (1), (10), (100); WK = 2, WQ = 3: queries meet i - j, keys meet j - i.
TEST(Deberta, ProjectsTheVectorsOfClippedOffsets) {
  EncodingOptions options{.dim = 1, .heads = 1, .own = {{"clip", 1}}, .parameters = {1, 10, 100, 2, 3}};
  const Encoding encoding = make_encoding("deberta", options);
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{2, 3, 1}));
  EXPECT_EQ(encoding.values, (std::vector<double>{200, 20, 2, 3, 30, 300}));
  EXPECT_EQ(make_encoding("deberta", {.length = 80, .dim = 32}).shape, (std::vector<std::size_t>{2, 33, 32}));
}

}  // namespace
}  // namespace faithful
