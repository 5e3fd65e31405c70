#include "app/pages/study_page.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/pages/study_figures.h"
#include "faithful/base/version.h"
#include "faithful/io/file.h"

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

void add_group(Page& page, FigureWriter& figures, const StudyReport& report, const StudyGroup& group,
               const std::string& prefix, const std::filesystem::path& folder) {
  page.add_heading(group_title(group));
  std::vector<std::string> sentences;
  for (const Comparison& one : report.comparisons)
    if (one.settings == group.settings) sentences.push_back(verdict(one));
  page.add_list(sentences);
  const Table scores = study_scores_table(group), controls = study_controls_table(group),
              projections = study_projections_table(group);
  page.add_table(scores);
  const std::vector<CaptionedFigure> all = group_figures(report, group, prefix);
  for (const CaptionedFigure& one : all) figures.add(one);
  page.add_table(controls);
  write_file((folder / (prefix + "scores-table.csv")).string(), to_csv(scores));
  write_file((folder / (prefix + "controls-table.csv")).string(), to_csv(controls));
  if (projections.rows.empty()) return;
  page.add_table(projections);
  write_file((folder / (prefix + "projections-table.csv")).string(), to_csv(projections));
}

void add_notes_on_longer(Page& page, const StudyReport& report) {
  std::vector<std::string> notes;
  for (const StudyGroup& group : report.groups)
    for (const StudyRun& run : group.runs)
      if (const std::string note = to_string(run.arm) + ": " + run.longer_note;
          !run.longer_note.empty() && std::ranges::find(notes, note) == notes.end())
        notes.push_back(note);
  if (notes.empty()) return;
  page.add_paragraph("Longer windows do not apply to:");
  page.add_list(notes);
}

}  // namespace

void add_study(Page& page, FigureWriter& figures, const StudyReport& report, const std::string& folder_name) {
  const std::filesystem::path folder(folder_name);
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    const StudyGroup& group = report.groups[i];
    if (!group.runs.empty()) add_group(page, figures, report, group, prefix_of(report, group, i), folder);
  }
  add_notes_on_longer(page, report);
  page.add_heading("Paired differences");
  for (const auto& [name, comparisons] : {std::pair{"differences-table.csv", &report.comparisons},
                                          std::pair{"differences-auc-pr-table.csv", &report.by_area}}) {
    if (comparisons->empty()) continue;
    const Table table = study_differences_table(*comparisons);
    page.add_table(table);
    write_file((folder / name).string(), to_csv(table));
  }
  if (!report.gap.empty()) {
    page.add_heading("Gap probe");
    figures.add(gap_figure(report.gap));
    page.add_table(gap_table(report.gap));
    write_file((folder / "gap-table.csv").string(), to_csv(gap_table(report.gap)));
  }
  const Table ranks = study_ranks_table(report.groups);
  if (!ranks.rows.empty()) {
    page.add_heading("Ranks over data sets");
    std::vector<StudyGroup> fair;
    for (const StudyGroup& group : report.groups)
      if (group.split != "random") fair.push_back(group);
    figures.add(ranks_figure(fair));
    page.add_table(ranks);
    write_file((folder / "ranks-table.csv").string(), to_csv(ranks));
  }
}

WrittenStudy write_study_page(const std::string& folder, const StudyReport& report) {
  make_page_folder(folder);
  const auto in_folder = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  Page page("Which encoding?", fmt::format("faithful {}, compare", build_info().version));
  page.add_paragraph(
      "Every arm was trained on the same seeds: a seed gives all arms the same split, batches and, where shapes agree, "
      "start "
      "values, so that differences are paired. Epoch, threshold and learning rate were chosen on validation parts; the "
      "test "
      "parts were scored once. Verdicts are worded by rule from the 95 % interval of the paired difference; with fewer "
      "than 10 "
      "seeds they are exploratory.");
  FigureWriter figures(page, folder);
  add_study(page, figures, report, folder);
  save_json(in_folder("study.json"), report_json(report));
  WrittenStudy written{in_folder("report.html"), figures.problem()};
  write_file(written.path, page.html());
  return written;
}

}  // namespace faithful::app
