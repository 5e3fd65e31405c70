#include "faithful/window/windows.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/error.h"
#include "faithful/window/batches.h"
#include "faithful/window/scale.h"
#include "tests/support.h"
#include "tests/window/random_data.h"

namespace faithful {
namespace {

Dataset two_channels(const std::vector<std::size_t>& lengths) {
  Dataset dataset;
  dataset.name = "test";
  dataset.channels = {"a", "b"};
  dataset.classes = {"normal", "anomalous"};
  Random random(5);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Series series;
    series.name = "s" + std::to_string(i);
    series.values = Matrix<float>(lengths[i], 2);
    for (float& value : series.values.values) value = static_cast<float>(random.normal());
    series.label = i % 4 == 0 ? 1 : 0;
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

ScalerRecord identity(std::size_t channels) {
  return {ScalerKind::kNone, {std::vector<float>(channels, 0.0F), std::vector<float>(channels, 1.0F)}, {}};
}

// One series, all of it training data but the end.
struct Fitted {
  Dataset dataset;
  explicit Fitted(std::vector<float> values) {
    dataset.channels = {"a"};
    const std::size_t rows = values.size();
    for (int i = 0; i < 2; ++i) {
      Series series;
      series.name = i == 0 ? "train" : "test";
      series.part = i == 0 ? DataPart::kTrain : DataPart::kTest;
      series.values = Matrix<float>(rows, 1, values);
      dataset.series.push_back(std::move(series));
      for (float& value : values) value += 100;
    }
  }
  Scale scale(ScalerKind kind) const {
    const Split split(dataset, {.kind = SplitKind::kGiven, .window = {.length = 0}, .refit = true});
    return fit_scaler(split.train(), kind).record().common;
  }
};

TEST(Scaler, ClosedForms) {
  const Fitted fitted({1, 2, 3, 4, 10});
  EXPECT_FLOAT_EQ(fitted.scale(ScalerKind::kStandard).shift[0], 4);
  EXPECT_FLOAT_EQ(fitted.scale(ScalerKind::kStandard).factor[0], 1 / std::sqrt(10.0F));  // (9+4+1+0+36)/5 = 10
  EXPECT_FLOAT_EQ(fitted.scale(ScalerKind::kMinMax).shift[0], 1);
  EXPECT_FLOAT_EQ(fitted.scale(ScalerKind::kMinMax).factor[0], 1 / 9.0F);
  EXPECT_FLOAT_EQ(fitted.scale(ScalerKind::kRobust).shift[0], 3);
  EXPECT_FLOAT_EQ(fitted.scale(ScalerKind::kRobust).factor[0], 1 / 2.0F);  // quartiles 2 and 4
  EXPECT_EQ(fitted.scale(ScalerKind::kNone).shift[0], 0);
  EXPECT_EQ(fitted.scale(ScalerKind::kNone).factor[0], 1);
  EXPECT_FLOAT_EQ(Fitted({1, 2, 3, 4}).scale(ScalerKind::kRobust).shift[0], 2.5F);
  EXPECT_FLOAT_EQ(Fitted({1, 2, 3, 4}).scale(ScalerKind::kRobust).factor[0], 1 / 1.5F);  // 3.25 - 1.75
}

TEST(Scaler, ConstantAndMissingChannels) {
  for (const ScalerKind kind : {ScalerKind::kStandard, ScalerKind::kMinMax, ScalerKind::kRobust}) {
    const Scale constant = Fitted({7, 7, 7}).scale(kind);
    EXPECT_FLOAT_EQ(constant.shift[0], 7);
    EXPECT_EQ(constant.factor[0], 1);
    const Scale rounded = Fitted({1e6F, std::nextafter(1e6F, 2e6F), 1e6F}).scale(kind);
    EXPECT_EQ(rounded.factor[0], 1) << "rounding is no spread";
    const float missing = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(Fitted({missing, 1, 3, missing}).scale(kind), Fitted({1, 3}).scale(kind));
    EXPECT_EQ(Fitted({missing, missing}).scale(kind).factor[0], 1);
  }
  // Mostly constant: the quartiles agree, the deviation speaks.
  const Scale mostly = Fitted({0, 0, 0, 0, 0, 0, 0, 0, 0, 10}).scale(ScalerKind::kRobust);
  EXPECT_EQ(mostly.shift[0], 0);
  EXPECT_FLOAT_EQ(mostly.factor[0], 1 / 3.0F);
}

TEST(Scaler, PerSeriesUsesTheOwnTrainingSamplesAndFallsBackOnAll) {
  Dataset dataset;
  dataset.channels = {"a", "b"};
  dataset.classes = {"normal", "anomalous"};
  Random random(2);
  for (int i = 0; i < 2; ++i) {
    Series series = testing::random_series("s" + std::to_string(i), 400, 2, random);
    series.labels.assign(400, 0);
    for (std::size_t t = 0; t < 400; ++t) {
      series.values(t, 0) = static_cast<float>(100 * i + 10 * random.normal());
      series.values(t, 1) = i == 0 ? 5.0F : static_cast<float>(2 * random.normal());  // constant in the first
    }
    dataset.series.push_back(series);
  }
  const Split split(dataset, {.window = {.length = 4}});
  const Scaler scaler = fit_scaler(split.train(), ScalerKind::kStandard, Scaling::kSeries);
  EXPECT_NEAR(scaler.of("s0").shift[0], 0, 3);
  EXPECT_NEAR(scaler.of("s1").shift[0], 100, 3);
  EXPECT_NEAR(1 / scaler.of("s1").factor[0], 10, 1.5);
  EXPECT_EQ(scaler.of("s0").shift[1], 5);
  EXPECT_EQ(scaler.of("s0").factor[1], scaler.record().common.factor[1]) << "constant: the spread of all series";
  EXPECT_EQ(scaler.of("never seen"), scaler.record().common);
  EXPECT_EQ(fit_scaler(split.train()).of("s0"), scaler.record().common) << "of all series, unless asked";
}

TEST(Scaler, OneSeriesHasTheCommonStatistics) {
  Dataset dataset = two_channels({400});
  dataset.series[0].labels.assign(400, 0);
  dataset.series[0].label = kNoLabel;
  const Split split(dataset, {.window = {.length = 4}});
  const Scaler own = fit_scaler(split.train(), ScalerKind::kStandard, Scaling::kSeries),
               all = fit_scaler(split.train());
  EXPECT_EQ(own.of(dataset.series[0].name), all.record().common);
}

TEST(Scaler, WholeSeriesHeldOutHaveNoStatisticsOfTheirOwn) {
  const Dataset dataset = two_channels(std::vector<std::size_t>(20, 30));
  const Split split(dataset, {.kind = SplitKind::kSeries});
  EXPECT_EQ(testing::rejection([&] { fit_scaler(split.train(), ScalerKind::kStandard, Scaling::kSeries); }),
            "scaling: expected common or window, because whole series are held out, and they have no statistics of "
            "their own, found \"series\"");
  EXPECT_EQ(testing::rejection([&] { fit_scaler(split.train(), ScalerKind::kRobust, Scaling::kWindow); }),
            "scaler: expected standard, because scaling = window takes mean and deviation, found \"robust\"");
}

TEST(Scaler, AWindowByItsOwnMeanAndDeviation) {
  const Scale common{{0, 0, 0, 0}, {1, 1, 0.5F, 1}};  // training deviations 1, 1, 2, 1
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> window = {1, 7, 1.000F, nan,  //
                                     3, 7, 1.002F, 5,    //
                                     5, 7, 1.004F, 9,    //
                                     7, 7, 1.006F, 5};
  const ScalerRecord record{ScalerKind::kStandard, common, {}, Scaling::kWindow};
  std::vector<float> out(window.size());
  scale_window_into(record, common, window, out);
  const auto expect = [&](std::size_t channel, std::vector<double> wanted) {
    for (std::size_t t = 0; t < 4; ++t) EXPECT_NEAR(out[t * 4 + channel], wanted[t], 1e-4) << channel << " " << t;
  };
  expect(0, {-3 / std::sqrt(5.0), -1 / std::sqrt(5.0), 1 / std::sqrt(5.0), 3 / std::sqrt(5.0)});
  expect(1, {0, 0, 0, 0});                                                // constant
  expect(2, {-0.003 / 0.02, -0.001 / 0.02, 0.001 / 0.02, 0.003 / 0.02});  // its noise is not blown up
  expect(3, {0, (5 - 19.0 / 3) / std::sqrt(32.0 / 9), (9 - 19.0 / 3) / std::sqrt(32.0 / 9),
             (5 - 19.0 / 3) / std::sqrt(32.0 / 9)});  // missing values do not count
  const Scale own = window_scale(common, window);
  EXPECT_EQ(own.shift[0], 4);
  EXPECT_FLOAT_EQ(own.factor[2], 50);
}

TEST(Windows, ScaledByThemselvesWithoutTheirPadding) {
  const Dataset dataset = two_channels({50, 7, 100, 3, 20, 60, 61, 62});
  const Split split(dataset, {.kind = SplitKind::kSeries, .window = {.length = 9, .stride = 4}});
  const Scaler scaler = fit_scaler(split.train(), ScalerKind::kStandard, Scaling::kWindow);
  const WindowSets sets = cut_windows(split, scaler);
  ThreadPool pool(2);
  for (const Windows* part : {&sets.train, &sets.validation, &sets.test})
    for (std::uint32_t i = 0; i < part->size(); ++i) {
      const Window& window = (*part)[i];
      std::vector<float> values(9 * 2, -1), wanted(9 * 2, 0);
      part->fill_into(std::span(&i, 1), {values}, pool);
      const Scale own = window_scale(
          scaler.record().common,
          std::span(dataset.series[window.series].values.values).subspan(window.begin * 2UL, window.length * 2UL));
      for (std::size_t t = 0; t < window.length; ++t)
        for (std::size_t c = 0; c < 2; ++c)
          wanted[t * 2 + c] =
              (dataset.series[window.series].values(window.begin + t, c) - own.shift[c]) * own.factor[c];
      EXPECT_EQ(values, wanted);
    }
}

TEST(Scaler, OfAnotherSplitIsRefused) {
  const Dataset dataset = two_channels(std::vector<std::size_t>(20, 30));
  const Split one(dataset, {.kind = SplitKind::kSeries, .seed = 1}),
      two(dataset, {.kind = SplitKind::kSeries, .seed = 2});
  const Scaler scaler = fit_scaler(one.train());
  EXPECT_NO_THROW(cut_windows(one, scaler));
  EXPECT_THROW(cut_windows(two, scaler), Error);
  EXPECT_NO_THROW(cut_windows(two, Scaler(scaler.record()))) << "a record from a model file fits any split";
  EXPECT_THROW(cut_windows(one, Scaler(identity(3))), Error);
}

TEST(Windows, FillIsTheNaiveLoop) {
  const Dataset dataset = two_channels({50, 7, 100, 3, 20, 60, 61, 62});
  const Split split(dataset, {.kind = SplitKind::kSeries, .window = {.length = 9, .stride = 4}});
  const Scaler scaler = fit_scaler(split.train());
  const WindowSets sets = cut_windows(split, scaler);
  ThreadPool pool(2);
  for (const Windows* part : {&sets.train, &sets.validation, &sets.test}) {
    std::vector<std::uint32_t> numbers(part->size());
    std::iota(numbers.rbegin(), numbers.rend(), 0U);
    const std::size_t count = numbers.size();
    std::vector<float> values(count * 9 * 2, -1);
    std::vector<std::uint8_t> mask(count * 9, 7);
    std::vector<std::int32_t> labels(count, -2);
    part->fill_into(numbers, {values, mask, labels}, pool);
    for (std::size_t i = 0; i < count; ++i) {
      const Window& window = (*part)[numbers[i]];
      const Series& series = dataset.series[window.series];
      EXPECT_EQ(labels[i], series.label);
      EXPECT_EQ(window.length, std::min<std::size_t>(9, series.length()));
      for (std::size_t t = 0; t < 9; ++t) {
        EXPECT_EQ(mask[i * 9 + t], t < window.length ? 1 : 0);
        for (std::size_t c = 0; c < 2; ++c) {
          const Scale& scale = scaler.of(series.name);
          const float wanted =
              t < window.length ? (series.values(window.begin + t, c) - scale.shift[c]) * scale.factor[c] : 0.0F;
          EXPECT_EQ(values[(i * 9 + t) * 2 + c], wanted);
        }
      }
    }
  }
}

TEST(Windows, WholeSeriesArePaddedToTheLongest) {
  Dataset dataset = two_channels({5, 2, 9, 1});
  dataset.series[1].values(0, 1) = std::numeric_limits<float>::quiet_NaN();
  const Split split = Split::hold_out_all(dataset, {.length = 0});
  const WindowSets sets = cut_windows(split, Scaler(identity(2)));
  EXPECT_EQ(sets.test.size(), 4U);
  EXPECT_EQ(sets.test.length(), 9U);
  EXPECT_EQ(sets.train.size(), 0U);
  ThreadPool pool(1);
  std::vector<float> values(9 * 2);
  std::vector<std::uint8_t> mask(9);
  const std::uint32_t second = 1;
  EXPECT_EQ(sets.test.padded_count(), 3U);
  sets.test.fill_into({&second, 1}, {values, mask}, pool);
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{1, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(values[1], 0) << "a missing value";
  EXPECT_EQ(values[2], dataset.series[1].values(1, 0));
}

TEST(Windows, TimesCountFromTheFirstSampleOfTheWindow) {
  Dataset dataset = two_channels({5, 3});
  dataset.series[0].times = {1'000'000'000'000'000'000, 1'000'000'000'000'000'200, 1'000'000'000'000'000'300,
                             1'000'000'000'000'000'300, 1'000'000'000'000'001'300};
  dataset.series[1].times = {-50, 0, 25};
  const Split split = Split::hold_out_all(dataset, {.length = 4, .stride = 1});
  const WindowSets sets = cut_windows(split, Scaler(identity(2)));
  ASSERT_EQ(sets.test.size(), 3U);
  ThreadPool pool(2);
  const std::vector<std::uint32_t> numbers = {1, 0, 2};
  std::vector<float> values(3 * 4 * 2), times(3 * 4, -1);
  sets.test.fill_into(numbers, {.values = values, .times = times, .time_step = 100}, pool);
  EXPECT_EQ(times, (std::vector<float>{0, 1, 1, 11, 0, 2, 3, 3, 0, 0.5F, 0.75F, 0}));
}

// From 1700 to 2262 are more nanoseconds than std::int64_t holds.
TEST(Windows, TimesMayBeCenturiesApart) {
  Dataset dataset = two_channels({2});
  dataset.series[0].times = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  const Split split = Split::hold_out_all(dataset, {.length = 2});
  const WindowSets sets = cut_windows(split, Scaler(identity(2)));
  ThreadPool pool(1);
  const std::vector<std::uint32_t> numbers = {0};
  std::vector<float> values(2 * 2), times(2);
  sets.test.fill_into(numbers, {.values = values, .times = times, .time_step = 0x1p60}, pool);
  EXPECT_EQ(times, (std::vector<float>{0, 16}));
}

TEST(Windows, SeriesWithoutLabelsCanBeLeftOut) {
  Dataset dataset = two_channels(std::vector<std::size_t>(12, 5));
  for (std::size_t i = 0; i < 12; i += 3) dataset.series[i].label = kNoLabel;
  const SplitOptions all{.kind = SplitKind::kSeries, .window = {.length = 5}};
  SplitOptions labelled = all;
  labelled.labelled_only = true;
  const auto count = [&](const SplitOptions& options) {
    const Split split(dataset, options);
    return split.train().pieces().size() + split.validation().pieces().size() + split.test().pieces().size();
  };
  EXPECT_EQ(count(all), 12U);
  EXPECT_EQ(count(labelled), 8U);
}

TEST(Windows, ClassWeightsBalance) {
  const Dataset dataset = two_channels(std::vector<std::size_t>(40, 5));
  const Split split = Split::hold_out_all(dataset, {.length = 5});
  const WindowSets sets = cut_windows(split, Scaler(identity(2)));
  EXPECT_EQ(sets.test.class_counts(), (std::vector<std::size_t>{30, 10}));
  EXPECT_FLOAT_EQ(sets.test.class_weights()[0], 40 / 60.0F);
  EXPECT_FLOAT_EQ(sets.test.class_weights()[1], 2);
}

TEST(Proof, IdleRepeatsAreDroppedAndCounted) {
  Dataset dataset = two_channels(std::vector<std::size_t>(20, 10));
  for (std::size_t i = 0; i < 10; ++i) dataset.series[i].values = Matrix<float>(10, 2, 3.0F);  // ten alike
  const Split split(dataset, {.kind = SplitKind::kSeries, .window = {.length = 10}});
  const WindowSets sets = cut_windows(split, fit_scaler(split.train()));
  EXPECT_TRUE(sets.proof.holds());
  EXPECT_EQ(
      sets.proof.train_windows + sets.proof.validation_windows + sets.proof.test_windows + sets.proof.dropped_windows,
      20U);
  const auto idle = [&](const Windows& part) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < part.size(); ++i) count += part[i].series < 10 ? 1 : 0;
    return count;
  };
  EXPECT_EQ((idle(sets.train) > 0) + (idle(sets.validation) > 0) + (idle(sets.test) > 0), 1);

  const Split random(dataset, {.kind = SplitKind::kRandom, .window = {.length = 10}});
  const WindowSets leaky = cut_windows(random, fit_scaler(random.train()));
  EXPECT_FALSE(leaky.proof.holds()) << "the same content, though other samples";
  EXPECT_EQ(leaky.proof.shared_samples, 0U);
  EXPECT_GT(leaky.proof.shared_windows, 0U);
  EXPECT_EQ(leaky.proof.dropped_windows, 0U);
}

TEST(Proof, IsWrittenAsJson) {
  DisjointnessProof proof;
  proof.train_windows = 7, proof.validation_windows = 2, proof.test_windows = 1;
  proof.train_samples = 70, proof.validation_samples = 20, proof.test_samples = 10;
  proof.test_digest = 255;
  EXPECT_EQ(
      to_json(proof),
      R"({"holds": true, "shared_samples": 0, "shared_windows": 0, "dropped_windows": 0, )"
      R"("windows": {"train": 7, "validation": 2, "test": 1}, "samples": {"train": 70, "validation": 20, "test": 10}, )"
      R"("digests": {"train": "0000000000000000", "validation": "0000000000000000", "test": "00000000000000ff"}})");
}

TEST(Batches, GoThroughEveryWindowOnceInASeededOrder) {
  const Dataset dataset = two_channels(std::vector<std::size_t>(101, 5));
  const Split split = Split::hold_out_all(dataset, {.length = 5});
  const WindowSets sets = cut_windows(split, Scaler(identity(2)));
  Batches batches(sets.test, {.size = 16, .seed = 3});
  EXPECT_EQ(batches.count(), 7U);
  const auto order = [](const Batches& all) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t b = 0; b < all.count(); ++b) numbers.insert(numbers.end(), all[b].begin(), all[b].end());
    return numbers;
  };
  const auto first = order(batches);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 101; ++i) EXPECT_EQ(sorted[i], i);
  batches.start_epoch(1);
  EXPECT_NE(order(batches), first);
  batches.start_epoch(0);
  EXPECT_EQ(order(batches), first) << "an epoch's order depends on no other epoch";
  EXPECT_NE(order(Batches(sets.test, {.size = 16, .seed = 4})), first);
}

}  // namespace
}  // namespace faithful
