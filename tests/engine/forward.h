#pragma once

// What the tests of operators share: sizes at the edges, forward passes over given numbers, and exact expectations.

#include <vector>

#include <gtest/gtest.h>

#include "faithful/engine/operators.h"

namespace faithful::engine::testing {

using Tensors = std::vector<Tensor<double>>;

inline constexpr std::size_t kSizes[] = {1, 2, 3, 7};

// A tape for forward passes over given numbers.
struct Forward {
  Forward() {
    parameters.allocate();
    tape.begin(parameters, {});
  }
  Tensor<double> operator()(const std::vector<double>& numbers, Shape shape) {
    return tape.input(numbers.data(), shape);
  }
  Parameters<double> parameters;
  Tape<double> tape;
};

inline void expect_values(Tensor<double> y, const std::vector<double>& expected) {
  ASSERT_EQ(y.shape.count(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y.data[i], expected[i], 1e-14) << i;
}

}  // namespace faithful::engine::testing
