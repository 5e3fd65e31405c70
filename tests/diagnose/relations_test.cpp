#include "faithful/diagnose/relations.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "tests/diagnose/made_windows.h"

namespace faithful {
namespace {

using testing::cut;

std::vector<std::uint32_t> all_of(const Windows& windows) {
  std::vector<std::uint32_t> numbers(windows.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

// Mean (5, -1), deviations 1 and 2, correlation 0.5.
Dataset pair_of_sensors() {
  Dataset dataset{.name = "made", .channels = {"a", "b"}};
  Matrix<float> values(8, 2, {6, 1, 6, 1, 6, 1, 4, -3, 4, -3, 4, -3, 6, -3, 4, 1});
  dataset.series.push_back({.name = "0", .values = std::move(values)});
  return dataset;
}

TEST(RelationsOf, TwoSensorsByHand) {
  const Dataset dataset = pair_of_sensors();
  const Windows windows = cut(dataset, {.length = 2, .stride = 2});
  ThreadPool pool(2);
  const Relations found = fit_relations(windows, all_of(windows), pool);
  EXPECT_EQ(found.mean, (std::vector<double>{5, -1}));
  EXPECT_EQ(found.scale, (std::vector<double>{1, 2}));
  EXPECT_EQ(found.weights(0, 0), 1);
  EXPECT_NEAR(found.weights(0, 1), -0.5, 1e-6);
  EXPECT_NEAR(found.weights(1, 0), -0.5, 1e-6);
  EXPECT_NEAR(found.deviation[0], std::sqrt(0.75), 1e-6);
  std::vector<double> squares(2);
  disagreements_into(found, std::vector<float>{6, 3}, squares);  // (1, 2) in units of their scales
  EXPECT_NEAR(squares[0], 0, 1e-6);                              // (1 - 0.5 * 2)^2 / 0.75
  EXPECT_NEAR(squares[1], 3, 1e-5);                              // (2 - 0.5 * 1)^2 / 0.75
}

// b = a and c is apart: neither a nor b is far from its mean, but they differ.
TEST(RelationsOf, ASensorThatLeavesItsCopyIsFound) {
  Dataset dataset{.name = "made", .channels = {"a", "b", "c", "still"}};
  Random random(1);
  Matrix<float> values(400, 4);
  for (std::size_t t = 0; t < 400; ++t) {
    const auto a = static_cast<float>(random.normal());
    values(t, 0) = a;
    values(t, 1) = a + 0.01F * static_cast<float>(random.normal());
    values(t, 2) = static_cast<float>(random.normal());
    values(t, 3) = 7;
  }
  dataset.series.push_back({.name = "0", .values = std::move(values)});
  const Windows windows = cut(dataset, {.length = 40, .stride = 40});
  ThreadPool pool(1);
  const Relations found = fit_relations(windows, all_of(windows), pool);
  std::vector<double> squares(4);
  disagreements_into(found, std::vector<float>{0.5F, -0.5F, 1.5F, 7}, squares);
  EXPECT_GT(squares[0], 1000);
  EXPECT_GT(squares[1], 1000);
  EXPECT_LT(squares[2], squares[0] / 100);  // 400 samples relate even independent sensors a little
  EXPECT_NEAR(squares[3], 0, 1e-6);
  disagreements_into(found, std::vector<float>{0.5F, 0.5F, 1.5F, 7.01F}, squares);  // a sensor that never moved moves
  EXPECT_NEAR(squares[3], 100, 1e-2);
}

TEST(RelationsOf, TheSameForAnyNumberOfThreads) {
  const Dataset dataset = testing::noise(17, {333, 5, 90});
  const Windows windows = cut(dataset, {.length = 0, .stride = 1});
  ThreadPool one(1), three(3);
  const Relations a = fit_relations(windows, all_of(windows), one), b = fit_relations(windows, all_of(windows), three);
  EXPECT_EQ(a.weights.values, b.weights.values);
  EXPECT_EQ(a.deviation, b.deviation);
}

TEST(RelationsOf, PaddingDoesNotCount) {
  Dataset dataset = pair_of_sensors();
  const Windows alone = cut(dataset, {.length = 0, .stride = 1});
  Dataset longer = pair_of_sensors();
  longer.series.push_back({.name = "1", .values = Matrix<float>(20, 2, 0.0F)});
  const Windows padded = cut(longer, {.length = 0, .stride = 1});
  ThreadPool pool(1);
  const std::vector<std::uint32_t> first = {0};
  EXPECT_EQ(fit_relations(padded, first, pool).weights.values, fit_relations(alone, first, pool).weights.values);
}

TEST(RelationsOf, NoneOfVeryManySensors) {
  const Dataset dataset = testing::noise(257, {3});
  const Windows windows = cut(dataset, {.length = 3, .stride = 3});
  ThreadPool pool(1);
  EXPECT_TRUE(fit_relations(windows, all_of(windows), pool).weights.values.empty());
}

// One sensor has no others: its disagreement is its deviation from the mean.
TEST(RelationsOf, OneSensor) {
  Dataset dataset{.name = "made", .channels = {"a"}};
  dataset.series.push_back({.name = "0", .values = Matrix<float>(2, 1, {1, 5})});
  const Windows windows = cut(dataset, {.length = 2, .stride = 2});
  ThreadPool pool(1);
  std::vector<double> squares(1);
  disagreements_into(fit_relations(windows, all_of(windows), pool), std::vector<float>{9}, squares);
  EXPECT_NEAR(squares[0], 9, 1e-9);
}

}  // namespace
}  // namespace faithful
