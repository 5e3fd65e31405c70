#include "app/pages/diagnosis_page.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/diagnosis_tables.h"
#include "app/pages/diagnosis_figures.h"
#include "app/pages/figure_writer.h"
#include "faithful/base/progress.h"
#include "faithful/base/version.h"
#include "faithful/io/file.h"
#include "faithful/report/page.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

constexpr std::size_t kListedSensors = 10;
constexpr std::size_t kAdvised = 5;  // alarms whose advice stands on top

void add_alarm(Page& page, FigureWriter& figures, const DiagnosisReport& report, std::size_t number) {
  const Diagnosis& one = report.found[number];
  page.add_heading(fmt::format("{}. {} ({})", number + 1, report.series_of(one).name, number_text(one.alarm.score, 3)));
  page.add_paragraph(advice(report, number));
  const std::string truth = truth_words(report, number);
  if (!truth.empty()) page.add_note(truth);
  figures.add(channels_figure(report, number));
  figures.add(profile_figure(report, number));
  page.add_table(sensors_table(report, number, kListedSensors));
  page.add_table(spans_table(report, number));
  page.add_table(agreement_table(report, number));
  figures.add(occlusion_figure(report, number));
  if (one.details.spatial.rows > 0) figures.add(where_figure(report, number));
  if (!one.details.temporal_heads.empty()) figures.add(heads_figure(report, number));
}

void add_reading_guide(Page& page, const DiagnosisReport& report) {
  page.add_heading("How to read this");
  std::vector<std::string> items = {
      "Attention shows where the model looked. It is no proof that what it saw there mattered.",
      fmt::format("Occlusion replaces a sensor, or a span of time, by its normal ({}) and measures how much the score "
                  "falls: what the model would have said otherwise.",
                  report.normal.from),
      "Gradient times input is how steeply the score depends on each reading on the way from normal, times how far it "
      "is from normal. It is a second witness: it has no voice in what is said first.",
      "Together is attention and occlusion, each with the same voice. Trust it more where the methods agree, and least "
      "where they name different sensors.",
      "A diagnosis explains the model, not the machine: where the model is wrong, so is the diagnosis."};
  if (!report.model.config().is_dfstrans())
    items.emplace_back(
        "This model takes all sensors of a step together, so its attention says when, and nothing about which sensor.");
  page.add_list(items);
}

}  // namespace

std::string write_diagnosis_page(const std::string& folder, const DiagnosisReport& report, const Json& json,
                                 std::size_t shown) {
  make_page_folder(folder);
  Page page(
      fmt::format("Which sensor, and when: {}", report.dataset.name),
      fmt::format("faithful {}; {} alarms of class {} (score of at least {}), {} looked into", build_info().version,
                  report.alarms, report.class_name(), number_text(report.threshold, 3), report.found.size()));
  for (const std::string& note : report.notes) page.add_note(note);
  page.add_heading("What to look at first");
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(kAdvised, report.found.size()); ++i) first.push_back(advice(report, i));
  page.add_list(first);
  FigureWriter figures(page, folder);
  const std::size_t count = std::min(shown, report.found.size());
  {
    Progress progress("drawing", count);
    for (std::size_t i = 0; i < count; ++i) {
      add_alarm(page, figures, report, i);
      progress.advance();
    }
  }
  if (report.scores) {
    page.add_heading("Were the diagnoses right?");
    page.add_table(hits_table(*report.scores));
    page.add_table(differences_table(*report.scores));
  }
  page.add_heading("All alarms");
  page.add_table(alarms_table(report));
  add_reading_guide(page, report);
  const std::filesystem::path root(folder);
  save_json((root / "diagnosis.json").string(), json);
  std::string path = (root / "report.html").string();
  write_file(path, page.html());
  return path;
}

}  // namespace faithful::app
