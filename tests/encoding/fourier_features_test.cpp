#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/encoding/encoding.h"

namespace faithful {
namespace {

double gelu(double z) {
  return z / 2 * (1 + std::erf(z / std::numbers::sqrt2));
}

// One frequency, pi/2, and one hidden unit: at s = 0, 1, 2, .. the features are (1, 0), (0, 1), (-1, 0), (0, -1) / sqrt 2.
TEST(FourierFeatures, AreANetworkOfCosineAndSine) {
  const double root = std::numbers::sqrt2, pi = std::numbers::pi;
  EncodingOptions options{.length = 5, .dim = 1, .own = {{"fourier_hidden", 1}}};
  options.parameters = {pi / 2, 3 * root, 5 * root, 0.5, 2, -1};  // w, W1, b1, W2, b2
  const std::vector<double> values = make_encoding("fourier-features", options).values;
  const std::vector<double> before = {3.5, 5.5, -2.5, -4.5, 3.5};
  for (std::size_t s = 0; s < 5; ++s) EXPECT_NEAR(values[s], 2 * gelu(before[s]) - 1, 1e-13) << s;
  options.positions = {0, 0.5, 1, 1.5, 2};
  const double half = 4 * root + 0.5;  // (3 + 5) cos(pi/4)
  EXPECT_NEAR(make_encoding("fourier-features", options).values[1], 2 * gelu(half) - 1, 1e-13);
}

// ceil(d/4) frequencies; weights and biases of two layers; also where S > d.
TEST(FourierFeatures, HaveTheSizesOfTheirWidth) {
  for (const std::size_t d : {1, 2, 3, 4, 5, 7, 13, 64}) {
    const EncodingOptions options{.length = 9, .dim = d, .own = {{"fourier_hidden", 6}}};
    const std::size_t n = (d + 3) / 4;
    EXPECT_EQ(start_parameters("fourier-features", options).size(), n + 6 * (2 * n + 1) + d * (6 + 1)) << d;
    EXPECT_EQ(make_encoding("fourier-features", options).values.size(), 9 * d);
  }
}

TEST(FourierFeatures, StartWithFrequenciesOfDeviationOneOverGamma) {
  const EncodingOptions options{.length = 1, .dim = 4000, .own = {{"fourier_gamma", 20}, {"fourier_hidden", 1}}};
  const std::vector<double> start = start_parameters("fourier-features", options);
  double squares = 0;
  for (std::size_t i = 0; i < 1000; ++i) squares += start[i] * start[i] / 1000;
  EXPECT_NEAR(std::sqrt(squares), 0.05, 0.004);
}

}  // namespace
}  // namespace faithful
