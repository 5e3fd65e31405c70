#include "faithful/evaluate/evaluation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "faithful/evaluate/labelled_internal.h"
#include "faithful/metrics/calibration.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"

namespace faithful {

namespace {

// What the bootstrap takes: the windows that have a label.
struct Labelled {
  std::vector<std::int32_t> truth, predicted;
  std::vector<double> scores;         // P(class 1)
  std::vector<std::size_t> group_of;  // the stretch, or the series
  std::vector<double> losses, brier;  // of each
};

Labelled labelled_of(const Windows& windows, const Matrix<float>& probabilities, double threshold, bool of_series) {
  const std::vector<std::int32_t> predicted = decide(probabilities, threshold);
  const std::vector<std::size_t> stretches = stretch_numbers(windows);
  Labelled all;
  std::size_t last = SIZE_MAX;  // groups without labelled windows are not counted; those of windows never fall
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (windows[i].label == kNoLabel) continue;
    const std::size_t group = of_series ? windows[i].series : stretches[i];
    const std::size_t number = all.group_of.empty() ? 0 : all.group_of.back() + (group == last ? 0 : 1);
    last = group;
    all.truth.push_back(windows[i].label);
    all.predicted.push_back(predicted[i]);
    all.scores.push_back(static_cast<double>(probabilities(i, 1)));
    all.group_of.push_back(number);
  }
  const std::vector<std::int32_t> labels = windows.labels();
  const evaluate::LabelledRows rows = evaluate::labelled_rows(probabilities, labels);
  if (rows.labels.empty()) return all;
  all.losses = log_losses(rows.probabilities, rows.labels);
  all.brier = brier_scores(rows.probabilities, rows.labels);
  return all;
}

struct NamedStatistic {
  const char *key, *name;
  Statistic statistic;
};

// The statistics refer to their arguments, which must outlive them.
std::vector<NamedStatistic> binary_statistics(const std::vector<std::uint8_t>& truth,
                                              const std::vector<std::uint8_t>& flags, const RankedScores& ranked) {
  using Counts = std::span<const double>;
  static constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  // A resample without positives says nothing about how they are found.
  const auto of_confusion = [&truth, &flags](double (Confusion::*measure)() const) {
    return [&truth, &flags, measure](Counts counts) {
      const Confusion found = confusion(truth, flags, counts);
      return found.positives() == 0 && measure != &Confusion::accuracy ? kUndefined : (found.*measure)();
    };
  };
  return {
      {"precision", "precision", of_confusion(&Confusion::precision)},
      {"recall", "recall", of_confusion(&Confusion::recall)},
      {"f1", "F1", of_confusion(&Confusion::f1)},
      {"auc_pr", "AUC-PR", [&ranked](Counts counts) { return ranked.average_precision(counts).value_or(kUndefined); }},
      {"auc_roc", "AUC-ROC", [&ranked](Counts counts) { return ranked.auc_roc(counts).value_or(kUndefined); }},
      {"accuracy", "accuracy", of_confusion(&Confusion::accuracy)}};
}

std::vector<NamedStatistic> class_statistics(const Labelled& all, std::size_t classes) {
  const auto of_report = [&all, classes](auto measure) {
    return [&all, classes, measure](std::span<const double> counts) {
      return measure(class_report(all.truth, all.predicted, classes, counts));
    };
  };
  return {{"accuracy", "accuracy", of_report([](const ClassReport& r) { return r.accuracy; })},
          {"macro_f1", "macro F1", of_report([](const ClassReport& r) { return r.macro.f1; })},
          {"weighted_f1", "weighted F1", of_report([](const ClassReport& r) { return r.weighted.f1; })}};
}

// Without an interval of the ECE: resamples repeat windows, so their ECE is above that of the windows themselves.
std::vector<NamedStatistic> probability_statistics(const Labelled& all) {
  const auto of_losses = [](const std::vector<double>& losses) {
    return [&losses](std::span<const double> counts) { return mean_loss(losses, counts); };
  };
  return {{"log_loss", "log loss", of_losses(all.losses)}, {"brier", "Brier score", of_losses(all.brier)}};
}

std::vector<NamedStatistic> statistics_of(const Labelled& all, std::size_t classes,
                                          const std::vector<std::uint8_t>& truth,
                                          const std::vector<std::uint8_t>& flags, const RankedScores& ranked) {
  std::vector<NamedStatistic> statistics =
      classes == 2 ? binary_statistics(truth, flags, ranked) : class_statistics(all, classes);
  std::ranges::move(probability_statistics(all), std::back_inserter(statistics));
  return statistics;
}

}  // namespace

Evaluation evaluate_predictions(Matrix<float> probabilities, const Windows& windows, const EvaluationOptions& options,
                                ThreadPool& pool) {
  Evaluation evaluation{.probabilities = std::move(probabilities), .scores = {}, .measures = {}, .options = options};
  const std::size_t classes = evaluation.probabilities.columns;
  evaluation.of_series = !windows.dataset().has_point_labels();
  evaluation.scores = score_predictions(evaluation.probabilities, windows, {.threshold = options.threshold});
  const Labelled all = labelled_of(windows, evaluation.probabilities, options.threshold, evaluation.of_series);
  evaluation.groups = all.group_of.empty() ? 0 : all.group_of.back() + 1;
  const std::vector<std::uint8_t> truth = flags_of(all.truth), flags = flags_of(all.predicted);
  const RankedScores ranked(all.scores, truth);
  const BootstrapOptions how{
      .resamples = options.resamples, .level = options.level, .seed = options.seed, .pool = &pool};
  for (const auto& [key, name, statistic] : statistics_of(all, classes, truth, flags, ranked))
    evaluation.measures.push_back({key, name, bootstrap_groups(all.group_of, statistic, how)});
  if (evaluation.groups < 2)  // nothing to resample
    for (Measure& measure : evaluation.measures) measure.found.interval = {NAN, NAN};
  return evaluation;
}

Json to_json(const Evaluation& evaluation) {
  Json intervals = Json::object();
  for (const Measure& measure : evaluation.measures)
    intervals.set(measure.key, Json::Array{measure.found.interval.low, measure.found.interval.high});
  return Json::Object{{"scores", to_json(evaluation.scores)},
                      {"intervals", intervals},
                      {"level", evaluation.options.level},
                      {"resamples", evaluation.options.resamples},
                      {"resampled", evaluation.of_series ? "series" : "stretches"},
                      {"groups", evaluation.groups}};
}

}  // namespace faithful
