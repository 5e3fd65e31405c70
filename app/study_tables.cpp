#include "app/study_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/report/text.h"

namespace faithful::app {

namespace {

constexpr int kDigits = 3;

Cell signed_cell(double value) {
  if (!std::isfinite(value)) return Cell(std::optional<double>());
  Cell cell(fmt::format("{:+.3f}", value));
  cell.number = value;
  return cell;
}

Cell fixed_cell(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return Cell(std::optional<double>());
  Cell cell(fmt::format("{:.3f}", *value));
  cell.number = value;
  return cell;
}

// The mean of a measure over runs, by a getter; none where no run has it.
template <class Get>
std::optional<double> mean_of(const std::vector<const StudyRun*>& runs, Get get) {
  std::vector<double> values;
  for (const StudyRun* run : runs) {
    const std::optional<double> value = get(*run);
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(summarize(values).mean);
}

// Trivial answers and baselines as if they were arms: name and the scores of each run.
struct OtherRow {
  std::string name;
  std::vector<Measures> runs;
};

std::vector<OtherRow> other_rows(const StudyGroup& group) {
  std::vector<OtherRow> rows;
  const auto row_of = [&](const std::string& name) -> OtherRow& {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const OtherRow& row) { return row.name == name; });
    if (found != rows.end()) return *found;
    rows.push_back({name, {}});
    return rows.back();
  };
  for (const StudyRun& run : group.others)
    if (run.kind == RunKind::kMinirocket) row_of("MiniRocket-style").runs.push_back(run.scores);
  for (const char* name : {"linear", "all positive", "majority", "random"})
    for (const StudyRun& run : group.others)
      for (const auto& [other, measures] : run.others)
        if (other == name) row_of(name).runs.push_back(measures);
  return rows;
}

std::vector<double> values_of(const std::vector<Measures>& runs, const std::string& measure) {
  std::vector<double> values;
  for (const Measures& run : runs)
    if (const auto value = run.get(measure)) values.push_back(*value);
  return values;
}

// Mean, deviation and interval of the headline, then the means of the other measures.
std::vector<Cell> score_cells(const std::string& name, const std::vector<Measures>& runs,
                              const std::vector<std::string>& measures) {
  std::vector<Cell> row{name, Cell::count(runs.size())};
  for (const std::string& measure : measures) {
    const std::vector<double> values = values_of(runs, measure);
    const bool headline = measure == measures.front();
    if (values.empty()) {
      row.insert(row.end(), headline ? 4 : 1, Cell(std::optional<double>()));
      continue;
    }
    const MeanEstimate estimate = paired_t(values);
    row.push_back(fixed_cell(estimate.summary.mean));
    if (!headline) continue;
    row.push_back(fixed_cell(estimate.summary.deviation));
    row.push_back(fixed_cell(estimate.interval.low));
    row.push_back(fixed_cell(estimate.interval.high));
  }
  return row;
}

std::string rate_text(const std::vector<const StudyRun*>& runs) {
  return runs.empty() ? "" : fmt::format("{:g}", runs.front()->rate);
}

// The scores on longer windows, or why there are none.
Cell longer_cell(const std::vector<const StudyRun*>& runs, const std::string& measure) {
  const auto mean = mean_of(runs, [&](const StudyRun& run) { return run.longer.get(measure); });
  return mean ? fixed_cell(mean) : Cell("not applicable");
}

bool any_longer(const StudyGroup& group) {
  return std::ranges::any_of(group.runs,
                             [](const StudyRun& run) { return !run.longer.empty() || !run.longer_note.empty(); });
}

std::string windows_text(const StudyGroup& group) {
  if (group.runs.empty()) return "";
  const StudyRun& run = group.runs.front();
  return fmt::format("Windows to train, validate, test (first seed): {}, {}, {}.", run.windows[0], run.windows[1],
                     run.windows[2]);
}

std::string rates_text(const StudyGroup& group) {
  const bool chosen = std::ranges::any_of(group.others, [](const StudyRun& run) { return run.kind == RunKind::kRate; });
  return chosen ? " The learning rate of each norm level was chosen by validation on a seed that is not reported."
                : " One learning rate for all arms.";
}

Json estimate_json(const MeanEstimate& estimate) {
  return Json::Object{{"mean", estimate.summary.mean},
                      {"sd", estimate.summary.deviation},
                      {"low", estimate.interval.low},
                      {"high", estimate.interval.high},
                      {"seeds", estimate.summary.count}};
}

Json comparison_json(const Comparison& one) {
  Json differences = Json::object();
  for (const auto& [seed, difference] : one.differences) differences.set(std::to_string(seed), difference);
  return Json::Object{{"data", one.data},
                      {"split", one.split},
                      {"arm", to_string(one.arm)},
                      {"reference", to_string(one.reference)},
                      {"measure", one.measure},
                      {"differences", differences},
                      {"paired", estimate_json(one.paired)},
                      {"paired_p", one.paired.p},
                      {"corrected", estimate_json(one.corrected)},
                      {"corrected_p", one.corrected.p},
                      {"sign_flip_p", one.flip.p},
                      {"holm_p", one.holm_p ? Json(*one.holm_p) : Json()},
                      {"exploratory", one.exploratory()},
                      {"verdict", verdict(one)}};
}

Json group_json(const StudyGroup& group) {
  Json arms = Json::array();
  for (const Arm& arm : group.arms) {
    Json measures = Json::object();
    for (const std::string& measure : measures_of_group(group))
      if (const auto estimate = estimate_of(group, arm, measure)) measures.set(measure, estimate_json(*estimate));
    const auto runs = group.runs_of(arm);
    arms.push_back(Json::Object{{"name", to_string(arm)},
                                {"encoding", arm.encoding},
                                {"scale", arm.scale},
                                {"weights", runs.front()->weights},
                                {"rate", runs.front()->rate},
                                {"norm_ratio", runs.front()->norm_ratio},
                                {"measures", measures}});
  }
  Json others = Json::object();
  for (const OtherRow& row : other_rows(group)) {
    Json measures = Json::object();
    for (const std::string& measure : measures_of_group(group)) {
      const std::vector<double> values = values_of(row.runs, measure);
      if (!values.empty()) measures.set(measure, estimate_json(paired_t(values)));
    }
    others.set(row.name, measures);
  }
  return Json::Object{{"data", group.data},         {"split", group.split}, {"leaks", group.split == "random"},
                      {"settings", group.settings}, {"arms", arms},         {"others", others}};
}

}  // namespace

StudyReport make_report(const std::vector<StudyRun>& runs) {
  StudyReport report{.groups = group_runs(runs)};
  std::vector<StudyGroup> binary, other;
  for (const StudyGroup& group : report.groups) (group.binary ? binary : other).push_back(group);
  report.comparisons = compare_all(binary, "f1");
  for (Comparison& one : compare_all(other, "accuracy")) report.comparisons.push_back(std::move(one));
  report.by_area = compare_all(binary, "auc_pr");
  for (const StudyRun& run : sorted_runs(runs))
    if (run.kind == RunKind::kGap) report.gap.push_back(run);
  return report;
}

std::string group_title(const StudyGroup& group) {
  std::string title = fmt::format("{}, split {}", group.data, group.split);
  if (group.split != "random") return title;
  const bool overlap = std::ranges::any_of(group.runs, [](const StudyRun& run) { return run.leaks; });
  return title + fmt::format(" (leaks: {} windows lie in several parts)", overlap ? "overlapping" : "neighbouring");
}

std::vector<std::string> measures_of_group(const StudyGroup& group) {
  if (!group.binary) return {"accuracy", "macro_f1"};
  std::vector<std::string> measures{"f1", "precision", "recall", "auc_pr", "auc_roc"};
  if (std::ranges::any_of(group.runs, [](const StudyRun& run) { return run.scores.get("event_f1").has_value(); }))
    measures.emplace_back("event_f1");
  return measures;
}

Table study_scores_table(const StudyGroup& group) {
  const std::vector<std::string> measures = measures_of_group(group);
  Table table{.title = group_title(group), .columns = {{"arm"}, {"seeds"}}, .rows = {}};
  for (const std::string& measure : measures) {
    table.columns.push_back({measure_title(measure)});
    if (measure != measures.front()) continue;
    for (const char* name : {"sd", "from", "to"}) table.columns.push_back({name});
  }
  for (const Arm& arm : group.arms) {
    std::vector<Measures> runs;
    for (const StudyRun* run : group.runs_of(arm)) runs.push_back(run->scores);
    table.rows.push_back(score_cells(to_string(arm), runs, measures));
  }
  for (const OtherRow& row : other_rows(group)) table.rows.push_back(score_cells(row.name, row.runs, measures));
  table.note = fmt::format(
      "Means over the seeds, at the validation threshold; sd, from, to: standard deviation and 95 % t "
      "interval of the mean {}. {}{}",
      measure_title(measures.front()), windows_text(group), rates_text(group));
  return table;
}

Table study_controls_table(const StudyGroup& group) {
  const std::string measure = group.binary ? "f1" : "accuracy";
  const std::string title = measure_title(measure);
  Table table{.title = group_title(group) + ": controls",
              .columns = {{"arm"}, {"weights"}, {"|e| / |x|"}, {"rate"}, {"epochs"}, {title}, {"time shuffled"}},
              .rows = {}};
  const bool longer = any_longer(group);
  if (longer) table.columns.push_back({.name = "longer windows", .right = true});
  for (const Arm& arm : group.arms) {
    const auto runs = group.runs_of(arm);
    std::vector<Cell> row{to_string(arm), Cell::count(runs.front()->weights)};
    row.emplace_back(mean_of(runs, [](const StudyRun& run) { return std::optional(run.norm_ratio); }), kDigits);
    row.emplace_back(rate_text(runs));
    row.emplace_back(mean_of(runs, [](const StudyRun& run) { return std::optional(static_cast<double>(run.epochs)); }),
                     kDigits);
    row.push_back(fixed_cell(mean_of(runs, [&](const StudyRun& run) { return run.scores.get(measure); })));
    row.push_back(fixed_cell(mean_of(runs, [&](const StudyRun& run) { return run.shuffled.get(measure); })));
    if (longer) row.push_back(longer_cell(runs, measure));
    table.rows.push_back(std::move(row));
  }
  table.note = fmt::format(
      "|e| / |x|: norm of the codes over that of what they are added to, before training. Rate: the highest learning "
      "rate. "
      "Epochs: after which the weights were taken, mean. Time shuffled: {} of the same models when the samples of "
      "every "
      "test window are in random order; where it does not fall, order does not matter.{}",
      title, longer ? " Longer windows: the same models on test windows of several times the length." : "");
  return table;
}

Table study_projections_table(const StudyGroup& group) {
  Table table{.title = group_title(group) + ": what the first projection has made of the codes",
              .columns = {{"arm"}, {"codes"}},
              .rows = {}};
  const std::vector<std::pair<const char*, const char*>> measures = {
      {"min_distance", "smallest distance"},      {"stable_rank", "stable rank"},
      {"effective_rank", "effective rank"},       {"gram_deviation", "Gram deviation"},
      {"noise_sigma10", "noise with 10 % wrong"}, {"spearman", "Spearman with distance"}};
  for (const auto& [name, title] : measures) table.columns.push_back({title});
  for (const Arm& arm : group.arms) {
    const auto runs = group.runs_of(arm);
    if (runs.front()->trained.empty()) continue;
    for (const bool after : {false, true}) {
      std::vector<Cell> row{to_string(arm), after ? "trained" : "at the start"};
      for (const auto& [name, title] : measures)
        row.emplace_back(
            mean_of(runs, [&, key = name](const StudyRun& run) { return (after ? run.trained : run.start).get(key); }),
            kDigits);
      table.rows.push_back(std::move(row));
    }
  }
  table.note =
      "Measures of faithfulness (see faithful analyze) of E [W_Q; W_K]ᵀ, the codes as queries and keys of the first "
      "layer see them; means over the seeds. Relative schemes have no such codes.";
  return table;
}

Table study_differences_table(const std::vector<Comparison>& comparisons) {
  const std::string title = comparisons.empty() ? "" : measure_title(comparisons.front().measure);
  Table table{.title = fmt::format("Paired differences in {}", title),
              .columns = {{"data"},
                          {"split"},
                          {"arm"},
                          {"less"},
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
    const auto bound = [](double value) { return signed_cell(value); };
    table.rows.push_back({one.data, one.split, to_string(one.arm), to_string(one.reference),
                          Cell::count(one.differences.size()), signed_cell(one.paired.summary.mean),
                          bound(one.paired.interval.low), bound(one.paired.interval.high),
                          bound(one.corrected.interval.low), bound(one.corrected.interval.high),
                          Cell(one.flip.p, kDigits), Cell(one.holm_p, kDigits),
                          one.exploratory() ? "exploratory"
                          : one.primary     ? "primary"
                                            : ""});
  }
  table.note =
      "Arm less reference on the same seeds: mean with 95 % paired-t interval; corrected: the same with Nadeau and "
      "Bengio's correction for splits whose training parts overlap; sign-flip p: exact up to 20 seeds; Holm p: over "
      "the primary comparisons (dft less sinusoidal with at least 10 seeds) of one kind of split.";
  return table;
}

Table study_ranks_table(const std::vector<StudyGroup>& groups) {
  Table table{.title = "", .columns = {{"arm"}, {"mean rank"}}, .rows = {}};
  std::vector<StudyGroup> fair;  // without leaks
  for (const StudyGroup& group : groups)
    if (group.split != "random") fair.push_back(group);
  if (fair.size() < 2) return table;
  table.title = fmt::format("Mean rank over {} data sets", fair.size());
  for (const StudyGroup& group : fair) table.columns.push_back({group.data});
  std::vector<MeanRank> found = mean_ranks(fair);
  if (found.size() < 2) return table;
  std::ranges::stable_sort(found, {}, &MeanRank::rank);
  for (const MeanRank& one : found) {
    std::vector<Cell> row{to_string(one.arm), Cell(one.rank, kDigits)};
    for (const double rank : one.by_group) row.emplace_back(rank, 2);
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Ranks of the mean F1 (or accuracy) among the arms that all data sets have, 1 is best; random splits are left "
      "out. Descriptive: ranks of means that do not differ mean nothing.";
  return table;
}

Table gap_table(const std::vector<StudyRun>& gap) {
  Table table{.title = "Gap probe: which of two events came first", .columns = {{"arm"}, {"seeds"}}, .rows = {}};
  if (gap.empty()) return table;
  std::vector<Arm> arms;
  for (const StudyRun& run : gap)
    if (std::ranges::find(arms, run.arm) == arms.end()) arms.push_back(run.arm);
  for (const auto& [distance, accuracy] : gap.front().scores.values) table.columns.push_back({"distance " + distance});
  for (const Arm& arm : arms) {
    std::vector<const StudyRun*> runs;
    for (const StudyRun& run : gap)
      if (run.arm == arm) runs.push_back(&run);
    std::vector<Cell> row{to_string(arm), Cell::count(runs.size())};
    for (const auto& [distance, accuracy] : gap.front().scores.values)
      row.push_back(
          fixed_cell(mean_of(runs, [&, key = distance](const StudyRun& run) { return run.scores.get(key); })));
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Share of right answers by the distance of the events in samples, windows of 80, every sample embedded alone, so "
      "that only the encoding knows the order; 0.5 is chance. The same for all data sets.";
  return table;
}

std::vector<std::string> verdicts(const std::vector<Comparison>& comparisons) {
  std::vector<std::string> sentences;
  for (const Comparison& one : comparisons) sentences.push_back(verdict(one));
  return sentences;
}

std::string report_text(const StudyReport& report) {
  std::string text;
  for (const StudyGroup& group : report.groups) {
    if (group.runs.empty()) continue;
    text += to_text(study_scores_table(group)) + "\n" + to_text(study_controls_table(group)) + "\n";
  }
  for (const auto* comparisons : {&report.comparisons, &report.by_area})
    if (!comparisons->empty()) text += to_text(study_differences_table(*comparisons)) + "\n";
  if (!report.gap.empty()) text += to_text(gap_table(report.gap)) + "\n";
  const Table ranks = study_ranks_table(report.groups);
  if (!ranks.rows.empty()) text += to_text(ranks) + "\n";
  for (const std::string& sentence : verdicts(report.comparisons)) text += sentence + "\n";
  return text;
}

Json report_json(const StudyReport& report) {
  Json groups = Json::array(), comparisons = Json::array(), gap = Json::array();
  for (const StudyGroup& group : report.groups) groups.push_back(group_json(group));
  for (const auto* list : {&report.comparisons, &report.by_area})
    for (const Comparison& one : *list) comparisons.push_back(comparison_json(one));
  for (const StudyRun& run : report.gap) {
    Json accuracies = Json::object();
    for (const auto& [distance, accuracy] : run.scores.values) accuracies.set(distance, accuracy);
    gap.push_back(Json::Object{{"arm", to_string(run.arm)}, {"seed", run.seed}, {"accuracy", accuracies}});
  }
  return Json::Object{{"groups", groups}, {"comparisons", comparisons}, {"gap_probe", gap}};
}

}  // namespace faithful::app
