// Encodings of queries and keys: scaled frequencies, Fourier series and polar coordinates, and their operators.

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/encoding/encoding.h"
#include "faithful/encoding/operators_internal.h"
#include "tests/engine/forward.h"
#include "tests/engine/gradient_check.h"
#include "tests/support.h"

namespace faithful {
namespace {

using engine::Pairing;
using engine::Shape;
using ::faithful::testing::rejection;
using namespace engine::testing;

std::vector<double> rope_frequencies(OwnOptions own, std::size_t width = 8) {
  own.set("rho", 1e4);
  return make_encoding("rope", {.length = 2, .dim = width, .heads = 1, .own = own}).frequencies;
}

TEST(RopeScaling, LinearDividesEveryFrequency) {
  const std::vector<double> plain = rope_frequencies({});
  const std::vector<double> linear = rope_frequencies({{"rope_scaling", "linear"}, {"rope_factor", 4}});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(linear[i], plain[i] / 4, 1e-17);
}

TEST(RopeScaling, NtkKeepsTheHighestAndDividesTheLowest) {
  const std::vector<double> plain = rope_frequencies({});
  const std::vector<double> ntk = rope_frequencies({{"rope_scaling", "ntk"}, {"rope_factor", 4}});
  EXPECT_EQ(ntk[0], 1);
  EXPECT_NEAR(ntk[3], plain[3] / 4, 1e-17);
  EXPECT_NEAR(ntk[1], plain[1] * std::pow(4, -1.0 / 3), 1e-15);
  EXPECT_EQ(rope_frequencies({{"rope_scaling", "ntk"}, {"rope_factor", 4}}, 2), std::vector<double>{1});
}

// Frequencies 1, .1, .01, .001. Trained on 2 pi * 164 positions: 164, 16.4, 1.64 and 0.164 turns.
TEST(RopeScaling, YarnKeepsWhatTurnsOften) {
  const std::vector<double> yarn =
      rope_frequencies({{"rope_scaling", "yarn"}, {"rope_factor", 4}, {"rope_trained", 2 * std::numbers::pi * 164}});
  const auto between = [](double turns) { return ((turns - 1) / 31) + (1 - (turns - 1) / 31) / 4; };
  EXPECT_EQ(yarn[0], 1);
  EXPECT_NEAR(yarn[1], 0.1 * between(16.4), 1e-15);
  EXPECT_NEAR(yarn[2], 0.01 * between(1.64), 1e-16);
  EXPECT_NEAR(yarn[3], 0.001 / 4, 1e-17);
}

TEST(RopeScaling, RefusesWhatWouldDoNothing) {
  EXPECT_EQ(rejection([] { rope_frequencies({{"rope_factor", 2}}); }), "rope_factor applies only with rope_scaling");
  EXPECT_EQ(rejection([] {
              rope_frequencies({{"rope_scaling", "yarn"}});
            }),
            "rope_trained: expected a length above 0 for yarn, found 0");
  EXPECT_EQ(rejection([] {
              rope_frequencies({{"rope_scaling", "ntk"}, {"rope_trained", 9}});
            }),
            "rope_trained applies only to rope_scaling = yarn");
  EXPECT_EQ(rejection([] {
              rope_frequencies({{"rope_scaling", "linear"}, {"rope_factor", 0.5}});
            }),
            "rope_factor: expected a number of at least 1, found 0.5");
}

TEST(Fope, KeepsFrequenciesThatTurnOnceInAWindow) {
  const auto frequencies = [](std::size_t length) {
    return make_encoding("fope", {.length = length, .dim = 8, .heads = 1, .own = {{"rho", 16}}}).frequencies;
  };
  EXPECT_EQ(frequencies(1).size(), 1u);  // the first one in any case
  EXPECT_EQ(frequencies(12), (std::vector<double>{1}));
  EXPECT_EQ(frequencies(13), (std::vector<double>{1, 0.5}));  // 13 * .5 is more than 2 pi
  EXPECT_EQ(frequencies(51).size(), 4u);
}

TEST(Fope, IsAFourierSeriesOfEveryPair) {
  EncodingOptions options{.length = 13, .dim = 6, .heads = 1, .own = {{"rho", 8}}, .parameters = {1, 2, -3, 4}};
  const Encoding encoding = make_encoding("fope", options);  // frequencies 1, 1/2; 1/4 turns too slowly
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{13, 6}));
  for (std::size_t s = 0; s < 13; ++s) {
    const double a = static_cast<double>(s), b = a / 2, *row = &encoding.values[s * 6];
    const double expected[] = {std::cos(a) + 2 * std::cos(b), 4 * std::cos(b) - 3 * std::cos(a), 1,
                               std::sin(a) + 2 * std::sin(b), 4 * std::sin(b) - 3 * std::sin(a), 0};
    for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(row[c], expected[c], 1e-14);
  }
  options.parameters = {1, 0, 0, 1};  // rope, where frequencies are kept
  const Encoding plain = make_encoding("fope", options);
  const Encoding rope = make_encoding("rope", {.length = 13, .dim = 6, .heads = 1, .own = {{"rho", 8}}});
  for (const std::size_t c : {0, 1, 3, 4}) EXPECT_EQ(plain.values[7 * 6 + c], rope.values[7 * 6 + c]);
  EXPECT_EQ(rejection([] { make_encoding("fope", {.length = 4, .dim = 9, .heads = 3}); }),
            "dim: expected an even head width for fope (dim / heads 3), found 3");
}

TEST(Pope, HasAnAngleForEveryCoordinate) {
  for (const std::size_t width : {1, 2, 3}) {
    const Encoding encoding = make_encoding("pope", {.length = 3, .dim = 2 * width, .heads = 2});
    EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{3, 2 * width}));
    for (std::size_t c = 0; c < width; ++c) {
      const double angle = 2 * std::pow(1e4, -static_cast<double>(c) / static_cast<double>(width));
      EXPECT_NEAR(encoding.values[2 * 2 * width + c], std::cos(angle), 1e-15);
      EXPECT_NEAR(encoding.values[2 * 2 * width + width + c], std::sin(angle), 1e-15);
    }
  }
}

TEST(Modulate, MultipliesComplexNumbers) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4}, real = {3}, imaginary = {5};  // the second pair stays
  const auto product = [&](Pairing pairing) {
    return modulate<double>(forward.tape, forward(x, {1, 1, 4}), forward(real, {1, 1}), forward(imaginary, {1, 1}), 1,
                            pairing);
  };
  expect_values(product(Pairing::kInterleaved), {-7, 11, 3, 4});
  expect_values(product(Pairing::kHalves), {-12, 2, 14, 4});
}

TEST(Polar, HasLengthsAndAngles) {
  Forward forward;
  const std::vector<double> x = {0, 1}, cosines = {1, std::cos(1.0)}, sines = {0, std::sin(1.0)}, phases = {0.5, 0};
  const double one = std::log(2.0), two = std::log(1 + std::exp(1.0));
  expect_values(polar<double>(forward.tape, forward(x, {1, 1, 2}), forward(cosines, {1, 2}), forward(sines, {1, 2}),
                              forward(phases, {2}), 1),
                {one * std::cos(0.5), two * std::cos(1.0), one * std::sin(0.5), two * std::sin(1.0)});
}

TEST(RotaryOperators, Gradients) {
  for (const std::size_t heads : {1, 3}) {
    for (const std::size_t pairs : {1, 3}) {
      for (const Pairing pairing : {Pairing::kInterleaved, Pairing::kHalves}) {
        for (const std::size_t kept : {std::size_t{1}, pairs}) {
          for (const std::size_t rows : {2, 4}) {  // the same for both samples, or for each its own
            expect_gradients({Shape{2, 2, heads * 2 * pairs}, Shape{rows, kept}, Shape{rows, kept}},
                             [&](Tape<double>& tape, const Tensors& v) {
                               return modulate<double>(tape, v[0], v[1], v[2], heads, pairing);
                             });
          }
        }
      }
      std::vector<double> cosines, sines;
      for (const double angle : {0.1, -2.0, 3.0, 0.4, 5.0, 1.0}) {
        cosines.push_back(std::cos(angle));
        sines.push_back(std::sin(angle));
      }
      expect_gradients({Shape{2, 2, heads * pairs}, Shape{heads * pairs}}, [&](Tape<double>& tape, const Tensors& v) {
        const Tensor<double> c = tape.input(cosines.data(), {2, pairs}), s = tape.input(sines.data(), {2, pairs});
        const Tensor<double> whole = scale(tape, v[0], 2);  // another user of the same numbers before it
        return add(tape, polar<double>(tape, whole, c, s, v[1], heads), polar<double>(tape, whole, c, s, {}, heads));
      });
    }
  }
}

}  // namespace
}  // namespace faithful
