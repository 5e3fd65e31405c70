#include "app/study_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/report/text.h"

namespace faithful::app {

namespace {

constexpr int kDigits = 3;  // significant, where values are of any size

// A value with three decimals.
Cell decimals(const std::optional<double>& value, bool sign = false) {
  if (!value || !std::isfinite(*value)) return Cell(std::optional<double>());
  Cell cell(sign ? fmt::format("{:+.3f}", *value) : fmt::format("{:.3f}", *value));
  cell.number = value;
  return cell;
}

// The mean over the runs that have the value.
template <class Get>
std::optional<double> mean_of(const std::vector<const StudyRun*>& runs, Get get) {
  std::vector<double> values;
  for (const StudyRun* run : runs) {
    const std::optional<double> value = get(*run);
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(summarize(values).mean);
}

// Mean, deviation and interval of the headline, then the means of the other measures.
std::vector<Cell> score_cells(const StudyRow& row, const std::vector<std::string>& measures) {
  std::vector<Cell> cells{row.name, Cell::count(row.scores.size())};
  for (const std::string& measure : measures) {
    const MeanEstimate estimate = row.estimate(measure).value_or(MeanEstimate{{0, NAN, NAN}, {NAN, NAN}});
    cells.push_back(decimals(estimate.summary.mean));
    if (measure != measures.front()) continue;
    cells.push_back(decimals(estimate.summary.deviation));
    cells.push_back(decimals(estimate.interval.low));
    cells.push_back(decimals(estimate.interval.high));
  }
  return cells;
}

bool any_longer(const StudyGroup& group) {
  return std::ranges::any_of(group.runs,
                             [](const StudyRun& run) { return !run.longer.empty() || !run.longer_note.empty(); });
}

std::string windows_text(const StudyGroup& group) {
  if (group.runs.empty()) return "";
  const StudyRun& run = group.runs.front();
  return fmt::format("Windows to train, validate and test (first seed): {}, {}, {}.", run.windows[0], run.windows[1],
                     run.windows[2]);
}

std::string rates_text(const StudyGroup& group) {
  const bool chosen = std::ranges::any_of(group.others, [](const StudyRun& run) { return run.kind == RunKind::kRate; });
  return chosen ? " Validation on a seed that is not reported chose the learning rate of each norm level."
                : " All arms have the same learning rate.";
}

}  // namespace

std::string group_title(const StudyGroup& group) {
  std::string title = fmt::format("{}, split {}", group.data, group.split);
  if (!group.leaks()) return title;
  const bool overlap = std::ranges::any_of(group.runs, [](const StudyRun& run) { return run.leaks; });
  return title + fmt::format(" (leaks: {} windows lie in several parts)", overlap ? "overlapping" : "neighbouring");
}

Table study_scores_table(const StudyGroup& group) {
  const std::vector<std::string> measures = group.measures();
  Table table{.title = group_title(group), .columns = {{"arm"}, {"seeds"}}, .rows = {}};
  for (const std::string& measure : measures) {
    table.columns.push_back({measure_title(measure)});
    if (measure != measures.front()) continue;
    for (const char* name : {"sd", "from", "to"}) table.columns.push_back({name});
  }
  for (const Arm& arm : group.arms) table.rows.push_back(score_cells(group.row_of(arm), measures));
  for (const StudyRow& row : group.baselines()) table.rows.push_back(score_cells(row, measures));
  table.note = fmt::format(
      "Means over the seeds, at the threshold that validation chose. sd, from, to: standard deviation and 95 % t "
      "interval of the mean {}. {}{}",
      measure_title(measures.front()), windows_text(group), rates_text(group));
  return table;
}

Table study_controls_table(const StudyGroup& group) {
  const std::string measure = group.headline(), title = measure_title(measure);
  Table table{.title = group_title(group) + ": controls",
              .columns = {{"arm"}, {"weights"}, {"|e| / |x|"}, {"rate"}, {"epochs"}, {title}, {"time shuffled"}},
              .rows = {}};
  const bool longer = any_longer(group);
  if (longer) table.columns.push_back({.name = "longer windows", .right = true});
  for (const Arm& arm : group.arms) {
    const auto runs = group.runs_of(arm);
    const auto mean = [&](auto get) { return mean_of(runs, get); };
    std::vector<Cell> row{to_string(arm),
                          Cell::count(runs.front()->weights),
                          Cell(mean([](const StudyRun& run) { return std::optional(run.norm_ratio); }), kDigits),
                          fmt::format("{:g}", runs.front()->rate),
                          Cell(mean([](const StudyRun& run) { return std::optional<double>(run.epochs); }), kDigits),
                          decimals(mean([&](const StudyRun& run) { return run.scores.get(measure); })),
                          decimals(mean([&](const StudyRun& run) { return run.shuffled.get(measure); }))};
    if (longer) {
      const auto found = mean([&](const StudyRun& run) { return run.longer.get(measure); });
      row.push_back(found ? decimals(found) : Cell("not applicable"));
    }
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format(
      "|e| / |x|: norm of the codes over the norm of the embedded steps, before training. rate: the highest learning "
      "rate. epochs: the epoch of the chosen weights, mean over the seeds. time shuffled: {} of the same models on test "
      "windows whose samples are in random order; a model whose score does not fall does not use the order.{}",
      title, longer ? " longer windows: the same models on test windows of several times the length." : "");
  return table;
}

Table study_projections_table(const StudyGroup& group) {
  Table table{.title = group_title(group) + ": the codes after the first projection",
              .columns = {{"arm"}, {"codes"}},
              .rows = {}};
  const std::vector<std::pair<const char*, const char*>> measures = {
      {"min_distance", "smallest distance"},       {"stable_rank", "stable rank"},
      {"effective_rank", "effective rank"},        {"gram_deviation", "Gram deviation"},
      {"noise_sigma10", "noise with 10 % errors"}, {"spearman", "Spearman with distance"}};
  for (const auto& [name, title] : measures) table.columns.push_back({title});
  for (const Arm& arm : group.arms) {
    const auto runs = group.runs_of(arm);
    if (runs.front()->trained.empty()) continue;
    for (const bool after : {false, true}) {
      std::vector<Cell> row{to_string(arm), after ? "after training" : "before training"};
      for (const auto& [name, title] : measures)
        row.emplace_back(
            mean_of(runs, [&, key = name](const StudyRun& run) { return (after ? run.trained : run.start).get(key); }),
            kDigits);
      table.rows.push_back(std::move(row));
    }
  }
  table.note =
      "Measures of faithful analyze for E [W_Q; W_K]ᵀ, the codes as the queries and keys of the first layer see them; "
      "means over the seeds. Relative schemes have no such codes.";
  return table;
}

Table study_differences_table(const std::vector<Comparison>& comparisons) {
  Table table{.title = "Paired differences in " + (comparisons.empty() ? "" : measure_title(comparisons[0].measure)),
              .columns = {{"data"},
                          {"split"},
                          {"arm"},
                          {"minus"},
                          {"seeds"},
                          {"mean"},
                          {"from"},
                          {"to"},
                          {"corrected from"},
                          {"to"},
                          {"sign-flip p"},
                          {"Holm p"},
                          {""}},
              .rows = {}};
  for (const Comparison& one : comparisons) {
    table.rows.push_back({one.data, one.split, to_string(one.arm), to_string(one.reference),
                          Cell::count(one.differences.size()), decimals(one.paired.summary.mean, true),
                          decimals(one.paired.interval.low, true), decimals(one.paired.interval.high, true),
                          decimals(one.corrected.interval.low, true), decimals(one.corrected.interval.high, true),
                          Cell(one.flip.p, kDigits), Cell(one.holm_p, kDigits),
                          one.exploratory() ? "exploratory"
                          : one.primary     ? "primary"
                                            : ""});
  }
  table.note =
      "Arm minus reference on the same seeds: mean with 95 % paired-t interval. corrected: with Nadeau and Bengio's "
      "correction for training parts that overlap. sign-flip p: exact up to 20 seeds. Holm p: over the primary "
      "comparisons (dft minus sinusoidal, at least 10 seeds) of one kind of split.";
  return table;
}

std::vector<StudyGroup> groups_without_leaks(const StudyReport& report) {
  std::vector<StudyGroup> groups = report.groups;
  std::erase_if(groups, [](const StudyGroup& group) { return group.leaks(); });
  return groups;
}

Table study_ranks_table(const StudyReport& report) {
  const std::vector<StudyGroup> groups = groups_without_leaks(report);
  Table table{.title = fmt::format("Mean rank over {} data sets", groups.size()),
              .columns = {{"arm"}, {"mean rank"}},
              .rows = {}};
  for (const StudyGroup& group : groups) table.columns.push_back({group.data});
  std::vector<MeanRank> found = mean_ranks(groups);
  if (groups.size() < 2 || found.size() < 2) return table;
  std::ranges::stable_sort(found, {}, &MeanRank::rank);
  for (const MeanRank& one : found) {
    table.rows.push_back({to_string(one.arm), Cell(one.rank, kDigits)});
    for (const double rank : one.by_group) table.rows.back().emplace_back(rank, 2);
  }
  table.note =
      "Ranks of the mean F1 (or accuracy) among the arms that all data sets have; 1 is best. Random splits are left "
      "out. Descriptive: a rank means nothing where the means do not differ.";
  return table;
}

Table study_gap_table(const StudyGroup& gap) {
  Table table{.title = "Gap probe: which of two events came first", .columns = {{"arm"}, {"seeds"}}, .rows = {}};
  if (gap.runs.empty()) return table;
  const Measures& distances = gap.runs.front().scores;
  for (const auto& [distance, accuracy] : distances.values) table.columns.push_back({"distance " + distance});
  for (const Arm& arm : gap.arms) {
    const StudyRow found = gap.row_of(arm);
    table.rows.push_back({found.name, Cell::count(found.scores.size())});
    for (const auto& [distance, accuracy] : distances.values)
      table.rows.back().push_back(decimals(summarize(found.values(distance)).mean));
  }
  table.note =
      "Accuracy by the distance of the two events in samples; 0.5 is chance. Windows have 80 samples, each embedded "
      "alone, so that only the encoding carries the order. The probe does not depend on the data set.";
  return table;
}

std::string report_text(const StudyReport& report) {
  std::string text;
  for (const StudyGroup& group : report.groups) {
    if (group.runs.empty()) continue;
    text += to_text(study_scores_table(group)) + "\n" + to_text(study_controls_table(group)) + "\n";
  }
  for (const auto* comparisons : {&report.comparisons, &report.by_area})
    if (!comparisons->empty()) text += to_text(study_differences_table(*comparisons)) + "\n";
  for (const Table& table : {study_gap_table(report.gap), study_ranks_table(report)})
    if (!table.rows.empty()) text += to_text(table) + "\n";
  for (const Comparison& one : report.comparisons) text += verdict(one) + "\n";
  return text;
}

}  // namespace faithful::app
