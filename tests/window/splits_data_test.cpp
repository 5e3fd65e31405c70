// The leak-free split on the real data sets, below FAITHFUL_DATA.

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "faithful/data/read.h"
#include "faithful/window/scale.h"
#include "faithful/window/windows.h"

namespace faithful {
namespace {

class RealData : public ::testing::TestWithParam<const char*> {};

TEST_P(RealData, BlockedSplitIsProvenDisjoint) {
  const char* folder = std::getenv("FAITHFUL_DATA");
  if (folder == nullptr) GTEST_SKIP() << "FAITHFUL_DATA is not set";
  const std::string path = std::string(folder) + "/" + GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << GetParam() << " below FAITHFUL_DATA";
  Dataset dataset = load_dataset(path);
  std::erase_if(dataset.series, [](const Series& series) { return series.labels.empty(); });  // the unlabelled half
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SplitOptions options;
    options.seed = seed;
    options.window.stride = 20;
    apply_known_rules(dataset, options);
    const Split split(dataset, options);
    const WindowSets sets = cut_windows(split, fit_scaler(split.train()));
    std::printf("%s seed %d: %s\n", GetParam(), static_cast<int>(seed), to_json(sets.proof).c_str());
    EXPECT_TRUE(sets.proof.holds());
    for (const Windows* part : {&sets.train, &sets.validation, &sets.test}) {
      EXPECT_GT(part->class_counts()[0], 0U);
      EXPECT_GT(part->class_counts()[1], 0U);
    }
    // As published work does it: the proof says that it leaks.
    options.kind = SplitKind::kRandom;
    const Split random(dataset, options);
    EXPECT_FALSE(cut_windows(random, fit_scaler(random.train())).proof.holds());
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RealData, ::testing::Values("SMD", "MSL"),
                         [](const auto& set) { return std::string(set.param); });

}  // namespace
}  // namespace faithful
