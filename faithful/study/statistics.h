#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/metrics/paired.h"
#include "faithful/study/arm.h"
#include "faithful/study/run.h"

// From finished runs to what may be said about them.

namespace faithful {

inline constexpr std::size_t kSeedsForVerdict = 10;  // fewer are exploratory

// Runs that may stand in one table: the same data, split and settings.
struct FAITHFUL_API StudyGroup {
  std::string data = {}, split = {}, settings = {};
  std::vector<Arm> arms = {};         // in the order of the catalog
  std::vector<StudyRun> runs = {};    // of kind run, by arm and seed
  std::vector<StudyRun> others = {};  // rates, baselines, minirocket
  bool binary = true;                 // F1 is the headline, else accuracy
  double test_to_train = 0;           // windows, mean over the runs

  std::vector<const StudyRun*> runs_of(const Arm& arm) const;
};
// In the order of their first run; arms in that of the catalog, so that a table does not depend on which run ended
// first. Runs of the gap probe are in none.
FAITHFUL_API std::vector<StudyGroup> group_runs(const std::vector<StudyRun>& runs);

// Runs by kind, arm and seed.
FAITHFUL_API std::vector<StudyRun> sorted_runs(std::vector<StudyRun> runs);

// A measure of an arm over its seeds: mean, deviation and the 95 % t interval of the mean. By name of the measure.
FAITHFUL_API std::optional<MeanEstimate> estimate_of(const StudyGroup& group, const Arm& arm,
                                                     const std::string& measure);

// Arm less reference, seed by seed.
struct Comparison {
  std::string data = {}, split = {}, settings = {};  // of the group
  Arm arm = {}, reference = {};
  std::string measure = {};
  std::vector<std::pair<std::uint64_t, double>> differences = {};  // seed, difference
  MeanEstimate paired = {};                                        // Student's t
  MeanEstimate corrected = {};                                     // Nadeau and Bengio's, for splits that overlap
  TestResult flip = {};                                            // sign-flip test
  bool primary = false;  // dft against sinusoidal with enough seeds: in the family of Holm's correction
  std::optional<double> holm_p = {};

  bool exploratory() const { return differences.size() < kSeedsForVerdict; }
};

// The differences of one pair of arms over the seeds that both have; none where there is no common seed.
FAITHFUL_API std::optional<Comparison> compare_arms(const StudyGroup& group, const Arm& arm, const Arm& reference,
                                                    const std::string& measure);

// Each arm against the original encoding (sinusoidal, else the first arm) at the same scale, and where its own scale is
// another one, against the original as defined. For every group; Holm's correction goes over all primary comparisons of
// one measure and one kind of split.
FAITHFUL_API std::vector<Comparison> compare_all(const std::vector<StudyGroup>& groups, const std::string& measure);

// f1 -> "F1", accuracy -> "accuracy".
FAITHFUL_API std::string measure_title(const std::string& measure);

// One sentence, by rule from the paired interval: better, worse, or no difference larger than X shown; exploratory
// where there are fewer than kSeedsForVerdict seeds.
FAITHFUL_API std::string verdict(const Comparison& comparison);

// The mean rank of each arm over the data sets that all of them have, by the mean of the headline measure; 1 is best.
struct MeanRank {
  Arm arm = {};
  double rank = 0;
  std::vector<double> by_group = {};  // in the order of the groups taken
};
FAITHFUL_API std::vector<MeanRank> mean_ranks(const std::vector<StudyGroup>& groups);

}  // namespace faithful
