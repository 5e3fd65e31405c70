// Counts the allocations of this program: a file of its own, so that no other code sees the operators' bodies.

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "faithful/window/batches.h"
#include "faithful/window/scale.h"
#include "faithful/window/windows.h"
#include "tests/window/random_data.h"

static std::atomic<std::size_t> allocation_count = 0;

__attribute__((noinline)) void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace faithful {
namespace {

TEST(Batches, SteadyStateAllocatesNothing) {
  Random random(8);
  Dataset dataset;
  dataset.channels = {"a", "b"};
  dataset.classes = {"normal", "anomalous"};
  for (std::size_t i = 0; i < 20; ++i) {
    dataset.series.push_back(testing::random_series("s" + std::to_string(i), 400, 2, random));
    dataset.series.back().labels[10 * i] = 1;  // both classes are there
  }
  const Split split = Split::hold_out_all(dataset, {.length = 10, .stride = 5});
  const WindowSets sets = cut_windows(split, Scaler(ScalerRecord{ScalerKind::kNone, {{0, 0}, {1, 1}}, {}}));
  Batches batches(sets.test, {.size = 32, .balance = true});
  ThreadPool pool(2);
  std::vector<float> values(32 * 10 * 2), mask(32 * 10);
  std::vector<std::int32_t> labels(32);
  const std::size_t before = allocation_count.load();
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    batches.start_epoch(epoch);
    for (std::size_t b = 0; b < batches.count(); ++b) sets.test.fill_into(batches[b], {values, mask, labels}, pool);
  }
  EXPECT_EQ(allocation_count.load(), before);
}

}  // namespace
}  // namespace faithful
