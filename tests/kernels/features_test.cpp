#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/kernels/feature_scale.h"
#include "faithful/kernels/kernel_features.h"
#include "tests/kernels/support.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::all_windows;
using testing::rejection;
using testing::waves;

// ---- the oracle: features by their definition, one window [length, C] at a time, in double

// The sum of the channels, or of their differences.
std::vector<double> summed(const std::vector<std::uint32_t>& channels, bool differences, std::span<const float> values,
                           std::size_t length, std::size_t all) {
  std::vector<double> sum(differences ? std::max<std::size_t>(length, 1) - 1 : length);
  for (std::size_t t = 0; t < sum.size(); ++t)
    for (const std::uint32_t c : channels)
      sum[t] += differences ? static_cast<double>(values[(t + 1) * all + c]) - static_cast<double>(values[t * all + c])
                            : static_cast<double>(values[t * all + c]);
  return sum;
}

double at(const std::vector<double>& sum, std::ptrdiff_t t) {
  return t < 0 || t >= std::ssize(sum) ? 0 : sum[static_cast<std::size_t>(t)];
}

// The product with nine weights at sample t.
double convolved(const std::vector<double>& sum, std::ptrdiff_t t, std::ptrdiff_t dilation,
                 const std::array<double, 9>& weights) {
  double product = 0;
  for (std::ptrdiff_t i = 0; i < 9; ++i)
    product += weights[static_cast<std::size_t>(i)] * at(sum, t + (i - 4) * dilation);
  return product;
}

void pool_by_definition(const std::vector<double>& products, std::ptrdiff_t first, std::size_t length, double bias,
                        std::vector<double>& out) {
  double positive = 0, sum = 0, places = 0, run = 0, longest = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const double above = products[i] - bias;
    run = above > 0 ? run + 1 : 0;
    longest = std::max(longest, run);
    if (above <= 0) continue;
    positive += 1;
    sum += above;
    places += static_cast<double>(first) + static_cast<double>(i);
  }
  const auto n = static_cast<double>(std::max<std::size_t>(products.size(), 1));
  out.push_back(positive / n);
  out.push_back(positive > 0 ? sum / positive : 0);
  out.push_back(positive > 0 ? places / positive / static_cast<double>(length) : -1);
  out.push_back(longest / n);
}

void rocket_by_definition(const RocketKernel& kernel, std::span<const float> values, std::size_t length,
                          std::size_t channels, std::vector<double>& out) {
  const std::vector<double> sum = summed(kernel.channels, kernel.differences, values, length, channels);
  const std::ptrdiff_t reach = 4 * static_cast<std::ptrdiff_t>(kernel.dilation), samples = std::ssize(sum);
  const std::ptrdiff_t cut = kernel.padded || samples <= 2 * reach ? 0 : reach;
  std::array<double, 9> weights{};
  weights.fill(-1);
  for (const std::uint32_t place : kernel.places) weights[place] = 2;
  std::vector<double> products;
  for (std::ptrdiff_t t = cut; t < samples - cut; ++t) products.push_back(convolved(sum, t, kernel.dilation, weights));
  for (const float bias : kernel.biases) pool_by_definition(products, cut, sum.size(), static_cast<double>(bias), out);
}

void hydra_by_definition(const HydraGroup& group, std::size_t longest, std::span<const float> values,
                         std::size_t length, std::size_t channels, std::vector<double>& out) {
  const std::vector<double> sum = summed(group.channels, group.differences, values, length, channels);
  std::array<double, 16> gained{};
  for (std::ptrdiff_t t = 0; t < std::ssize(sum); ++t) {
    std::array<double, 8> products{};
    for (std::size_t k = 0; k < 8; ++k) {
      std::array<double, 9> weights{};
      std::copy_n(group.weights.begin() + static_cast<std::ptrdiff_t>(9 * k), 9, weights.begin());
      weights[4] -= std::accumulate(weights.begin(), weights.end(), 0.0);  // the sum is 0 but for rounding
      products[k] = convolved(sum, t, group.dilation, weights);
      if (std::abs(products[k]) < 1e-12) products[k] = 0;
    }
    const auto most = std::ranges::max_element(products), least = std::ranges::min_element(products);  // the first
    gained[static_cast<std::size_t>(most - products.begin())] += std::max(*most, 0.0);
    gained[8 + static_cast<std::size_t>(least - products.begin())] += 1;
  }
  const double factor = static_cast<double>(longest) / static_cast<double>(std::max<std::size_t>(sum.size(), 1));
  for (const double one : gained) out.push_back(one * factor);
}

std::vector<double> by_definition(const KernelTable& table, std::span<const float> values, std::size_t length) {
  std::vector<double> out;
  for (const RocketKernel& kernel : table.rocket) rocket_by_definition(kernel, values, length, table.channels, out);
  for (const HydraGroup& group : table.hydra)
    hydra_by_definition(group, table.length, values, length, table.channels, out);
  return out;
}

// ---- helpers

std::vector<std::uint32_t> numbers_of(const Windows& windows) {
  std::vector<std::uint32_t> numbers(windows.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

// Values that are multiples of 1/64 make sums of MultiRocket exact, so that nothing hangs on rounding near a bias.
void round_values(Dataset& dataset) {
  for (Series& series : dataset.series)
    for (float& value : series.values.values) value = std::round(value * 64) / 64;
}

constexpr KernelOptions kSmall = {.biases = 420, .groups = 6};

void expect_as_defined(const Dataset& dataset, const KernelOptions& options = kSmall) {
  ThreadPool pool(2);
  const Windows windows = all_windows(dataset);
  const KernelFeatures features = KernelFeatures::fit(windows, options, pool);
  const Matrix<float> found = features.features_of(windows, numbers_of(windows), pool);
  ASSERT_EQ(found.columns, features.count());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const std::vector<double> wanted =
        by_definition(features.table(), dataset.series[i].values.values, dataset.series[i].length());
    ASSERT_EQ(wanted.size(), found.columns);
    for (std::size_t f = 0; f < wanted.size(); ++f)
      ASSERT_NEAR(static_cast<double>(found(i, f)), wanted[f], 1e-4 * std::max(1.0, std::abs(wanted[f])))
          << "window " << i << " of " << dataset.series[i].length() << " samples, feature " << f << " of "
          << features.rocket_count() << " and " << found.columns - features.rocket_count();
  }
}

TEST(KernelFeatures, AsDefinedForEqualLengths) {
  Dataset dataset = waves(std::vector<std::size_t>(19, 47), 3);
  round_values(dataset);
  expect_as_defined(dataset);
}

TEST(KernelFeatures, AsDefinedForUnequalLengthsDownToOne) {
  Dataset dataset = waves({1, 2, 3, 8, 9, 10, 17, 64, 31, 64, 5, 64, 1, 64, 60, 64, 63}, 2);
  round_values(dataset);
  expect_as_defined(dataset);
}

TEST(KernelFeatures, AsDefinedForTinyWindows) {
  for (const std::size_t length : {1, 2, 9}) {
    Dataset dataset = waves(std::vector<std::size_t>(3, length), 1);
    round_values(dataset);
    expect_as_defined(dataset);
  }
}

TEST(KernelFeatures, AsDefinedForConstantSeriesAndManyChannels) {
  Dataset dataset = waves(std::vector<std::size_t>(4, 33), 20);
  round_values(dataset);
  for (const std::size_t still : {0, 2})
    for (float& value : dataset.series[still].values.values) value = still == 0 ? 0.0F : 2.5F;
  expect_as_defined(dataset);
}

TEST(KernelFeatures, OneKernelByHand) {
  // Weights -1 -1 -1 2 2 2 -1 -1 -1 over a step of 1 at the middle sample: 2 where the step is under a weight of 2.
  KernelTable table{.channels = 1, .length = 9};
  table.rocket.push_back({.places = {3, 4, 5}, .channels = {0}, .biases = {0.5F, 1.5F, 2.5F}});
  const KernelFeatures features(table);
  const std::vector<float> values = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  const std::vector<std::uint32_t> lengths = {9};
  std::vector<float> out(12);
  features.features_into({values, lengths}, out);
  EXPECT_FLOAT_EQ(out[0], 3.0F / 9);  // three of nine
  EXPECT_FLOAT_EQ(out[1], 1.5F);      // 2 - 0.5
  EXPECT_FLOAT_EQ(out[2], 4.0F / 9);  // samples 3, 4 and 5
  EXPECT_FLOAT_EQ(out[3], 3.0F / 9);  // in one run
  EXPECT_FLOAT_EQ(out[5], 0.5F);      // 2 - 1.5
  EXPECT_EQ(std::vector<float>(out.begin() + 8, out.end()), (std::vector<float>{0, 0, -1, 0}));
}

TEST(KernelFeatures, SameBitsOnAnyThreadsAndInAnyCompany) {
  const Dataset dataset = waves({40, 33, 40, 7, 40, 12, 40, 40, 40, 29, 40}, 4);
  const Windows windows = all_windows(dataset);
  ThreadPool one(1), three(3);
  const KernelFeatures features = KernelFeatures::fit(windows, kSmall, one);
  EXPECT_EQ(features.table(), KernelFeatures::fit(windows, kSmall, three).table());
  const Matrix<float> all = features.features_of(windows, numbers_of(windows), one);
  EXPECT_EQ(all, features.features_of(windows, numbers_of(windows), three));
  for (std::uint32_t i = 0; i < windows.size(); ++i) {
    const std::vector<std::uint32_t> alone = {i};
    EXPECT_TRUE(std::ranges::equal(features.features_of(windows, alone, one).row(0), all.row(i))) << i;
  }
}

TEST(KernelFeatures, SeedsDiffer) {
  const Dataset dataset = waves(std::vector<std::size_t>(8, 40), 4);
  const Windows windows = all_windows(dataset);
  ThreadPool pool(1);
  EXPECT_NE(KernelFeatures::fit(windows, {.biases = 84, .groups = 2, .seed = 1}, pool).table(),
            KernelFeatures::fit(windows, {.biases = 84, .groups = 2, .seed = 2}, pool).table());
}

TEST(KernelFeatures, ManyDilationsGrowToTheLength) {
  const Dataset dataset = waves(std::vector<std::size_t>(3, 801), 1);
  const Windows windows = all_windows(dataset);
  ThreadPool pool(1);
  const KernelFeatures features = KernelFeatures::fit(windows, {.biases = 6'250, .groups = 64}, pool);
  std::uint32_t rocket = 0, hydra = 0;
  for (const RocketKernel& kernel : features.table().rocket) rocket = std::max(rocket, kernel.dilation);
  for (const HydraGroup& group : features.table().hydra) hydra = std::max(hydra, group.dilation);
  EXPECT_EQ(rocket, 100U);  // nine taps at this distance cover all 801 samples
  EXPECT_EQ(hydra, 64U);
  EXPECT_EQ(features.rocket_count(), 2 * 4 * 84 * (6'250 / 84));
  EXPECT_EQ(features.count() - features.rocket_count(), 16 * 64 * 7U);
}

// All weights of a kernel add up to 0: away from the ends a constant makes no difference.
TEST(KernelFeatures, ShiftAndScaleWhereTheyLeaveFeaturesAlone) {
  Dataset dataset = waves(std::vector<std::size_t>(5, 50), 2);
  round_values(dataset);
  ThreadPool pool(1);
  const Windows windows = all_windows(dataset);
  KernelTable table = KernelFeatures::fit(windows, kSmall, pool).table();
  std::erase_if(table.rocket, [](const RocketKernel& kernel) { return kernel.padded && !kernel.differences; });
  std::erase_if(table.hydra, [](const HydraGroup& group) { return !group.differences; });
  const KernelFeatures features(table);
  const Matrix<float> before = features.features_of(windows, numbers_of(windows), pool);
  Dataset shifted = dataset;
  for (Series& series : shifted.series)
    for (float& value : series.values.values) value += 4;
  EXPECT_EQ(before, features.features_of(all_windows(shifted), numbers_of(windows), pool));
  // Twice the values and biases: shares, places and runs stay; means double.
  Dataset doubled = dataset;
  for (Series& series : doubled.series)
    for (float& value : series.values.values) value *= 2;
  for (RocketKernel& kernel : table.rocket)
    for (float& bias : kernel.biases) bias *= 2;
  const Matrix<float> after = KernelFeatures(table).features_of(all_windows(doubled), numbers_of(windows), pool);
  for (std::size_t i = 0; i < before.rows; ++i)
    for (std::size_t f = 0; f < features.rocket_count(); ++f)
      EXPECT_EQ(after(i, f), (f % 4 == 1 ? 2 : 1) * before(i, f)) << f;
}

TEST(KernelFeatures, TablesThatContradictThemselves) {
  const auto with = [](auto&& change) {
    KernelTable table{.channels = 2, .length = 20};
    table.rocket.push_back({.places = {0, 1, 2}, .channels = {0}, .biases = {0}});
    table.hydra.push_back({.channels = {1}});
    change(table);
    return rejection([&] { KernelFeatures(table, "file"); });
  };
  EXPECT_EQ(with([](KernelTable& t) {
              t.rocket[0].places = {0, 0, 1};
            }),
            "file: expected three ascending places from 0 to 8, found 0, 0, 1");
  EXPECT_EQ(with([](KernelTable& t) { t.rocket[0].dilation = 21; }),
            "file: expected a dilation from 1 to 20, found 21");
  EXPECT_EQ(with([](KernelTable& t) { t.hydra[0].channels = {2}; }), "file: expected channels below 2, found 2");
  EXPECT_EQ(with([](KernelTable& t) { t.hydra[0].channels = {}; }), "file: expected at least one channel, found none");
  EXPECT_EQ(with([](KernelTable& t) { t.rocket[0].biases[0] = NAN; }), "file: expected finite biases, found nan");
}

TEST(FeatureScale, PlainSparseAndConstantFeatures) {
  ThreadPool pool(2);
  Matrix<float> features(4, 3,
                         {1, 7, 0,  //
                          3, 7, 0,  //
                          1, 7, 4,  //
                          3, 7, 4});
  const Matrix<float> before = features;
  const FeatureScale scale = fit_and_scale(features, 2, INFINITY, pool);
  EXPECT_EQ(scale.shift, (std::vector<float>{2, 7, 1}));
  EXPECT_FLOAT_EQ(scale.factor[0], 1);
  EXPECT_EQ(scale.factor[1], 0);                   // constant: dropped
  EXPECT_NEAR(scale.factor[2], 1 / 1.0625, 1e-6);  // roots 0, 0, 2, 2: deviation 1, and half of them 0
  EXPECT_EQ(features(0, 2), 0);                    // 0 stays 0
  EXPECT_NEAR(features(2, 2), 1 / 1.0625, 1e-6);
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<float> row(before.row(i).begin(), before.row(i).end());
    scale.apply(row);
    EXPECT_TRUE(std::ranges::equal(row, features.row(i)));
  }
}

// A feature that hardly varies in training does not decide alone; one that overflowed gives no class.
TEST(FeatureScale, NoFeatureIsFarFromTheOthers) {
  ThreadPool pool(1);
  Matrix<float> features(40, 2);
  for (std::size_t i = 0; i < 40; ++i) features(i, 0) = features(i, 1) = i == 7 ? 1.01F : 1;
  const FeatureScale scale = fit_and_scale(features, 1, 3, pool);
  EXPECT_EQ(features(7, 0), 3);  // its deviations would be (40 - 1) / sqrt(40 - 1)
  std::vector<float> row = {2, 0.25F};
  scale.apply(row);
  EXPECT_EQ(row, (std::vector<float>{3, -3}));
  row = {INFINITY, INFINITY};
  scale.apply(row);
  EXPECT_EQ(row, (std::vector<float>{INFINITY, INFINITY}));
}

}  // namespace
}  // namespace faithful
