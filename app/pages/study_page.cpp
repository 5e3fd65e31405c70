#include "app/pages/study_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/pages/study_figures.h"

namespace faithful::app {

namespace {

// "msl-blocked-" where a page has several groups.
std::string prefix_of(const StudyReport& report, const StudyGroup& group, std::size_t number) {
  if (report.groups.size() < 2) return "";
  std::string name = fmt::format("{}-{}-{}", number + 1, group.data, group.split);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!plain) c = '-';
  }
  return name + "-";
}

void add_group(PageWriter& writer, const StudyReport& report, const StudyGroup& group, const std::string& prefix) {
  writer.page.add_heading(group_title(group));
  std::vector<std::string> sentences;
  for (const Comparison& one : report.comparisons)
    if (one.settings == group.settings) sentences.push_back(verdict(one));
  writer.page.add_list(sentences);
  writer.add(study_scores_table(group), prefix + "scores-table.csv");
  for (const CaptionedFigure& one : group_figures(report, group, prefix)) writer.add(one);
  writer.add(study_controls_table(group), prefix + "controls-table.csv");
  const Table projections = study_projections_table(group);
  if (!projections.rows.empty()) writer.add(projections, prefix + "projections-table.csv");
}

void add_notes_on_longer(Page& page, const StudyReport& report) {
  std::vector<std::string> notes;
  for (const StudyGroup& group : report.groups)
    for (const StudyRun& run : group.runs)
      if (const std::string note = to_string(run.arm) + ": " + run.longer_note;
          !run.longer_note.empty() && std::ranges::find(notes, note) == notes.end())
        notes.push_back(note);
  if (notes.empty()) return;
  page.add_paragraph("These arms cannot be scored on longer windows:");
  page.add_list(notes);
}

}  // namespace

void add_study(PageWriter& writer, const StudyReport& report) {
  Page& page = writer.page;
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    const StudyGroup& group = report.groups[i];
    if (!group.runs.empty()) add_group(writer, report, group, prefix_of(report, group, i));
  }
  add_notes_on_longer(page, report);
  page.add_heading("Paired differences");
  if (!report.comparisons.empty()) writer.add(study_differences_table(report.comparisons), "differences-table.csv");
  if (!report.by_area.empty()) writer.add(study_differences_table(report.by_area), "differences-auc-pr-table.csv");
  if (!report.gap.runs.empty()) {
    page.add_heading("Gap probe");
    writer.add(gap_figure(report.gap));
    writer.add(study_gap_table(report.gap), "gap-table.csv");
  }
  const Table ranks = study_ranks_table(report);
  if (!ranks.rows.empty()) {
    page.add_heading("Ranks over data sets");
    writer.add(ranks_figure(groups_without_leaks(report)));
    writer.add(ranks, "ranks-table.csv");
  }
}

std::string write_study_page(const std::string& folder, const StudyReport& report) {
  PageWriter writer(folder, "Which encoding?", "compare");
  writer.page.add_paragraph(
      "Every arm was trained on the same seeds. A seed gives all arms the same split, the same batches and, where shapes "
      "agree, the same initial weights, so that differences are paired. Validation chose epoch, threshold and learning "
      "rate; the test parts were scored once. A verdict follows from the 95 % interval of the paired difference. With "
      "fewer than 10 seeds it is exploratory.");
  add_study(writer, report);
  save_json(writer.path("study.json"), to_json(report));
  return writer.save();
}

}  // namespace faithful::app
