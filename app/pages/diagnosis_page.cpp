#include "app/pages/diagnosis_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/command.h"
#include "app/diagnosis_tables.h"
#include "app/pages/diagnosis_figures.h"
#include "app/pages/page_writer.h"
#include "faithful/base/progress.h"
#include "faithful/diagnose/words.h"
#include "faithful/model/infer.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

constexpr std::size_t kListedSensors = 10;
constexpr std::size_t kAdvised = 5;  // alarms in the first section

void add_alarm(PageWriter& writer, const DiagnosisReport& report, std::size_t number) {
  Page& page = writer.page;
  const Diagnosis& one = report.found[number];
  page.add_heading(fmt::format("{}. {} ({})", number + 1, report.series_of(one).name, number_text(one.alarm.score, 3)));
  page.add_paragraph(advice(report, number));
  const std::string truth = truth_words(report, number);
  if (!truth.empty()) page.add_note(truth);
  writer.add(channels_figure(report, number));
  writer.add(profile_figure(report, number));
  page.add_table(sensors_table(report, number, kListedSensors));
  page.add_table(spans_table(report, number));
  if (one.methods.size() > 1) page.add_table(agreement_table(report, number));
  writer.add(occlusion_figure(report, number));
  if (one.details.spatial.rows > 0) writer.add(where_figure(report, number));
  if (!one.details.temporal_heads.empty()) writer.add(heads_figure(report, number));
}

void add_reading_guide(Page& page, const DiagnosisReport& report) {
  page.add_heading("How to read this");
  const Transformer* transformer = report.model.transformer();
  std::vector<std::string> items;
  if (transformer != nullptr)
    items.emplace_back("Attention shows where the model looked. It does not prove that this mattered.");
  items.push_back(fmt::format(
      "Occlusion replaces a sensor, or a span of time, by normal readings, and measures how far the score falls. It also "
      "puts that part alone into a normal window, and measures how far the score rises. {}",
      report.normal.windows.count > 0 ? "Normal is what the other sensors say that each should read, by normal windows."
                                      : "Normal is " + report.normal.from + "."));
  if (transformer != nullptr) {
    items.emplace_back(
        "Gradient times input is the slope of the score at each reading, averaged on the way from normal, times the "
        "distance from normal.");
  } else {
    items.emplace_back("This model has neither attention nor gradients: the other methods rank sensors and times.");
  }
  const bool related = !report.normal.relations.weights.values.empty();
  const bool spatial = transformer != nullptr && transformer->config().is_dfstrans();
  if (related)
    items.emplace_back(
        "Disagreement predicts each sensor from the others at the same time, as they relate in normal windows, and "
        "measures how far the sensor is from that. It looks at the readings, not at the model.");
  items.push_back(
      fmt::format("Together is {}. The others are checks: trust it most where they agree. Where they name different "
                  "sensors, the model may have noticed a fault by what it did to other sensors.",
                  related && spatial       ? "about sensors attention and disagreement, about times all methods"
                  : related                ? "about sensors disagreement, about times all methods"
                  : transformer != nullptr ? "attention and occlusion"
                                           : "occlusion alone"));
  items.emplace_back(
      "Attention, occlusion and gradient explain the model, not the machine: where the model is wrong, so are they.");
  if (transformer != nullptr && !spatial)
    items.emplace_back(
        "This model embeds all sensors of a step together, so its attention shows only when, not which sensor.");
  page.add_list(items);
}

}  // namespace

std::string write_diagnosis_page(const std::string& folder, const DiagnosisReport& report, const Json& json,
                                 std::size_t shown) {
  PageWriter writer(folder, fmt::format("Which sensor, and when: {}", report.dataset.name),
                    fmt::format("diagnose: {} alarms of class {} (score of at least {}), {} explained", report.alarms,
                                report.class_name(), number_text(report.threshold, 3), report.found.size()));
  Page& page = writer.page;
  for (const std::string& note : report.dataset.notes) page.add_note(note);
  page.add_heading("What to look at first");
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(kAdvised, report.found.size()); ++i) first.push_back(advice(report, i));
  if (report.found.empty()) first.push_back(spelled(summary_words(report), flag_text));
  page.add_list(first);
  const std::size_t count = std::min(shown, report.found.size());
  {
    Progress progress("drawing", count);
    for (std::size_t i = 0; i < count; ++i) {
      add_alarm(writer, report, i);
      progress.advance();
    }
  }
  if (report.scores) {
    page.add_heading("Were the diagnoses right?");
    page.add_table(hits_table(*report.scores));
    page.add_table(differences_table(*report.scores));
  }
  if (!report.found.empty()) {
    page.add_heading("All alarms");
    page.add_table(alarms_table(report));
    add_reading_guide(page, report);
  }
  save_json(writer.path("diagnosis.json"), json);
  return writer.save("report.html", {"channels", "when", "where", "occlusion", "heads"});
}

}  // namespace faithful::app
