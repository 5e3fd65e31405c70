#include "faithful/model/ensemble.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

// Gives the same logits for every window.
class Constant final : public WindowModel {
 public:
  Constant(std::vector<float> logits, WindowShape shape, std::size_t batch = 8)
      : logits_(std::move(logits)), shape_(shape), batch_(batch) {}
  WindowShape shape() const override { return shape_; }
  std::size_t weight_count() const override { return logits_.size(); }
  std::size_t batch() const override { return batch_; }
  void logits_into(const Samples<float>& samples, std::span<float> out) const override {
    for (std::size_t i = 0; i < samples.count * logits_.size(); ++i) out[i] = logits_[i % logits_.size()];
  }

 private:
  std::vector<float> logits_;
  WindowShape shape_;
  std::size_t batch_;
};

std::shared_ptr<const WindowModel> constant(std::vector<float> logits, std::size_t classes, std::size_t batch = 8) {
  return std::make_shared<Constant>(std::move(logits), WindowShape{.channels = 1, .length = 2, .classes = classes},
                                    batch);
}

std::vector<double> probabilities(const WindowModel& model) {
  const std::vector<float> values(2 * 2, 0.0F);
  const WindowShape shape = model.shape();
  std::vector<float> logits(2 * shape.outputs()), found(2 * shape.classes);
  model.logits_into({.count = 2, .values = values}, logits);
  probabilities_into<float>(logits, shape.classes, found);
  return {found.begin(), found.end()};
}

TEST(Ensemble, MeanOfTwoClassesByHand) {
  const double a = 1 / (1 + std::exp(-2.0)), b = 1 / (1 + std::exp(1.0));
  const Ensemble even({{constant({2}, 2)}, {constant({-1}, 2)}});
  EXPECT_NEAR(probabilities(even)[1], (a + b) / 2, 1e-6);
  EXPECT_NEAR(probabilities(even)[3], (a + b) / 2, 1e-6);
  const Ensemble weighted({{constant({2}, 2), 3}, {constant({-1}, 2), 1}});
  EXPECT_NEAR(probabilities(weighted)[1], 0.75 * a + 0.25 * b, 1e-6);
  EXPECT_DOUBLE_EQ(weighted.members()[0].weight, 0.75);
}

TEST(Ensemble, MeanOfThreeClassesAndTemperatureByHand) {
  const Ensemble one({{constant({0, 1, 2}, 3)}});
  const double total = 1 + std::exp(1.0) + std::exp(2.0);
  const std::vector<double> p = {1 / total, std::exp(1.0) / total, std::exp(2.0) / total};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(probabilities(one)[k], p[k], 1e-6);
  const Ensemble soft({{constant({0, 1, 2}, 3)}}, 2);
  const double softer = std::sqrt(p[0]) + std::sqrt(p[1]) + std::sqrt(p[2]);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(probabilities(soft)[k], std::sqrt(p[k]) / softer, 1e-6);
}

TEST(Ensemble, SureMembersStayFinite) {
  for (const double p : probabilities(Ensemble({{constant({1e30F}, 2)}, {constant({1e30F}, 2)}}))) {
    EXPECT_TRUE(std::isfinite(p));
  }
  for (const double p : probabilities(Ensemble({{constant({0, -1e30F, 0}, 3)}}))) EXPECT_TRUE(std::isfinite(p));
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(probabilities(Ensemble({{constant({none}, 2)}, {constant({1}, 2)}}))[1]))
      << "what is no number for one member is no number";
}

TEST(Ensemble, CountsWeightsAndBatches) {
  const Ensemble both({{constant({0, 1, 2}, 3, 8)}, {constant({0, 1, 2}, 3, 5)}});
  EXPECT_EQ(both.weight_count(), 6U);
  EXPECT_EQ(both.batch(), 5U);
  EXPECT_EQ(both.transformer(), nullptr);
}

TEST(Ensemble, ImpossibleOnesAreRejected) {
  EXPECT_EQ(rejection([] { Ensemble({}); }), "ensemble: expected 1 to 100 members, found 0");
  EXPECT_EQ(rejection([] { Ensemble({{constant({0}, 2), 0}}); }), "ensemble: expected weights above 0, found 0");
  EXPECT_EQ(rejection([] { Ensemble({{constant({0}, 2)}}, 0); }), "ensemble: expected a temperature above 0, found 0");
  EXPECT_EQ(rejection([] {
              Ensemble({{constant({0}, 2)}, {constant({0, 0, 0}, 3)}});
            }),
            "ensemble: expected members that take the same windows, found other channels, samples or classes");
}

}  // namespace
}  // namespace faithful
