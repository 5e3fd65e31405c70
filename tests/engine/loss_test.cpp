#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/engine/operators.h"
#include "tests/engine/fixture.h"
#include "tests/engine/gradient_check.h"

namespace faithful::engine {
namespace {

using testing::expect_gradients;
using testing::Fixture;
using Tensors = std::vector<Tensor<double>>;

TEST(Loss, Gradients) {
  const std::vector<std::int32_t> labels = {2, 0, 1};
  const std::vector<double> weights = {0.5, 2, 3}, pair = {0.7, 1.9}, targets = {1, 0, 0.3};
  for (const double smoothing : {0.0, 0.1}) {
    for (const std::vector<double>& w : {std::vector<double>{}, weights}) {
      expect_gradients({Shape{3, 3}}, [&](Tape<double>& tape, const Tensors& x) {
        return softmax_cross_entropy<double>(tape, x[0], labels, {w, 0.25, smoothing});
      });
    }
    for (const std::vector<double>& w : {std::vector<double>{}, pair}) {
      expect_gradients({Shape{3}}, [&](Tape<double>& tape, const Tensors& x) {
        return binary_cross_entropy<double>(tape, x[0], targets, {w, 0.25, smoothing});
      });
    }
  }
  expect_gradients({Shape{1, 1}}, [&](Tape<double>& tape, const Tensors& x) {
    return softmax_cross_entropy<double>(tape, x[0], std::vector<std::int32_t>{0});
  });
}

// A weight of 2 counts as the same sample twice, one of 0 as none.
TEST(Loss, WeightsOfSamples) {
  Fixture f;
  const std::vector<double> weights = {2, 1, 0}, pair = {0.7, 1.9}, targets = {1, 0, 0.3}, twice = {1, 1, 0};
  const auto binary = [&](std::initializer_list<double> z, const std::vector<double>& y, const std::vector<double>& w) {
    return *binary_cross_entropy<double>(f.tape, f.tensor({3}, z), y, {pair, 0.25, 0.1, w}).data;
  };
  const double none = *binary_cross_entropy<double>(f.tape, f.tensor({1}, {2}), std::vector<double>{0.3},
                                                    {pair, 0.25, 0.1, std::vector<double>{0}})
                           .data;
  EXPECT_EQ(none, 0);
  EXPECT_NEAR(binary({0.3, -1, 2}, targets, weights), binary({0.3, 0.3, -1}, twice, {}), 1e-15);
  const auto softmax = [&](std::initializer_list<double> z, const std::vector<std::int32_t>& y,
                           const std::vector<double>& w) {
    return *softmax_cross_entropy<double>(f.tape, f.tensor({3, 2}, z), y, {pair, 0.25, 0.1, w}).data;
  };
  EXPECT_NEAR(softmax({1, 2, 3, 1, 9, 9}, {0, 1, 1}, weights), softmax({1, 2, 1, 2, 3, 1}, {0, 0, 1}, {}), 1e-15);
  expect_gradients({Shape{3, 2}}, [&](Tape<double>& tape, const Tensors& x) {
    return softmax_cross_entropy<double>(tape, x[0], std::vector<std::int32_t>{0, 1, 1}, {pair, 0.25, 0.1, weights});
  });
  expect_gradients({Shape{3}}, [&](Tape<double>& tape, const Tensors& x) {
    return binary_cross_entropy<double>(tape, x[0], targets, {pair, 0.25, 0.1, weights});
  });
}

// Two classes from one logit, and from two with the difference of that size, cost the same; with smoothing, too.
TEST(Loss, OneLogitEqualsTwo) {
  Fixture f;
  const std::vector<double> weights = {0.7, 1.9};
  for (const double smoothing : {0.0, 0.2}) {
    for (const std::int32_t label : {0, 1}) {
      const double one =
          *binary_cross_entropy<double>(f.tape, f.tensor({1}, {0.8}), std::vector<double>{static_cast<double>(label)},
                                        {weights, 1, smoothing})
               .data;
      const double two = *softmax_cross_entropy<double>(f.tape, f.tensor({1, 2}, {0.1, 0.9}),
                                                        std::vector<std::int32_t>{label}, {weights, 1, smoothing})
                              .data;
      EXPECT_NEAR(one, two, 1e-14);
    }
  }
}

TEST(Loss, ClosedForm) {
  Fixture f;
  const std::vector<std::int32_t> labels = {1, 0};
  const std::vector<double> weights = {1, 3}, targets = {1, 0};
  const double log2 = std::log(2.0);
  EXPECT_NEAR(*softmax_cross_entropy<double>(f.tape, f.tensor({2, 2}, {5, 5, 0, 0}), labels, {weights, 0.5}).data,
              2 * log2, 1e-15);
  EXPECT_NEAR(*binary_cross_entropy<double>(f.tape, f.tensor({2}, {0, 0}), targets, {weights, 1}).data, 4 * log2,
              1e-15);
  // Far-out logits stay exact: the loss is linear there.
  EXPECT_EQ(*binary_cross_entropy<double>(f.tape, f.tensor({2}, {-1000, 1000}), targets).data, 2000);
  EXPECT_EQ(*softmax_cross_entropy<double>(f.tape, f.tensor({2, 2}, {1000, 0, 0, 1000}), labels).data, 2000);
}

}  // namespace
}  // namespace faithful::engine
