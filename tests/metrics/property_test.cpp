// What must hold for any input, and slow ways to the same numbers.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "faithful/base/random.h"
#include "faithful/metrics/confusion.h"
#include "faithful/metrics/events.h"
#include "faithful/metrics/paired.h"
#include "faithful/metrics/ranking.h"
#include "tests/metrics/flags.h"

namespace faithful {
namespace {

using testing::flag_scores;
using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<double>;

struct Scored {
  Numbers scores;  // on a coarse grid: many ties
  Bytes truth, flags;
};

Scored any_scored() {
  const auto n = *rc::gen::inRange<std::size_t>(1, 40);
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  Scored all;
  for (std::size_t i = 0; i < n; ++i) {
    all.truth.push_back(static_cast<std::uint8_t>(random.below(2)));
    all.flags.push_back(static_cast<std::uint8_t>(random.below(2)));
    all.scores.push_back(static_cast<double>(random.below(6)) - 2.5);
  }
  return all;
}

double half_open_pairs(const Scored& all) {  // share of (positive, negative) pairs in the right order, ties half
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < all.truth.size(); ++i) {
    for (std::size_t j = 0; j < all.truth.size(); ++j) {
      if (all.truth[i] != 1 || all.truth[j] != 0) continue;
      pairs += 1;
      right += all.scores[i] > all.scores[j] ? 1 : all.scores[i] == all.scores[j] ? 0.5 : 0;
    }
  }
  return right / pairs;
}

TEST(RankingProperty, AreaIsTheShareOfPairsInOrder) {
  EXPECT_TRUE(rc::check([] {
    const Scored all = any_scored();
    const auto area = RankedScores(all.scores, all.truth).auc_roc();
    const auto positives = std::count(all.truth.begin(), all.truth.end(), 1);
    RC_ASSERT(area.has_value() == (positives > 0 && positives < std::ssize(all.truth)));
    if (area) RC_ASSERT(std::abs(*area - half_open_pairs(all)) < 1e-14);
  }));
}

TEST(RankingProperty, OrderAndScaleOfScoresDoNotCount) {
  EXPECT_TRUE(rc::check([] {
    const Scored all = any_scored();
    Scored turned = all;
    std::reverse(turned.scores.begin(), turned.scores.end());
    std::reverse(turned.truth.begin(), turned.truth.end());
    for (double& score : turned.scores) score = std::exp(score);
    const RankedScores one(all.scores, all.truth), other(turned.scores, turned.truth);
    RC_ASSERT(one.average_precision() == other.average_precision());
    RC_ASSERT(one.auc_roc() == other.auc_roc());
    RC_ASSERT(one.best_f1().has_value() == other.best_f1().has_value());
    if (one.best_f1()) RC_ASSERT(one.best_f1()->f1 == other.best_f1()->f1);
  }));
}

TEST(RankingProperty, BestThresholdReachesItsF1AndNoneIsBetter) {
  EXPECT_TRUE(rc::check([] {
    const Scored all = any_scored();
    const auto best = RankedScores(all.scores, all.truth).best_f1();
    if (!best) return;
    RC_ASSERT(confusion(all.truth, flag_scores(all.scores, best->value)).f1() == best->f1);
    for (const double score : all.scores) {
      const double f1 = confusion(all.truth, flag_scores(all.scores, score)).f1();
      RC_ASSERT(f1 <= best->f1);
      RC_ASSERT(f1 < best->f1 || score <= best->value ||
                flag_scores(all.scores, score) == flag_scores(all.scores, best->value));
    }
  }));
}

TEST(RankingProperty, WeightsAreRepetitions) {
  EXPECT_TRUE(rc::check([] {
    const Scored all = any_scored();
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    Numbers counts;
    Scored repeated;
    for (std::size_t i = 0; i < all.truth.size(); ++i) {
      const std::size_t count = random.below(4);
      counts.push_back(static_cast<double>(count));
      repeated.truth.insert(repeated.truth.end(), count, all.truth[i]);
      repeated.flags.insert(repeated.flags.end(), count, all.flags[i]);
      repeated.scores.insert(repeated.scores.end(), count, all.scores[i]);
    }
    const RankedScores weighted(all.scores, all.truth), plain(repeated.scores, repeated.truth);
    RC_ASSERT(weighted.average_precision(counts) == plain.average_precision());
    RC_ASSERT(weighted.auc_roc(counts) == plain.auc_roc());
    RC_ASSERT(weighted.best_f1(counts).has_value() == plain.best_f1().has_value());
    if (plain.best_f1()) RC_ASSERT(weighted.best_f1(counts)->value == plain.best_f1()->value);
    RC_ASSERT(confusion(all.truth, all.flags, counts) == confusion(repeated.truth, repeated.flags));
  }));
}

// Point by point, with none of the room's runs.
EventScores naive_events(const Bytes& truth, const Bytes& flags) {
  EventScores scores;
  const std::size_t n = truth.size();
  const auto starts = [n](const Bytes& v, std::size_t i) { return i < n && v[i] == 1 && (i == 0 || v[i - 1] == 0); };
  for (std::size_t i = 0; i < n; ++i) {
    if (starts(truth, i)) {
      ++scores.events;
      for (std::size_t j = i; j < n && truth[j] == 1; ++j) {
        if (flags[j] == 0) continue;
        ++scores.detected;
        scores.delays.push_back(static_cast<double>(j - i));
        break;
      }
    }
    if (starts(flags, i)) {
      bool touches = false;
      for (std::size_t j = i; j < n && flags[j] == 1; ++j) touches = touches || truth[j] == 1;
      if (!touches) ++scores.false_alarms;
    }
  }
  return scores;
}

TEST(EventProperty, EqualsTheNaiveCount) {
  EXPECT_TRUE(rc::check([] {
    const Scored first = any_scored(), second = any_scored();
    const std::vector<Timeline> lines = {{first.truth, first.flags}, {second.truth, second.flags}};
    const EventScores both = event_scores(lines);
    EventScores sum = naive_events(first.truth, first.flags);
    const EventScores rest = naive_events(second.truth, second.flags);
    sum.delays.insert(sum.delays.end(), rest.delays.begin(), rest.delays.end());
    RC_ASSERT(both.events == sum.events + rest.events);
    RC_ASSERT(both.detected == sum.detected + rest.detected);
    RC_ASSERT(both.false_alarms == sum.false_alarms + rest.false_alarms);
    RC_ASSERT(both.delays == sum.delays);
    Confusion plain = confusion(first.truth, first.flags);
    plain += confusion(second.truth, second.flags);
    RC_ASSERT(point_adjusted_confusion(lines).true_positive >= plain.true_positive);
    RC_ASSERT(point_adjusted_confusion(lines).false_positive == plain.false_positive);
    RC_ASSERT(stretches(lines).size() == first.truth.size() + second.truth.size());
  }));
}

TEST(PairedProperty, SignsAndOrderDoNotCount) {
  EXPECT_TRUE(rc::check([] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 11);
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    Numbers differences, opposite;
    for (std::size_t i = 0; i < n; ++i) differences.push_back(random.normal() + 0.5);
    for (const double d : differences) opposite.push_back(-d);
    std::reverse(opposite.begin(), opposite.end());
    RC_ASSERT(sign_flip_test(differences).p == sign_flip_test(opposite).p);
    RC_ASSERT(sign_flip_test(differences).p >= std::ldexp(1, 1 - static_cast<int>(n)));
    RC_ASSERT(wilcoxon_test(differences).p == wilcoxon_test(opposite).p);
    // The interval at level 1 - p just reaches 0.
    const MeanEstimate estimate = paired_t(differences);
    if (estimate.p < 1e-9 || estimate.p > 0.999) return;
    const Interval edge = paired_t(differences, 1 - estimate.p).interval;
    RC_ASSERT(std::min(std::abs(edge.low), std::abs(edge.high)) < 1e-9 * std::abs(estimate.summary.mean) + 1e-9);
  }));
}

TEST(PairedProperty, StudentQuantileInvertsTheCdf) {
  EXPECT_TRUE(rc::check([] {
    const double share = *rc::gen::inRange(1, 1000) / 1000.0, freedom = *rc::gen::inRange(1, 300) / 2.0;
    RC_ASSERT(std::abs(student_cdf(student_quantile(share, freedom), freedom) - share) < 1e-13);
  }));
}

}  // namespace
}  // namespace faithful
