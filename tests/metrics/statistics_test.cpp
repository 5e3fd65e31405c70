// Closed forms and published values.

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "faithful/metrics/bootstrap.h"
#include "faithful/metrics/confusion.h"
#include "faithful/metrics/paired.h"
#include "faithful/metrics/student_internal.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using Numbers = std::vector<double>;

TEST(Summary, MeanDeviationQuantileRanks) {
  const Numbers values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_EQ(summarize(values).count, 8U);
  EXPECT_DOUBLE_EQ(summarize(values).mean, 5);
  EXPECT_DOUBLE_EQ(summarize(values).deviation, std::sqrt(32.0 / 7));
  EXPECT_EQ(summarize(Numbers(7, 0.1)).mean, 0.1);
  EXPECT_EQ(summarize(Numbers(7, 0.1)).deviation, 0);
  EXPECT_TRUE(std::isnan(summarize(Numbers{1}).deviation));
  EXPECT_TRUE(std::isnan(summarize({}).mean));
  EXPECT_EQ(quantile(Numbers{3, 1, 2}, 0), 1);
  EXPECT_EQ(quantile(Numbers{3, 1, 2}, 1), 3);
  EXPECT_EQ(quantile(Numbers{4, 1, 2, 3}, 0.5), 2.5);
  EXPECT_EQ(quantile(Numbers{7}, 0.3), 7);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_EQ(ranks(Numbers{10, 20, 10, 5}), (Numbers{2.5, 4, 2.5, 1}));
}

TEST(Student, ClosedForms) {
  // One degree of freedom: 1/2 + atan(t)/pi. Two: 1/2 + t / (2 sqrt(2 + t^2)).
  for (const double t : {-30.0, -1.0, -0.1, 0.0, 1e-9, 0.5, 1.0, 2.0, 100.0}) {
    EXPECT_NEAR(student_cdf(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-15) << t;
    EXPECT_NEAR(student_cdf(t, 2), 0.5 + t / (2 * std::sqrt(2 + t * t)), 1e-15) << t;
  }
  EXPECT_DOUBLE_EQ(student_quantile(0.75, 1), 1);
  EXPECT_DOUBLE_EQ(student_quantile(0.25, 1), -1);
  EXPECT_NEAR(student_quantile(0.975, 9), 2.2621571627982055, 1e-13);
  EXPECT_NEAR(student_quantile(0.975, 1e6), 1.9599663568, 1e-8);
  EXPECT_EQ(student_quantile(0.5, 3), 0);
  // The far tail keeps its digits: 2 (1 - cdf) = (2/pi) atan(1/t) at one degree of freedom.
  EXPECT_NEAR(metrics::student_two_sided(1e12, 1) * std::numbers::pi / 2 * 1e12, 1, 1e-12);
  EXPECT_EQ(rejection([] { student_quantile(1, 5); }), "share: expected a number between 0 and 1, found 1");
}

TEST(IncompleteBeta, PolynomialsAndSymmetry) {
  for (const double x : {0.0, 0.01, 0.3, 0.5, 0.77, 1.0}) {
    EXPECT_NEAR(metrics::incomplete_beta(1, 3, x), 1 - std::pow(1 - x, 3), 1e-15);
    EXPECT_NEAR(metrics::incomplete_beta(2, 2, x), x * x * (3 - 2 * x), 1e-15);
    EXPECT_NEAR(metrics::incomplete_beta(2.5, 7, x) + metrics::incomplete_beta(7, 2.5, 1 - x), 1, 1e-14);
  }
}

TEST(PairedT, ByHand) {
  // Mean 2, deviation 1, n = 4: t = 4 with 3 degrees of freedom.
  const Numbers differences = {1, 2, 2, 3};
  const double error = std::sqrt(2.0 / 3) / 2;
  const MeanEstimate plain = paired_t(differences);
  EXPECT_DOUBLE_EQ(plain.t, 2 / error);
  EXPECT_NEAR(plain.interval.low, 2 - error * 3.182446305284263, 1e-12);
  EXPECT_NEAR(plain.interval.high, 2 + error * 3.182446305284263, 1e-12);
  EXPECT_NEAR(plain.p, 2 * student_cdf(-plain.t, 3), 1e-15);
  // Nadeau-Bengio with test/train = 1/4: the variance is (1/4 + 1/4) / (1/4) times as large.
  const MeanEstimate corrected = resampled_t(differences, 0.25);
  EXPECT_DOUBLE_EQ(corrected.t, plain.t / std::sqrt(2.0));
  EXPECT_NEAR(corrected.interval.high - 2, (plain.interval.high - 2) * std::sqrt(2.0), 1e-12);
}

TEST(PairedT, OneDifferenceAndEqualDifferences) {
  const MeanEstimate one = paired_t(Numbers{0.3});
  EXPECT_EQ(one.summary.mean, 0.3);
  EXPECT_EQ(one.interval.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(one.p, 1);
  const MeanEstimate same = paired_t(Numbers(5, 0.1));
  EXPECT_EQ(same.interval.low, 0.1);
  EXPECT_EQ(same.p, 0);
  EXPECT_EQ(paired_t(Numbers(5, 0.0)).p, 1);
  EXPECT_EQ(rejection([] { paired_t({}); }), "differences: expected at least one pair, found none");
  EXPECT_EQ(rejection([] { paired_t(Numbers{1, NAN}); }), "differences: expected finite numbers, found nan at index 1");
  EXPECT_EQ(rejection([] {
              resampled_t(Numbers{1, 2}, 0);
            }),
            "test_to_train: expected a ratio above 0, found 0.000000");
}

TEST(SignFlip, Exact) {
  // All of one sign: only the two patterns of equal signs reach the sum.
  const Numbers differences = {1, 2, 3, 4, 5};
  const TestResult five = sign_flip_test(differences);
  EXPECT_EQ(five.p, 2.0 / 32);
  EXPECT_EQ(five.statistic, 3);
  EXPECT_TRUE(five.exact);
  // 1 + 2 - 3 + 4: sum 4. Of the 16 sums, +-10 +-8 +-6 +-4 (twice) reach it.
  EXPECT_EQ(sign_flip_test(Numbers{1, 2, -3, 4}).p, 10.0 / 16);
  EXPECT_EQ(sign_flip_test(Numbers{0.7}).p, 1);
  EXPECT_EQ(sign_flip_test(Numbers{0, 0, 0}).p, 1);
  // Equal sums stay equal where tenths are rounded.
  EXPECT_EQ(sign_flip_test(Numbers{0.1, 0.2, -0.3, 0.4}).p, 10.0 / 16);
  // 20 pairs, the most that are counted.
  EXPECT_EQ(sign_flip_test(Numbers(20, 1.0)).p, std::ldexp(1, -19));
}

TEST(SignFlip, DrawnIsNearExactAndTheSameForAnyThreads) {
  Numbers differences;
  for (int i = 0; i < 15; ++i) differences.push_back(std::sin(i) + 0.3);
  const double exact = sign_flip_test(differences).p;
  ThreadPool two(2), three(3);
  SignFlipOptions options{.most_exact = 0, .samples = 20'000, .seed = 3};
  const TestResult drawn = sign_flip_test(differences, options);
  EXPECT_FALSE(drawn.exact);
  EXPECT_NEAR(drawn.p, exact, 4 * std::sqrt(exact / 20'000));
  options.pool = &two;
  EXPECT_EQ(sign_flip_test(differences, options).p, drawn.p);
  options.pool = &three;
  EXPECT_EQ(sign_flip_test(differences, options).p, drawn.p);
  EXPECT_NEAR(sign_flip_test(Numbers(40, 1.0), {.samples = 999}).p, 1e-3, 1e-15);  // also above 32 signs
}

TEST(Wilcoxon, ExactAndApproximate) {
  // All positive: p = 2 / 2^n.
  EXPECT_EQ(wilcoxon_test(Numbers{1, 2, 3, 4, 5}).p, 2.0 / 32);
  EXPECT_TRUE(wilcoxon_test(Numbers{1, 2, 3, 4, 5}).exact);
  // W = 3: {}, {1}, {2}, {3}, {1,2} of 32 subsets.
  EXPECT_EQ(wilcoxon_test(Numbers{1, 2, -3, 4, 5}).p, 10.0 / 32);
  EXPECT_EQ(wilcoxon_test(Numbers{1, 2, -3, 4, 5}).statistic, 3);
  EXPECT_EQ(wilcoxon_test(Numbers{1, 2, -3}).p, 1);  // in the middle
  EXPECT_EQ(wilcoxon_test(Numbers{0, 0}).p, 1);
  // Ties: |d| = 1, 1, 2: ranks 1.5, 1.5, 3; W = 0, mean 3, variance (84 - 3) / 24.
  const TestResult tied = wilcoxon_test(Numbers{1, 1, 2});
  EXPECT_FALSE(tied.exact);
  EXPECT_DOUBLE_EQ(tied.p, std::erfc(2.5 / std::sqrt(81.0 / 24) / std::sqrt(2.0)));
  // Zeros are left out, and the normal approximation is taken.
  EXPECT_DOUBLE_EQ(wilcoxon_test(Numbers{1, 1, 2, 0}).p, tied.p);
}

TEST(Holm, StepsDown) {
  const std::vector<double> adjusted = holm(Numbers{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
  EXPECT_EQ(holm(Numbers{0.9, 0.8}), (Numbers{1, 1}));
  EXPECT_TRUE(holm({}).empty());
  EXPECT_EQ(rejection([] { holm(Numbers{1.5}); }), "p_values: expected numbers from 0 to 1, found 1.500000");
}

// The mean of drawn samples.
Statistic mean_of(const Numbers& values) {
  return [&values](std::span<const double> counts) {
    double sum = 0, n = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += counts[i] * values[i];
      n += counts[i];
    }
    return sum / n;
  };
}

TEST(BootstrapTest, StandardErrorOfAMean) {
  Numbers values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  const Bootstrap result = bootstrap(values.size(), mean_of(values), {.resamples = 4000});
  EXPECT_DOUBLE_EQ(result.value, 49.5);
  // The deviation with n below the line, over sqrt(n): sqrt((100^2 - 1) / 12) / 10.
  const double error = std::sqrt(9999.0 / 12) / 10;
  EXPECT_NEAR(result.deviation, error, 0.05 * error);
  EXPECT_NEAR(result.interval.low, 49.5 - 1.96 * error, 0.25 * error);
  EXPECT_NEAR(result.interval.high, 49.5 + 1.96 * error, 0.25 * error);
  EXPECT_EQ(result.undefined, 0U);
}

TEST(BootstrapTest, SameBitsForAnyThreadsOtherForOtherSeeds) {
  const Numbers values = {1, 2, 4, 8, 16, 32, 64};
  ThreadPool two(2), five(5);
  const Bootstrap alone = bootstrap(7, mean_of(values), {.resamples = 501});
  for (ThreadPool* pool : {&two, &five}) {
    const Bootstrap together = bootstrap(7, mean_of(values), {.resamples = 501, .pool = pool});
    EXPECT_EQ(together.interval.low, alone.interval.low);
    EXPECT_EQ(together.interval.high, alone.interval.high);
    EXPECT_EQ(together.deviation, alone.deviation);
  }
  EXPECT_NE(bootstrap(7, mean_of(values), {.resamples = 501, .seed = 2}).deviation, alone.deviation);
}

TEST(BootstrapTest, GroupsAreDrawnWhole) {
  const std::vector<std::size_t> group_of = {0, 0, 1, 1, 1, 2};
  bootstrap_groups(group_of, [](std::span<const double> counts) {
    EXPECT_EQ(counts[0], counts[1]);
    EXPECT_EQ(counts[2], counts[4]);
    EXPECT_EQ(counts[0] + counts[2] + counts[5], 3);
    return 0.0;
  });
}

TEST(BootstrapTest, UndefinedResamplesAreCounted) {
  // One positive of three: it is in none of the draws with probability 8/27.
  const std::vector<std::uint8_t> truth = {1, 0, 0};
  const Bootstrap result = bootstrap(3, [&](std::span<const double> counts) {
    const Confusion c = confusion(truth, truth, counts);
    return c.positives() > 0 ? c.recall() : NAN;
  });
  EXPECT_NEAR(static_cast<double>(result.undefined), 2000 * 8.0 / 27, 4 * std::sqrt(2000 * 8.0 / 27 * 19 / 27));
  EXPECT_EQ(result.interval.low, 1);
  EXPECT_EQ(result.interval.high, 1);
}

TEST(BootstrapTest, OneSampleAndRejects) {
  const Numbers one = {7};
  EXPECT_EQ(bootstrap(1, mean_of(one)).interval.low, 7);
  EXPECT_EQ(bootstrap(1, mean_of(one)).deviation, 0);
  EXPECT_EQ(rejection([&] { bootstrap(0, mean_of(one)); }), "bootstrap: expected at least one sample, found none");
  const std::vector<std::size_t> hole = {0, 2};
  EXPECT_EQ(rejection([&] { bootstrap_groups(hole, mean_of(one)); }),
            "groups: expected the numbers from 0 to 1, found 2");
  EXPECT_EQ(rejection([&] { bootstrap(1, mean_of(one), {.level = 1}); }),
            "level: expected a number between 0 and 1, found 1");
}

}  // namespace
}  // namespace faithful
