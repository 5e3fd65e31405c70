#include "faithful/diagnose/normal_version.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/diagnose/normal.h"
#include "tests/diagnose/made_windows.h"

namespace faithful {
namespace {

using testing::cut;

constexpr std::size_t kSamples = 12, kTrips = 40;

std::vector<std::uint32_t> every(const Windows& windows) {
  std::vector<std::uint32_t> numbers(windows.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

// Trips of two kinds of movement, each of any size: b is the same as a, c is twice its negative, d is noise, e still.
Dataset made_trips(std::size_t trips = kTrips) {
  Dataset dataset{.name = "made", .channels = {"a", "b", "c", "d", "e"}};
  Random random(5);
  for (std::size_t i = 0; i < trips; ++i) {
    Matrix<float> values(kSamples, 5);
    const double up = random.normal(), wave = random.normal();
    for (std::size_t t = 0; t < kSamples; ++t) {
      const double at = static_cast<double>(t) / kSamples;
      const auto a = static_cast<float>(3 + up * at + wave * std::sin(6 * at));
      for (const auto& [c, value] : {std::pair{0U, a}, {1U, a}, {2U, -2 * a}, {4U, 7.0F}}) values(t, c) = value;
      values(t, 3) = static_cast<float>(random.normal());
    }
    dataset.series.push_back({.name = std::to_string(i), .values = std::move(values)});
  }
  return dataset;
}

Normal normal_of_trips(const Windows& windows, std::size_t threads = 2) {
  ThreadPool pool(threads);
  return fit_normal(windows, every(windows), true, pool);
}

// A fault of b is repaired by what a and c say; where b is right, all stay as they are.
TEST(NormalVersion, RepairsASensorByTheOthers) {
  const Dataset dataset = made_trips();
  const Windows windows = cut(dataset, {.length = 0, .stride = 1});
  const Normal normal = normal_of_trips(windows);
  EXPECT_EQ(normal.windows.count, kTrips);
  EXPECT_TRUE(normal.windows.weights[3].values.empty());  // noise: the mean is as good
  EXPECT_TRUE(normal.windows.weights[4].values.empty());
  std::vector<float> window = dataset.series[7].values.values;
  for (std::size_t t = 4; t < 7; ++t) window[5 * t + 1] += 0.5F;
  const std::vector<float> version = normal_version(normal, window, kSamples);
  double left = 0, apart = 0;
  for (std::size_t t = 0; t < kSamples; ++t) {
    const float right = dataset.series[7].values(t, 1);
    left = std::max(left, static_cast<double>(std::abs(version[5 * t + 1] - right)));
    apart = std::max(apart, static_cast<double>(std::abs(normal.mean_at(t, 1) - right)));
    EXPECT_FLOAT_EQ(version[5 * t + 4], 7);
    EXPECT_NEAR(version[5 * t + 3], normal.mean_at(t, 3), 1e-5);
  }
  EXPECT_LT(left, 0.05);
  EXPECT_GT(apart, 0.5);  // the mean of all trips is no version of this one
}

// Other sensors that are far from anything normal must not carry a sensor away.
TEST(NormalVersion, StaysWithinTheNormalRange) {
  const Dataset dataset = made_trips();
  const Windows windows = cut(dataset, {.length = 0, .stride = 1});
  const Normal normal = normal_of_trips(windows);
  std::vector<float> window = dataset.series[0].values.values;
  for (std::size_t t = 0; t < kSamples; ++t) window[5 * t + 2] = 1e4F;
  const std::vector<float> version = normal_version(normal, window, kSamples);
  for (std::size_t i = 0; i < version.size(); ++i) {
    EXPECT_GE(version[i], normal.windows.least[i % 5]);
    EXPECT_LE(version[i], normal.windows.most[i % 5]);
  }
}

TEST(NormalVersion, PaddingStaysAndDoesNotCount) {
  Dataset dataset = made_trips();
  dataset.series[3].values = Matrix<float>(
      4, 5, std::vector<float>(dataset.series[3].values.values.begin(), dataset.series[3].values.values.begin() + 20));
  const Windows windows = cut(dataset, {.length = 0, .stride = 1});
  const Normal normal = normal_of_trips(windows);
  std::vector<float> window(kSamples * 5, 0.0F);
  std::copy_n(dataset.series[3].values.values.begin(), 20, window.begin());
  const std::vector<float> version = normal_version(normal, window, 4);
  for (std::size_t i = 20; i < version.size(); ++i) EXPECT_EQ(version[i], 0);
  for (std::size_t t = 0; t < 4; ++t) EXPECT_NEAR(version[5 * t], window[5 * t], 0.2);
}

TEST(NormalVersion, IsTheMeanWithoutNormalWindows) {
  ThreadPool pool(1);
  const Dataset few = made_trips(9), one_sensor = testing::noise(1, {200}), many = testing::noise(257, {30});
  const Windows of_few = cut(few, {.length = 0, .stride = 1});
  EXPECT_EQ(fit_normal_windows(of_few, every(of_few), pool).count, 0U);
  const Windows of_one = cut(one_sensor, {.length = 10, .stride = 10});
  EXPECT_EQ(fit_normal_windows(of_one, every(of_one), pool).count, 0U);
  const Windows of_many = cut(many, {.length = 2, .stride = 2});
  EXPECT_EQ(fit_normal_windows(of_many, every(of_many), pool).count, 0U);
  const Normal normal{Matrix<float>(1, 2, {5, -1}), Matrix<float>(1, 2, 1.0F), "made"};
  EXPECT_EQ(normal_version(normal, std::vector<float>{1, 2, 3, 4, 0, 0}, 2), (std::vector<float>{5, -1, 5, -1, 0, 0}));
}

TEST(NormalVersion, TheSameForAnyNumberOfThreads) {
  const Dataset dataset = made_trips();
  const Windows windows = cut(dataset, {.length = 0, .stride = 1});
  const Normal one = normal_of_trips(windows, 1), three = normal_of_trips(windows, 3);
  EXPECT_EQ(one.windows.weights, three.windows.weights);
  EXPECT_EQ(one.windows.mean, three.windows.mean);
}

// 300 windows: every second; the readings of wide windows are limited, too.
TEST(NormalVersion, TakesEveryKthOfManyWindows) {
  ThreadPool pool(1);
  const Dataset dataset = testing::noise(2, {600});
  const Windows windows = cut(dataset, {.length = 2, .stride = 2});
  EXPECT_EQ(fit_normal_windows(windows, every(windows), pool).count, 150U);
}

}  // namespace
}  // namespace faithful
