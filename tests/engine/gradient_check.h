#pragma once

// The one gradient checker: a function of some tensors is built on a tape in double, its gradients are compared with
// central differences, element by element.

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/engine/operators.h"

namespace faithful::engine::testing {

// The tensors that a function under test gets: numbers, drawn from [-1, 1] or given.
struct Variable {
  Variable(Shape of) : shape(of) {}                                                           // NOLINT
  Variable(Shape of, std::vector<double> numbers) : shape(of), values(std::move(numbers)) {}  // NOLINT
  Shape shape;
  std::vector<double> values = {};
};

using Build = std::function<Tensor<double>(Tape<double>&, const std::vector<Tensor<double>>&)>;

class GradientCheck {
 public:
  GradientCheck(std::vector<Variable> variables, Build build, Draws draws = {})
      : variables_(std::move(variables)), build_(std::move(build)), draws_(draws) {
    Random random(99);
    for (Variable& v : variables_) {
      if (v.values.empty()) {
        for (std::size_t i = 0; i < v.shape.count(); ++i) v.values.push_back(random.uniform(-1, 1));
      }
    }
    parameters_.allocate();
  }

  // Fails where the analytic gradient of Σ c_i out_i (c random) differs from the difference quotient by more than 1e-6
  // of the larger one of the gradient's norm and 1.
  void run() {
    const std::vector<std::vector<double>> analytic = gradients();
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      double norm = 0;
      for (const double g : analytic[v]) norm = std::max(norm, std::fabs(g));
      const double tolerance = 1e-6 * std::max(norm, 1.0);
      for (std::size_t i = 0; i < variables_[v].values.size(); ++i) {
        double& x = variables_[v].values[i];
        const double kept = x, h = 1e-5;
        x = kept + h;
        const double above = value();
        x = kept - h;
        const double below = value();
        x = kept;
        ASSERT_NEAR(analytic[v][i], (above - below) / (2 * h), tolerance) << "variable " << v << ", element " << i;
      }
    }
  }

 private:
  // A random mixture of all outputs, so that one number depends on each of them.
  Tensor<double> mixture(const std::vector<Tensor<double>>& tensors) {
    const Tensor<double> out = build_(tape_, tensors);
    if (mixer_.empty()) {
      Random random(7);
      for (std::size_t i = 0; i < out.shape.count(); ++i) mixer_.push_back(random.uniform(-1, 1));
    }
    EXPECT_EQ(mixer_.size(), out.shape.count());
    const std::size_t count = out.shape.count();
    return linear(tape_, tape_.reshape(out, {1, count}), tape_.input(mixer_.data(), {1, count}));
  }

  double value() {
    tape_.begin(parameters_, {.training = true, .draws = draws_});
    std::vector<Tensor<double>> tensors;
    for (Variable& v : variables_) tensors.push_back(tape_.input(v.values.data(), v.shape));
    return *mixture(tensors).data;
  }

  std::vector<std::vector<double>> gradients() {
    tape_.begin(parameters_, {.record = true, .training = true, .draws = draws_});
    std::vector<Tensor<double>> tensors;
    std::vector<std::vector<double>> all;
    for (Variable& v : variables_) all.emplace_back(v.values.size(), 1e9);  // so that what is not written shows
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      tensors.push_back(tape_.variable(variables_[v].values.data(), variables_[v].shape, all[v].data()));
    }
    tape_.backward(mixture(tensors));
    return all;
  }

  std::vector<Variable> variables_;
  Build build_;
  Draws draws_;
  Parameters<double> parameters_;
  Tape<double> tape_;
  std::vector<double> mixer_;
};

inline void expect_gradients(std::vector<Variable> variables, Build build, Draws draws = {}) {
  GradientCheck(std::move(variables), std::move(build), draws).run();
}

}  // namespace faithful::engine::testing
