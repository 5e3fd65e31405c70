// Values worked out by hand.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "faithful/metrics/confusion.h"
#include "faithful/metrics/ranking.h"
#include "tests/metrics/flags.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::flag_scores;
using testing::rejection;
using Bytes = std::vector<std::uint8_t>;
using Labels = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Confusion, CountsAndRatios) {
  const Bytes truth = {1, 1, 1, 0, 0, 0, 0, 0}, flags = {1, 1, 0, 1, 0, 0, 0, 0};
  const Confusion c = confusion(truth, flags);
  EXPECT_EQ(c, (Confusion{2, 1, 1, 4}));
  EXPECT_DOUBLE_EQ(c.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.accuracy(), 0.75);
  EXPECT_DOUBLE_EQ(c.false_positive_rate(), 0.2);
  EXPECT_EQ(confusion(truth, flags, Numbers{2, 0, 1, 3, 0, 0, 0, 5}), (Confusion{2, 3, 1, 5}));
  Confusion sum = c;
  sum += c;
  EXPECT_EQ(sum, (Confusion{4, 2, 2, 8}));
}

TEST(Confusion, NothingBelowTheLineIsZero) {
  EXPECT_EQ(confusion({}, {}).f1(), 0);
  EXPECT_EQ(confusion({}, {}).accuracy(), 0);
  const Bytes none = {0, 0}, all = {1, 1};
  EXPECT_EQ(confusion(none, none).precision(), 0);
  EXPECT_EQ(confusion(none, none).recall(), 0);
  EXPECT_EQ(confusion(none, none).accuracy(), 1);
  EXPECT_EQ(confusion(none, all).f1(), 0);
  EXPECT_EQ(confusion(all, all).f1(), 1);
  EXPECT_EQ(confusion(all, all).false_positive_rate(), 0);
}

TEST(Confusion, AtAnotherPrevalence) {
  // Half of the samples are positive: recall 0.8, false positive rate 0.1. At 3 %: 0.024 / (0.024 + 0.097).
  const Confusion c{80, 10, 20, 90};
  const Confusion rare = at_prevalence(c, 0.03);
  EXPECT_DOUBLE_EQ(rare.precision(), 0.024 / 0.121);
  EXPECT_DOUBLE_EQ(rare.recall(), 0.8);
  EXPECT_DOUBLE_EQ(rare.false_positive_rate(), 0.1);
  EXPECT_DOUBLE_EQ(rare.total(), 200);
  EXPECT_DOUBLE_EQ(rare.positives(), 6);
  EXPECT_NEAR(at_prevalence(c, 0.5).f1(), c.f1(), 1e-15);

  const Bytes truth = {1, 0, 0, 1, 0}, flags = {1, 1, 0, 0, 0};
  const Confusion weighted = confusion(truth, flags, prevalence_weights(truth, 0.03));
  const Confusion moved = at_prevalence(confusion(truth, flags), 0.03);
  EXPECT_NEAR(weighted.precision(), moved.precision(), 1e-15);
  EXPECT_NEAR(weighted.positives(), 0.15, 1e-15);
  EXPECT_NEAR(weighted.total(), 5, 1e-15);

  EXPECT_EQ(rejection([&] { at_prevalence(c, 1); }), "prevalence: expected a number between 0 and 1, found 1");
  EXPECT_EQ(rejection([&] {
              prevalence_weights(Bytes{0, 0}, 0.03);
            }),
            "prevalence: expected positives and negatives to reweight, found samples of one class");
}

TEST(Confusion, Rejects) {
  EXPECT_EQ(rejection([] { confusion(Bytes{1, 0}, Bytes{1}); }), "flags: expected as many as truth (2), found 1");
  EXPECT_EQ(rejection([] { confusion(Bytes{1, 2}, Bytes{1, 0}); }), "truth: expected 0 or 1, found 2 at index 1");
  EXPECT_EQ(rejection([] {
              confusion(Bytes{1}, Bytes{1}, Numbers{1, 1});
            }),
            "weights: expected as many as samples (1), found 2");
  EXPECT_EQ(rejection([] { confusion(Bytes{1}, Bytes{1}, Numbers{-1}); }),
            "weights: expected finite numbers from 0, found -1 at index 0");
}

TEST(ClassReport, ThreeClasses) {
  const Labels truth = {0, 0, 1, 1, 1, 2}, predicted = {0, 1, 1, 1, 0, 1};
  const ClassReport report = class_report(truth, predicted, 3);
  EXPECT_EQ(report.confusion, Matrix<double>(3, 3, {1, 1, 0, 1, 2, 0, 0, 1, 0}));
  EXPECT_DOUBLE_EQ(report.classes[0].precision, 0.5);
  EXPECT_DOUBLE_EQ(report.classes[1].recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(report.classes[1].f1, 4.0 / 7);
  EXPECT_EQ(report.classes[2].f1, 0);
  EXPECT_DOUBLE_EQ(report.macro.f1, (0.5 + 4.0 / 7) / 3);
  EXPECT_DOUBLE_EQ(report.weighted.f1, (2 * 0.5 + 3 * 4.0 / 7) / 6);
  EXPECT_DOUBLE_EQ(report.weighted.recall, report.accuracy);
  EXPECT_DOUBLE_EQ(report.accuracy, 0.5);
  EXPECT_EQ(report.macro.support, 6);
}

TEST(ClassReport, ClassesThatDoNotOccurAreNoPartOfTheMean) {
  const ClassReport report = class_report(Labels{0, 2}, Labels{0, 2}, 5);
  EXPECT_EQ(report.macro.f1, 1);
  EXPECT_EQ(report.weighted.f1, 1);
  EXPECT_EQ(class_report({}, {}, 2).macro.f1, 0);
  EXPECT_EQ(rejection([] {
              class_report(Labels{0, 3}, Labels{0, 0}, 3);
            }),
            "truth: expected classes from 0 to 2, found 3");
  EXPECT_EQ(rejection([] { class_report(Labels{0}, Labels{-1}, 3); }),
            "predicted: expected classes from 0 to 2, found -1");
}

TEST(Ranking, CurvesAndAreas) {
  // Positives 0.8, 0.6, 0.6; negatives 0.7, 0.6, 0.1.
  const Numbers scores = {0.6, 0.1, 0.8, 0.6, 0.7, 0.6};
  const Bytes truth = {1, 0, 1, 0, 0, 1};
  const RankedScores ranked(scores, truth);
  const std::vector<PrPoint> pr = ranked.pr_curve();
  ASSERT_EQ(pr.size(), 5U);
  EXPECT_EQ(pr[0].threshold, kInfinity);
  EXPECT_EQ(pr[0].precision, 1);
  EXPECT_EQ(pr[0].recall, 0);
  EXPECT_EQ(pr[3].threshold, 0.6);
  EXPECT_DOUBLE_EQ(pr[3].precision, 0.6);
  EXPECT_DOUBLE_EQ(pr[3].recall, 1);
  EXPECT_DOUBLE_EQ(pr[4].precision, 0.5);
  const std::vector<RocPoint> roc = ranked.roc_curve();
  ASSERT_EQ(roc.size(), 5U);
  EXPECT_DOUBLE_EQ(roc[2].false_positive_rate, 1.0 / 3);
  EXPECT_DOUBLE_EQ(roc[2].true_positive_rate, 1.0 / 3);
  EXPECT_EQ(roc[4].false_positive_rate, 1);
  // 1/3 * 1 + 2/3 * 3/5
  EXPECT_DOUBLE_EQ(ranked.average_precision().value(), 11.0 / 15);
  // Of 9 pairs: 0.8 wins 3; each 0.6 wins 1 and ties 1.
  EXPECT_DOUBLE_EQ(ranked.auc_roc().value(), 6.0 / 9);
  // Flagging all from 0.6: F1 = 6/8, at the middle between 0.1 and 0.6.
  EXPECT_DOUBLE_EQ(ranked.best_f1()->f1, 0.75);
  EXPECT_DOUBLE_EQ(ranked.best_f1()->value, 0.35);
}

TEST(Ranking, OneClassAndOneSample) {
  const Numbers scores = {0.5, 0.2};
  const RankedScores negative(scores, Bytes{0, 0}), positive(scores, Bytes{1, 1});
  EXPECT_FALSE(negative.average_precision());
  EXPECT_FALSE(negative.auc_roc());
  EXPECT_FALSE(negative.best_f1());
  EXPECT_TRUE(negative.pr_curve().empty());
  EXPECT_TRUE(negative.roc_curve().empty());
  EXPECT_EQ(positive.average_precision(), 1);
  EXPECT_FALSE(positive.auc_roc());
  EXPECT_EQ(positive.best_f1()->value, 0.2);
  EXPECT_EQ(positive.best_f1()->f1, 1);
  EXPECT_EQ(RankedScores(Numbers{3}, Bytes{1}).best_f1()->value, 3);
  EXPECT_FALSE(RankedScores({}, {}).average_precision());
}

TEST(Ranking, WeightOfNothingIsNoSample) {
  const Numbers scores = {0.9, 0.5, 0.4, 0.1}, weights = {1, 0, 1, 1};
  const RankedScores ranked(scores, Bytes{1, 0, 1, 0});
  EXPECT_EQ(ranked.pr_curve(weights).size(), 4U);
  EXPECT_EQ(ranked.average_precision(weights), 1);
  EXPECT_EQ(ranked.best_f1(weights)->value, 0.25);
  EXPECT_FALSE(ranked.auc_roc(Numbers{1, 0, 1, 0}));
}

TEST(Ranking, EqualF1TakesTheHighestThreshold) {
  // One of two positives flagged, F1 2/3; all four flagged, F1 4/6.
  const Numbers scores = {4, 3, 2, 1};
  const RankedScores ranked(scores, Bytes{1, 0, 0, 1});
  EXPECT_EQ(ranked.best_f1()->value, 3.5);
  EXPECT_DOUBLE_EQ(ranked.best_f1()->f1, 2.0 / 3);
  EXPECT_EQ(flag_scores(scores, 3), (Bytes{1, 1, 0, 0}));
}

TEST(Ranking, ThresholdBetweenNeighboursIsNeverTheLowerOne) {
  const double one = 1, next = std::nextafter(1.0, 2.0), most = std::numeric_limits<double>::max();
  for (const auto& [low, high] :
       {std::pair{one, next}, std::pair{-most, most}, std::pair{0.0, 5e-324}, std::pair{most / 2, most}}) {
    const Numbers scores = {low, high};
    const double threshold = RankedScores(scores, Bytes{0, 1}).best_f1()->value;
    EXPECT_EQ(flag_scores(scores, threshold), (Bytes{0, 1})) << low;
  }
}

TEST(Ranking, Rejects) {
  EXPECT_EQ(rejection([] {
              RankedScores(Numbers{1, NAN}, Bytes{1, 0});
            }),
            "scores: expected finite numbers, found nan at index 1");
  EXPECT_EQ(rejection([] { RankedScores(Numbers{1}, Bytes{1, 0}); }), "scores: expected as many as truth (2), found 1");
  EXPECT_EQ(rejection([] {
              RankedScores(Numbers{1}, Bytes{1}).auc_roc(Numbers{1, 2});
            }),
            "weights: expected as many as samples (1), found 2");
}

TEST(Flags, OfLabels) {
  EXPECT_EQ(flags_of(Labels{0, 1, 2, 1}), (Bytes{0, 1, 0, 1}));
  EXPECT_EQ(flags_of(Labels{0, 1, 2, -1}, 2), (Bytes{0, 0, 1, 0}));
}

}  // namespace
}  // namespace faithful
