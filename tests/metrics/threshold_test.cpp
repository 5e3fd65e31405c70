#include "faithful/metrics/threshold.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/metrics/confusion.h"
#include "faithful/metrics/ranking.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

// Two stretches: an event of two windows, and one of one; two normal windows score high, apart.
struct Small {
  std::vector<double> first = {0.1, 0.8, 0.6, 0.1, 0.7, 0.1}, second = {0.2, 0.5, 0.05};
  std::vector<std::uint8_t> first_truth = {0, 1, 1, 0, 0, 0}, second_truth = {0, 1, 0};
  std::vector<ScoredTimeline> lines = {{first, first_truth}, {second, second_truth}};
};

TEST(ThresholdCurve, ClosedForms) {
  const Small small;
  const ThresholdCurve curve = threshold_curve(small.lines, 2000, 0);
  EXPECT_EQ(curve.windows, 9U);
  EXPECT_EQ(curve.positives, 3U);
  EXPECT_EQ(curve.events, 2U);
  EXPECT_EQ(curve.lowest_normal, 0.05);
  EXPECT_EQ(curve.highest_anomalous, 0.8);
  ASSERT_EQ(curve.points.size(), 7U) << "0.8 0.7 0.6 0.5 0.2 0.1 0.05";
  const auto expect = [&](std::size_t i, double threshold, double precision, double recall, std::size_t detected,
                          std::size_t alarms) {
    EXPECT_DOUBLE_EQ(curve.points[i].threshold, threshold);
    EXPECT_DOUBLE_EQ(curve.points[i].precision, precision);
    EXPECT_DOUBLE_EQ(curve.points[i].recall, recall);
    EXPECT_EQ(curve.points[i].detected, detected);
    EXPECT_EQ(curve.points[i].false_alarms, alarms);
  };
  expect(0, 0.75, 1, 1 / 3.0, 1, 0);
  expect(1, 0.65, 0.5, 1 / 3.0, 1, 1);
  expect(3, 0.35, 0.75, 1, 2, 1);
  expect(6, 0.05, 1 / 3.0, 1, 2, 0);  // all flagged: every alarm touches an event
  EXPECT_DOUBLE_EQ(curve.false_alarm_rate(curve.points[1]), 0.5);
  EXPECT_EQ(curve.rate_unit(), "per 1000 samples");
  EXPECT_DOUBLE_EQ(threshold_curve(small.lines, 2000, 4).false_alarm_rate(curve.points[1]), 0.25);
}

TEST(ThresholdCurve, HoldsTheRangeOfAnyNumberOfScores) {
  Random random(1);
  std::vector<double> scores(20'000);
  std::vector<std::uint8_t> truth(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = random.uniform(), truth[i] = i % 50 < 5 ? 1 : 0;
  const ThresholdCurve curve = threshold_curve(std::vector<ScoredTimeline>{{scores, truth}}, 1e5);
  EXPECT_LT(curve.points.size(), 250U) << "compact";
  EXPECT_GT(curve.points.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(curve.points, std::ranges::greater{}, &ThresholdPoint::threshold));
  EXPECT_EQ(curve.points.back().recall, 1);
  EXPECT_EQ(curve.points.back().threshold, *std::ranges::min_element(scores));
}

TEST(ThresholdCurve, NothingWithoutBothClasses) {
  const std::vector<double> scores = {0.2, 0.9};
  for (const std::uint8_t label : {0, 1}) {
    const std::vector<std::uint8_t> truth(2, label);
    const ThresholdCurve curve = threshold_curve(std::vector<ScoredTimeline>{{scores, truth}}, 10);
    EXPECT_TRUE(curve.points.empty() && !curve.smoothed_f1);
    EXPECT_EQ(rejection([&] { choose_threshold(curve, {.kind = ThresholdKind::kF1}); }),
              "threshold: expected a number, because the validation part does not have both classes, found \"f1\"");
  }
  EXPECT_EQ(rejection([] {
              const std::vector<double> wild = {NAN};
              const std::vector<std::uint8_t> truth = {1};
              threshold_curve(std::vector<ScoredTimeline>{{wild, truth}}, 1);
            }),
            "scores: expected probabilities, found nan");
}

TEST(ThresholdRule, TextAndBack) {
  for (const char* text :
       {"auto", "0.25", "0", "1", "f1", "best-f1", "false-alarms=2/day", "false-alarms=0.5/1000samples"})
    EXPECT_EQ(to_string(parse_threshold_rule(text)), text);
  for (const char* text : {"", "F1", "1.01", "-0.1", "nan", "false-alarms", "false-alarms=2", "false-alarms=-1/day",
                           "false-alarms=inf/day", "false-alarms=x/1000samples", "0.5x"})
    EXPECT_EQ(rejection([&] { parse_threshold_rule(text); }),
              "threshold: expected a number from 0 to 1, f1, false-alarms=N/day or "
              "false-alarms=N/1000samples, found \"" +
                  std::string(text) + "\"");
}

TEST(ChooseThreshold, ByFalseAlarms) {
  const Small small;
  const ThresholdCurve curve = threshold_curve(small.lines, 2000, 4);
  const auto chosen = [&](const char* rule) { return choose_threshold(curve, parse_threshold_rule(rule)).value; };
  EXPECT_DOUBLE_EQ(chosen("false-alarms=0/day"), 0.75) << "lower ones have alarms, and the lowest only joins them";
  EXPECT_DOUBLE_EQ(chosen("false-alarms=0.25/day"), 0.35);
  EXPECT_DOUBLE_EQ(chosen("false-alarms=0.5/1000samples"), 0.35);
  EXPECT_DOUBLE_EQ(chosen("false-alarms=100/day"), 0.35) << "lower ones detect no more";
  EXPECT_EQ(choose_threshold(curve, parse_threshold_rule("false-alarms=2/day")).from,
            "at most 2 false alarms a day on validation");
  EXPECT_EQ(rejection([&] {
              choose_threshold(threshold_curve(small.lines, 2000), parse_threshold_rule("false-alarms=2/day"));
            }),
            "threshold: expected false-alarms=N/1000samples, because the training data has no times, found "
            "\"false-alarms=2/day\"");
}

TEST(ChooseThreshold, WarnsOutsideOfTheScoresOfEitherClass) {
  const Small small;
  const ThresholdCurve curve = threshold_curve(small.lines, 2000);
  const auto warning = [&](double value) {
    return choose_threshold(curve, {ThresholdKind::kValue, value, false}).warning;
  };
  EXPECT_EQ(warning(0.3), "");
  EXPECT_EQ(warning(0.8), "");
  EXPECT_EQ(warning(0.05), "threshold 0.05 flags every normal window of the validation part (the lowest scores 0.05)");
  EXPECT_EQ(warning(0.81), "threshold 0.81 flags no anomalous window of the validation part (the highest scores 0.8)");
}

// ---- smoothed F1 against best F1

// Events of different strength between normal stretches; scores as a badly calibrated model has them.
struct Simulated {
  std::vector<double> scores;
  std::vector<std::uint8_t> truth;
  std::vector<ScoredTimeline> lines() const { return {{scores, truth}}; }
};

Simulated simulate(std::size_t events, double bias, Random& random) {
  Simulated made;
  const auto add = [&](std::size_t count, double level, double spread, std::uint8_t label) {
    for (std::size_t i = 0; i < count; ++i) {
      made.scores.push_back(1 / (1 + std::exp(bias - 3 * (level + spread * random.normal()))));
      made.truth.push_back(label);
    }
  };
  for (std::size_t i = 0; i < events; ++i) {
    add(40, 0.3 * random.normal(), 1, 0);
    add(5, 2 + 0.5 * random.normal(), 0.7, 1);
  }
  return made;
}

double f1_at(const Simulated& test, double threshold) {
  std::vector<std::uint8_t> flags;
  for (const double score : test.scores) flags.push_back(score >= threshold ? 1 : 0);
  return confusion(test.truth, flags).f1();
}

// docs/metrics.md has the table of this simulation.
TEST(SmoothedF1, IsBetterAndSteadierThanBestF1WithFewEvents) {
  for (const double bias : {2.0, 6.0, 12.0}) {  // the best threshold is near 0.95, 0.3 and 0.001
    Random random(7);
    const Simulated test = simulate(2000, bias, random);
    for (const std::size_t events : {2U, 3U, 5U, 10U, 20U}) {
      std::vector<double> smoothed, best;
      for (int repeat = 0; repeat < 120; ++repeat) {
        const Simulated held = simulate(events, bias, random);
        smoothed.push_back(f1_at(test, smoothed_f1_threshold(held.lines(), 1)->value));
        best.push_back(f1_at(test, RankedScores(held.scores, held.truth).best_f1()->value));
      }
      EXPECT_GT(summarize(smoothed).mean, summarize(best).mean) << events << " events, bias " << bias;
      EXPECT_LT(summarize(smoothed).deviation, summarize(best).deviation) << events << " events, bias " << bias;
    }
  }
}

TEST(SmoothedF1, ItsIntervalHoldsItAndNarrowsWithMoreEvents) {
  Random random(3);
  double before = 1;
  for (const std::size_t events : {3U, 30U, 300U}) {
    const Simulated held = simulate(events, 6, random);
    const SmoothedThreshold found = *smoothed_f1_threshold(held.lines());
    EXPECT_LE(found.interval.low, found.value);
    EXPECT_GE(found.interval.high, found.value);
    const double width = found.interval.high - found.interval.low;
    EXPECT_LT(width, before);
    before = width;
    EXPECT_EQ(found.value, smoothed_f1_threshold(held.lines())->value) << "the same bits";
  }
}

// A network that is sure of itself: normal scores close together, a gap, anomalous scores far apart. The threshold stands
// in the middle of the gap, not at the edge of the normal scores, where the next normal window would cross it.
TEST(SmoothedF1, StandsInTheMiddleOfAGap) {
  std::vector<double> scores;
  std::vector<std::uint8_t> truth;
  for (int event = 0; event < 2; ++event) {
    for (int i = 0; i < 17; ++i) scores.push_back(2.1e-5 + 1e-7 * i), truth.push_back(0);
    for (const double score : {0.5, 0.99, 0.9999, 0.999999, 0.9, 0.9}) scores.push_back(score), truth.push_back(1);
  }
  const double value = smoothed_f1_threshold(std::vector<ScoredTimeline>{{scores, truth}})->value;
  const double odds = std::log(0.01 / 0.99) / 2;  // 2.26e-5 counts as .01; that of 0.5 is 0
  EXPECT_NEAR(value, 1 / (1 + std::exp(-odds)), 1e-6);
}

// A linear model of classes that a line separates: its scores are 1 to the last bit, and those of a weaker fault need not
// be.
TEST(SmoothedF1, AModelThatIsTooSure) {
  std::vector<double> scores;
  std::vector<std::uint8_t> truth;
  for (int event = 0; event < 4; ++event) {
    for (int i = 0; i < 17; ++i) scores.push_back(0.01 + 0.003 * i), truth.push_back(0);
    for (int i = 0; i < 5; ++i) scores.push_back(1), truth.push_back(1);
  }
  const auto value_of = [&] { return smoothed_f1_threshold(std::vector<ScoredTimeline>{{scores, truth}})->value; };
  const auto odds = [](double score) { return std::log(score / (1 - score)); };
  EXPECT_NEAR(odds(value_of()), (odds(0.058) + odds(0.99)) / 2, 1e-6);
  for (double& score : scores) score = score == 1 ? 1 - 1e-7 : 0.998;
  EXPECT_NEAR(odds(value_of()), (odds(0.998) + odds(1 - 1e-7)) / 2, 1e-6) << "both are surer than .99";
}

TEST(SmoothedF1, ScoresThatDoNotDiffer) {
  const std::vector<double> same(6, 0.3), sure = {0, 0, 1, 1, 0, 0};
  const std::vector<std::uint8_t> truth = {0, 0, 1, 1, 0, 0};
  EXPECT_NEAR(smoothed_f1_threshold(std::vector<ScoredTimeline>{{same, truth}})->value, 0.3, 1e-9);
  const double between = smoothed_f1_threshold(std::vector<ScoredTimeline>{{sure, truth}})->value;
  EXPECT_GT(between, 0);
  EXPECT_LT(between, 1);
}

}  // namespace
}  // namespace faithful
