#pragma once

// The gradients of whole models by central differences in double. For every parameter: along a random direction, which
// no wrong element survives, and at single elements, which say where.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/model/tiny.h"

namespace faithful::testing {

class WholeModel {
 public:
  WholeModel(const ModelConfig& config, OwnedSamples<double> samples)
      : model_(config), samples_(std::move(samples)), gradients_(model_.parameters().size(), 1e9) {
    testing::shake(model_);
    for (std::size_t b = 0; b < samples_.count; ++b)
      labels_.push_back(static_cast<std::int32_t>(b % config.input.classes));
  }

  void check() {
    tape_.begin(model_.parameters(), {.record = true, .training = true, .gradients = gradients_});
    tape_.backward(model_.loss(tape_, samples_.view(), labels_, {}));
    Random random(11);
    for (const engine::ParameterEntry& entry : model_.parameters().entries()) {
      if (entry.statistic) continue;
      const std::size_t count = entry.shape.count();
      std::vector<double> direction(count);
      for (double& each : direction) each = random.uniform(-1, 1);
      compare(entry, direction, "along a direction");
      for (int i = 0; i < 2; ++i) {
        std::fill(direction.begin(), direction.end(), 0);
        const std::size_t at = random.below(count);
        direction[at] = 1;
        compare(entry, direction, "element " + std::to_string(at));
      }
    }
  }

 private:
  double loss_at(const engine::ParameterEntry& entry, const std::vector<double>& direction, double by) {
    const auto move = [&](double step) {
      double* values = model_.parameters().mutable_values().data() + entry.offset;
      for (std::size_t i = 0; i < direction.size(); ++i) values[i] += step * direction[i];
    };
    move(by);
    tape_.begin(model_.parameters(), {.training = true});
    const double loss = *model_.loss(tape_, samples_.view(), labels_, {}).data;
    move(-by);
    return loss;
  }

  void compare(const engine::ParameterEntry& entry, const std::vector<double>& direction, const std::string& where) {
    double analytic = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) analytic += direction[i] * gradients_[entry.offset + i];
    // With four points, so that the error is of order h^4; small where ReLU and pooling have kinks to step over.
    const double h = model_.config().is_dfstrans() ? 1e-6 : 1e-4;
    const auto slope = [&](double by) { return (loss_at(entry, direction, by) - loss_at(entry, direction, -by)) / by; };
    const double quotient = (4 * slope(h) - slope(2 * h)) / 6;
    EXPECT_NEAR(analytic, quotient, 1e-8 * std::max(1.0, std::fabs(analytic))) << entry.name << ' ' << where;
  }

  Classifier<double> model_;
  OwnedSamples<double> samples_;
  std::vector<std::int32_t> labels_;
  std::vector<double> gradients_;
  engine::Tape<double> tape_;
};

inline void check_gradients(const ModelConfig& config, std::size_t count = 3) {
  SCOPED_TRACE(to_text(config));
  WholeModel(config, OwnedSamples<double>(config, count)).check();
}

// One sample is short, one has its padding in front and one hole.
inline std::vector<std::uint8_t> holes(const ModelConfig& config) {
  std::vector<std::uint8_t> valid(3 * config.input.length, 1);
  valid[config.input.length - 1] = valid[config.input.length - 2] = 0;
  valid[config.input.length] = valid[config.input.length + 2] = 0;
  return valid;
}

inline void check_masked_gradients(const ModelConfig& config) {
  SCOPED_TRACE("masked");
  SCOPED_TRACE(to_text(config));
  OwnedSamples<double> samples(config, 3);
  samples.valid = holes(config);
  WholeModel(config, std::move(samples)).check();
}

}  // namespace faithful::testing
