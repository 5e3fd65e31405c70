#include "faithful/train/checkpoint.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "faithful/base/cpu.h"
#include "faithful/io/file.h"
#include "faithful/train/fit_details.h"
#include "tests/support.h"
#include "tests/train/toy.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;
using testing::toy_cases;
using testing::toy_options;
using testing::toy_standard;
using testing::toy_timelines;
using testing::weights_of;

// Stops after so many steps.
std::function<bool()> stop_after(std::size_t steps) {
  return [steps, done = std::size_t{0}]() mutable { return ++done == steps; };
}

FitOptions quick(SplitKind kind) {
  FitOptions options = toy_options(kind);
  options.train.epochs = 2;
  options.split.folds = 2;
  options.train.batch = kind == SplitKind::kGiven ? 4 : 32;
  options.baselines = false;
  return options;
}

// What of a result must not depend on how often it was interrupted.
void expect_same(const FitResult& a, const FitResult& b) {
  EXPECT_EQ(weights_of(a.model), weights_of(b.model));
  EXPECT_EQ(a.model.threshold, b.model.threshold);
  EXPECT_EQ(a.test_probabilities, b.test_probabilities);
  EXPECT_EQ(a.epochs_chosen, b.epochs_chosen);
  EXPECT_EQ(a.training.record.best_epoch, b.training.record.best_epoch);
  EXPECT_EQ(a.training.steps, b.training.steps);
  ASSERT_EQ(a.training.record.history.size(), b.training.record.history.size());
  for (std::size_t e = 0; e < a.training.record.history.size(); ++e)
    EXPECT_EQ(a.training.record.history[e].loss, b.training.record.history[e].loss);
}

// Stopped after every `steps` steps, and resumed until it is done.
void expect_resumes(const Dataset& dataset, const FitOptions& options, std::size_t steps) {
  ThreadPool one(1), two(2);
  const FitResult whole = fit_in_detail(dataset, options, one);
  const TemporaryFolder folder;
  std::size_t parts = 1;
  FitControl control;
  control.checkpoints = {.path = folder / "c.safetensors", .resume = true};
  control.stop = stop_after(steps);
  FitResult part = fit_in_detail(dataset, options, two, control);
  for (; part.stopped; ++parts) {
    ASSERT_LT(parts, 200U);
    EXPECT_TRUE(part.test_probabilities.values.empty()) << "the test part is scored once, at the end";
    control.stop = stop_after(steps);
    part = fit_in_detail(dataset, options, parts % 2 == 0 ? two : one, control);
  }
  EXPECT_GT(parts, 1U);
  expect_same(part, whole);
}

TEST(Checkpoint, ResumedAnywhereItGivesTheSameBits) {
  const Dataset dataset = toy_timelines(2, 900);
  FitOptions options = quick(SplitKind::kBlocked);
  options.model.body.dropout = 0.2;
  for (const std::size_t steps : {1, 3, 5}) expect_resumes(dataset, options, steps);
}

// Running statistics and what is left of a decaying table are part of it.
TEST(Checkpoint, DfstransResumesToTheSameBits) {
  FitOptions options = quick(SplitKind::kBlocked);
  ModelConfig& model = options.model = preset("dfstrans");
  model.input.filters = 4;
  model.input.segment = 5;
  model.input.stages = 1;
  model.body.heads = 2;
  model.body.feed_forward = model.head.hidden = 8;
  model.position.scale = "decaying";
  expect_resumes(toy_timelines(2, 900), options, 3);
}

// Stopped between and after epochs, with the last one cut short.
TEST(Checkpoint, TheStandardRecipeResumesToTheSameBits) {
  FitOptions options = toy_standard(SplitKind::kGiven);
  options.split.folds = 2;
  options.baselines = false;
  for (const std::size_t steps : {1, 3}) expect_resumes(toy_cases(3, 12, 16, 5, true), options, steps);
  options = toy_standard(SplitKind::kBlocked);
  options.baselines = false;
  expect_resumes(toy_timelines(2, 900), options, 4);
}

TEST(Checkpoint, FoldsResumeToo) {
  expect_resumes(toy_cases(2, 18), quick(SplitKind::kGiven), 2);
  expect_resumes(toy_cases(3, 12, 16, 5, true), quick(SplitKind::kGiven), 3);
}

TEST(Checkpoint, AKilledRunResumesFromItsLastCheckpoint) {
  // As killed: the run ends by an exception, without saving, some steps behind the last checkpoint.
  const Dataset dataset = toy_timelines(2, 900);
  FitOptions options = quick(SplitKind::kBlocked);
  options.train.epochs = 3;
  ThreadPool pool(2);
  const FitResult whole = fit_in_detail(dataset, options, pool);
  for (const std::size_t kill_at : {2, 4, 7, 9}) {
    const TemporaryFolder folder;
    FitControl control;
    control.checkpoints = {.path = folder / "c.safetensors", .seconds = 0, .resume = true};
    control.stop = [steps = std::size_t{0}, kill_at]() mutable {
      if (++steps == kill_at) throw Error("killed");
      return false;
    };
    EXPECT_THROW(fit_in_detail(dataset, options, pool, control), Error);
    ASSERT_TRUE(std::filesystem::exists(control.checkpoints.path));
    std::ofstream(folder / "c.safetensors.tmp") << "left over";  // by a run killed while it wrote
    control.stop = {};
    const FitResult resumed = fit_in_detail(dataset, options, pool, control);
    EXPECT_EQ(std::ranges::count(resumed.notes, "resumed at step " + std::to_string(kill_at - 1)), 1);
    expect_same(resumed, whole);
  }
}

TEST(Checkpoint, WithoutAFileItBeginsAnew) {
  const TemporaryFolder folder;
  ThreadPool pool(1);
  const Dataset dataset = toy_timelines(2, 900);
  FitControl control;
  control.checkpoints = {.path = folder / "none.safetensors", .resume = true};
  expect_same(fit_in_detail(dataset, quick(SplitKind::kBlocked), pool, control),
              fit_in_detail(dataset, quick(SplitKind::kBlocked), pool));
  EXPECT_FALSE(std::filesystem::exists(control.checkpoints.path)) << "half a minute has not passed";
}

struct Saved {
  Saved() : dataset(toy_timelines(2, 900)), pool(1), path(folder / "c.safetensors") {
    FitControl control;
    control.checkpoints = {.path = path};
    control.stop = stop_after(5);
    EXPECT_TRUE(fit_in_detail(dataset, quick(SplitKind::kBlocked), pool, control).stopped);
  }
  std::string resume(const FitOptions& options, const Dataset& data) {
    FitControl control;
    control.checkpoints = {.path = path, .resume = true};
    return rejection([&] { fit_in_detail(data, options, pool, control); });
  }
  TemporaryFolder folder;
  Dataset dataset;
  ThreadPool pool;
  std::string path;
};

TEST(Checkpoint, OfSomethingElseIsRejectedWithTheField) {
  Saved saved;
  const auto with = [&](auto change) {
    FitOptions options = quick(SplitKind::kBlocked);
    change(options);
    return saved.resume(options, saved.dataset);
  };
  EXPECT_EQ(with([](auto& o) { o.train.learning_rate = 0.02; }),
            saved.path +
                ": expected a checkpoint of the same run, with train.rate \"0.02\", found \"0.01\" (without resume it "
                "begins anew)");
  EXPECT_NE(with([](auto& o) { o.train.seed = 2; }).find("with train.seed \"2\", found \"1\""), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.train.epochs = 9; }).find("train.epochs"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.split.seed = 2; }).find("split.seed"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.split.kind = SplitKind::kRandom; }).find("split \"random\""), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.scaler = ScalerKind::kRobust; }).find("scale \"robust\""), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.model.body.width = 16; }).find("model.width \"16\", found \"8\""), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.model.position.encoding = "rope"; }).find("model.encoding"), std::string::npos);
  Dataset other = saved.dataset;
  for (Series& series : other.series)
    for (float& value : series.values.values) value *= 1.01F;
  EXPECT_NE(saved.resume(quick(SplitKind::kBlocked), other).find("data.train"), std::string::npos);
}

// Fields that are left out where they do nothing count in both directions.
TEST(Checkpoint, OfOptionsThatAreNoLongerSetIsRejected) {
  const Dataset dataset = toy_timelines(2, 900);
  const TemporaryFolder folder;
  const std::string path = folder / "c.safetensors";
  FitOptions options = quick(SplitKind::kBlocked);
  options.train.smoothing = 0.1;
  ThreadPool pool(1);
  FitControl control;
  control.checkpoints = {.path = path, .resume = true};
  control.stop = stop_after(2);
  ASSERT_TRUE(fit_in_detail(dataset, options, pool, control).stopped);
  options.train.smoothing = 0;
  control.stop = {};
  EXPECT_EQ(rejection([&] { fit_in_detail(dataset, options, pool, control); }),
            path +
                ": expected a checkpoint of the same run, without train.smoothing, found \"0.1\" (without resume it "
                "begins anew)");
}

// The last digits differ between instruction sets; earlier versions did not record which one it was.
TEST(Checkpoint, OfAnotherInstructionSetIsRejected) {
  Saved saved;
  Checkpoint checkpoint = load_checkpoint(saved.path);
  ASSERT_EQ(checkpoint.identity.back(), std::pair(std::string("instruction_set"), instruction_set()));
  const auto save = [&] {
    save_checkpoint(saved.path, checkpoint.identity, checkpoint.state,
                    {checkpoint.weights, checkpoint.first_moments, checkpoint.second_moments});
  };
  checkpoint.identity.back().second = "avx9000";
  save();
  EXPECT_EQ(saved.resume(quick(SplitKind::kBlocked), saved.dataset),
            saved.path + ": expected a checkpoint made with " + instruction_set() +
                " instructions, found avx9000 (this machine does not have it; without resume it begins anew)");
  checkpoint.identity.pop_back();
  save();
  FitControl control;
  control.checkpoints = {.path = saved.path, .resume = true};
  const FitResult resumed = fit_in_detail(saved.dataset, quick(SplitKind::kBlocked), saved.pool, control);
  expect_same(resumed, fit_in_detail(saved.dataset, quick(SplitKind::kBlocked), saved.pool));
}

TEST(Checkpoint, DamagedOnesAreRejected) {
  Saved saved;
  const std::string whole = read_file(saved.path, 1 << 24);
  const auto put = [&](const std::string& bytes) { std::ofstream(saved.path, std::ios::binary) << bytes; };
  const auto load = [&](const std::string& bytes) {
    put(bytes);
    return rejection([&] { load_checkpoint(saved.path); });
  };
  const Checkpoint undamaged = load_checkpoint(saved.path);
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 50) load(whole.substr(0, length));
  for (std::size_t i = 0; i < 200; ++i) {
    std::string flipped = whole;
    const std::size_t bit = i * 7919 % (whole.size() * 8);
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    put(flipped);
    try {  // a clear error, or the same numbers: white space of the header means nothing
      const Checkpoint read = load_checkpoint(saved.path);
      EXPECT_EQ(read.identity, undamaged.identity);
      EXPECT_EQ(read.weights, undamaged.weights);
      EXPECT_EQ(read.state.step, 5U);
    } catch (const InputError&) {
    }
  }
  EXPECT_NE(load("no checkpoint at all").find(saved.path), std::string::npos);
  std::filesystem::remove(saved.path);
  EXPECT_NE(rejection([&] { load_checkpoint(saved.path); }).find(saved.path), std::string::npos);
}

// Trainings side by side have a file each. All must be of the job that goes on.
TEST(Checkpoint, FilesOfAnotherJobAreRejected) {
  const Dataset dataset = toy_cases(2, 18);
  const FitOptions options = quick(SplitKind::kGiven);
  const TemporaryFolder folder;
  ThreadPool pool(1);
  FitControl control;
  control.checkpoints = {.path = folder / "m.checkpoint", .seconds = 0, .resume = true};
  control.stop = stop_after(2 * 2 * 3 + 1);  // in the last training, after two folds
  ASSERT_TRUE(fit_in_detail(dataset, options, pool, control).stopped);
  control.stop = {};
  const std::vector<std::string> files = checkpoint_files(control.checkpoints.path);
  ASSERT_EQ(files, (std::vector<std::string>{folder / "m.1.checkpoint", folder / "m.2.checkpoint",
                                             folder / "m.3.checkpoint"}));
  EXPECT_EQ(load_checkpoint(files[0]).state.epoch, 2U) << "a finished training is kept, too";
  EXPECT_EQ(load_checkpoint(files[2]).state.step, 1U);
  const std::string fourth = folder / "m.4.checkpoint";
  std::filesystem::copy_file(files[0], fourth);
  EXPECT_EQ(rejection([&] { fit_in_detail(dataset, options, pool, control); }),
            fourth + ": expected checkpoints of 3 trainings, found one of another job (without resume it begins anew)");
  std::filesystem::remove(fourth);
  FitOptions others = options;
  others.split.folds = 3;
  EXPECT_NE(rejection([&] {
              fit_in_detail(dataset, others, pool, control);
            }).find("expected a checkpoint of the same run, with split.folds \"3\", found \"2\""),
            std::string::npos);
  expect_same(fit_in_detail(dataset, options, pool, control), fit_in_detail(dataset, options, pool));
}

TEST(Checkpoint, BeginningAnewRemovesOldFiles) {
  const Dataset dataset = toy_cases(2, 18);
  const TemporaryFolder folder;
  ThreadPool pool(1);
  FitControl control;
  control.checkpoints = {.path = folder / "m.checkpoint", .seconds = 1e9};
  for (const char* name : {"m.checkpoint", "m.7.checkpoint", "m.x.checkpoint", "n.1.checkpoint"})
    write_file(folder / name, "old");
  FitOptions refused = quick(SplitKind::kBlocked);
  refused.split.window.length = 100'000;
  const Dataset short_ones = toy_timelines(2, 300);
  rejection([&] { fit_in_detail(short_ones, refused, pool, control); });
  EXPECT_EQ(checkpoint_files(control.checkpoints.path).size(), 2U) << "a mistake costs nothing";
  fit_in_detail(dataset, quick(SplitKind::kBlocked), pool, control);
  EXPECT_TRUE(checkpoint_files(control.checkpoints.path).empty());
  EXPECT_TRUE(std::filesystem::exists(folder / "m.x.checkpoint"));
  EXPECT_TRUE(std::filesystem::exists(folder / "n.1.checkpoint"));
}

TEST(Checkpoint, RoundTrip) {
  const TemporaryFolder folder;
  TrainState state{.epoch = 2, .batch = 3, .step = 13, .loss_sum = 1.0 / 3, .norm_sum = 7};
  state.record.history.resize(2);
  state.record.history[1].f1 = 0.1;
  state.record.best_epoch = 2;
  state.record.validation_scores = Matrix<float>(2, 3, {1, 2, 3, 4, 5, 6});
  state.record.validation_labels = {0, 1, 1};
  state.record.seconds.update = 0.7;
  state.best_weights = {9, 8};
  const std::vector<float> weights = {1, 2}, first = {3, 4}, second = {5, 6};
  const Identity identity = {{"z", "1"}, {"a b", "x\ny"}};
  save_checkpoint(folder / "c", identity, state, {weights, first, second});
  const Checkpoint read = load_checkpoint(folder / "c");
  EXPECT_EQ(read.identity, identity);
  EXPECT_EQ(read.weights, weights);
  EXPECT_EQ(read.first_moments, first);
  EXPECT_EQ(read.second_moments, second);
  EXPECT_EQ(read.state.epoch, 2U);
  EXPECT_EQ(read.state.batch, 3U);
  EXPECT_EQ(read.state.step, 13U);
  EXPECT_EQ(read.state.loss_sum, 1.0 / 3);
  EXPECT_EQ(read.state.norm_sum, 7);
  EXPECT_EQ(read.state.best_weights, state.best_weights);
  EXPECT_EQ(read.state.record.history[1].f1, 0.1);
  EXPECT_TRUE(std::isnan(read.state.record.history[0].f1));
  EXPECT_EQ(read.state.record.best_epoch, 2U);
  EXPECT_EQ(read.state.record.validation_scores, state.record.validation_scores);
  EXPECT_EQ(read.state.record.validation_labels, state.record.validation_labels);
  EXPECT_EQ(read.state.record.seconds.update, 0.7);
  const std::string bytes = read_file(folder / "c", 1 << 20);
  save_checkpoint(folder / "d", read.identity, read.state, {weights, first, second});
  EXPECT_EQ(read_file(folder / "d", 1 << 20), bytes);
  EXPECT_EQ(checkpoint_bytes(parse_checkpoint(bytes, "c")), bytes);
}

}  // namespace
}  // namespace faithful
