#pragma once

#include <initializer_list>
#include <list>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/engine/operators.h"

namespace faithful::engine::testing {

// A tape for closed-form values.
struct Fixture {
  explicit Fixture(bool training = false) {
    parameters.allocate();
    tape.begin(parameters, {.training = training});
  }
  Tensor<double> tensor(Shape shape, std::initializer_list<double> values) {
    kept.emplace_back(values);
    EXPECT_EQ(kept.back().size(), shape.count());
    return tape.input(kept.back().data(), shape);
  }
  static std::vector<double> numbers(Tensor<double> x) {
    std::vector<double> all;
    for (std::size_t r = 0; r < x.rows(); ++r) all.insert(all.end(), x.row(r), x.row(r) + x.width());
    return all;
  }
  std::list<std::vector<double>> kept;
  Parameters<double> parameters;
  Tape<double> tape;
};

}  // namespace faithful::engine::testing
