// Whole studies with real trainings: what is the same is not called different, and what differs is found.
#include <gtest/gtest.h>

#include "faithful/base/threads.h"
#include "tests/study/study_support.h"

namespace faithful {
namespace {

TEST(RealStudy, NullIsNoDifferenceAndAPlantedOneIsFound) {
  // Which of two events came first: without an encoding nobody can know.
  const Dataset dataset = make_gap_data({.length = 16, .distances = {6, 8}, .train = 512, .test = 100, .noise = 0.2});
  const Arm none{"none"}, original{"sinusoidal"}, again{"sinusoidal", "as-defined", true};
  StudyOptions options;
  options.fit = gap_fit_options(original, 1);
  options.fit.model.body.width = 16;
  options.fit.train.epochs = 10;
  options.fit.train.learning_rate = 3e-3;
  options.fit.train.batch = 16;
  options.arms = {none, original, again};
  options.seeds = 10;
  options.rates = {3e-3};
  options.minirocket = false;
  options.projections = false;
  const StudyResult result = run_study(StudyPlan(dataset, options), nullptr, {.threads = default_threads()});
  const std::vector<StudyGroup> groups = group_runs(result.runs);
  ASSERT_EQ(groups.size(), 1U);
  const auto blind = compare_arms(groups[0], none, original, "f1"),
             null = compare_arms(groups[0], again, original, "f1");
  ASSERT_TRUE(blind && null);
  EXPECT_TRUE(verdict(*blind).starts_with("none is worse than sinusoidal")) << verdict(*blind);
  EXPECT_TRUE(verdict(*null).starts_with("No difference")) << verdict(*null);
  EXPECT_FALSE(null->exploratory());
}

}  // namespace
}  // namespace faithful
