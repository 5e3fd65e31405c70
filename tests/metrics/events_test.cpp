#include "faithful/metrics/events.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

TEST(Events, DetectedMissedAndFalseAlarms) {
  //                   event     event event
  const Bytes truth = {0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0};
  const Bytes flags = {0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1};
  //                            touches    in      false alarm
  const Timeline line{truth, flags};
  const EventScores scores = event_scores({&line, 1});
  EXPECT_EQ(scores.events, 3U);
  EXPECT_EQ(scores.detected, 2U);
  EXPECT_EQ(scores.missed(), 1U);
  EXPECT_EQ(scores.false_alarms, 1U);
  EXPECT_EQ(scores.delays, (Numbers{2, 0}));
  EXPECT_DOUBLE_EQ(scores.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.f1(), 2.0 / 3);
  EXPECT_EQ(scores.mean_delay(), 1);
  EXPECT_EQ(scores.median_delay(), 1);
}

TEST(Events, AnAlarmMayBeginBeforeAndSpanTwoEvents) {
  const Bytes truth = {0, 1, 0, 1, 0}, flags = {1, 1, 1, 1, 1};
  const Timeline line{truth, flags};
  const EventScores scores = event_scores({&line, 1});
  EXPECT_EQ(scores.detected, 2U);
  EXPECT_EQ(scores.false_alarms, 0U);
  EXPECT_EQ(scores.delays, (Numbers{0, 0}));
  EXPECT_EQ(scores.f1(), 1);
}

TEST(Events, RunsEndWithTheirTimeline) {
  const Bytes first = {0, 1}, second = {1, 0}, on = {0, 1}, off = {0, 0};
  const std::vector<Timeline> lines = {{first, on}, {second, off}};
  const EventScores scores = event_scores(lines);
  EXPECT_EQ(scores.events, 2U);
  EXPECT_EQ(scores.detected, 1U);
  EXPECT_EQ(stretches(lines), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Events, DelayInTheUnitOfTheTimes) {
  const Bytes truth = {1, 1, 1, 0, 1, 1}, flags = {0, 1, 1, 0, 0, 1};
  const Numbers times = {10, 10.5, 13, 20, 20, 27};
  const Timeline line{truth, flags, times};
  const EventScores scores = event_scores({&line, 1});
  EXPECT_EQ(scores.delays, (Numbers{0.5, 7}));
  EXPECT_EQ(scores.mean_delay(), 3.75);
}

TEST(Events, NoneAtAll) {
  const EventScores nothing = event_scores({});
  EXPECT_EQ(nothing.f1(), 0);
  EXPECT_EQ(nothing.precision(), 0);
  EXPECT_FALSE(nothing.mean_delay());
  EXPECT_FALSE(nothing.median_delay());
  const Bytes truth = {1}, flags = {0};
  const Timeline line{truth, flags};
  EXPECT_EQ(event_scores({&line, 1}).missed(), 1U);
  EXPECT_FALSE(event_scores({&line, 1}).mean_delay());
}

TEST(Events, PointAdjustedFillsDetectedEvents) {
  const Bytes truth = {1, 1, 1, 0, 1, 1, 0}, flags = {0, 1, 0, 1, 0, 0, 0};
  const Timeline line{truth, flags};
  EXPECT_EQ(point_adjusted_confusion({&line, 1}), (Confusion{3, 1, 2, 1}));
  EXPECT_EQ(confusion(truth, flags), (Confusion{1, 1, 4, 1}));
}

TEST(Events, Rejects) {
  const Bytes two = {1, 0}, one = {1};
  const Numbers falling = {2, 1};
  const Timeline uneven{two, one}, backwards{two, two, falling};
  EXPECT_EQ(rejection([&] { event_scores({&uneven, 1}); }), "flags: expected as many as truth (2), found 1");
  EXPECT_EQ(rejection([&] {
              event_scores({&backwards, 1});
            }),
            "times: expected times that never decrease, found an earlier time after a later one");
}

}  // namespace
}  // namespace faithful
