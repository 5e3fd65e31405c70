#include "faithful/engine/schedule.h"

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/train/options.h"
#include "faithful/train/record.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

TEST(Schedule, ClosedForm) {
  const ScheduleOptions options{.rate = 2, .warm_up = 0.2, .floor = 0.1};
  EXPECT_DOUBLE_EQ(rate_at(1, 10, options), 1);
  EXPECT_DOUBLE_EQ(rate_at(2, 10, options), 2);
  EXPECT_DOUBLE_EQ(rate_at(6, 10, options), 2 * 0.55) << "half way down";
  EXPECT_DOUBLE_EQ(rate_at(4, 10, options), 2 * (0.1 + 0.45 * (1 + std::sqrt(0.5))));
  EXPECT_DOUBLE_EQ(rate_at(10, 10, options), 0.2);
}

TEST(Schedule, Edges) {
  EXPECT_DOUBLE_EQ(rate_at(1, 1, {.rate = 3, .warm_up = 0, .floor = 0.5}), 1.5) << "one step is the last one";
  EXPECT_DOUBLE_EQ(rate_at(1, 1, {.rate = 3, .warm_up = 1, .floor = 0}), 3);
  EXPECT_DOUBLE_EQ(rate_at(7, 7, {.rate = 3, .warm_up = 1, .floor = 0}), 3) << "warm-up alone";
  EXPECT_DOUBLE_EQ(rate_at(1, 7, {.rate = 3, .warm_up = 1, .floor = 0}), 3.0 / 7);
  for (std::size_t step = 1; step <= 13; ++step)
    EXPECT_DOUBLE_EQ(rate_at(step, 13, {.rate = 3, .warm_up = 0, .floor = 1}), 3) << "constant";
}

TEST(Schedule, Clipping) {
  EXPECT_EQ(clip_factor(0.5, 1), 1);
  EXPECT_EQ(clip_factor(4, 1), 0.25);
  EXPECT_EQ(clip_factor(4, 0), 1) << "0: as they are";
}

TEST(TrainOptions, ImpossibleOnesAreRejected) {
  const auto with = [](auto change) {
    TrainOptions options;
    change(options);
    return rejection([&] { check_train_options(options); });
  };
  check_train_options({});
  EXPECT_EQ(with([](auto& o) { o.epochs = 40, o.stop_after = 41; }), "stop_after: expected at most epochs, found 41");
  const std::string wanted = "learning_rate: expected a number above 0 and up to 10, found ";
  EXPECT_EQ(with([](auto& o) { o.learning_rate = 0; }), wanted + "0");
  EXPECT_EQ(with([](auto& o) { o.learning_rate = std::nan(""); }), wanted + "nan");
  EXPECT_EQ(with([](auto& o) { o.warm_up = 1.5; }), "warm_up: expected a number from 0 to 1, found 1.5");
  EXPECT_EQ(with([](auto& o) { o.floor = -1; }), "floor: expected a number from 0 to 1, found -1");
  EXPECT_EQ(with([](auto& o) { o.decay = -1; }), "decay: expected a number of at least 0, found -1");
  EXPECT_EQ(with([](auto& o) { o.decay = 600; }), "decay: expected below 1 / learning_rate, found 600");
  EXPECT_EQ(with([](auto& o) { o.smoothing = 1; }), "smoothing: expected a number from 0 to below 1, found 1");
  EXPECT_EQ(with([](auto& o) { o.augmentation.warp = -1; }), "warp: expected a number from 0 to 3, found -1");
  EXPECT_EQ(with([](auto& o) { o.clip_norm = -1; }), "clip_norm: expected a number of at least 0, found -1");
}

// Few windows: 1200 steps of 16. More: 80 passes, from 1000 windows on in steps of 32, up to 6000 steps. What was said stays.
TEST(TrainOptions, FollowTheNumberOfWindows) {
  const auto settled_for = [](std::size_t windows) {
    const TrainOptions made = settled(train_preset("standard"), windows);
    return std::pair(made.batch, made.steps);
  };
  EXPECT_EQ(settled_for(1), (std::pair<std::size_t, std::size_t>(16, 1200)));
  EXPECT_EQ(settled_for(999), (std::pair<std::size_t, std::size_t>(16, 4995)));
  EXPECT_EQ(settled_for(2459), (std::pair<std::size_t, std::size_t>(32, 6000)));
  EXPECT_EQ(settled_for(100'000), (std::pair<std::size_t, std::size_t>(32, 6000)));
  const TrainOptions said{.epochs = 7, .batch = 5};
  EXPECT_EQ(settled(said, 100), said);
  EXPECT_EQ(settled({.epochs = 0, .steps = 10, .batch = 20}, 100).epochs, 2U);
}

// Checkpoints, model files and runs.jsonl hold options by these names.
TEST(TrainOptions, NamesInFilesStay) {
  std::string text;
  for (const auto& [name, value] : recorded_fields(TrainOptions())) text += name + "=" + to_text(value) + " ";
  EXPECT_EQ(text,
            "epochs=60 stop_after=0 batch=32 rate=0.002 warm_up=0.1 floor=0.01 decay=0.01 clip=1 patience=0 "
            "class_weights=auto select=auto seed=1 ");
  std::string standard;
  for (const auto& [name, value] : recorded_fields(train_preset("standard")))
    standard += name + "=" + to_text(value) + " ";
  EXPECT_EQ(standard,
            "epochs=0 stop_after=0 batch=0 rate=0.002 warm_up=0.1 floor=0 decay=0.01 clip=1 patience=0 "
            "class_weights=none select=last smoothing=0.1 warp=0.3 crop=0.1 mix=0.2 gain=0.1 seed=1 ");
}

TEST(EpochRecord, BetterIsMoreOfTheValueThenLessLoss) {
  EpochRecord binary;
  binary.threshold = 0.5, binary.auc_pr = 0.8, binary.f1 = 0.9, binary.validation_loss = 0.3;
  EXPECT_EQ(binary.value(Selection::kAuto), 0.8);
  EXPECT_EQ(binary.value(Selection::kLoss), -0.3);
  EpochRecord other = binary;
  EXPECT_FALSE(is_better(other, binary, Selection::kAuto));
  other.validation_loss = 0.2;
  EXPECT_TRUE(is_better(other, binary, Selection::kAuto));
  other.auc_pr = 0.79;
  EXPECT_FALSE(is_better(other, binary, Selection::kAuto));
  EXPECT_TRUE(is_better(other, binary, Selection::kLoss));
  EpochRecord many;
  many.f1 = 0.7, many.validation_loss = 2;
  EXPECT_EQ(many.value(Selection::kAuto), 0.7);
  many.f1 = kAbsent;
  EXPECT_EQ(many.value(Selection::kAuto), -2) << "only the loss is known";
}

TEST(EpochRecord, MeanLeavesOutWhatIsAbsent) {
  std::vector<TrainRecord> folds(3);
  for (std::size_t i = 0; i < 3; ++i) {
    EpochRecord record;
    record.loss = static_cast<double>(i);
    if (i > 0) record.f1 = static_cast<double>(i) / 4;
    folds[i].history = {EpochRecord{}, record};
  }
  const EpochRecord mean = mean_epoch(folds, 1);
  EXPECT_DOUBLE_EQ(mean.loss, 1);
  EXPECT_DOUBLE_EQ(mean.f1, 0.375);
  EXPECT_TRUE(std::isnan(mean.auc_pr));
}

}  // namespace
}  // namespace faithful
