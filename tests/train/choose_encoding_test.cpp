#include "faithful/train/choose_encoding.h"

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "tests/support.h"
#include "tests/train/toy.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::toy_cases;
using testing::toy_options;
using testing::toy_timelines;

// A pulse of one channel comes before, or after, that of the other: only the order tells the classes apart.
Dataset ordered_pulses(std::size_t per_class, std::size_t length = 12) {
  Dataset dataset{.name = "pulses", .channels = {"a", "b"}, .classes = {"first", "second"}};
  Random random(8);
  for (std::size_t i = 0; i < 2 * per_class; ++i) {
    Series series{.name = std::to_string(i), .values = Matrix<float>(length, 2), .label = static_cast<int>(i % 2)};
    const auto early = static_cast<std::size_t>(random.below(length / 2 - 1));
    const auto late = length / 2 + 1 + static_cast<std::size_t>(random.below(length / 2 - 1));
    series.values(i % 2 == 0 ? early : late, 0) = 3;
    series.values(i % 2 == 0 ? late : early, 1) = 3;
    for (float& value : series.values.values) value += static_cast<float>(0.1 * random.normal());
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

ChooseOptions quick(SplitKind split, std::vector<std::string> encodings) {
  ChooseOptions options{.fit = toy_options(split), .encodings = std::move(encodings), .folds = 3, .repeats = 2};
  options.fit.train.epochs = 12;
  options.fit.model.position.encoding = "none";
  return options;
}

TEST(ChooseEncoding, FindsAnEncodingWhereOrderIsAll) {
  const Dataset dataset = toy_cases(2, 40);  // the place of a bump tells the class
  ChooseOptions options = quick(SplitKind::kSeries, {"dft", "none"});
  options.fit.split.window.length = 0;
  options.fit.train.epochs = 30;
  ThreadPool one(1), two(2);
  const EncodingChoice found = choose_encoding(dataset, options, two);
  ASSERT_EQ(found.scores.size(), 2U);
  EXPECT_EQ(found.scores[0].name, "none");
  EXPECT_EQ(found.measure, "accuracy");
  EXPECT_EQ(found.folds, 6U);
  EXPECT_FALSE(found.ran_out_of_time);
  EXPECT_LT(found.scores[0].mean, 0.7) << "it cannot see places";
  EXPECT_GT(found.scores[1].mean, 0.9);
  EXPECT_TRUE(found.scores[1].better);
  EXPECT_EQ(found.encoding, "dft");
  EXPECT_TRUE(sentence_of(found).starts_with("dft is better than none on this data (accuracy +"));
  const EncodingChoice again = choose_encoding(dataset, options, one);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(again.scores[i].values, found.scores[i].values);
}

TEST(ChooseEncoding, KeepsTheDefaultWhereNothingIsShown) {
  ThreadPool pool(2);
  ChooseOptions options = quick(SplitKind::kBlocked, {"dft"});
  options.fit.train.epochs = 3;
  const EncodingChoice found = choose_encoding(toy_timelines(3, 1500), options, pool);
  EXPECT_EQ(found.measure, "AUC-PR");
  EXPECT_EQ(found.encoding, "none");
  EXPECT_TRUE(sentence_of(found).starts_with("No encoding is shown to be better than none, which is kept; "))
      << sentence_of(found);
  // The interval is that of Nadeau and Bengio for three folds.
  std::vector<double> differences;
  for (std::size_t i = 0; i < found.folds; ++i)
    differences.push_back(found.scores[1].values[i] - found.scores[0].values[i]);
  EXPECT_EQ(found.scores[1].difference.interval.low, resampled_t(differences, 0.5).interval.low);
}

// The test part may hold anything: no value changes.
TEST(ChooseEncoding, NeverTouchesTheTestPart) {
  Dataset dataset = ordered_pulses(30);
  for (std::size_t i = 0; i < dataset.series.size(); ++i)
    dataset.series[i].part = i % 3 == 0 ? DataPart::kTest : DataPart::kTrain;
  ChooseOptions options = quick(SplitKind::kGiven, {"sinusoidal"});
  options.fit.split.window.length = 0;
  options.fit.train.epochs = 2;
  options.repeats = 1;
  ThreadPool pool(2);
  const EncodingChoice before = choose_encoding(dataset, options, pool);
  for (Series& series : dataset.series) {
    if (series.part != DataPart::kTest) continue;
    series.label = 1 - series.label;
    for (float& value : series.values.values) value = 1e3F - value;
  }
  const EncodingChoice after = choose_encoding(dataset, options, pool);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(after.scores[i].values, before.scores[i].values);
}

TEST(ChooseEncoding, RefusesWhatItCannotDo) {
  const Dataset dataset = toy_cases(2, 10);
  ThreadPool pool(1);
  const auto refused = [&](const ChooseOptions& options) {
    return rejection([&] { choose_encoding(dataset, options, pool); });
  };
  ChooseOptions options = quick(SplitKind::kSeries, {"none"});
  EXPECT_EQ(refused(options), "encodings: expected an encoding besides the default, found only none");
  options.encodings = {"dtf"};
  EXPECT_TRUE(refused(options).starts_with("encodings: expected the name of an encoding, found \"dtf\""));
  options.encodings = {"dft"};
  options.folds = 1;
  EXPECT_EQ(refused(options), "folds: expected at least 2, found 1");
  options.folds = 3;
  options.minutes = 0;
  EXPECT_EQ(refused(options), "minutes: expected a positive number, found 0");
  options.minutes = 1;
  options.fit.split.kind = SplitKind::kRandom;
  EXPECT_EQ(refused(options), "split: expected parts that do not overlap, for folds, found random");
}

TEST(ChooseEncoding, EndsInTime) {
  ThreadPool pool(2);
  ChooseOptions options = quick(SplitKind::kSeries, {"dft"});
  options.fit.split.window.length = 0;
  options.minutes = 1e-7;
  EXPECT_THROW(choose_encoding(ordered_pulses(20), options, pool), Error);
  EXPECT_THROW(
      choose_encoding(ordered_pulses(20), quick(SplitKind::kSeries, {"dft"}), pool, {.stop = [] { return true; }}),
      Error);
}

}  // namespace
}  // namespace faithful
