#include "faithful/evaluate/scores.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "faithful/evaluate/labelled_internal.h"
#include "faithful/metrics/calibration.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"

namespace faithful {

namespace {

void score_probabilities(const Matrix<float>& probabilities, std::span<const std::int32_t> labels, Scores& scores) {
  const evaluate::LabelledRows rows = evaluate::labelled_rows(probabilities, labels);
  if (rows.labels.empty()) return;
  if (!std::ranges::all_of(rows.probabilities.values, [](float p) { return std::isfinite(p); })) return;
  scores.log_loss = mean_loss(log_losses(rows.probabilities, rows.labels));
  scores.brier = mean_loss(brier_scores(rows.probabilities, rows.labels));
  const CalibrationError error = calibration_error(rows.probabilities, rows.labels);
  scores.ece = error.value;
  scores.ece_floor = error.floor;
}

}  // namespace

Scores score_predictions(const Matrix<float>& probabilities, std::span<const std::int32_t> labels,
                         const ScoreOptions& options) {
  assert(probabilities.rows == labels.size());
  const std::vector<std::int32_t> all = decide(probabilities, options.threshold);
  std::vector<std::int32_t> truth, predicted;
  std::vector<double> ranking;  // P(class 1)
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == kNoLabel) continue;
    truth.push_back(labels[i]);
    predicted.push_back(all[i]);
    ranking.push_back(static_cast<double>(probabilities(i, 1)));
  }
  Scores scores;
  scores.windows = truth.size();
  scores.report = class_report(truth, predicted, probabilities.columns);
  score_probabilities(probabilities, labels, scores);
  if (probabilities.columns != 2) return scores;
  const std::vector<std::uint8_t> positive = flags_of(truth);
  const auto positives = std::accumulate(positive.begin(), positive.end(), std::size_t{0});
  const bool reweighted = options.prevalence > 0 && positives > 0 && positives < positive.size();
  const std::vector<double> weights =
      reweighted ? prevalence_weights(positive, options.prevalence) : std::vector<double>{};
  scores.binary = confusion(positive, flags_of(predicted), weights);
  const RankedScores ranked(ranking, positive);
  scores.auc_pr = ranked.average_precision(weights);
  scores.auc_roc = ranked.auc_roc();
  return scores;
}

Scores score_predictions(const Matrix<float>& probabilities, const Windows& windows, const ScoreOptions& options) {
  assert(probabilities.rows == windows.size());
  const std::vector<std::int32_t> labels = windows.labels();
  const bool complete = std::find(labels.begin(), labels.end(), kNoLabel) == labels.end();
  Scores scores = score_predictions(probabilities, labels, options);
  if (options.events && complete && probabilities.columns == 2 && windows.dataset().has_point_labels()) {
    scores.events = window_event_scores(windows, flags_of(decide(probabilities, options.threshold)));
    scores.all_positive_events = window_event_scores(windows, std::vector<std::uint8_t>(windows.size(), 1));
  }
  return scores;
}

std::vector<Range> stretches_of(const Windows& windows) {
  std::vector<Range> stretches;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const bool goes_on = i > 0 && windows[i].series == windows[i - 1].series &&
                         windows[i].begin >= windows[i - 1].begin &&
                         windows[i].begin <= windows[i - 1].begin + windows[i - 1].length;
    if (goes_on)
      stretches.back().end = i + 1;
    else
      stretches.push_back({i, i + 1});
  }
  return stretches;
}

std::vector<std::size_t> stretch_numbers(const Windows& windows) {
  std::vector<std::size_t> numbers(windows.size());
  std::size_t number = 0;
  for (const Range& stretch : stretches_of(windows)) {
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      if (i > stretch.begin && windows[i].label != windows[i - 1].label) ++number;
      numbers[i] = number;
    }
    ++number;
  }
  return numbers;
}

EventScores window_event_scores(const Windows& windows, std::span<const std::uint8_t> flags) {
  assert(flags.size() == windows.size());
  std::vector<std::uint8_t> truth(windows.size());
  std::vector<double> ends(windows.size());  // of the windows, in samples
  for (std::size_t i = 0; i < windows.size(); ++i) {
    truth[i] = windows[i].label == 1 ? 1 : 0;
    ends[i] = static_cast<double>(windows[i].begin) + static_cast<double>(windows[i].length);
  }
  std::vector<Timeline> timelines;
  for (const Range& stretch : stretches_of(windows)) {
    const std::size_t count = stretch.end - stretch.begin;
    timelines.push_back({std::span(truth).subspan(stretch.begin, count), flags.subspan(stretch.begin, count),
                         std::span<const double>(ends).subspan(stretch.begin, count)});
  }
  return event_scores(timelines);
}

namespace {

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json confusion_json(const Matrix<double>& confusion) {
  Json rows = Json::array();
  for (std::size_t truth = 0; truth < confusion.rows; ++truth) {
    Json row = Json::array();
    for (const double count : confusion.row(truth)) row.push_back(static_cast<std::int64_t>(count));
    rows.push_back(row);
  }
  return rows;
}

Json events_json(const EventScores& events, const EventScores& all_positive) {
  const auto defined = [&](double value) { return events.events == 0 ? Json() : Json(value); };
  return Json::Object{{"events", events.events},
                      {"detected", events.detected},
                      {"false_alarms", events.false_alarms},
                      {"precision", defined(events.precision())},
                      {"recall", defined(events.recall())},
                      {"f1", defined(events.f1())},
                      {"mean_delay", or_null(events.mean_delay())},
                      {"median_delay", or_null(events.median_delay())},
                      {"all_positive_f1", defined(all_positive.f1())}};
}

}  // namespace

Json to_json(const Scores& scores) {
  Json json = Json::Object{{"windows", scores.windows},
                           {"accuracy", scores.report.accuracy},
                           {"macro_f1", scores.report.macro.f1},
                           {"weighted_f1", scores.report.weighted.f1},
                           {"log_loss", or_null(scores.log_loss)},
                           {"brier", or_null(scores.brier)},
                           {"ece", or_null(scores.ece)},
                           {"ece_floor", or_null(scores.ece_floor)},
                           {"confusion", confusion_json(scores.report.confusion)}};
  if (!scores.binary) return json;
  const auto defined = [&](double value) { return scores.binary->positives() == 0 ? Json() : Json(value); };
  json.set("precision", defined(scores.binary->precision()))
      .set("recall", defined(scores.binary->recall()))
      .set("f1", defined(scores.binary->f1()))
      .set("auc_pr", or_null(scores.auc_pr))
      .set("auc_roc", or_null(scores.auc_roc));
  if (scores.events) json.set("events", events_json(*scores.events, *scores.all_positive_events));
  return json;
}

}  // namespace faithful
