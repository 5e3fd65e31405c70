// The operators of encodings that look at the signal: closed forms, and central differences at edge sizes.

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "faithful/encoding/signal_operators_internal.h"
#include "tests/engine/forward.h"
#include "tests/engine/gradient_check.h"

namespace faithful {
namespace {

using engine::Shape;
using namespace engine::testing;

TEST(KeepValid, LeavesZerosAtPadding) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::vector<std::uint8_t> valid = {1, 0, 1};
  expect_values(keep_valid<double>(forward.tape, forward(x, {1, 3, 2}), valid), {1, 2, 0, 0, 5, 6});
  expect_values(keep_valid<double>(forward.tape, forward(x, {1, 3, 2}), {}), {1, 2, 3, 4, 5, 6});
}

TEST(KeepValid, Gradients) {
  const std::vector<std::uint8_t> valid = {1, 0, 1, 1, 0, 0};
  for (const std::size_t width : kSizes) {
    expect_gradients({Shape{2, 3, width}},
                     [&](Tape<double>& tape, const Tensors& v) { return keep_valid<double>(tape, v[0], valid); });
  }
}

TEST(CopiesForHeads, AreWeighted) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4}, weights = {10, -1, 0.5};
  expect_values(copies_for_heads<double>(forward.tape, forward(x, {2, 2}), forward(weights, {3}), 3, 2),
                {20, 40, -2, -4, 1, 2, 60, 80, -6, -8, 3, 4});
  expect_values(copies_for_heads<double>(forward.tape, forward(x, {2, 2}), {}, 2, 1), {1, 2, 1, 2, 3, 4, 3, 4});
}

TEST(CopiesForHeads, Gradients) {
  for (const std::size_t width : kSizes) {
    for (const std::size_t heads : kSizes) {
      expect_gradients({Shape{2, 3, width}, Shape{heads}}, [&](Tape<double>& tape, const Tensors& v) {
        return copies_for_heads<double>(tape, v[0], v[1], heads, 0.7);
      });
    }
  }
}

TEST(Gate, IsASigmoidTimesATangent) {
  Forward forward;
  const std::vector<double> u = {0, std::log(3.0)}, v = {std::atanh(0.5), std::atanh(-0.25)};
  expect_values(gate<double>(forward.tape, forward(u, {2}), forward(v, {2})), {0.25, -0.1875});
}

TEST(Gate, Gradients) {
  for (const std::size_t width : kSizes) {
    expect_gradients({Shape{3, width}, Shape{3, width}},
                     [](Tape<double>& tape, const Tensors& v) { return gate<double>(tape, v[0], v[1]); });
  }
}

const std::array<double, 2> kMeans = {std::sqrt(0.5), std::sqrt(0.5)};

// Haar: V_j is the mean over blocks of 2^j positions that begin at multiples of 2^j.
TEST(WaveletParts, OfHaarAreMeansOfBlocksAndTheirDifferences) {
  Forward forward;
  const std::vector<double> x = {1, 3, 2, 6, 8};
  expect_values(wavelet_parts<double>(forward.tape, forward(x, {1, 5, 1}), kMeans, 2),
                {3, -1, -1, 3, 1, -1, 3, -2, 1, 3, 2, 1, 2, 4, 2});
}

// Four taps with two vanishing moments (db2), and eight with four.
const std::vector<std::vector<double>>& longer_filters() {
  static const double r = std::sqrt(3.0), n = 4 * std::sqrt(2.0);
  static const std::vector<std::vector<double>> all = {
      {(1 + r) / n, (3 + r) / n, (3 - r) / n, (1 - r) / n},
      {0.23037781330889637, 0.71484657055291546, 0.63088076792985912, -0.027983769416859545, -0.18703481171909328,
       0.030841381835560611, 0.032883011666885406, -0.010597401785069095}};
  return all;
}

TEST(WaveletParts, AddUpToTheSignal) {
  Forward forward;
  for (const std::vector<double>& filter : longer_filters()) {
    for (const std::size_t length : {1, 2, 3, 8, 13}) {
      for (const std::size_t levels : {1, 2, 5}) {
        std::vector<double> x;
        for (std::size_t i = 0; i < 2 * length; ++i) x.push_back(std::sin(static_cast<double>(7 * i)));
        const Tensor<double> parts = wavelet_parts<double>(forward.tape, forward(x, {2, length, 1}), filter, levels);
        for (std::size_t r = 0; r < 2 * length; ++r) {
          double sum = 0;
          for (std::size_t j = 0; j <= levels; ++j) sum += parts.row(r)[j];
          EXPECT_NEAR(sum, x[r], 1e-14);
        }
      }
    }
  }
}

// Far from the ends, a filter with p vanishing moments leaves no details of a polynomial of degree p - 1.
TEST(WaveletParts, HaveNoDetailsOfPolynomials) {
  Forward forward;
  for (const std::vector<double>& filter : longer_filters()) {
    const std::size_t moments = filter.size() / 2;
    const auto degree = static_cast<double>(moments - 1);
    std::vector<double> x;
    for (int s = 0; s < 60; ++s) x.push_back(std::pow((s - 30) / 30.0, degree));
    const Tensor<double> parts = wavelet_parts<double>(forward.tape, forward(x, {1, 60, 1}), filter, 2);
    for (const std::size_t s : {26, 29, 30, 31}) {
      EXPECT_NEAR(parts.row(s)[1], 0, 1e-12);
      EXPECT_NEAR(parts.row(s)[2], 0, 1e-12);
      EXPECT_NEAR(parts.row(s)[0], x[s], 1e-12);
    }
  }
}

TEST(WaveletParts, Gradients) {
  for (const std::size_t length : {1, 2, 3, 7, 16}) {
    for (const std::size_t levels : {1, 2, 4}) {
      for (const std::vector<double>& filter : longer_filters()) {
        expect_gradients({Shape{2, length, 1}}, [&](Tape<double>& tape, const Tensors& v) {
          return wavelet_parts<double>(tape, v[0], filter, levels);
        });
      }
    }
  }
}

}  // namespace
}  // namespace faithful
