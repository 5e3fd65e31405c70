// Training and model files where memory ends: std::bad_alloc, and under the sanitizers no leak.

#include <filesystem>

#include <gtest/gtest.h>

#include "faithful/model/infer.h"
#include "faithful/train/fit_details.h"
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

}  // namespace
}  // namespace faithful
