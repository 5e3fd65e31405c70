#include "faithful/window/split.h"

#include <algorithm>
#include <set>
#include <type_traits>

#include <gtest/gtest.h>

#include "faithful/window/scale.h"
#include "faithful/window/units_internal.h"
#include "faithful/window/windows.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

// The wrong order does not compile: only a training part can be fitted on, and nothing but a split with a scaler be
// cut.
template <class Argument>
concept CanFit = requires(const Argument& argument) {
  fit_scaler(argument);
};
template <class From>
concept CanCut = requires(const From& from, const Scaler& scaler) {
  cut_windows(from, scaler);
};
static_assert(CanFit<TrainingPart>);
static_assert(!CanFit<SplitPart> && !CanFit<Split> && !CanFit<Dataset> && !CanFit<Windows>);
static_assert(CanCut<Split> && !CanCut<Dataset> && !CanCut<SplitPart>);
static_assert(!std::is_default_constructible_v<Windows> && !std::is_default_constructible_v<SplitPart>);
static_assert(!std::is_default_constructible_v<TrainingPart> && !std::is_constructible_v<TrainingPart, SplitPart>);
static_assert(!std::is_constructible_v<Split, Dataset&&, SplitOptions>, "a split refers to its data set");

Dataset timelines(const std::vector<std::vector<std::uint8_t>>& labels) {
  Dataset dataset;
  dataset.name = "test";
  dataset.channels = {"a"};
  dataset.classes = {"normal", "anomalous"};
  for (const auto& line : labels) {
    Series series;
    series.name = "s" + std::to_string(dataset.series.size());
    series.labels = line;
    series.values = Matrix<float>(line.size(), 1);
    for (std::size_t t = 0; t < line.size(); ++t)
      series.values(t, 0) = static_cast<float>(1000 * dataset.series.size() + t);
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

Dataset classified(const std::vector<std::int32_t>& classes, std::size_t length = 10) {
  Dataset dataset =
      timelines(std::vector<std::vector<std::uint8_t>>(classes.size(), std::vector<std::uint8_t>(length)));
  dataset.classes = {"x", "y", "z"};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    dataset.series[i].labels.clear();
    dataset.series[i].label = classes[i];
  }
  return dataset;
}

std::vector<std::uint8_t> labels_with(std::size_t length, std::vector<LabelSpan> spans) {
  return labels_of(spans, length);
}

TEST(Blocks, AreFiveWindowsAndTheLastTakesTheRest) {
  SplitOptions options;
  options.window.length = 10;
  const Dataset dataset = timelines({std::vector<std::uint8_t>(179, 0)});
  const auto lines = make_timelines(dataset, options);
  const auto blocks = make_blocks(dataset, lines, options);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].end, 50U);
  EXPECT_EQ(blocks[1].end, 100U);
  EXPECT_EQ(blocks[2].end, 179U);
}

TEST(Blocks, CutBesideSpansOnly) {
  SplitOptions options;
  options.window.length = 10;
  // Cuts at 50 and 60 would go through a span or leave no clear side; 46 .. 54 are anomalous, then 55 .. 64 are clear.
  const Dataset dataset = timelines({labels_with(200, {{{46, 55}}})});
  const auto lines = make_timelines(dataset, options);
  const auto blocks = make_blocks(dataset, lines, options);
  ASSERT_GE(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].end, 55U);
  EXPECT_FALSE(blocks[1].clear_before);
  EXPECT_TRUE(blocks[1].clear_behind);
  EXPECT_EQ(blocks[0].stratum, 1U);
  EXPECT_EQ(blocks[1].stratum, 0U);
}

TEST(Blocks, NoneWhereSpansLeaveNoRoom) {
  SplitOptions options;
  options.window.length = 10;
  std::vector<std::uint8_t> labels(300, 0);
  for (std::size_t t = 0; t < labels.size(); t += 9) labels[t] = 1;  // never ten normal samples in a row
  const Dataset dataset = timelines({labels});
  EXPECT_EQ(make_blocks(dataset, make_timelines(dataset, options), options).size(), 1U);
}

TEST(Blocks, SeriesWithOneLabelAreNeverCut) {
  SplitOptions options;
  options.window.length = 10;
  const Dataset dataset = classified({0, 1, 2}, 1000);
  EXPECT_EQ(make_blocks(dataset, make_timelines(dataset, options), options).size(), 3U);
}

TEST(Blocks, TwinsAreCutTogether) {
  SplitOptions options;
  options.window.length = 4;
  options.together = {{"s0", "s2"}};
  const Dataset dataset =
      timelines({labels_with(100, {{{18, 22}}}), std::vector<std::uint8_t>(100, 0), labels_with(60, {{{22, 30}}})});
  const auto lines = make_timelines(dataset, options);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].series, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(lines[0].length, 100U);
  EXPECT_EQ(make_blocks(dataset, lines, options)[0].end, 30U);  // behind both spans
}

TEST(Apportion, IsNearestToTheShares) {
  using Counts = std::array<std::size_t, 3>;
  EXPECT_EQ(apportion(100, 0.7, 0.15), (Counts{70, 15, 15}));
  EXPECT_EQ(apportion(20, 0.7, 0.15), (Counts{14, 3, 3}));
  EXPECT_EQ(apportion(3, 0.7, 0.15), (Counts{1, 1, 1}));
  EXPECT_EQ(apportion(2, 0.7, 0.15), (Counts{1, 0, 1}));
  EXPECT_EQ(apportion(1, 0.7, 0.15), (Counts{1, 0, 0}));
  EXPECT_EQ(apportion(0, 0.7, 0.15), (Counts{0, 0, 0}));
  EXPECT_EQ(apportion(10, 0.8, 0.0), (Counts{8, 0, 2}));
  EXPECT_EQ(apportion(10, 1.0, 0.0), (Counts{10, 0, 0}));
  for (std::size_t n = 0; n < 200; ++n) {
    const Counts counts = apportion(n, 0.7, 0.15);
    EXPECT_EQ(counts[0] + counts[1] + counts[2], n);
    if (n < 7) continue;  // there, no part may stay empty
    EXPECT_NEAR(static_cast<double>(counts[0]), 0.7 * static_cast<double>(n), 1.0);
  }
}

TEST(Split, SeriesSplitIsStratifiedByClass) {
  std::vector<std::int32_t> classes;
  for (int i = 0; i < 60; ++i) classes.push_back(i % 3);
  const Dataset dataset = classified(classes);
  const Split split(dataset, {.kind = SplitKind::kSeries, .window = {.length = 0}});
  const auto count = [&](const SplitPart& part, int wanted) {
    return std::count_if(part.pieces().begin(), part.pieces().end(),
                         [&](const Piece& piece) { return dataset.series[piece.series].label == wanted; });
  };
  for (int wanted = 0; wanted < 3; ++wanted) {
    EXPECT_EQ(count(split.train(), wanted), 14);
    EXPECT_EQ(count(split.validation(), wanted), 3);
    EXPECT_EQ(count(split.test(), wanted), 3);
  }
}

TEST(Split, SeedDecides) {
  const Dataset dataset = classified(std::vector<std::int32_t>(50, 0));
  const Split first(dataset, {.kind = SplitKind::kSeries, .seed = 1}),
      again(dataset, {.kind = SplitKind::kSeries, .seed = 1}), other(dataset, {.kind = SplitKind::kSeries, .seed = 2});
  EXPECT_EQ(first.id(), again.id());
  EXPECT_EQ(first.train().pieces(), again.train().pieces());
  EXPECT_NE(first.id(), other.id());
}

TEST(Split, AnomalousBlocksReachEveryPart) {
  std::vector<std::vector<std::uint8_t>> lines;
  for (std::size_t i = 0; i < 6; ++i)
    lines.push_back(labels_with(1000, {{{100 + 20 * i, 110 + 20 * i}}, {{700, 705}}}));
  const Dataset dataset = timelines(lines);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Split split(dataset, {.window = {.length = 10, .stride = 5}, .seed = seed});
    const WindowSets sets = cut_windows(split, fit_scaler(split.train()));
    EXPECT_TRUE(sets.proof.holds());
    for (const Windows* part : {&sets.train, &sets.validation, &sets.test}) EXPECT_GT(part->class_counts()[1], 0U);
  }
}

TEST(Given, KeepsThePartsAndFoldsTheTraining) {
  Dataset dataset = classified({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  for (std::size_t i = 0; i < 12; ++i) dataset.series[i].part = i < 10 ? DataPart::kTrain : DataPart::kTest;
  std::multiset<std::size_t> validated;
  for (std::size_t fold = 0; fold < 5; ++fold) {
    const Split split(dataset, {.kind = SplitKind::kGiven, .window = {.length = 0}, .folds = 5, .fold = fold});
    EXPECT_EQ(split.validation().pieces().size(), 2U);
    EXPECT_EQ(split.train().pieces().size(), 8U);
    ASSERT_EQ(split.test().pieces().size(), 2U);
    EXPECT_EQ(split.test().pieces()[0].series, 10U);
    for (const Piece& piece : split.validation().pieces()) validated.insert(piece.series);
    EXPECT_TRUE(cut_windows(split, fit_scaler(split.train())).proof.holds());
  }
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(validated.count(i), 1U);
  const Split refit(dataset, {.kind = SplitKind::kGiven, .window = {.length = 0}, .refit = true});
  EXPECT_EQ(refit.train().pieces().size(), 10U);
  EXPECT_TRUE(refit.validation().pieces().empty());
}

TEST(Given, WithOneFoldAShareOfTheTrainingValidates) {
  std::vector<std::int32_t> classes(130, 0);
  for (std::size_t i = 0; i < classes.size(); i += 5) classes[i] = 1;
  Dataset dataset = classified(classes);
  for (std::size_t i = 0; i < 130; ++i) dataset.series[i].part = i < 100 ? DataPart::kTrain : DataPart::kTest;
  const SplitOptions options{.kind = SplitKind::kGiven, .window = {.length = 0}, .folds = 1};
  const Split split(dataset, options);
  EXPECT_EQ(split.train().pieces().size(), 85U);
  EXPECT_EQ(split.validation().pieces().size(), 15U);
  EXPECT_EQ(split.test().pieces().size(), 30U);
  const WindowSets sets = cut_windows(split, fit_scaler(split.train()));
  EXPECT_TRUE(sets.proof.holds());
  EXPECT_EQ(sets.validation.class_counts()[1], 3U) << "of 20, as many as its share";
  SplitOptions other = options;
  other.seed = 2;
  EXPECT_NE(Split(dataset, other).validation().pieces(), split.validation().pieces());
}

TEST(Given, WithoutATestPartTheFoldsAreTheSame) {
  Dataset dataset = classified({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  for (std::size_t i = 0; i < 12; ++i) dataset.series[i].part = i < 10 ? DataPart::kTrain : DataPart::kTest;
  const Dataset train = part_of(dataset, DataPart::kTrain);
  const SplitOptions options{.kind = SplitKind::kGiven, .window = {.length = 0}, .fold = 2, .needs_test = false};
  const Split with(dataset, options), without(train, options);
  EXPECT_EQ(without.train().pieces(), with.train().pieces());
  EXPECT_EQ(without.validation().pieces(), with.validation().pieces());
  EXPECT_TRUE(without.test().pieces().empty());
  EXPECT_NE(rejection([&] { Split(train, {.kind = SplitKind::kGiven}); }).find("train and test parts"),
            std::string::npos);
}

TEST(Given, LongTrainingTimelinesValidateByBlocks) {
  Dataset dataset = timelines({labels_with(1000, {{{300, 310}}}), std::vector<std::uint8_t>(500, 0)});
  dataset.series[0].part = DataPart::kTrain;
  dataset.series[1].part = DataPart::kTest;
  const Split split(dataset, {.kind = SplitKind::kGiven, .window = {.length = 10}});
  EXPECT_FALSE(split.validation().pieces().empty());
  EXPECT_EQ(split.test().pieces(), (std::vector<Piece>{{{0, 500}, 1}}));
  EXPECT_TRUE(cut_windows(split, fit_scaler(split.train())).proof.holds());
}

TEST(Split, RejectsWhatCannotBeSplit) {
  Dataset dataset = classified({0, 1, 0, 1});
  EXPECT_EQ(
      rejection([&] { Split(dataset, {.kind = SplitKind::kGiven}); }),
      "test: expected series of its own train and test parts, found 0 pieces to train and 0 to test (another split)");
  for (std::size_t i = 0; i < 4; ++i) dataset.series[i].part = i < 3 ? DataPart::kTrain : DataPart::kTest;
  dataset.series[3].label = 2;
  EXPECT_EQ(rejection([&] { Split(dataset, {.kind = SplitKind::kGiven}); }),
            "test: expected every class of the test part in the training part, found class \"z\" in test only (series "
            "\"s3\")");
  const Dataset one = timelines({std::vector<std::uint8_t>(30, 0)});
  EXPECT_EQ(rejection([&] { Split(one, {.window = {.length = 10}}); }),
            "test: expected enough series or samples for a training and a test part, found 1 pieces to train and 0 to "
            "test (more data, or a shorter window)")
      << "never a split that leaks";
  EXPECT_EQ(rejection([&] { Split(one, {.window = {.stride = 0}}); }),
            "stride: expected a whole number of at least 1, found 0");
  EXPECT_EQ(rejection([&] { Split(one, {.train = 0.9, .validation = 0.2}); }),
            "validation: expected a share that train leaves room for, found 0.2");
  EXPECT_EQ(rejection([&] { Split(one, {.block_windows = 4}); }),
            "block_windows: expected a whole number of at least 5, found 4");
  EXPECT_EQ(rejection([] { parse_split_kind("bloked"); }),
            "split: expected the name of a split, found \"bloked\" (did you mean blocked?)");
  EXPECT_EQ(parse_split_kind("given"), SplitKind::kGiven);
  EXPECT_EQ(to_string(parse_label_rule("majority")), "majority");
}

TEST(Split, KnownRulesOfMsl) {
  Dataset dataset = timelines(std::vector<std::vector<std::uint8_t>>(4, std::vector<std::uint8_t>(400, 0)));
  dataset.name = "MSL";
  const char* names[] = {"P-10", "P-14", "M-1", "M-2"};
  for (std::size_t i = 0; i < 4; ++i) dataset.series[i].name = names[i];
  SplitOptions options{.kind = SplitKind::kSeries, .window = {.length = 10}};
  apply_known_rules(dataset, options);
  for (options.seed = 1; options.seed <= 10; ++options.seed) {
    const Split split(dataset, options);
    for (const SplitPart* part : {static_cast<const SplitPart*>(&split.train()), &split.validation(), &split.test()}) {
      std::set<std::size_t> series;
      for (const Piece& piece : part->pieces()) series.insert(piece.series);
      EXPECT_EQ(series.count(2), series.count(3));
      EXPECT_EQ(series.count(1), 0U);
    }
  }
}

TEST(Split, KnownRulesOfMslAreNotThoseOfSmap) {
  Dataset dataset = timelines(std::vector<std::vector<std::uint8_t>>(2, std::vector<std::uint8_t>(400, 0)));
  dataset.format = "telemanom";
  dataset.series[0].name = "P-1";
  dataset.series[1].name = "T-1";
  SplitOptions options;
  apply_known_rules(dataset, options);
  EXPECT_TRUE(options.leave_out.empty());
  EXPECT_TRUE(options.together.empty());
}

// Six labelled timelines of a test part, and their unlabelled halves of a training part under the same names.
Dataset telemanom() {
  Dataset dataset = timelines(std::vector<std::vector<std::uint8_t>>(12, std::vector<std::uint8_t>(400, 0)));
  for (std::size_t i = 0; i < 12; ++i) {
    Series& series = dataset.series[i];
    series.name = "s" + std::to_string(i % 6);
    series.part = i < 6 ? DataPart::kTrain : DataPart::kTest;
    if (i < 6) series.labels.clear();
    if (i >= 6) std::fill_n(series.labels.begin() + 100, 30, std::uint8_t{1});
  }
  return dataset;
}

std::set<std::size_t> series_in(const SplitPart& part) {
  std::set<std::size_t> series;
  for (const Piece& piece : part.pieces()) series.insert(piece.series);
  return series;
}

TEST(Split, UnlabelledSeriesAreNormalAndOnlyTrain) {
  const Dataset dataset = telemanom();
  for (const SplitKind kind : {SplitKind::kBlocked, SplitKind::kSeries, SplitKind::kRandom}) {
    SplitOptions options{.kind = kind, .window = {.length = 10, .stride = 10}};
    options.labelled_only = true;
    const Split without(dataset, options);
    options.unlabelled = Unlabelled::kNormal;
    const Split with(dataset, options);
    EXPECT_EQ(with.test().pieces(), without.test().pieces()) << "what is held out does not depend on them";
    EXPECT_EQ(with.validation().pieces(), without.validation().pieces());
    std::set<std::size_t> held = series_in(with.test());
    held.merge(series_in(with.validation()));
    for (std::size_t i = 0; i < 6; ++i) {
      const bool hides = kind == SplitKind::kSeries && held.count(i + 6) > 0;  // its other half is held out whole
      EXPECT_EQ(series_in(with.train()).count(i), hides ? 0U : 1U);
      EXPECT_EQ(series_in(without.train()).count(i), 0U);
    }
    const auto before = class_counts(without, without.train()), now = class_counts(with, with.train());
    EXPECT_EQ(now[1], before[1]);
    EXPECT_EQ((now[0] - before[0]) % 40, 0U) << "40 windows of each";
    EXPECT_GT(now[0], before[0]);
    const WindowSets sets = cut_windows(with, fit_scaler(with.train()));
    EXPECT_EQ(sets.train.class_counts(), now) << "and so class weights see them";
  }
}

TEST(Split, UnlabelledSeriesOfOtherPartsAreNotNormal) {
  Dataset dataset = telemanom();
  dataset.series[0].part = DataPart::kNone;
  SplitOptions options{.window = {.length = 10}, .leave_out = {"s1"}, .labelled_only = true};
  options.unlabelled = Unlabelled::kNormal;
  const std::set<std::size_t> train = series_in(Split(dataset, options).train());
  EXPECT_EQ(train.count(0) + train.count(1), 0U);
  EXPECT_EQ(train.count(2), 1U);
}

// Timelines of 400 samples, the first `anomalous` with an event of `length` samples.
Dataset runs_with_events(std::size_t count, std::size_t anomalous, std::size_t length) {
  Dataset dataset;
  dataset.channels = {"a"};
  dataset.classes = {"normal", "anomalous"};
  for (std::size_t i = 0; i < count; ++i) {
    Series series;
    series.name = std::to_string(i);
    series.values = Matrix<float>(400, 1);
    series.labels.assign(400, 0);
    if (i < anomalous) std::fill_n(series.labels.begin(), length, std::uint8_t{1});
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

TEST(SuggestedSplit, HoldsOutWholeSeriesWhereEveryPartCanHaveBothClasses) {
  const auto kind = [](const Dataset& dataset) { return suggested_split(dataset).kind; };
  EXPECT_EQ(kind(runs_with_events(3, 3, 50)), SplitKind::kSeries) << "they have normal windows too";
  EXPECT_EQ(kind(runs_with_events(9, 2, 50)), SplitKind::kBlocked) << "two events reach two parts";
  EXPECT_EQ(kind(runs_with_events(3, 3, 400)), SplitKind::kBlocked) << "nothing is normal";
  EXPECT_EQ(kind(runs_with_events(6, 3, 400)), SplitKind::kSeries) << "three have no anomaly";
  EXPECT_EQ(kind(runs_with_events(1, 1, 50)), SplitKind::kBlocked);
  const Dataset dataset = runs_with_events(12, 9, 50);
  EXPECT_EQ(reason_of_split(dataset, suggested_split(dataset)),
            "9 of 12 series have anomalies, so whole series are held out");
  EXPECT_EQ(reason_of_split(dataset, {.kind = SplitKind::kBlocked}), "") << "asked for";
  const Dataset few = runs_with_events(9, 2, 50);
  EXPECT_EQ(reason_of_split(few, suggested_split(few)),
            "2 of 9 series have anomalies, too few to hold out whole series, so blocks of each are held out");
  const Dataset full = runs_with_events(3, 3, 390);
  EXPECT_EQ(
      reason_of_split(full, suggested_split(full)),
      "3 of 3 series have anomalies, and not all of these have 100 samples without one, so blocks of each are held out");
  EXPECT_EQ(suggested_split(full, {.window = {.length = 10}}, true).kind, SplitKind::kSeries);
}

TEST(CheckSignal, APartOfOneClassIsRefused) {
  const Dataset dataset = runs_with_events(9, 3, 50);
  const PartCounts counts = class_counts(Split(dataset, {.kind = SplitKind::kSeries}));
  check_signal(dataset, counts);
  EXPECT_EQ(counts.test[0] + counts.test[1], 2 * 7U) << "two series of (400 - 100) / 50 + 1 windows";
  EXPECT_EQ(counts.test[1], 1U);
  const auto refused = [&](const PartCounts& of) { return rejection([&] { check_signal(dataset, of); }); };
  EXPECT_NE(refused({{9, 0}, {3, 1}, {3, 1}})
                .find("expected windows of both classes in the training part, found 9 "
                      "normal, 0 anomalous (more data with events, a shorter window, or "
                      "another seed)"),
            std::string::npos);
  EXPECT_NE(refused({{9, 1}, {0, 1}, {3, 1}}).find("in the validation part, found 0 normal, 1 anomalous"),
            std::string::npos);
  EXPECT_NE(refused({{9, 1}, {3, 1}, {7, 0}}).find("in the test part, found 7 normal, 0 anomalous"), std::string::npos);
  check_signal(dataset, {{9, 1}, {0, 0}, {}});  // nothing validates, nothing is scored
}

TEST(Label, Rules) {
  Series series;
  series.labels = {0, 1, 1, 0, 0};
  EXPECT_EQ(window_label(series, 0, 5, LabelRule::kAny), 1);
  EXPECT_EQ(window_label(series, 0, 5, LabelRule::kLast), 0);
  EXPECT_EQ(window_label(series, 0, 3, LabelRule::kLast), 1);
  EXPECT_EQ(window_label(series, 0, 5, LabelRule::kMajority), 0);
  EXPECT_EQ(window_label(series, 0, 4, LabelRule::kMajority), 0);  // half is not more than half
  EXPECT_EQ(window_label(series, 0, 3, LabelRule::kMajority), 1);
  EXPECT_EQ(window_label(series, 3, 5, LabelRule::kAny), 0);
  series.labels.clear();
  series.label = 2;
  EXPECT_EQ(window_label(series, 0, 1, LabelRule::kAny), 2);
}

TEST(Windows, CountIsTheFormula) {
  const WindowOptions window{.length = 10, .stride = 3};
  EXPECT_EQ(count_windows(0, window, 10), 0U);
  EXPECT_EQ(count_windows(1, window, 10), 1U);
  EXPECT_EQ(count_windows(10, window, 10), 1U);
  EXPECT_EQ(count_windows(12, window, 10), 1U);
  EXPECT_EQ(count_windows(13, window, 10), 2U);
  EXPECT_EQ(count_windows(40, window, 10), 11U);
}

}  // namespace
}  // namespace faithful
