// Pooling by weights: closed forms, and central differences at edge sizes.

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/model/operators_internal.h"
#include "tests/engine/forward.h"
#include "tests/engine/gradient_check.h"

namespace faithful::model {
namespace {

using engine::Shape;
using namespace engine::testing;

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
