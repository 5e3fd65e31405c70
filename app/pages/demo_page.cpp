#include "app/pages/demo_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/diagnosis_tables.h"
#include "app/pages/analysis_figures.h"
#include "app/pages/diagnosis_figures.h"
#include "app/pages/page_writer.h"
#include "app/pages/paper_tables.h"
#include "faithful/diagnose/suspects.h"
#include "faithful/diagnose/words.h"
#include "faithful/simulate/fault.h"

namespace faithful::app {

namespace {

std::string interval_words(const Interval& interval) {
  return fmt::format("{:.2f} to {:.2f}", interval.low, interval.high);
}

std::string how_often_right(const DemoContent& content) {
  const DemoRow& model = content.rows[0];
  const Confusion& found = *model.scores.binary;
  return fmt::format(
      "The model finds {:.0f} of {:.0f} faulty lift trips that it never saw, with {:.0f} false {} in {:.0f} normal ones: "
      "F1 {:.2f} (95 % interval {}).",
      found.true_positive, found.positives(), found.false_positive, found.false_positive == 1 ? "alarm" : "alarms",
      found.negatives(), found.f1(), interval_words(*model.interval));
}

std::string what_others_get(const DemoContent& content) {
  const auto f1 = [&](std::size_t row) { return content.rows[row].scores.headline(); };
  const Interval& gain = content.gain.interval;
  const char* verdict = gain.low > 0    ? "so the encoding helps in this training"
                        : gain.high < 0 ? "so the encoding does harm in this training"
                                        : "so these trips show no use of the encoding";
  return fmt::format(
      "A linear model gets {:.2f}, calling every trip faulty {:.2f}, a random guess {:.2f}; the same model without a "
      "positional encoding gets {:.2f}, {}.",
      f1(2), f1(3), f1(4), f1(1), verdict);
}

// "phase_resistance" -> "a bad contact in one phase"
std::string fault_words(const std::string& kind) {
  for (const FaultInfo& info : fault_catalog())
    if (info.name == kind) return std::string(info.meaning.substr(0, info.meaning.find(':')));
  return kind;
}

std::string joined_names(const std::vector<std::string>& channels, const std::vector<std::size_t>& sensors) {
  std::vector<std::string> names;
  for (const std::size_t sensor : sensors) names.push_back(channels[sensor]);
  if (names.size() < 2) return names.empty() ? "no sensor" : names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// Whether the first sensor and the first span are those of the fault.
std::string is_it_right(const Diagnosis& one, const AlarmTruth& truth) {
  const std::size_t first = first_sensors(one.together)[0];
  const bool sensor = std::ranges::binary_search(truth.sensors, first);
  bool time = false;
  if (!one.together.spans.empty()) {
    const Range& found = one.together.spans[0].span;
    for (const Range& span : truth.spans) time = time || (found.begin < span.end && span.begin < found.end);
  }
  return sensor && time ? "right sensor, right time"
         : sensor       ? "right sensor, wrong time"
         : time         ? "right time, wrong sensor"
                        : "wrong sensor, wrong time";
}

std::string its_diagnosis(const DiagnosisReport& report) {
  if (report.found.empty()) return "The model raised no alarm, so there is nothing to diagnose.";
  const Diagnosis& one = report.found[0];
  const Clock clock(report.dataset, report.series_of(one));
  const std::string when = clock.span_words(one.together.spans);
  std::string text =
      fmt::format("For its surest alarm it points at {}{}",
                  joined_names(report.dataset.channels, first_sensors(one.together)), when.empty() ? "" : ", " + when);
  const std::optional<AlarmTruth>& truth = report.truths[0];
  if (!truth || truth->is_false) return text + "; nothing was wrong there: a false alarm.";
  text += fmt::format("; the simulated fault is {}, which shows in {}", fault_words(truth->kinds.at(0)),
                      joined_names(report.dataset.channels, truth->sensors));
  if (!truth->spans.empty()) text += " from " + clock.span_text(truth->spans[0]);
  return fmt::format("{} ({}).", text, is_it_right(one, *truth));
}

// The sensors by which the model noticed it, which need not be those at fault.
std::string how_noticed(const DiagnosisReport& report) {
  for (const MethodAnswer& method : report.found[0].methods) {
    if (method.method != "occlusion") continue;
    return fmt::format(
        "The model itself noticed it by {} (occlusion). That need not be the sensor at fault: a slipping rope and a wrong "
        "load also jolt the car, which the accelerometer and the ropes feel. So the sensor to look at is the one that "
        "disagrees most with the others.",
        joined_names(report.dataset.channels, first_sensors(method)));
  }
  return {};
}

void add_diagnosis(PageWriter& writer, const DiagnosisReport& report) {
  writer.page.add_heading("Which sensor, and when");
  if (report.found.empty()) {
    writer.page.add_paragraph(summary_words(report));
    return;
  }
  writer.page.add_paragraph(advice(report, 0));
  writer.page.add_paragraph(how_noticed(report));
  writer.page.add_note(truth_words(report, 0));
  writer.add(channels_figure(report, 0));
  writer.add(profile_figure(report, 0));
  if (!report.scores) return;
  writer.page.add_paragraph(fmt::format("Was that luck? The {} surest alarms together:", report.found.size()));
  writer.add(hits_table(*report.scores), "diagnoses.csv");
}

void add_paper(PageWriter& writer, const std::vector<Analysis>& analyses) {
  writer.page.add_heading("Figures 1 and 2 of the paper");
  writer.page.add_paragraph(
      "The paper (Idé, Labaien and Chen, \"Improving Transformers using Faithful Positional Encoding\") compares two "
      "positional encodings. The original one knows almost only slow frequencies. A position that is read back from "
      "it is blurred. The DFT encoding has all frequencies alike, and gives the position back.");
  const std::vector<CaptionedFigure> drawn = analysis_figures(analyses);
  for (std::size_t i = 0; i < 2; ++i) writer.add(drawn[i]);
  writer.add(reference_table(analyses), "reference.csv");
}

}  // namespace

std::vector<std::string> demo_sentences(const DemoContent& content) {
  return {how_often_right(content), what_others_get(content), its_diagnosis(content.report)};
}

Table demo_scores_table(const DemoContent& content) {
  Table table{.title = "Test trips, which no model has seen",
              .columns = {{"predictions by"}, {"F1"}, {"95 % interval"}, {"precision"}, {"recall"}, {"AUC-PR"}},
              .rows = {}};
  for (const DemoRow& row : content.rows) {
    const Confusion& found = *row.scores.binary;
    table.rows.push_back({row.name, Cell(found.f1(), 3), row.interval ? Cell(interval_words(*row.interval)) : Cell("–"),
                          Cell(found.precision(), 3), Cell(found.recall(), 3), Cell(row.scores.auc_pr, 3)});
  }
  table.note = fmt::format(
      "The linear model is a logistic regression on five statistics of each sensor. Intervals: 2,000 resamples of the "
      "test trips. Encoding {} minus none, trip by trip: {:+.3f} ({:+.3f} to {:+.3f}). One training each: other seeds "
      "of the training differ, too.",
      content.encoding, content.gain.value, content.gain.interval.low, content.gain.interval.high);
  return table;
}

std::string write_demo_page(const std::string& folder, const DemoContent& content) {
  PageWriter writer(folder, "A lift, its faults, and a model that finds them", "demo: simulated data, nothing loaded");
  writer.page.add_lead(demo_sentences(content));
  writer.page.add_heading("How good is it?");
  writer.add(demo_scores_table(content), "scores.csv");
  add_diagnosis(writer, content.report);
  writer.page.add_heading("How this was made");
  writer.page.add_list(content.made);
  add_paper(writer, content.analyses);
  return writer.save();
}

}  // namespace faithful::app
