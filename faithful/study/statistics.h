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

// Statistics of finished runs.

namespace faithful {

inline constexpr std::size_t kSeedsForVerdict = 10;  // fewer are exploratory

// One row of a table of scores: an arm or a baseline, with the scores of every seed.
struct FAITHFUL_API StudyRow {
  std::string name = {};
  std::vector<Measures> scores = {};

  std::vector<double> values(const std::string& measure) const;            // of the seeds that have it
  std::optional<MeanEstimate> estimate(const std::string& measure) const;  // mean, deviation, 95 % t interval
};

// Runs that can be compared in one table: the same data, split and settings.
struct FAITHFUL_API StudyGroup {
  std::string data = {}, split = {}, settings = {};
  std::vector<Arm> arms = {};         // in the order of the catalog
  std::vector<StudyRun> runs = {};    // of kind run, by arm and seed
  std::vector<StudyRun> others = {};  // rates, baselines, minirocket
  bool binary = true;                 // two classes
  double test_to_train = 0;           // windows, mean over the runs

  bool leaks() const { return split == "random"; }
  std::string headline() const { return binary ? "f1" : "accuracy"; }
  std::vector<std::string> measures() const;  // the headline first
  std::vector<const StudyRun*> runs_of(const Arm& arm) const;
  StudyRow row_of(const Arm& arm) const;
  std::vector<StudyRow> baselines() const;  // MiniRocket-style, linear, all positive, majority, random: those it has
};

// Groups in the order of their first run, arms in that of the catalog: a table does not depend on which run ended first.
// Runs of the gap probe are left out.
FAITHFUL_API std::vector<StudyGroup> group_runs(const std::vector<StudyRun>& runs);

// Arm minus reference, seed by seed.
struct Comparison {
  std::string data = {}, split = {}, settings = {};  // of the group
  Arm arm = {}, reference = {};
  std::string measure = {};
  std::vector<std::pair<std::uint64_t, double>> differences = {};  // seed, difference
  MeanEstimate paired = {};                                        // Student's t
  MeanEstimate corrected = {};  // Nadeau and Bengio's, for training parts that overlap
  TestResult flip = {};         // sign-flip test
  bool primary = false;         // dft against sinusoidal with enough seeds: in the family of Holm's correction
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

// The title of a measure: "F1" of f1, "AUC-PR" of auc_pr.
FAITHFUL_API std::string measure_title(const std::string& measure);

// One sentence that follows from the paired interval: better, worse, or no difference larger than X. With fewer than
// kSeedsForVerdict seeds it begins with "Exploratory".
FAITHFUL_API std::string verdict(const Comparison& comparison);

// The mean rank of each arm over the groups, among the arms that all groups have, by the mean of the headline measure;
// 1 is best.
struct MeanRank {
  Arm arm = {};
  double rank = 0;
  std::vector<double> by_group = {};  // in the order of the groups
};
FAITHFUL_API std::vector<MeanRank> mean_ranks(const std::vector<StudyGroup>& groups);

// Everything that a study shows.
struct StudyReport {
  std::vector<StudyGroup> groups = {};
  std::vector<Comparison> comparisons = {};  // of the headline measure
  std::vector<Comparison> by_area = {};      // of AUC-PR, for two classes
  StudyGroup gap = {};                       // the gap probe; its measures are the distances
};
FAITHFUL_API StudyReport make_report(const std::vector<StudyRun>& runs);
FAITHFUL_API Json to_json(const StudyReport& report);  // every number: study.json

}  // namespace faithful
