#include "app/pages/evaluation_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/pages/page_writer.h"
#include "app/pages/timeline.h"
#include "faithful/metrics/calibration.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/infer.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

// The windows with a label: their scores, and whether they are positive.
struct Ranking {
  std::vector<double> scores;
  std::vector<std::uint8_t> truth;
};

Ranking ranking_of(const EvaluationContent& content) {
  Ranking ranking;
  for (std::size_t i = 0; i < content.windows.size(); ++i) {
    if (content.windows[i].label == kNoLabel) continue;
    ranking.scores.push_back(static_cast<double>(content.evaluation.probabilities(i, 1)));
    ranking.truth.push_back(content.windows[i].label == 1 ? 1 : 0);
  }
  return ranking;
}

Panel pr_panel(const EvaluationContent& content) {
  const Ranking ranking = ranking_of(content);
  const std::vector<PrPoint> points = RankedScores(ranking.scores, ranking.truth).pr_curve();
  Curve curve = thinned_curve(
      points.size(), [&](std::size_t i) { return points[i].recall; },
      [&](std::size_t i) { return points[i].precision; });
  curve.name = "this model";
  const Confusion& at = *content.evaluation.scores.binary;
  const double share = at.positives() / at.total();
  Panel panel{.title = "Precision and recall", .x = {.label = "recall"}, .y = {.label = "precision"}};
  panel.x.low = panel.y.low = 0;
  panel.x.high = 1;
  panel.y.high = 1.02;
  panel.legend = Legend::kNone;  // the caption explains the curves
  panel.curves = {
      std::move(curve),
      {.name = "its threshold", .x = {at.recall()}, .y = {at.precision()}, .mark = Mark::kPoints, .ink = kFaultInk},
      {.name = "a random score", .x = {0, 1}, .y = {share, share}, .ink = kSpanInk, .dash = 2}};
  return panel;
}

// The share of each true class (row) that was predicted as each class.
Panel confusion_panel(const EvaluationContent& content) {
  const Matrix<double>& counts = content.evaluation.scores.report.confusion;
  Matrix<double> shares(counts.rows, counts.columns);
  for (std::size_t r = 0; r < counts.rows; ++r) {
    double all = 0;
    for (const double count : counts.row(r)) all += count;
    for (std::size_t c = 0; c < counts.columns; ++c) shares(r, c) = all == 0 ? 0 : counts(r, c) / all;
  }
  Panel panel{.title = "Confusion", .x = {.label = "prediction"}, .y = {.label = "truth"}, .legend = Legend::kNone};
  for (std::size_t k = 0; k < counts.rows; ++k) {
    panel.x.ticks.emplace_back(static_cast<double>(k), content.model.classes[k]);
    panel.y.ticks.emplace_back(static_cast<double>(k), content.model.classes[k]);
  }
  panel.heat =
      HeatMap{.values = std::move(shares), .diverging = false, .low = 0, .high = 1, .label = "share of the row"};
  return panel;
}

// How often windows of each confidence are right, and what share of the windows they are.
CaptionedFigure reliability_figure(const EvaluationContent& content) {
  Curve diagonal{.name = "perfect", .x = {0, 1}, .y = {0, 1}, .ink = kSpanInk};
  Curve found{.name = "this model", .x = {}, .y = {}, .mark = Mark::kLinePoints, .ink = kChannelInk};
  Curve chance{.name = "chance", .x = {}, .y = {}, .mark = Mark::kBand, .ink = kSpanInk};
  Curve shares{.name = "windows", .x = {}, .y = {}, .mark = Mark::kStems, .ink = kChannelInk};
  const auto all = static_cast<double>(content.evaluation.scores.windows);
  double most = 0;
  for (const Json& bin : content.json["reliability"].items()) {
    const double confidence = bin["confidence"].number(), count = bin["count"].number();
    const double reach = 1.96 * std::sqrt(std::max(0.0, confidence * (1 - confidence)) / count);
    for (Curve* curve : {&found, &chance, &shares}) curve->x.push_back(confidence);
    found.y.push_back(bin["right"].number());
    chance.y.push_back(confidence);
    chance.low.push_back(std::max(0.0, confidence - reach));
    chance.high.push_back(std::min(1.0, confidence + reach));
    shares.y.push_back(count / all);
    most = std::max(most, shares.y.back());
  }
  Panel right{.title = "Reliability",
              .x = {.label = "confidence"},
              .y = {.label = "share right"},
              .curves = {chance, diagonal, found},
              .legend = Legend::kNone};
  Panel counts{.title = "Windows",
               .x = {.label = "confidence"},
               .y = {.label = "share of the windows"},
               .curves = {shares},
               .legend = Legend::kNone};
  for (Panel* panel : {&right, &counts}) {
    panel->x.low = panel->y.low = 0;
    panel->x.high = 1.02;
  }
  right.y.high = 1.02;
  counts.y.high = 1.1 * most;
  return {
      {.name = "reliability", .panels = {right, counts}, .panel_width = 480, .panel_height = 360},
      fmt::format("Left: the windows in {} bins of confidence (the probability of the most probable class), and of "
                  "each bin the share whose most probable class is the true one. On the diagonal, the "
                  "probabilities are right on average. Above it the model is too careful, and below it too sure. In "
                  "the shaded band lie about 95 % of the points of a perfectly calibrated model, if windows are "
                  "independent. Right: the share of the windows in each bin.",
                  kReliabilityBins)};
}

CaptionedFigure overview_figure(const EvaluationContent& content) {
  Figure figure{.name = "scores", .panels = {}, .panel_width = 480, .panel_height = 400};
  if (content.evaluation.scores.binary) figure.panels.push_back(pr_panel(content));
  figure.panels.push_back(confusion_panel(content));
  return {figure,
          content.evaluation.scores.binary
              ? "Left: precision and recall at every threshold (line), at the model's threshold (dot), and of a random "
                "score (dashed). Right: the share of each true class (row) by predicted class (column)."
              : "The share of each true class (row) by predicted class (column)."};
}

// The numbers of the windows of one series, in order.
struct SeriesWindows {
  std::size_t series = 0;
  std::vector<std::size_t> numbers = {};
};

std::vector<SeriesWindows> timelines_of(const Windows& windows) {
  std::vector<SeriesWindows> all;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (all.empty() || all.back().series != windows[i].series) all.push_back({windows[i].series, {}});
    all.back().numbers.push_back(i);
  }
  // Those with labelled spans first.
  std::stable_partition(all.begin(), all.end(), [&](const SeriesWindows& one) {
    return std::ranges::find(windows.dataset().series[one.series].labels, 1) !=
           windows.dataset().series[one.series].labels.end();
  });
  return all;
}

CaptionedFigure timeline_figure(const EvaluationContent& content, const SeriesWindows& timeline, std::size_t number) {
  const Series& series = content.windows.dataset().series[timeline.series];
  Panel panel{
      .title = "", .x = {.label = "last sample of the window"}, .y = {.label = "score"}, .legend = Legend::kNone};
  panel.x.low = 0;
  panel.x.high = static_cast<double>(series.length());
  panel.y.low = 0;
  panel.y.high = 1;
  for (const LabelSpan& span : spans_of(series.labels)) panel.curves.push_back(shade(span, 0, 1, kSpanInk));
  panel.curves.push_back({.name = "",
                          .x = {0, *panel.x.high},
                          .y = {content.model.threshold, content.model.threshold},
                          .ink = kFaultInk,
                          .dash = 2});
  panel.curves.push_back(thinned_curve(
      timeline.numbers.size(),
      [&](std::size_t i) {
        const Window& window = content.windows[timeline.numbers[i]];
        return static_cast<double>(window.begin + window.length - 1);
      },
      [&](std::size_t i) { return static_cast<double>(content.evaluation.probabilities(timeline.numbers[i], 1)); }));
  Figure figure{
      .name = fmt::format("timeline-{}", number + 1), .panels = {panel}, .panel_width = 960, .panel_height = 220};
  return {figure, fmt::format("Series {}: the score of each window, drawn at its last sample. Labelled spans are "
                              "shaded; the dashed line is the threshold {}.",
                              series.name, number_text(content.model.threshold, 3))};
}

std::vector<CaptionedFigure> timeline_figures(const EvaluationContent& content) {
  std::vector<CaptionedFigure> figures;
  if (!content.evaluation.scores.binary || !content.windows.dataset().has_point_labels()) return figures;
  const std::vector<SeriesWindows> all = timelines_of(content.windows);
  for (std::size_t i = 0; i < std::min(content.drawn, all.size()); ++i)
    figures.push_back(timeline_figure(content, all[i], i));
  return figures;
}

std::string kind_text(const TrainedModel& model) {
  const Transformer* transformer = model.transformer();
  return transformer == nullptr ? "random convolutions" : "encoding " + transformer->config().position.encoding;
}

}  // namespace

std::string write_evaluation_page(const std::string& folder, const EvaluationContent& content) {
  const Evaluation& evaluation = content.evaluation;
  PageWriter writer(folder, fmt::format("How good is the model on {}?", content.windows.dataset().name),
                    fmt::format("evaluate: {} windows of {} samples, {}", evaluation.scores.windows,
                                content.windows.length(), kind_text(content.model)));
  Page& page = writer.page;
  for (const std::string& note : content.notes) page.add_note(note);
  page.add_heading("Scores");
  page.add_table(measures_table(evaluation));
  page.add_paragraph(calibration_text(evaluation.scores));
  if (evaluation.scores.events) page.add_paragraph(events_text(evaluation.scores));
  writer.add(overview_figure(content));
  page.add_table(confusion_table(evaluation, content.model.classes));
  if (content.model.classes.size() > 2) page.add_table(class_table(evaluation, content.model.classes));
  page.add_heading("Can the probabilities be trusted?");
  writer.add(reliability_figure(content));
  const std::vector<CaptionedFigure> timelines = timeline_figures(content);
  if (!timelines.empty()) page.add_heading("Timelines");
  for (const CaptionedFigure& one : timelines) writer.add(one);
  save_json(writer.path("evaluation.json"), content.json);
  return writer.save("report.html", {"timeline"});
}

}  // namespace faithful::app
