#include <gtest/gtest.h>

#include "faithful/window/batches.h"
#include "faithful/window/scale.h"
#include "faithful/window/windows.h"
#include "tests/allocations.h"
#include "tests/window/random_data.h"

namespace faithful {
namespace {

TEST(Batches, SteadyStateAllocatesNothing) {
  Random random(8);
  Dataset dataset;
  dataset.channels = {"a", "b"};
  dataset.classes = {"normal", "anomalous"};
  for (std::size_t i = 0; i < 20; ++i) {
    dataset.series.push_back(testing::random_series("s" + std::to_string(i), 400, 2, random));
  }
  const Split split = Split::hold_out_all(dataset, {.length = 10, .stride = 5});
  const WindowSets sets = cut_windows(split, Scaler(ScalerRecord{ScalerKind::kNone, {{0, 0}, {1, 1}}, {}}));
  Batches batches(sets.test, {.size = 32});
  ThreadPool pool(2);
  std::vector<float> values(32 * 10 * 2);
  std::vector<std::uint8_t> mask(32 * 10);
  std::vector<std::int32_t> labels(32);
  const std::size_t before = testing::allocation_count();
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    batches.start_epoch(epoch);
    for (std::size_t b = 0; b < batches.count(); ++b) sets.test.fill_into(batches[b], {values, mask, labels}, pool);
  }
  EXPECT_EQ(testing::allocation_count(), before);
}

}  // namespace
}  // namespace faithful
