#include "faithful/diagnose/suspects.h"

#include <gtest/gtest.h>

#include "tests/diagnose/pieces.h"

namespace faithful {
namespace {

using testing::even_pieces;

TEST(Suspects, OrderAndShares) {
  EXPECT_EQ(order_of(std::vector<double>{1, 3, 2, 3}), (std::vector<std::size_t>{1, 3, 2, 0}));
  EXPECT_EQ(order_of(std::vector<double>{}), std::vector<std::size_t>{});
  EXPECT_EQ(shares_of(std::vector<double>{1, -2, 3}), (std::vector<double>{0.25, 0, 0.75}));
  EXPECT_EQ(shares_of(std::vector<double>{-1, 0}), (std::vector<double>{0, 0}));
}

TEST(SuspectedSpans, NothingStandsOutWhereAllIsTheSame) {
  EXPECT_TRUE(suspected_spans(even_pieces(7, 3), std::vector<double>(7, 0.3)).empty());
  EXPECT_TRUE(suspected_spans(even_pieces(7, 3), std::vector<double>(7, 0.0)).empty());
  EXPECT_TRUE(suspected_spans(even_pieces(1, 3), std::vector<double>{5}).empty());
  // pieces of other lengths with the same weight per sample
  EXPECT_TRUE(suspected_spans(std::vector<Range>{{0, 10}, {10, 20}, {20, 25}}, std::vector<double>{2, 2, 1}).empty());
}

TEST(SuspectedSpans, AreJoinedAcrossOnePieceAndRankedByMass) {
  const std::vector<double> weights = {0, 10, 10, 0, 10, 0, 0, 0, 10};
  const std::vector<SuspectedSpan> found = suspected_spans(even_pieces(9, 5), weights);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].span, (Range{5, 25}));  // one piece between
  EXPECT_DOUBLE_EQ(found[0].share, 0.75);
  EXPECT_EQ(found[1].span, (Range{40, 45}));
  EXPECT_DOUBLE_EQ(found[1].share, 0.25);
  EXPECT_EQ(suspected_spans(even_pieces(9, 5), weights, 1).size(), 1U);
}

// Of many pieces each is seen with its neighbours: what flickers is one span, and where it fades is not in it.
TEST(SuspectedSpans, ManyPiecesAreSmoothed) {
  std::vector<double> weights(30, 0.0);
  for (const std::size_t i : {3U, 4U, 5U, 6U, 8U, 9U, 20U, 21U, 22U}) weights[i] = 10;
  const std::vector<SuspectedSpan> found = suspected_spans(even_pieces(30, 5), weights);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].span, (Range{15, 50}));
  EXPECT_DOUBLE_EQ(found[0].share, 60.0 / 90);
  EXPECT_EQ(found[1].span, (Range{100, 115}));
}

TEST(SuspectedSpans, NothingReachesAcrossAGapInTime) {
  std::vector<Range> pieces = even_pieces(20, 5);
  for (std::size_t i = 4; i < pieces.size(); ++i) pieces[i] = {pieces[i].begin + 100, pieces[i].end + 100};
  std::vector<double> weights(20, 0.0);
  weights[3] = 10;
  weights[4] = 11;
  const std::vector<SuspectedSpan> found = suspected_spans(pieces, weights);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].span, (Range{120, 130}));  // seen with the pieces that they touch, and with no others
  EXPECT_EQ(found[1].span, (Range{10, 20}));
}

TEST(SuspectedSpans, WeightBelowZeroCountsAsNone) {
  const std::vector<double> weights = {-5, -5, 1, -5, -5, -5, -5};
  const std::vector<SuspectedSpan> found = suspected_spans(even_pieces(7, 1), weights);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].span, (Range{2, 3}));
  EXPECT_EQ(found[0].share, 1);
}

TEST(AgreementOf, KnownRankings) {
  const std::vector<double> up = {1, 2, 3, 4, 5}, down = {5, 4, 3, 2, 1}, flat(5, 1.0);
  EXPECT_DOUBLE_EQ(*agreement(up, up).spearman, 1);
  EXPECT_TRUE(agreement(up, up).same_first);
  EXPECT_EQ(agreement(up, up).common, 3U);
  EXPECT_DOUBLE_EQ(*agreement(up, down).spearman, -1);
  EXPECT_FALSE(agreement(up, down).same_first);
  EXPECT_EQ(agreement(up, down).common, 1U);
  EXPECT_FALSE(agreement(up, flat).spearman.has_value());
  // by hand: ranks 1 2 3 and 1 3 2, so 1 - 6 * 2 / (3 * 8)
  EXPECT_DOUBLE_EQ(*agreement(std::vector<double>{1, 2, 3}, std::vector<double>{10, 30, 20}).spearman, 0.5);
  EXPECT_EQ(agreement(std::vector<double>{1}, std::vector<double>{2}).common, 1U);
}

}  // namespace
}  // namespace faithful
