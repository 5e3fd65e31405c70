// Training and model files where memory ends: std::bad_alloc, and under the sanitizers no leak.

#include <filesystem>

#include <gtest/gtest.h>

#include "faithful/base/limits.h"
#include "faithful/model/infer.h"
#include "faithful/train/fit_details.h"
#include "faithful/train/memory_internal.h"
#include "faithful/trained/model_file.h"
#include "tests/allocations.h"
#include "tests/support.h"
#include "tests/train/toy.h"

namespace faithful {
namespace {

TEST(Memory, ATrainingMayRunOutOfIt) {
  const Dataset dataset = testing::toy_timelines(2, 300);
  FitOptions options = testing::toy_options(SplitKind::kBlocked);
  options.train.epochs = 1;
  const testing::TemporaryFolder folder;
  constexpr std::size_t kStep = 97;  // a prime: not always the same place of a loop
  const std::size_t thrown = testing::fail_each_allocation(kStep, [&] {
    ThreadPool pool(2);
    FitControl control;
    control.checkpoints = {.path = folder / "m.checkpoint", .seconds = 0};
    control.log = folder / "log.jsonl";
    const FitResult result = fit_in_detail(dataset, options, pool, control);
    save_model(folder / "m.safetensors", result.model);
    load_model(folder / "m.safetensors");
  });
  EXPECT_GT(thrown, 20U);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

// Every allocation of a first prediction: tapes are made, and given back by destructors.
TEST(Memory, APredictionMayRunOutOfIt) {
  const Dataset dataset = testing::toy_timelines(2, 300);
  FitOptions options = testing::toy_options(SplitKind::kBlocked);
  options.train.epochs = 1;
  ThreadPool pool(1);
  const FitResult result = fit_in_detail(dataset, options, pool);
  const Classifier<float>& classifier = result.model.transformer()->classifier();
  Matrix<float> found;
  const std::size_t thrown = testing::fail_each_allocation(1, [&] {
    const Transformer transformer = Transformer::view_of(classifier);
    found = probabilities_of(transformer, result.sets.test, pool);
  });
  EXPECT_GT(thrown, 3U);
  EXPECT_EQ(found, result.test_probabilities);
}

// The memory of a step is that of its windows: never more than the training part has.
TEST(Memory, ABatchLargerThanTheTrainingPart) {
  const Dataset dataset = testing::toy_timelines(2, 300);
  ThreadPool pool(1);
  const auto weights = [&](std::size_t batch) {
    FitOptions options = testing::toy_options(SplitKind::kBlocked);
    options.train.epochs = 2;
    options.train.batch = batch;
    const FitResult result = fit_in_detail(dataset, options, pool);
    const std::span<const float> values = result.model.transformer()->classifier().parameters().values();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_EQ(weights(1'000'000'000), weights(1000));
}

TEST(Memory, AStepThatDoesNotFitIsRefused) {
  ModelConfig config = preset("standard");
  config.input.channels = 2;
  config.input.length = 100;
  settle(config);
  const double each = train::bytes_of_window(config);
  const Limits before = limits();
  Limits small = before;
  small.training_bytes = static_cast<std::size_t>(10.7 * each);
  set_limits(small);
  const auto refused = [&](std::size_t batch, std::size_t windows, std::size_t steps) {
    return testing::rejection([&] { train::check_step(config, batch, windows, steps); });
  };
  EXPECT_NO_THROW(train::check_step(config, 1000, 10, 5)) << "there are only ten windows";
  const std::string message = refused(1000, 11, 5);
  set_limits(before);
  EXPECT_TRUE(message.starts_with("batch: expected at most 10 windows, which fit into the memory of ")) << message;
  EXPECT_NE(message.find("found 11, which take about "), std::string::npos) << message;
  EXPECT_EQ(refused(32, 1000, std::size_t{1} << 32),
            "steps: expected at most 4294967295 steps in all, found 4294967296");
}

}  // namespace
}  // namespace faithful
