// Closed forms of what measures probabilities.

#include "faithful/metrics/calibration.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using Labels = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

TEST(LogLoss, ClosedFormAndBound) {
  const Matrix<float> p(3, 2, {0.25F, 0.75F, 0.5F, 0.5F, 1, 0});
  const Numbers losses = log_losses(p, Labels{1, 0, 1});
  EXPECT_DOUBLE_EQ(losses[0], std::log(4.0 / 3));
  EXPECT_DOUBLE_EQ(losses[1], std::log(2.0));
  EXPECT_DOUBLE_EQ(losses[2], -std::log(1e-7)) << "p = 0 counts as 1e-7";
  EXPECT_DOUBLE_EQ(mean_loss(losses), (losses[0] + losses[1] + losses[2]) / 3);
  EXPECT_DOUBLE_EQ(mean_loss(losses, Numbers{3, 1, 0}), (3 * losses[0] + losses[1]) / 4);
  EXPECT_EQ(log_losses(p, Labels{1, 0, 0})[2], 0);
}

TEST(BrierScore, ClosedForm) {
  const Matrix<float> p(3, 3, {0.5F, 0.25F, 0.25F, 1, 0, 0, 1, 0, 0});
  EXPECT_EQ(brier_scores(p, Labels{0, 0, 2}), (Numbers{0.25 + 2 * 0.0625, 0, 2}));
}

TEST(Reliability, BinsAreClosedAbove) {
  // 0.6 = 9/15 closes bin 8; in float it is a little more, and so belongs to bin 9.
  const Matrix<float> p(4, 2, {0, 1, 0.5F, 0.5F, 0.4F, 0.6F, 0.25F, 0.75F});
  const std::vector<ReliabilityBin> bins = reliability_bins(p, Labels{1, 1, 0, 1});
  ASSERT_EQ(bins.size(), 15U);
  EXPECT_EQ(bins[14].count, 1U);
  EXPECT_EQ(bins[14].confidence, 1);
  EXPECT_EQ(bins[14].right, 1);
  EXPECT_EQ(bins[7].count, 1U) << "0.5 lies between 7/15 and 8/15";
  EXPECT_EQ(bins[7].right, 0) << "of equal probabilities the first class counts";
  EXPECT_EQ(bins[9].count, 1U);
  EXPECT_EQ(bins[11].count, 1U) << "0.75 is between 11/15 and 12/15";
  EXPECT_DOUBLE_EQ(bins[11].low, 11.0 / 15);
  EXPECT_DOUBLE_EQ(bins[11].high, 12.0 / 15);
  EXPECT_EQ(bins[0].count, 0U);
}

TEST(CalibrationError, ClosedForms) {
  // Ten samples of confidence 0.75, of which five are right.
  Matrix<float> p(10, 2);
  Labels labels(10, 1);
  for (std::size_t i = 0; i < 10; ++i) {
    p(i, 0) = 0.25F;
    p(i, 1) = 0.75F;
    if (i < 5) labels[i] = 0;
  }
  const CalibrationError found = calibration_error(p, labels);
  EXPECT_NEAR(found.value, 0.25, 1e-12);
  // De Moivre: E |X - np| = 2 v C(n, v) p^v (1 - p)^(n - v + 1), v = floor(np) + 1
  EXPECT_NEAR(found.floor, 2 * 8 * 45 * std::pow(0.75, 8) * std::pow(0.25, 3) / 10, 1e-12);
  const CalibrationError sure = calibration_error(Matrix<float>(2, 2, {1, 0, 0, 1}), Labels{0, 1});
  EXPECT_EQ(sure.value, 0);
  EXPECT_EQ(sure.floor, 0);
  const CalibrationError one = calibration_error(Matrix<float>(1, 2, {0.25F, 0.75F}), Labels{1});
  EXPECT_EQ(one.value, 0.25);
  EXPECT_DOUBLE_EQ(one.floor, 2 * 0.75 * 0.25) << "right: off by 0.25; wrong: by 0.75";
}

// All 2^n outcomes.
double mean_deviation_by_outcomes(const Numbers& p) {
  double mean = 0, sum = 0;
  for (const double one : p) mean += one;
  for (std::size_t outcome = 0; outcome < (std::size_t{1} << p.size()); ++outcome) {
    double share = 1, count = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool happens = (outcome >> i & 1) != 0;
      share *= happens ? p[i] : 1 - p[i];
      count += happens ? 1 : 0;
    }
    sum += share * std::abs(count - mean);
  }
  return sum;
}

TEST(MeanDeviation, EqualsTheSumOverAllOutcomes) {
  Random random(3);
  EXPECT_EQ(mean_deviation({}), 0);
  for (const std::size_t n : {1, 2, 3, 7, 13}) {
    Numbers p(n);
    for (double& one : p) one = random.uniform();
    EXPECT_NEAR(mean_deviation(p), mean_deviation_by_outcomes(p), 1e-12) << n;
  }
}

TEST(MeanDeviation, OfManyEvents) {
  // De Moivre's form again, by logarithms, on both sides of where the normal distribution takes over.
  for (const auto& [n, p] : std::vector<std::pair<double, double>>{
           {390, 0.5}, {410, 0.5}, {1'120, 0.9}, {20'000, 0.001}, {100'000, 0.00101}, {90'000, 0.999}}) {
    const double v = std::floor(n * p) + 1;
    const double wanted = 2 * v *
                          std::exp(std::lgamma(n + 1) - std::lgamma(v + 1) - std::lgamma(n - v + 1) + v * std::log(p) +
                                   (n - v + 1) * std::log1p(-p));
    EXPECT_NEAR(mean_deviation(Numbers(static_cast<std::size_t>(n), p)), wanted, 1e-3 * wanted) << n << " " << p;
  }
}

// A perfectly calibrated model, drawn: its errors scatter around the floor.
TEST(CalibrationError, FloorIsTheMeanOverDraws) {
  constexpr std::size_t kSamples = 150, kDraws = 4'000;
  Random random(11);
  Matrix<float> p(kSamples, 3);
  for (std::size_t i = 0; i < kSamples; ++i) {
    const double top = random.uniform(0.4, 1);
    p(i, i % 3) = static_cast<float>(top);
    p(i, (i + 1) % 3) = p(i, (i + 2) % 3) = static_cast<float>((1 - top) / 2);
  }
  double sum = 0, squares = 0;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    Labels labels;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const double place = random.uniform();
      const auto top = static_cast<double>(p(i, i % 3));
      const std::size_t step = place < top ? 0 : place < (1 + top) / 2 ? 1 : 2;
      labels.push_back(static_cast<std::int32_t>((i + step) % 3));
    }
    const double value = calibration_error(p, labels).value;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kDraws, error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
  EXPECT_NEAR(calibration_error(p, Labels(kSamples, 0)).floor, mean, 4 * error);
}

TEST(Temperature, ClosedForm) {
  // One logit z = 1 for all, of which 3 in 4 are right: sigmoid(1 / T) is 3/4 where 1 / T = log 3.
  Labels labels(40'000, 1);
  for (std::size_t i = 0; i < labels.size(); i += 4) labels[i] = 0;
  const Temperature found = fit_temperature(Matrix<float>(labels.size(), 1, 1.0F), labels, 2);
  EXPECT_NEAR(found.value, 1 / std::log(3.0), 1e-4);
  EXPECT_NEAR(found.log_loss, -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-4);
  // The same as two logits, wherever their middle lies.
  Matrix<float> both(labels.size(), 2);
  for (std::size_t i = 0; i < labels.size(); ++i) both(i, 1) = (both(i, 0) = static_cast<float>(i % 7)) + 1;
  EXPECT_NEAR(fit_temperature(both, labels, 2).value, found.value, 1e-6);
}

TEST(Temperature, StaysFiniteWhereAllIsRight) {
  const Labels labels = {0, 1, 2};
  const Temperature found = fit_temperature(Matrix<float>(3, 3, {1, -1, -1, -1, 1, -1, -1, -1, 1}), labels, 3);
  // e / (e + 2) = 1 - 1/4 (2/3) with e = exp(2 / T)
  EXPECT_NEAR(found.value, 2 / std::log(10.0), 1e-6);
}

TEST(Temperature, WeightsShiftTheChoice) {
  // The logit 1 is right with weight 9 and wrong with weight 1, half of the samples each.
  Labels labels(40'000, 1);
  std::vector<float> weights(labels.size(), 9);
  for (std::size_t i = 0; i < labels.size(); i += 2) {
    labels[i] = 0;
    weights[i] = 1;
  }
  const Matrix<float> logits(labels.size(), 1, 1.0F);
  EXPECT_NEAR(fit_temperature(logits, labels, 2, weights).value, 1 / std::log(9.0), 1e-3);
}

TEST(Calibration, Messages) {
  const Matrix<float> p(1, 2, {0.25F, 0.75F});
  EXPECT_EQ(rejection([&] { log_losses(p, Labels{2}); }), "labels: expected classes from 0 to 1, found 2");
  EXPECT_EQ(rejection([&] { brier_scores(p, Labels{-1}); }), "labels: expected classes from 0 to 1, found -1");
  EXPECT_EQ(rejection([&] {
              calibration_error(p, Labels{0, 1});
            }),
            "probabilities: expected as many as labels (2), found 1");
  EXPECT_EQ(rejection([&] { reliability_bins(Matrix<float>(0, 2), {}); }), "labels: expected at least one, found none");
  const Matrix<float> bad(1, 2, {std::numeric_limits<float>::quiet_NaN(), 1});
  EXPECT_EQ(rejection([&] { log_losses(bad, Labels{0}); }), "probabilities: expected numbers from 0 to 1, found nan");
  EXPECT_EQ(rejection([&] { fit_temperature(bad, Labels{0}, 2); }), "logits: expected finite numbers, found nan");
  EXPECT_EQ(rejection([&] { fit_temperature(p, Labels{0}, 3); }),
            "logits: expected one for each of the 3 classes, found 2");
}

}  // namespace
}  // namespace faithful
