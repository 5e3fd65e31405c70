#include "faithful/metrics/conformal.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using Labels = std::vector<std::int32_t>;

TEST(Conformal, ScoresAreSortedNonconformities) {
  const Matrix<float> p(3, 2, {0.75F, 0.25F, 0.5F, 0.5F, 0, 1});
  EXPECT_EQ(conformal_scores(p, Labels{1, 0, 1}), (std::vector<float>{0, 0.5F, 0.75F}));
}

TEST(Conformal, LimitIsTheRankOfTheDefinition) {
  std::vector<float> scores(19);
  std::iota(scores.begin(), scores.end(), 1.0F);
  for (float& score : scores) score /= 32;
  // ceil(20 c)
  EXPECT_EQ(conformal_limit(scores, 19, 0.9), 18.0F / 32);
  EXPECT_EQ(conformal_limit(scores, 19, 0.901), 19.0F / 32);
  EXPECT_EQ(conformal_limit(scores, 19, 0.95), 19.0F / 32) << "20 * 0.95 is 19, whatever the rounding";
  EXPECT_EQ(conformal_limit(scores, 19, 0.951), std::nullopt) << "rank 20 of 19";
  EXPECT_EQ(conformal_limit(scores, 19, 0.01), 1.0F / 32);
  const std::vector<float> one = {0.5F};
  EXPECT_EQ(conformal_limit(one, 1, 0.5), 0.5F);
  EXPECT_EQ(conformal_limit(one, 1, 0.51), std::nullopt);
}

TEST(Conformal, ManyScoresBecomeRanksThatPromiseNoLess) {
  for (const std::size_t n : {999U, 1'000U, 1'001U, 2'503U, 50'000U}) {
    Matrix<float> p(n, 2);
    for (std::size_t i = 0; i < n; ++i) p(i, 0) = 1 - (p(i, 1) = static_cast<float>(i) / static_cast<float>(n));
    const Labels labels(n, 1);
    const std::vector<float> kept = conformal_scores(p, labels);
    ASSERT_EQ(kept.size(), std::min<std::size_t>(n, 1'000));
    std::vector<float> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(1 - p(i, 1));
    std::ranges::sort(all);
    EXPECT_EQ(kept.back(), all.back());
    for (const double coverage : {0.013, 0.5, 0.9, 0.9371, 0.998}) {
      const double rank = std::ceil(static_cast<double>(n + 1) * coverage - 1e-9);
      const float exact = all[static_cast<std::size_t>(rank) - 1];
      const std::optional<float> limit = conformal_limit(kept, n, coverage);
      ASSERT_TRUE(limit);
      EXPECT_GE(*limit, exact) << n << " " << coverage;
      EXPECT_LE(*limit, exact + 1.1e-3F) << n << " " << coverage;
    }
  }
}

TEST(Conformal, Messages) {
  const std::vector<float> scores = {0.5F};
  EXPECT_EQ(rejection([&] { conformal_limit(scores, 1, 1); }), "coverage: expected a number between 0 and 1, found 1");
  EXPECT_EQ(rejection([&] { conformal_scores(Matrix<float>(1, 2), Labels{2}); }),
            "labels: expected classes from 0 to 1, found 2");
}

// A model whose probabilities mislead: the coverage holds all the same, because held-out samples mislead alike.
struct Drawn {
  Matrix<float> p;
  Labels labels;
};

Drawn draw(std::size_t n, Random& random) {
  constexpr std::size_t kClasses = 4;
  Drawn made{Matrix<float>(n, kClasses), Labels(n)};
  for (std::size_t i = 0; i < n; ++i) {
    made.labels[i] = static_cast<std::int32_t>(random.below(kClasses));
    double sum = 0;
    std::vector<double> shares;
    for (std::size_t k = 0; k < kClasses; ++k) {
      const double logit = random.normal() * 2 + (static_cast<std::int32_t>(k) == made.labels[i] ? 1 : 0);
      shares.push_back(std::exp(3 * logit));
      sum += shares.back();
    }
    for (std::size_t k = 0; k < kClasses; ++k) made.p(i, k) = static_cast<float>(shares[k] / sum);
  }
  return made;
}

// Over 100 draws of held-out and new samples, the number of covered samples is beta-binomial. Its mean and variance give
// an interval of four standard errors for the mean, which fails once in 16,000 seeds.
TEST(Conformal, CoverageOverDivisionsIsAsPromised) {
  constexpr std::size_t kHeldOut = 60, kNew = 50, kDivisions = 100;
  for (const double coverage : {0.8, 0.9}) {
    Random random(5);
    std::vector<double> covered;
    for (std::size_t division = 0; division < kDivisions; ++division) {
      const Drawn held_out = draw(kHeldOut, random), fresh = draw(kNew, random);
      const std::optional<float> limit =
          conformal_limit(conformal_scores(held_out.p, held_out.labels), kHeldOut, coverage);
      ASSERT_TRUE(limit);
      double count = 0;
      for (std::size_t i = 0; i < kNew; ++i)
        count += 1 - fresh.p(i, static_cast<std::size_t>(fresh.labels[i])) <= *limit ? 1 : 0;
      covered.push_back(count / kNew);
    }
    const double rank = std::ceil((kHeldOut + 1) * coverage), a = rank, b = kHeldOut + 1 - rank;
    const double mean = a / (a + b);
    EXPECT_GE(mean, coverage);
    const double variance = a * b * (a + b + kNew) / ((a + b) * (a + b) * (a + b + 1)) / kNew;  // of a share
    const double found = std::accumulate(covered.begin(), covered.end(), 0.0) / kDivisions;
    EXPECT_NEAR(found, mean, 4 * std::sqrt(variance / kDivisions)) << coverage;
  }
}

}  // namespace
}  // namespace faithful
