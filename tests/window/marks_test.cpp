#include "faithful/window/marks.h"

#include <gtest/gtest.h>

#include "faithful/base/random.h"

namespace faithful {
namespace {

Dataset noise(std::size_t series, std::size_t length, std::uint64_t seed) {
  Random random(seed);
  Dataset dataset{.name = "noise", .channels = {"a", "b"}};
  for (std::size_t n = 0; n < series; ++n) {
    Series& one = dataset.series.emplace_back(Series{.name = std::to_string(n)});
    one.values = Matrix<float>(length, 2);
    for (float& value : one.values.values) value = static_cast<float>(random.uniform());
    one.labels.assign(length, 0);
    one.labels[length / 2] = 1;
  }
  return dataset;
}

WindowSets cut(const Dataset& dataset) {
  const Split split(dataset, {.kind = SplitKind::kSeries, .window = {.length = 20, .stride = 10}});
  return cut_windows(split, fit_scaler(split.train(), ScalerKind::kStandard));
}

TEST(ContentMarks, AreFoundWhereTheDataIs) {
  Dataset all = noise(10, 400, 1);
  const WindowSets sets = cut(all);
  const ContentMarks marks = content_marks(sets.train);
  EXPECT_EQ(marks.length, 16U);
  EXPECT_EQ(marks.digests.size(), 128U);
  EXPECT_EQ(share_found(marks, all), 1);
  EXPECT_EQ(share_found(marks, noise(10, 400, 2)), 0);

  Dataset part{.channels = all.channels, .series = {all.series[sets.train[0].series]}};
  part.series[0].values = Matrix<float>(399, 2);  // without its first row, under another name
  std::ranges::copy(std::span(all.series[sets.train[0].series].values.values).subspan(2),
                    part.series[0].values.values.begin());
  part.series[0].labels.clear();
  EXPECT_NEAR(share_found(marks, part), 1 / 7.0, 0.03) << "one of the seven series that train";
  part.series = {all.series[sets.test[0].series]};
  EXPECT_EQ(share_found(marks, part), 0) << "held out";
}

TEST(ContentMarks, IdleMachinesHaveNone) {
  Dataset idle = noise(10, 400, 1);
  for (Series& series : idle.series) std::ranges::fill(series.values.values, 1.0F);
  const Split split(idle, {.kind = SplitKind::kRandom, .window = {.length = 20, .stride = 10}});
  EXPECT_TRUE(content_marks(cut_windows(split, fit_scaler(split.train(), ScalerKind::kNone)).train).digests.empty());
  EXPECT_EQ(share_found({}, idle), 0);
}

TEST(ContentMarks, ShorterThanAStretch) {
  const Dataset all = noise(4, 40, 1);
  EXPECT_EQ(share_found(content_marks(cut(all).train), noise(3, 10, 1)), 0);
}

// Series of one long recording, each beginning `step` samples after the one before.
Dataset exports(std::size_t step) {
  const Dataset whole = noise(1, 4000, 5);
  Dataset parts{.name = "exports", .channels = whole.channels};
  for (std::size_t n = 0; n < 10; ++n) {
    Series& one = parts.series.emplace_back(Series{.name = std::to_string(n)});
    one.values = Matrix<float>(400, 2);
    std::ranges::copy(std::span(whole.series[0].values.values).subspan(n * step * 2, 800), one.values.values.begin());
    one.labels.assign(400, 0);
    one.labels[200 + n] = 1;
  }
  return parts;
}

TEST(ShareCopied, TablesThatOverlapAtAnyShift) {
  const Dataset apart = exports(400), overlapping = exports(203);  // 203 is no multiple of the stride
  const WindowSets sets = cut(apart), shared = cut(overlapping);
  EXPECT_EQ(share_copied(sets.train, sets.test), 0);
  EXPECT_EQ(shared.proof.shared_windows, 0U) << "windows of both are never the same";
  EXPECT_GT(share_copied(shared.train, shared.test), 0.4);
}

TEST(ShareCopied, WhatAMachineRepeatsIsNoCopy) {
  // Cycles of 50 samples, each series in another phase, so that no two windows of different series are the same.
  const Dataset cycle = noise(1, 50, 7);
  Dataset cycles = noise(10, 400, 1);
  for (std::size_t n = 0; n < 10; ++n)
    for (std::size_t t = 0; t < 400; ++t)
      for (std::size_t c = 0; c < 2; ++c) cycles.series[n].values(t, c) = cycle.series[0].values((t + 3 * n) % 50, c);
  const WindowSets sets = cut(cycles);
  ASSERT_GT(sets.train.size(), 0U);
  EXPECT_EQ(share_found(content_marks(sets.test), cycles), 1);
  EXPECT_EQ(share_copied(sets.train, sets.test), 0);
}

TEST(CopiedSeries, HaveValuesAndLabelsOfAnEarlierOne) {
  Dataset all = noise(5, 60, 1);
  all.series[3].values = all.series[1].values;
  all.series[4].values = all.series[1].values;
  all.series[4].labels[7] = 1;  // other labels
  const std::vector<CopiedSeries> copies = copied_series(all, {});
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].copy, 3U);
  EXPECT_EQ(copies[0].original, 1U);
  EXPECT_TRUE(copied_series(all, std::vector<std::string>{"3"}).empty());
}

}  // namespace
}  // namespace faithful
