// The gradients of whole models by central differences in double. For every parameter: along a random direction, which
// no wrong element survives, and at single elements, which say where.

#include <cmath>

#include <gtest/gtest.h>

#include "tests/model/tiny.h"

namespace faithful {
namespace {

using testing::OwnedSamples;
using testing::tiny;

class WholeModel {
 public:
  WholeModel(const ModelConfig& config, OwnedSamples<double> samples)
      : model_(config), samples_(std::move(samples)), gradients_(model_.parameters().size(), 1e9) {
    testing::shake(model_);
    for (std::size_t b = 0; b < samples_.count; ++b) labels_.push_back(static_cast<std::int32_t>(b % config.classes));
  }

  void check() {
    tape_.begin(model_.parameters(), {.record = true, .training = true, .gradients = gradients_});
    tape_.backward(model_.loss(tape_, samples_.view(), labels_, {}));
    Random random(11);
    for (const engine::ParameterEntry& entry : model_.parameters().entries()) {
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
    const double h = 1e-4;  // with four points, so that the error is of order h^4
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

void check(const ModelConfig& config, std::size_t count = 3) {
  SCOPED_TRACE(to_text(config));
  WholeModel(config, OwnedSamples<double>(config, count)).check();
}

// One sample is short, one has its padding in front and one hole.
void check_masked(const ModelConfig& config) {
  SCOPED_TRACE("masked");
  SCOPED_TRACE(to_text(config));
  OwnedSamples<double> samples(config, 3);
  samples.valid.assign(3 * config.length, 1);
  samples.valid[config.length - 1] = samples.valid[config.length - 2] = 0;
  samples.valid[config.length] = samples.valid[config.length + 2] = 0;
  WholeModel(config, std::move(samples)).check();
}

TEST(WholeModelGradients, EveryEncodingAndPooling) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const char* pooling : {"mean", "attention", "token"}) {
      check(tiny(encoding, pooling));
      check_masked(tiny(encoding, pooling));
    }
  }
}

TEST(WholeModelGradients, EveryBlock) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const char* block : {"pre", "bare"}) {
      ModelConfig config = tiny(encoding, block == std::string("pre") ? "attention" : "token");
      config.block = block;
      config.activation = "gelu";
      check(config, 2);
    }
  }
}

TEST(WholeModelGradients, HeadsOfFullWidth) {
  for (const std::string& encoding : testing::encoding_names()) {
    ModelConfig config = tiny(encoding);
    config.heads = 3;  // does not divide the width
    config.head_width = config.width;
    config.layers = 1;
    check_masked(config);
    config.block = "bare";
    config.layers = 2;
    check(config, 2);
  }
}

TEST(WholeModelGradients, SegmentsAndConvolution) {
  for (const std::string& encoding : testing::encoding_names()) {
    ModelConfig config = tiny(encoding);
    config.length = 7;
    config.segment = 3;
    config.layers = 1;
    check_masked(config);
    config.filters = 2;
    config.kernel = 5;
    check_masked(config);
    config.segment = 1;
    check(config, 1);
  }
}

TEST(WholeModelGradients, Times) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (!testing::takes_times(encoding)) continue;
    for (const char* pooling : {"mean", "token"}) {
      ModelConfig config = tiny(encoding, pooling);
      config.positions = "time";
      config.time_step = 1;
      config.scale = encoding == "sinusoidal" ? "unit" : "as-defined";
      config.length = 6;
      config.segment = 2;
      check(config);
      check_masked(config);
    }
  }
}

TEST(WholeModelGradients, Variants) {
  ModelConfig config = tiny("mtan");
  config.mtan = "attention";
  check_masked(config);
  config.positions = "time";
  config.time_step = 1;
  check_masked(config);
  for (const char* pooling : {"mean", "token"}) {
    config = tiny("tupe", pooling);
    config.tupe_relative = true;
    check_masked(config);
    config = tiny("rope", pooling);
    config.pairing = "halves";
    check_masked(config);
    config.positions = "time";
    config.time_step = 1;
    check_masked(config);
  }
  config = tiny("learned-frequency");
  config.scale = "matched";
  check(config);
  config = tiny("dft");
  config.length = 11;
  EXPECT_EQ(settle(config).size(), 1U);
  check_masked(config);
  config.classes = 2;  // one logit
  check(config);
  config.activation = "relu";
  config.classes = 3;
  check(config);
}

TEST(WholeModelGradients, SmallestSizes) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const char* pooling : {"mean", "attention", "token"}) {
      ModelConfig config = tiny(encoding, pooling);
      config.channels = config.length = config.heads = config.feed_forward = config.time_dim = 1;
      config.width = encoding == "rope" ? 2 : 1;
      config.clip = 0;
      config.block = "pre";
      check(config, 1);
      config.layers = 0;
      check(config, 1);
    }
  }
}

}  // namespace
}  // namespace faithful
