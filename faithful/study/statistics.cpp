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
  return static_cast<std::size_t>(std::ranges::find(catalog, encoding, &CatalogEntry::name) - catalog.begin());
}

// The original encoding at one of these scales, the first that the group has.
const Arm* original_at(const StudyGroup& group, const std::vector<std::string>& scales) {
  for (const std::string& scale : scales)
    for (const Arm& arm : group.arms)
      if (is_original(arm) && arm.scale == scale) return &arm;
  return nullptr;
}

// The original encoding as it is defined, which has norm `matched`; else at any scale; else the first arm.
const Arm* original_of(const StudyGroup& group) {
  if (const Arm* defined = original_at(group, {"as-defined", "matched"})) return defined;
  const auto any = std::ranges::find_if(group.arms, is_original);
  return any != group.arms.end() ? &*any : group.arms.empty() ? nullptr : &group.arms.front();
}

// What an arm is compared with: the original at the same scale, and the original as defined.
std::vector<Arm> references_of(const StudyGroup& group, const Arm& arm) {
  std::vector<Arm> references;
  const Arm* same_scale = has_scale(arm.encoding) ? original_at(group, {arm.scale}) : nullptr;
  for (const Arm* one : {same_scale, original_of(group)})
    if (one != nullptr && *one != arm && std::ranges::find(references, *one) == references.end())
      references.push_back(*one);
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

// Runs by kind, arm and seed.
std::vector<StudyRun> sorted_runs(std::vector<StudyRun> runs) {
  const auto order = [](const StudyRun& run) {
    return std::tuple(run.kind, place_of(run.arm.encoding), run.arm.scale, run.arm.again, run.seed, run.rate);
  };
  std::ranges::stable_sort(runs, {}, order);
  return runs;
}

void add_run(StudyGroup& group, const StudyRun& run) {
  if (std::ranges::find(group.arms, run.arm) == group.arms.end()) group.arms.push_back(run.arm);
  group.runs.push_back(run);
}

}  // namespace

std::vector<double> StudyRow::values(const std::string& measure) const {
  std::vector<double> found;
  for (const Measures& one : scores)
    if (const auto value = one.get(measure)) found.push_back(*value);
  return found;
}

// All measures are shares: what lies outside of 0 to 1 cannot be.
std::optional<MeanEstimate> StudyRow::estimate(const std::string& measure) const {
  const std::vector<double> found = values(measure);
  if (found.empty()) return std::nullopt;
  MeanEstimate estimate = paired_t(found);
  if (found.size() < 2) return estimate;  // no interval
  estimate.interval = {std::max(estimate.interval.low, 0.0), std::min(estimate.interval.high, 1.0)};
  return estimate;
}

std::vector<const StudyRun*> StudyGroup::runs_of(const Arm& arm) const {
  std::vector<const StudyRun*> found;
  for (const StudyRun& run : runs)
    if (run.arm == arm) found.push_back(&run);
  std::ranges::sort(found, {}, &StudyRun::seed);
  return found;
}

StudyRow StudyGroup::row_of(const Arm& arm) const {
  StudyRow row{to_string(arm), {}};
  for (const StudyRun* run : runs_of(arm)) row.scores.push_back(run->scores);
  return row;
}

std::vector<StudyRow> StudyGroup::baselines() const {
  StudyRow minirocket{"MiniRocket-style", {}};
  for (const StudyRun& run : others)
    if (run.kind == RunKind::kMinirocket) minirocket.scores.push_back(run.scores);
  std::vector<StudyRow> rows = {minirocket};
  for (const char* name : {"linear", "all positive", "majority", "random"}) {
    rows.push_back({name, {}});
    for (const StudyRun& run : others)
      for (const auto& [other, measures] : run.others)
        if (other == name) rows.back().scores.push_back(measures);
  }
  std::erase_if(rows, [](const StudyRow& row) { return row.scores.empty(); });
  return rows;
}

std::vector<std::string> StudyGroup::measures() const {
  if (!binary) return {"accuracy", "macro_f1"};
  std::vector<std::string> names{"f1", "precision", "recall", "auc_pr", "auc_roc"};
  if (std::ranges::any_of(runs, [](const StudyRun& run) { return run.scores.get("event_f1").has_value(); }))
    names.emplace_back("event_f1");
  return names;
}

std::vector<StudyGroup> group_runs(const std::vector<StudyRun>& runs) {
  std::vector<StudyGroup> groups;
  for (const StudyRun& run : sorted_runs(runs)) {
    if (run.kind == RunKind::kGap) continue;
    auto group = std::ranges::find_if(
        groups, [&](const StudyGroup& one) { return one.data == run.data && one.settings == run.settings; });
    if (group == groups.end())
      group = groups.insert(groups.end(), {.data = run.data, .split = run.split, .settings = run.settings});
    if (run.kind == RunKind::kRun) {
      add_run(*group, run);
    } else {
      group->others.push_back(run);
    }
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
  for (MeanEstimate* one : {&comparison.paired, &comparison.corrected})
    if (one->interval.low < -1 || one->interval.high > 1) one->interval = {-INFINITY, INFINITY};
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
  const auto [low, high] = comparison.paired.interval;
  const double mean = comparison.paired.summary.mean;
  std::string text;
  if (comparison.exploratory()) text = fmt::format("Exploratory ({} seed{}): ", seeds, seeds == 1 ? "" : "s");
  if (seeds < 2)
    return text + fmt::format("{} minus {} is {:+.3f} on {}; one seed shows nothing.", arm, reference, mean, where);
  // A few seeds that are equal by chance prove nothing.
  constexpr double kNoWidth = 1e-9;  // rounding
  const bool chance = high - low < kNoWidth && comparison.exploratory();
  if (chance || !std::isfinite(low) || !std::isfinite(high))
    return text + fmt::format("{} minus {} is {:+.3f} on {}; too few seeds to tell.", arm, reference, mean, where);
  const double nearer = std::min(std::abs(low), std::abs(high)), farther = std::max(std::abs(low), std::abs(high));
  if (low <= 0 && high >= 0)
    return fmt::format(
        "{} difference larger than {:.3f} shown between {} and {} on {} (mean {:+.3f}, {:+.3f} to {:+.3f}).",
        text.empty() ? "No" : text + "no", farther, arm, reference, where, mean, low, high);
  const bool certain = comparison.corrected.interval.low > 0 || comparison.corrected.interval.high < 0;
  return text + fmt::format("{} is {} than {} on {} by {:.3f} ({:.3f} to {:.3f}{}).", arm,
                            mean > 0 ? "better" : "worse", reference, where, std::abs(mean), nearer, farther,
                            certain ? "" : "; not by the interval corrected for overlapping splits");
}

std::vector<MeanRank> mean_ranks(const std::vector<StudyGroup>& groups) {
  std::vector<MeanRank> found;
  if (groups.empty()) return found;
  for (const Arm& arm : groups.front().arms) {
    const bool everywhere = std::ranges::all_of(
        groups, [&](const StudyGroup& group) { return std::ranges::find(group.arms, arm) != group.arms.end(); });
    if (everywhere && !arm.again) found.push_back({arm, 0, {}});
  }
  for (const StudyGroup& group : groups) {
    std::vector<double> means;
    for (const MeanRank& one : found) means.push_back(-group.row_of(one.arm).estimate(group.headline())->summary.mean);
    const std::vector<double> places = ranks(means);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].by_group.push_back(places[i]);
      found[i].rank += places[i] / static_cast<double>(groups.size());
    }
  }
  return found;
}

StudyReport make_report(const std::vector<StudyRun>& runs) {
  StudyReport report{.groups = group_runs(runs), .gap = {.data = "gap probe"}};
  std::vector<StudyGroup> binary, other;
  for (const StudyGroup& group : report.groups) (group.binary ? binary : other).push_back(group);
  report.comparisons = compare_all(binary, "f1");
  for (Comparison& one : compare_all(other, "accuracy")) report.comparisons.push_back(std::move(one));
  report.by_area = compare_all(binary, "auc_pr");
  for (const StudyRun& run : sorted_runs(runs))
    if (run.kind == RunKind::kGap) add_run(report.gap, run);
  return report;
}

}  // namespace faithful
