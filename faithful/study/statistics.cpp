#include "faithful/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

bool is_original(const Arm& arm) {
  return arm.encoding == "sinusoidal" && !arm.again;
}

std::size_t place_of(const std::string& encoding) {
  const std::vector<CatalogEntry>& catalog = encoding_catalog();
  const auto found =
      std::find_if(catalog.begin(), catalog.end(), [&](const CatalogEntry& entry) { return entry.name == encoding; });
  return static_cast<std::size_t>(found - catalog.begin());
}

// The original encoding of a group as it is defined: sinusoidal without a scale, or matched, which is its own norm.
const Arm* original_of(const StudyGroup& group) {
  for (const char* scale : {"as-defined", "matched"})
    for (const Arm& arm : group.arms)
      if (is_original(arm) && arm.scale == scale) return &arm;
  for (const Arm& arm : group.arms)
    if (is_original(arm)) return &arm;
  return group.arms.empty() ? nullptr : &group.arms.front();
}

const Arm* original_at(const StudyGroup& group, const std::string& scale) {
  for (const Arm& arm : group.arms)
    if (is_original(arm) && arm.scale == scale) return &arm;
  return nullptr;
}

// What an arm is compared with, nearest first.
std::vector<Arm> references_of(const StudyGroup& group, const Arm& arm) {
  std::vector<Arm> references;
  const Arm* original = original_of(group);
  const Arm* same_scale = has_scale(arm.encoding) ? original_at(group, arm.scale) : nullptr;
  for (const Arm* one : {same_scale, original}) {
    if (one == nullptr || *one == arm) continue;
    if (std::find(references.begin(), references.end(), *one) == references.end()) references.push_back(*one);
  }
  return references;
}

void correct_by_holm(std::vector<Comparison>& comparisons) {
  for (const Comparison& first : std::vector<Comparison>(comparisons)) {
    std::vector<Comparison*> family;
    std::vector<double> p_values;
    for (Comparison& one : comparisons) {
      if (!one.primary || one.split != first.split) continue;
      family.push_back(&one);
      p_values.push_back(one.flip.p);
    }
    const std::vector<double> corrected = holm(p_values);
    for (std::size_t i = 0; i < family.size(); ++i) family[i]->holm_p = corrected[i];
  }
}

std::string number(double value) {
  return fmt::format("{:.3f}", value);
}

}  // namespace

std::vector<const StudyRun*> StudyGroup::runs_of(const Arm& arm) const {
  std::vector<const StudyRun*> found;
  for (const StudyRun& run : runs)
    if (run.arm == arm) found.push_back(&run);
  std::sort(found.begin(), found.end(), [](const StudyRun* a, const StudyRun* b) { return a->seed < b->seed; });
  return found;
}

std::vector<StudyRun> sorted_runs(std::vector<StudyRun> runs) {
  const auto order = [](const StudyRun& run) {
    return std::tuple(run.kind, place_of(run.arm.encoding), run.arm.scale, run.arm.again, run.seed, run.rate);
  };
  std::stable_sort(runs.begin(), runs.end(), [&](const StudyRun& a, const StudyRun& b) { return order(a) < order(b); });
  return runs;
}

std::vector<StudyGroup> group_runs(const std::vector<StudyRun>& runs) {
  std::vector<StudyGroup> groups;
  for (const StudyRun& run : sorted_runs(runs)) {
    if (run.kind == RunKind::kGap) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const StudyGroup& one) {
      return one.data == run.data && one.settings == run.settings;
    });
    if (group == groups.end()) {
      groups.push_back({.data = run.data, .split = run.split, .settings = run.settings});
      group = groups.end() - 1;
    }
    if (run.kind != RunKind::kRun) {
      group->others.push_back(run);
      continue;
    }
    if (std::find(group->arms.begin(), group->arms.end(), run.arm) == group->arms.end()) group->arms.push_back(run.arm);
    group->runs.push_back(run);
  }
  for (StudyGroup& group : groups) {
    for (const StudyRun& run : group.runs) {
      group.binary = run.scores.get("f1").has_value();
      group.test_to_train += static_cast<double>(run.windows[2]) / static_cast<double>(run.windows[0]) /
                             static_cast<double>(group.runs.size());
    }
  }
  return groups;
}

std::optional<MeanEstimate> estimate_of(const StudyGroup& group, const Arm& arm, const std::string& measure) {
  std::vector<double> values;
  for (const StudyRun* run : group.runs_of(arm))
    if (const auto value = run->scores.get(measure)) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return paired_t(values);
}

std::optional<Comparison> compare_arms(const StudyGroup& group, const Arm& arm, const Arm& reference,
                                       const std::string& measure) {
  Comparison comparison{.data = group.data,
                        .split = group.split,
                        .settings = group.settings,
                        .arm = arm,
                        .reference = reference,
                        .measure = measure};
  std::vector<double> differences;
  for (const StudyRun* one : group.runs_of(arm)) {
    for (const StudyRun* other : group.runs_of(reference)) {
      const auto a = one->scores.get(measure), b = other->scores.get(measure);
      if (one->seed != other->seed || !a || !b) continue;
      comparison.differences.emplace_back(one->seed, *a - *b);
      differences.push_back(*a - *b);
    }
  }
  if (differences.empty()) return std::nullopt;
  comparison.paired = paired_t(differences);
  comparison.corrected = group.test_to_train > 0 ? resampled_t(differences, group.test_to_train) : comparison.paired;
  comparison.flip = sign_flip_test(differences);
  comparison.primary = arm.encoding == "dft" && !arm.again && is_original(reference) && !comparison.exploratory();
  return comparison;
}

std::vector<Comparison> compare_all(const std::vector<StudyGroup>& groups, const std::string& measure) {
  std::vector<Comparison> comparisons;
  for (const StudyGroup& group : groups)
    for (const Arm& arm : group.arms)
      for (const Arm& reference : references_of(group, arm))
        if (auto comparison = compare_arms(group, arm, reference, measure))
          comparisons.push_back(std::move(*comparison));
  correct_by_holm(comparisons);
  return comparisons;
}

std::string measure_title(const std::string& measure) {
  for (const auto& [name, title] :
       {std::pair{"f1", "F1"}, std::pair{"auc_pr", "AUC-PR"}, std::pair{"auc_roc", "AUC-ROC"},
        std::pair{"event_f1", "event F1"}, std::pair{"macro_f1", "macro F1"}})
    if (measure == name) return title;
  return measure;
}

std::string verdict(const Comparison& comparison) {
  const std::string arm = to_string(comparison.arm), reference = to_string(comparison.reference);
  const std::string where =
      fmt::format("{}{} in {}", comparison.data, comparison.split == "random" ? " (random split, which leaks)" : "",
                  measure_title(comparison.measure));
  const std::size_t seeds = comparison.differences.size();
  const Interval interval = comparison.paired.interval, careful = comparison.corrected.interval;
  const double mean = comparison.paired.summary.mean;
  const std::string exploratory =
      comparison.exploratory() ? fmt::format("Exploratory ({} seed{}): ", seeds, seeds == 1 ? "" : "s") : "";
  if (seeds < 2)
    return fmt::format("{}{} less {} is {:+.3f} on {}; one seed says nothing.", exploratory, arm, reference, mean,
                       where);
  const bool better = interval.low > 0, worse = interval.high < 0;
  if (!better && !worse)
    return fmt::format(
        "{}no difference larger than {} shown between {} and {} on {} (mean {:+.3f}, {:+.3f} to {:+.3f}).", exploratory,
        number(std::max(std::abs(interval.low), std::abs(interval.high))), arm, reference, where, mean, interval.low,
        interval.high);
  const bool certain = careful.low > 0 || careful.high < 0;
  return fmt::format("{}{} is {} than {} on {} by {} ({} to {}{}).", exploratory, arm, better ? "better" : "worse",
                     reference, where, number(std::abs(mean)),
                     number(std::min(std::abs(interval.low), std::abs(interval.high))),
                     number(std::max(std::abs(interval.low), std::abs(interval.high))),
                     certain ? "" : "; not by the interval corrected for overlapping splits");
}

std::vector<MeanRank> mean_ranks(const std::vector<StudyGroup>& groups) {
  std::vector<MeanRank> found;
  if (groups.empty()) return found;
  for (const Arm& arm : groups.front().arms) {
    const bool everywhere = std::all_of(groups.begin(), groups.end(), [&](const StudyGroup& group) {
      return std::find(group.arms.begin(), group.arms.end(), arm) != group.arms.end();
    });
    if (everywhere && !arm.again) found.push_back({arm, 0, {}});
  }
  for (const StudyGroup& group : groups) {
    std::vector<double> means;
    for (const MeanRank& one : found)
      means.push_back(-estimate_of(group, one.arm, group.binary ? "f1" : "accuracy")->summary.mean);
    const std::vector<double> places = ranks(means);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].by_group.push_back(places[i]);
      found[i].rank += places[i] / static_cast<double>(groups.size());
    }
  }
  return found;
}

}  // namespace faithful
