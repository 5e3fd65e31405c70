#include <atomic>
#include <filesystem>

#include <gtest/gtest.h>

#include "faithful/train/train.h"
#include "tests/ranks/thread_ranks.h"
#include "tests/support.h"
#include "tests/train/toy.h"

// Trainings over ranks that are threads of this process. mpirun is in tests/app/test_mpi.py.

namespace faithful {
namespace {

using testing::run_ranks;
using testing::TemporaryFolder;
using testing::Toy;
using testing::toy_cases;
using testing::toy_options;
using testing::toy_standard;
using testing::toy_timelines;
using testing::weights_of;

std::vector<float> train_on(const Toy& toy, std::size_t threads, const TrainControl& control = {}) {
  ThreadPool pool(threads);
  Classifier<float> model(toy.config);
  train_classifier(model, *toy.sets, toy.options.train, pool, control);
  return weights_of(model);
}

// The weights of each rank; rank 0's checkpoints count.
std::vector<std::vector<float>> train_on_ranks(const Toy& toy, std::size_t ranks, std::size_t threads,
                                               const CheckpointOptions& checkpoints = {},
                                               const std::function<bool(std::size_t rank)>& stop = {}) {
  std::vector<std::vector<float>> all(ranks);
  run_ranks(ranks, [&](Ranks& own) {
    Checkpoints kept(checkpoints, &own);
    TrainControl control{.checkpoints = &kept, .ranks = &own};
    if (stop) control.stop = [&] { return stop(own.rank()); };
    all[own.rank()] = train_on(toy, threads, control);
  });
  return all;
}

void expect_all(const std::vector<std::vector<float>>& found, const std::vector<float>& wanted) {
  for (const std::vector<float>& weights : found) EXPECT_EQ(weights, wanted);
}

TEST(TrainOverRanks, SameBitsForAnyNumberOfRanks) {
  const Toy timelines(toy_timelines(), toy_options(SplitKind::kBlocked));
  const std::vector<float> wanted = train_on(timelines, 1);
  for (const std::size_t ranks : {1, 2, 3, 8}) expect_all(train_on_ranks(timelines, ranks, 1), wanted);
  expect_all(train_on_ranks(timelines, 2, 2), wanted);
}

// Batch norms, dropout, augmentation; windows of unequal lengths, of which a rank may have none in a batch.
TEST(TrainOverRanks, SameBitsWithTheStandardRecipe) {
  Toy padded(toy_cases(3, 12, 16, 3, true), toy_standard(SplitKind::kSeries));
  ASSERT_GT(padded.sets->train.padded_count(), 0U);
  expect_all(train_on_ranks(padded, 2, 1), train_on(padded, 1));
  padded.options.train.shards = 4;
  const std::vector<float> four = train_on(padded, 3);
  EXPECT_NE(four, train_on(Toy(toy_cases(3, 12, 16, 3, true), toy_standard(SplitKind::kSeries)), 1));
  expect_all(train_on_ranks(padded, 4, 1), four);
  expect_all(train_on_ranks(padded, 3, 2), four);
}

// Asked on one rank, after a step that only it knows; resumed on another number of ranks.
TEST(TrainOverRanks, StopsOnAllRanksAndResumesOnOthers) {
  const TemporaryFolder folder;
  const Toy toy(toy_timelines(), toy_options(SplitKind::kBlocked));
  const CheckpointOptions checkpoints{.path = folder / "m.checkpoint", .seconds = 1e9};
  std::atomic<int> asked = 0;
  const auto stopped =
      train_on_ranks(toy, 3, 1, checkpoints, [&](std::size_t rank) { return rank == 2 && ++asked > 5; });
  EXPECT_EQ(stopped[0], stopped[1]);
  EXPECT_EQ(stopped[0], stopped[2]);
  EXPECT_EQ(load_checkpoint(checkpoints.path).state.step, 6U);
  const std::vector<float> wanted = train_on(toy, 1);
  EXPECT_NE(stopped[0], wanted);
  CheckpointOptions resume = checkpoints;
  resume.resume = true;
  expect_all(train_on_ranks(toy, 2, 1, resume), wanted);
}

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TrainOverRanks, RefusesMoreRanksThanShards) {
  Toy toy(toy_timelines(), toy_options(SplitKind::kBlocked));
  toy.options.train.shards = 2;
  EXPECT_EQ(failure_of([&] { train_on_ranks(toy, 3, 1); }),
            "ranks: expected at most 2: a batch is cut into so many shards, found 3 (shards = 3)");
  toy.options.train.shards = 8;
  toy.options.train.batch = 2;
  EXPECT_EQ(failure_of([&] { train_on_ranks(toy, 3, 1); }),
            "ranks: expected at most 2: a batch has so many windows, found 3 (batch)");
}

TEST(TrainOverRanks, RefusesRanksThatDiffer) {
  const Toy toy(toy_timelines(), toy_options(SplitKind::kBlocked));
  Toy other = Toy(toy_timelines(), toy_options(SplitKind::kBlocked));
  other.options.train.decay = 0.5;
  EXPECT_EQ(failure_of([&] {
              run_ranks(2, [&](Ranks& own) {
                const TrainControl control{.ranks = &own};
                train_on(own.is_first() ? toy : other, 1, control);
              });
            }),
            "rank 1: expected the data and options of rank 0, with train.decay \"0.01\", found train.decay \"0.5\"");
}

}  // namespace
}  // namespace faithful
