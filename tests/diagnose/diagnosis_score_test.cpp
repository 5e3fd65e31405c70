#include "faithful/diagnose/diagnosis_score.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "tests/diagnose/pieces.h"

namespace faithful {
namespace {

using testing::even_pieces;

TEST(DiagnosisScore, HitsByHand) {
  const AlarmTruth truth{.sensors = {1, 3, 4}};
  // ranked: 1, 0, 3, 2, 4
  const MethodAnswer answer{"m", {4, 5, 2, 3, 1}};
  const MeasureRow row = score_answer(answer, {}, truth);
  EXPECT_EQ(row[kHit1], 1);
  EXPECT_EQ(row[kHit3], 1);
  EXPECT_DOUBLE_EQ(row[kHit100], 2.0 / 3);  // of the first three
  EXPECT_DOUBLE_EQ(row[kHit150], 2.0 / 3);  // of the first floor(4.5)
  EXPECT_TRUE(std::isnan(row[kPointing]) && std::isnan(row[kOverlap]));
  const MeasureRow wrong = score_answer({"m", {5, 0, 4, 1, 0}}, {}, {.sensors = {1}});
  EXPECT_EQ(wrong[kHit1], 0);
  EXPECT_EQ(wrong[kHit3], 0);
  EXPECT_EQ(wrong[kHit150], 0);  // floor(1.5) = 1
}

TEST(DiagnosisScore, TimesByHand) {
  const std::vector<Range> pieces = even_pieces(4, 10);
  MethodAnswer answer{"m", {}, {0, 1, 5, 0}, {{{20, 30}, 0.8}}};
  const AlarmTruth truth{.spans = {{25, 40}}};
  MeasureRow row = score_answer(answer, pieces, truth);
  EXPECT_EQ(row[kPointing], 1);
  EXPECT_DOUBLE_EQ(row[kOverlap], 5.0 / 20);
  EXPECT_TRUE(std::isnan(row[kHit1]));
  answer.times = {0, 5, 0, 0};
  answer.spans.clear();
  row = score_answer(answer, pieces, truth);
  EXPECT_EQ(row[kPointing], 0);
  EXPECT_EQ(row[kOverlap], 0);
}

// The closed forms of a random answer are what random answers score.
TEST(DiagnosisScore, RandomIsTheMeanOfRandomAnswers) {
  const std::size_t sensors = 6;
  const std::vector<Range> pieces = even_pieces(8, 3);
  const Range within{0, 24};
  const AlarmTruth truth{.sensors = {0, 2, 5}, .spans = {{3, 8}, {20, 24}}};
  const MeasureRow expected = random_scores(sensors, pieces, truth, 4, within);
  MeasureRow mean{};
  Random random(9);
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    MethodAnswer answer{"random", std::vector<double>(sensors), std::vector<double>(pieces.size())};
    for (double& weight : answer.sensors) weight = random.uniform();
    for (double& weight : answer.times) weight = random.uniform();
    const std::size_t begin = random.below(24 - 4 + 1);
    answer.spans = {{{begin, begin + 4}, 1}};
    const MeasureRow row = score_answer(answer, pieces, truth);
    for (std::size_t m = 0; m < kDiagnosisMeasures; ++m) mean[m] += row[m] / kDraws;
  }
  for (std::size_t m = 0; m < kDiagnosisMeasures; ++m)
    EXPECT_NEAR(mean[m], expected[m], 0.015) << kDiagnosisMeasureNames[m];
  EXPECT_DOUBLE_EQ(expected[kHit1], 0.5);
  EXPECT_DOUBLE_EQ(expected[kHit3], 1 - 3.0 * 2 * 1 / (6 * 5 * 4));
  EXPECT_DOUBLE_EQ(expected[kHit100], 0.5);
  EXPECT_DOUBLE_EQ(expected[kHit150], 4.0 / 6);
}

TEST(DiagnosisScore, RandomWhereAllSensorsAreAtFault) {
  const MeasureRow row = random_scores(2, {}, {.sensors = {0, 1}}, 1, {0, 1});
  EXPECT_EQ(row[kHit1], 1);
  EXPECT_EQ(row[kHit3], 1);
  EXPECT_EQ(row[kHit150], 1);  // cannot look at more sensors than there are
}

TEST(TruthOf, WhatTheDataKnows) {
  Series series{.name = "s", .values = Matrix<float>(100, 4)};
  const Alarm alarm{.series = 0, .span = {20, 60}};
  EXPECT_FALSE(truth_of(series, alarm).has_value());
  series.labels.assign(100, 0);
  EXPECT_TRUE(truth_of(series, alarm)->is_false);
  for (std::size_t t = 50; t < 70; ++t) series.labels[t] = 1;
  EXPECT_EQ(truth_of(series, alarm)->spans, (std::vector<Range>{{50, 60}}));
  EXPECT_TRUE(truth_of(series, alarm)->sensors.empty());
  series.spans = {{{10, 30}, {3, 1}, "a"}, {{28, 40}, {1}, "b"}, {{80, 90}, {0}, "c"}};
  const AlarmTruth truth = *truth_of(series, alarm);
  EXPECT_EQ(truth.spans, (std::vector<Range>{{20, 40}}));
  EXPECT_EQ(truth.sensors, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(truth.kinds, (std::vector<std::string>{"a", "b"}));
  // a label of the whole series
  Series trip{.name = "trip", .values = Matrix<float>(100, 4), .label = 0};
  EXPECT_TRUE(truth_of(trip, alarm)->is_false);
  EXPECT_FALSE(truth_of(trip, alarm, 0)->is_false);
  trip.label = 1;
  EXPECT_FALSE(truth_of(trip, alarm)->is_false);
  EXPECT_TRUE(truth_of(trip, alarm)->spans.empty());
}

// A diagnosis whose methods rank the sensors so.
Diagnosis made_diagnosis(std::size_t first) {
  Diagnosis one;
  one.alarm.span = {0, 8};
  one.pieces = even_pieces(4, 2);
  std::vector<double> right(5, 0.1), wrong(5, 0.1);
  right[first] = 1;
  wrong[(first + 1) % 5] = 1;
  const std::vector<double> times = {0, 1, 0, 0};
  one.methods = {{"attention", {}, times, {{{2, 4}, 1}}},
                 {"occlusion", right, times, {{{2, 4}, 1}}},
                 {"gradient", right, times, {}}};
  one.together = {"together", right, times, {{{2, 4}, 1}}};
  one.baselines = {{"largest peak", wrong, times, {}}, {"largest mean", wrong, times, {}}};
  return one;
}

TEST(DiagnosisScores, MeansIntervalsAndDifferences) {
  std::vector<Diagnosis> diagnoses;
  std::vector<std::optional<AlarmTruth>> truths;
  for (std::size_t i = 0; i < 10; ++i) {
    diagnoses.push_back(made_diagnosis(i % 5));
    truths.push_back(AlarmTruth{.sensors = {i % 5}, .spans = {{2, 4}}});
  }
  truths[3] = AlarmTruth{.is_false = true};
  truths[4] = std::nullopt;
  truths[5]->sensors = {4};  // here the methods are wrong, and so are the deviations
  const DiagnosisScores scores = *score_diagnoses(diagnoses, truths);
  EXPECT_EQ(scores.alarms, 8U);
  EXPECT_EQ(scores.false_alarms, 1U);
  EXPECT_EQ(scores.with_sensors, 8U);
  ASSERT_EQ(scores.methods.size(), 4U);
  EXPECT_EQ(scores.methods[0].method, "together");
  EXPECT_DOUBLE_EQ(scores.methods[0].measures[kHit1]->value, 7.0 / 8);
  EXPECT_LT(scores.methods[0].measures[kHit1]->interval.low, 7.0 / 8);
  EXPECT_FALSE(scores.methods[1].measures[kHit1].has_value());  // attention says nothing about sensors
  EXPECT_DOUBLE_EQ(scores.methods[1].measures[kOverlap]->value, 1);
  ASSERT_EQ(scores.baselines.size(), 3U);
  EXPECT_EQ(scores.baselines[2].method, "random");
  EXPECT_DOUBLE_EQ(scores.baselines[0].measures[kHit1]->value, 0);
  EXPECT_DOUBLE_EQ(scores.baselines[2].measures[kHit1]->value, 0.2);
  ASSERT_EQ(scores.differences.size(), 8U);
  EXPECT_EQ(scores.differences[1].other, "deviation");
  EXPECT_DOUBLE_EQ(scores.differences[1].measures[kHit1]->value, 7.0 / 8);
  EXPECT_DOUBLE_EQ(scores.differences[0].measures[kHit1]->value, 7.0 / 8 - 0.2);
}

TEST(DiagnosisScores, NothingWhereNothingIsKnown) {
  const std::vector<Diagnosis> diagnoses = {made_diagnosis(0), made_diagnosis(1)};
  const std::vector<std::optional<AlarmTruth>> truths = {std::nullopt, AlarmTruth{.is_false = true}};
  EXPECT_FALSE(score_diagnoses(diagnoses, truths).has_value());
  EXPECT_FALSE(score_diagnoses({}, {}).has_value());
}

}  // namespace
}  // namespace faithful
