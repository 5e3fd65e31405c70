#include "faithful/study/statistics.h"

#include <gtest/gtest.h>

#include "tests/study/golden.h"
#include "tests/study/study_support.h"

namespace faithful {
namespace {

using testing::made_run;

const Arm kOriginal{"sinusoidal"}, kDft{"dft"}, kAgain{"sinusoidal", "as-defined", true};

// Runs of two arms that differ so on seeds 1, 2, ..
std::vector<StudyRun> runs_with(const std::vector<double>& differences, const Arm& arm = kDft) {
  std::vector<StudyRun> runs;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const double base = 0.5 + 0.01 * static_cast<double>(i);
    runs.push_back(made_run(kOriginal, i + 1, base));
    runs.push_back(made_run(arm, i + 1, base + differences[i]));
  }
  return runs;
}

Comparison only_comparison(const std::vector<double>& differences, const Arm& arm = kDft) {
  const std::vector<Comparison> all = compare_all(group_runs(runs_with(differences, arm)), "f1");
  EXPECT_EQ(all.size(), 1U);
  return all.at(0);
}

TEST(StudyStatistics, EqualSciPy) {
  for (const testing::GoldenComparison& golden : testing::kGolden) {
    const Comparison found = only_comparison(golden.differences);
    constexpr double kTolerance = 1e-9;  // differences of numbers around 0.5
    EXPECT_NEAR(found.paired.summary.mean, golden.mean, kTolerance);
    EXPECT_NEAR(found.paired.summary.deviation, golden.deviation, kTolerance);
    EXPECT_NEAR(found.paired.interval.low, golden.low, kTolerance);
    EXPECT_NEAR(found.paired.interval.high, golden.high, kTolerance);
    EXPECT_NEAR(found.paired.p, golden.p, kTolerance);
    EXPECT_NEAR(found.corrected.interval.low, golden.corrected_low, kTolerance);
    EXPECT_NEAR(found.corrected.interval.high, golden.corrected_high, kTolerance);
    EXPECT_NEAR(found.flip.p, golden.flip_p, kTolerance);
    EXPECT_TRUE(found.flip.exact);
  }
}

// The same encoding twice: scores of a seed share the split's difficulty, and differ by chance alone.
TEST(StudyStatistics, NullExperimentIsCalledNoDifference) {
  constexpr std::size_t kRepetitions = 1000;
  std::size_t none = 0;
  for (std::size_t repetition = 0; repetition < kRepetitions; ++repetition) {
    Random random(11, repetition);
    std::vector<StudyRun> runs;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const double split = 0.6 + 0.1 * random.normal();
      runs.push_back(made_run(kOriginal, seed, split + 0.03 * random.normal()));
      runs.push_back(made_run(kAgain, seed, split + 0.03 * random.normal()));
    }
    none += verdict(compare_all(group_runs(runs), "f1").at(0)).starts_with("No difference") ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(none) / kRepetitions, 0.95, 0.02);
}

TEST(StudyStatistics, PlantedDifferenceIsFound) {
  std::size_t found = 0;
  for (std::size_t repetition = 0; repetition < 200; ++repetition) {
    Random random(12, repetition);
    std::vector<double> differences;
    for (int i = 0; i < 10; ++i) differences.push_back(0.05 + 0.04 * random.normal());
    found += verdict(only_comparison(differences)).starts_with("dft is better than sinusoidal") ? 1 : 0;
  }
  EXPECT_GE(found, 170U);  // the power of a t test at 1.25 standard deviations and 10 pairs is 0.94
}

TEST(StudyStatistics, VerdictsByRule) {
  EXPECT_EQ(verdict(only_comparison({0.02, 0.03, 0.02, 0.03, 0.02, 0.03, 0.02, 0.03, 0.02, 0.03})),
            "dft is better than sinusoidal on made in F1 by 0.025 (0.021 to 0.029).");
  EXPECT_EQ(verdict(only_comparison({-0.02, -0.03, -0.02, -0.03, -0.02, -0.03, -0.02, -0.03, -0.02, -0.03})),
            "dft is worse than sinusoidal on made in F1 by 0.025 (0.021 to 0.029).");
  EXPECT_EQ(verdict(only_comparison({0.04, -0.02, 0.04, -0.02, 0.04, -0.02, 0.04, 0.01, 0.01, -0.02})),
            "No difference larger than 0.030 shown between dft and sinusoidal on made in F1 (mean +0.010, -0.010 to "
            "+0.030).");
  Comparison leaking = only_comparison({0.02, 0.03, 0.02});
  leaking.split = "random";
  EXPECT_NE(verdict(leaking).find("on made (random split, which leaks) in F1"), std::string::npos) << verdict(leaking);
  EXPECT_TRUE(verdict(only_comparison({0.02, 0.03, 0.02})).starts_with("Exploratory (3 seeds): dft is better"));
  // 0.05 +- 12.7 * 0.1: no difference of two shares is that large
  const Comparison wide = only_comparison({-0.05, 0.15});
  EXPECT_EQ(verdict(wide),
            "Exploratory (2 seeds): dft minus sinusoidal is +0.050 on made in F1; too few seeds to tell.");
  EXPECT_FALSE(std::isfinite(wide.paired.interval.low) || std::isfinite(wide.paired.interval.high));
  // No deviation between two seeds is chance, not certainty.
  EXPECT_EQ(verdict(only_comparison({0.1, 0.1})),
            "Exploratory (2 seeds): dft minus sinusoidal is +0.100 on made in F1; too few seeds to tell.");
  EXPECT_NE(verdict(only_comparison({0.02})).find("one seed shows nothing"), std::string::npos);
  // t interval above 0, the corrected one across it
  const std::string careful = verdict(only_comparison({0.06, -0.02, 0.05, 0.03, -0.01, 0.05, 0.02, 0.06, -0.02, 0.05}));
  EXPECT_NE(careful.find("better"), std::string::npos) << careful;
  EXPECT_NE(careful.find("not by the interval corrected"), std::string::npos) << careful;
}

TEST(StudyStatistics, HolmGoesOverThePrimaryFamilyAlone) {
  std::vector<StudyRun> runs;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const double wobble = seed % 2 == 0 ? 0.01 : 0;
    for (const char* data : {"A", "B"}) {
      for (const auto& [arm, f1] : {std::pair{kOriginal, 0.5}, {kDft, 0.52 + wobble}, {Arm{"none"}, 0.4 + wobble}}) {
        StudyRun run = made_run(arm, seed, f1);
        run.data = data;
        runs.push_back(run);
      }
    }
  }
  const std::vector<Comparison> all = compare_all(group_runs(runs), "f1");
  ASSERT_EQ(all.size(), 4U);
  for (const Comparison& one : all) {
    EXPECT_EQ(one.holm_p.has_value(), one.arm == kDft);
    EXPECT_EQ(one.flip.p, 1.0 / 512);
    EXPECT_EQ(one.holm_p.value_or(2.0 / 512), 2.0 / 512);
  }
  runs.resize(runs.size() - 6);  // nine seeds: exploratory, and no family
  for (const Comparison& one : compare_all(group_runs(runs), "f1")) EXPECT_FALSE(one.holm_p);
}

TEST(StudyStatistics, EachArmAgainstTheOriginalAtItsScaleAndAsDefined) {
  std::vector<StudyRun> runs;
  for (const Arm& arm : make_arms({"none", "sinusoidal", "dft"}, {"unit", "matched"}))
    for (std::uint64_t seed = 1; seed <= 2; ++seed) runs.push_back(made_run(arm, seed, 0.5));
  std::vector<std::string> pairs;
  for (const Comparison& one : compare_all(group_runs(runs), "f1"))
    pairs.push_back(to_string(one.arm) + " - " + to_string(one.reference));
  EXPECT_EQ(pairs, (std::vector<std::string>{"sinusoidal unit - sinusoidal matched", "dft matched - sinusoidal matched",
                                             "dft unit - sinusoidal unit", "dft unit - sinusoidal matched",
                                             "none - sinusoidal matched"}));
}

TEST(StudyStatistics, TheOrderOfTheRunsDoesNotMatter) {
  std::vector<StudyRun> runs = runs_with({0.1, 0.02, 0.05});
  const Comparison first = compare_all(group_runs(runs), "f1").at(0);
  std::reverse(runs.begin(), runs.end());
  const Comparison second = compare_all(group_runs(runs), "f1").at(0);
  EXPECT_EQ(first.differences, second.differences);
  EXPECT_EQ(first.paired.interval.low, second.paired.interval.low);
}

TEST(StudyStatistics, RanksOverDataSets) {
  std::vector<StudyRun> runs;
  for (const auto& [data, dft] : {std::pair{"A", 0.6}, {"B", 0.7}, {"C", 0.4}})
    for (const auto& [arm, f1] : {std::pair{kOriginal, 0.5}, {kDft, dft}}) {
      StudyRun run = made_run(arm, 1, f1);
      run.data = data;
      runs.push_back(run);
    }
  const std::vector<MeanRank> found = mean_ranks(group_runs(runs));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].arm, kOriginal);
  EXPECT_DOUBLE_EQ(found[0].rank, 5.0 / 3);
  EXPECT_EQ(found[1].by_group, (std::vector<double>{1, 1, 2}));
}

}  // namespace
}  // namespace faithful
