// The operators of spe: closed forms, and central differences at edge sizes.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "faithful/encoding/spe_operators_internal.h"
#include "tests/engine/forward.h"
#include "tests/engine/gradient_check.h"

namespace faithful {
namespace {

using engine::Shape;
using namespace engine::testing;

std::vector<double> noise_of(std::size_t count) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(1.5 * std::sin(static_cast<double>(5 * i + 1)));
  return all;
}

TEST(SineProcesses, AreSumsOfCosinesAndSines) {
  Forward forward;
  const std::vector<double> frequency = {0}, phase = {0.25}, gain = {std::log(std::exp(std::sqrt(2.0)) - 1)};
  const std::vector<double> noise = {1, 10, 2, -3};  // [1, 1, 2, 2]: cosines, then sines; softplus(gain) = sqrt(2)
  const Tensor<double> y = sine_processes<double>(forward.tape, forward(frequency, {1, 1}), forward(phase, {1, 1}),
                                                  forward(gain, {1, 1}), noise, 3, 2);
  for (std::size_t s = 0; s < 3; ++s) {
    const double angle = std::numbers::pi / 2 * static_cast<double>(s) + 0.25;
    EXPECT_NEAR(y.row(s)[0], std::cos(angle) + 2 * std::sin(angle), 1e-14);
    EXPECT_NEAR(y.row(s)[1], 10 * std::cos(angle) - 3 * std::sin(angle), 1e-14);
  }
}

TEST(SineProcesses, Gradients) {
  for (const std::size_t coordinates : {1, 3}) {
    for (const std::size_t sines : {1, 2}) {
      for (const std::size_t rows : {1, 4}) {
        const std::vector<double> noise = noise_of(coordinates * sines * 2 * 3);
        const Shape shape{coordinates, sines};
        expect_gradients({shape, shape, shape}, [&](Tape<double>& tape, const Tensors& v) {
          return sine_processes<double>(tape, v[0], v[1], v[2], noise, rows, 3);
        });
        expect_gradients({shape, shape}, [&](Tape<double>& tape, const Tensors& v) {
          return sine_processes<double>(tape, v[0], {}, v[1], noise, rows, 3);
        });
      }
    }
  }
}

TEST(FilteredProcesses, AreMovingSums) {
  Forward forward;
  const std::vector<double> filter = {1, 2, -1, 3}, noise = {1, 2, 3, 4, 5, 6};  // [2, 2], [3, 2, 1]
  expect_values(filtered_processes<double>(forward.tape, forward(filter, {2, 2}), noise, 2, 1),
                {1 - 3, 2 * 2 + 3 * 4, 3 - 5, 2 * 4 + 3 * 6});
}

TEST(FilteredProcesses, Gradients) {
  for (const std::size_t taps : kSizes) {
    const std::vector<double> noise = noise_of((3 + taps - 1) * 2 * 3);
    expect_gradients({Shape{taps, 2}}, [&](Tape<double>& tape, const Tensors& v) {
      return filtered_processes<double>(tape, v[0], noise, 3, 3);
    });
  }
}

TEST(GatedProcesses, KeepTheVariance) {
  Forward forward;
  const std::vector<double> x = {3, 5}, gate = {std::log(0.36 / 0.64)}, noise = {1, -2};  // g = 0.36
  expect_values(gated_processes<double>(forward.tape, forward(x, {1, 2}), forward(gate, {1}), noise),
                {0.8 * 3 + 0.6, 0.8 * 5 - 1.2});
}

TEST(GatedProcesses, Gradients) {
  const std::vector<double> noise = noise_of(3 * 2);
  expect_gradients({Shape{4, 6}, Shape{3}}, [&](Tape<double>& tape, const Tensors& v) {
    return gated_processes<double>(tape, v[0], v[1], noise);
  });
}

TEST(WeighProcesses, AddsTheCoordinatesOfAHead) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4}, processes = {1, 10, 2, 20, 3, 30, 4, 40};  // [1, 1, 4], [1, 4 * 2]
  expect_values(weigh_processes<double>(forward.tape, forward(x, {1, 1, 4}), forward(processes, {1, 8}), 2),
                {5, 50, 25, 250});
}

TEST(WeighProcesses, Gradients) {
  for (const std::size_t heads : {1, 2}) {
    expect_gradients({Shape{2, 3, 4}, Shape{3, 8}}, [&](Tape<double>& tape, const Tensors& v) {
      return weigh_processes<double>(tape, v[0], v[1], heads);
    });
  }
}

}  // namespace
}  // namespace faithful
