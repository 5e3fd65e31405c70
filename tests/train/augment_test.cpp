// What each kind of augmentation keeps and changes; the draws depend on seed, step and place alone.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/train/augment_internal.h"

namespace faithful::train {
namespace {

constexpr std::size_t kLength = 50, kChannels = 3;

std::vector<float> ramp(std::size_t length, std::size_t channels) {
  std::vector<float> x(length * channels);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i / channels);
  return x;
}

std::vector<float> augmented(const Augmentation& options, const std::vector<float>& x, std::size_t channels,
                             std::uint64_t seed = 1) {
  std::vector<float> y(x.size(), -1);
  Random random(seed);
  augment_into(options, random, x, channels, y);
  return y;
}

TEST(Augment, WithoutOptionsNothingChanges) {
  const std::vector<float> x = ramp(kLength, kChannels);
  EXPECT_EQ(augmented({}, x, kChannels), x);
}

// Time passes faster and slower, but never backwards, from the first sample to the last, the same in all channels.
TEST(Augment, WarpKeepsOrderAndEnds) {
  const std::vector<float> x = ramp(kLength, kChannels);
  double greatest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<float> y = augmented({.warp = 0.3}, x, kChannels, seed);
    EXPECT_EQ(y.front(), 0);
    EXPECT_NEAR(y.back(), kLength - 1, 1e-4);
    for (std::size_t i = kChannels; i < y.size(); ++i) {
      EXPECT_GT(y[i], y[i - kChannels]);
      EXPECT_EQ(y[i], y[i - i % kChannels]);
      greatest = std::max(greatest, std::fabs(static_cast<double>(y[i] - x[i])));
    }
  }
  EXPECT_GT(greatest, 3);
  EXPECT_LT(greatest, 20);
}

// Speeds of 1 - crop to 1 + crop; what lies outside repeats the ends.
TEST(Augment, CropIsAStretchOfTheWindow) {
  const std::vector<float> x = ramp(kLength, 1);
  double shortest = kLength, longest = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<float> y = augmented({.crop = 0.2}, x, 1, seed);
    EXPECT_TRUE(std::ranges::is_sorted(y));
    EXPECT_GE(y.front(), 0);
    EXPECT_LE(y.back(), kLength - 1);
    const double speed = static_cast<double>(y[26] - y[24]) / 2;
    shortest = std::min(shortest, speed);
    longest = std::max(longest, speed);
  }
  EXPECT_NEAR(shortest, 0.8, 0.02);
  EXPECT_NEAR(longest, 1.2, 0.02);
}

// A signal of all channels alike is scaled by a factor of 1 ± mix; the factor is the same at all times.
TEST(Augment, MixAndGainAreLinearInTheChannels) {
  const std::vector<float> x = ramp(kLength, kChannels);
  for (const Augmentation& options : {Augmentation{.mix = 0.2}, Augmentation{.gain = 0.1}}) {
    double squares = 0, sum = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const std::vector<float> y = augmented(options, x, kChannels, seed);
      for (std::size_t c = 0; c < kChannels; ++c) {
        const double factor = static_cast<double>(y[kChannels + c]);
        EXPECT_NEAR(y[40 * kChannels + c], 40 * factor, 1e-3);
        sum += factor - 1;
        squares += (factor - 1) * (factor - 1);
      }
    }
    EXPECT_NEAR(sum / 900, 0, 0.03);
    EXPECT_NEAR(std::sqrt(squares / 900), options.mix + options.gain, 0.02);
  }
}

TEST(Augment, ManyChannelsHaveFewPartners) {
  constexpr std::size_t kMany = 200;
  std::vector<float> x(kMany, 0);
  x[7] = 1;
  const std::vector<float> y = augmented({.mix = 0.2}, x, kMany);
  EXPECT_NEAR(y[7], 1, 0.5);
  EXPECT_LT(std::ranges::count_if(y, [](float value) { return value != 0; }), 60);
}

TEST(Augment, JitterIsNoise) {
  const std::vector<float> x(3000, 2);
  const std::vector<float> y = augmented({.jitter = 0.5}, x, 3);
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / 3000;
  double squares = 0;
  for (const float value : y) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(mean, 2, 0.05);
  EXPECT_NEAR(std::sqrt(squares / 3000), 0.5, 0.03);
}

TEST(Augment, CutoutIsOneStretchOfZeros) {
  const std::vector<float> x(kLength * kChannels, 1);
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::vector<float> y = augmented({.cutout = 0.4}, x, kChannels, seed);
    const auto first = std::ranges::find(y, 0.0F), end = std::find(first, y.end(), 1.0F);
    EXPECT_EQ(std::count(y.begin(), y.end(), 0.0F), end - first) << "one stretch";
    EXPECT_EQ((end - first) % static_cast<std::ptrdiff_t>(kChannels), 0) << "of whole samples";
    most = std::max(most, static_cast<std::size_t>(end - first) / kChannels);
  }
  EXPECT_LE(most, kLength * 4 / 10);
  EXPECT_GE(most, kLength * 3 / 10);
}

// All kinds at the edges: windows of no, one and two samples.
TEST(Augment, ShortWindows) {
  const Augmentation all{.warp = 0.3, .crop = 0.1, .mix = 0.2, .gain = 0.1, .jitter = 0.1, .cutout = 0.5};
  for (const std::size_t length : {1, 2}) {
    for (const float value : augmented(all, ramp(length, 2), 2)) EXPECT_TRUE(std::isfinite(value));
  }
}

Samples<float> batch_of(const std::vector<float>& values, const std::vector<std::uint8_t>& valid,
                        const std::vector<float>& times) {
  return {2, values, valid, times};
}

TEST(Augment, SameBitsForAnyNumberOfThreadsAndPaddingStays) {
  const Augmentation all{.warp = 0.3, .crop = 0.1, .mix = 0.2, .gain = 0.1, .jitter = 0.1, .cutout = 0.2};
  const std::vector<float> values = ramp(2 * kLength, kChannels), times = ramp(2 * kLength, 1);
  std::vector<std::uint8_t> valid(2 * kLength, 1);
  std::fill(valid.begin() + kLength + 40, valid.end(), std::uint8_t{0});
  const auto run = [&](std::uint64_t seed, std::size_t step, std::size_t threads) {
    ThreadPool pool(threads);
    Augmenter augmenter(all, seed);
    const Samples<float> samples = augmenter.changed(batch_of(values, valid, times), kChannels, step, pool);
    EXPECT_EQ(samples.times.data(), times.data());
    return std::vector<float>(samples.values.begin(), samples.values.end());
  };
  const std::vector<float> one = run(1, 5, 1);
  EXPECT_EQ(run(1, 5, 3), one);
  EXPECT_NE(run(1, 6, 1), one);
  EXPECT_NE(run(2, 5, 1), one);
  for (std::size_t i = (kLength + 40) * kChannels; i < one.size(); ++i) EXPECT_EQ(one[i], 0);
  EXPECT_NE(one[(kLength + 39) * kChannels], 0);
}

TEST(Augment, WithoutOptionsSamplesAreHandedOn) {
  const std::vector<float> values = ramp(4, 1);
  ThreadPool pool(1);
  Augmenter augmenter({}, 1);
  EXPECT_EQ(augmenter.changed({2, values, {}, {}}, 1, 1, pool).values.data(), values.data());
}

}  // namespace
}  // namespace faithful::train
