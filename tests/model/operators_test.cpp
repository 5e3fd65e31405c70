// Pooling by weights: closed forms, and central differences at edge sizes.

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/model/operators_internal.h"
#include "tests/engine/gradient_check.h"

namespace faithful::model {
namespace {

using engine::Shape;
using engine::testing::expect_gradients;
using Tensors = std::vector<Tensor<double>>;

const std::size_t kSizes[] = {1, 2, 3, 7};

// A tape for forward passes over given numbers.
struct Forward {
  Forward() {
    parameters.allocate();
    tape.begin(parameters, {});
  }
  Tensor<double> operator()(const std::vector<double>& numbers, Shape shape) {
    return tape.input(numbers.data(), shape);
  }
  engine::Parameters<double> parameters;
  Tape<double> tape;
};

void expect_values(Tensor<double> y, const std::vector<double>& expected) {
  ASSERT_EQ(y.shape.count(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(y.data[i], expected[i], 1e-14) << i;
}

TEST(WeightedPool, IsAMeanWithSoftmaxWeights) {
  Forward forward;
  const std::vector<double> x = {1, 10, 2, 20, 3, 30}, scores = {0, std::log(3.0), 1000};
  const std::vector<std::uint8_t> valid = {1, 1, 0}, none = {0, 0, 0};
  const auto pooled = [&](engine::Mask mask) {
    return weighted_pool<double>(forward.tape, forward(x, {1, 3, 2}), forward(scores, {1, 3, 1}), mask);
  };
  expect_values(pooled({valid}), {1.75, 17.5});
  expect_values(pooled({none}), {0, 0});
  expect_values(pooled({}), {3, 30});
}

TEST(WeightedPool, Gradients) {
  const std::vector<std::uint8_t> valid = {1, 0, 1, 0, 0, 0};  // the second sample has nothing
  for (const std::size_t width : kSizes) {
    for (const bool masked : {false, true}) {
      expect_gradients({Shape{2, 3, width}, Shape{2, 3, 1}}, [&](Tape<double>& tape, const Tensors& v) {
        return weighted_pool<double>(tape, v[0], v[1], masked ? engine::Mask{valid} : engine::Mask{});
      });
      expect_gradients({Shape{1, 1, width}, Shape{1, 1, 1}}, [&](Tape<double>& tape, const Tensors& v) {
        return weighted_pool<double>(tape, v[0], v[1], {});
      });
    }
  }
}

}  // namespace
}  // namespace faithful::model
