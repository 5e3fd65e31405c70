#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/evaluate/evaluation.h"
#include "faithful/evaluate/labelled_internal.h"
#include "faithful/metrics/calibration.h"
#include "faithful/model/infer.h"
#include "faithful/trained/match.h"
#include "faithful/trained/readings.h"

namespace faithful {

namespace {

bool has_labels(const Series& series) {
  return series.label != kNoLabel || !series.labels.empty();
}

// Series that nobody labelled say nothing about a model.
void keep_labelled(Dataset& dataset) {
  const std::size_t before = dataset.series.size();
  std::erase_if(dataset.series, [](const Series& one) { return !has_labels(one); });
  if (dataset.series.empty())
    reject({{dataset.source}, "labels to compare with", "none", field_text("label", "COLUMN")});
  if (dataset.series.size() < before)
    dataset.notes.push_back(fmt::format("{} series without labels are left out", before - dataset.series.size()));
}

Windows test_part(const Dataset& dataset, const TrainedModel& model) {
  Windows windows = held_out_windows(dataset, model);
  if (std::ranges::all_of(windows.labels(), [](std::int32_t label) { return label == kNoLabel; }))
    reject({{.field = "held_out"}, "a model whose training left a test part with labels", "none"});
  return windows;
}

// The bins that have windows: [{low, high, confidence, right, count}].
Json reliability_json(const Matrix<float>& probabilities, const Windows& windows) {
  Json bins = Json::array();
  const std::vector<std::int32_t> labels = windows.labels();
  const evaluate::LabelledRows rows = evaluate::labelled_rows(probabilities, labels);
  if (rows.labels.empty()) return bins;
  for (const ReliabilityBin& bin : reliability_bins(rows.probabilities, rows.labels)) {
    if (bin.count == 0) continue;
    bins.push_back(Json::Object{{"low", bin.low},
                                {"high", bin.high},
                                {"confidence", bin.confidence},
                                {"right", bin.right},
                                {"count", bin.count}});
  }
  return bins;
}

// Of anomalous points that no window covers: what happens there has no score. Empty: there are none.
std::string uncovered_note(const Windows& windows) {
  const Dataset& dataset = windows.dataset();
  std::vector<std::vector<std::uint8_t>> left;  // of each series, the labels that no window covers
  std::size_t all = 0, uncovered = 0;
  for (const Series& series : dataset.series) {
    left.push_back(series.labels);
    all += static_cast<std::size_t>(std::ranges::count(series.labels, 1));
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::vector<std::uint8_t>& labels = left[windows[i].series];
    if (!labels.empty()) std::fill_n(labels.begin() + windows[i].begin, windows[i].length, std::uint8_t{0});
  }
  for (const std::vector<std::uint8_t>& labels : left)
    uncovered += static_cast<std::size_t>(std::ranges::count(labels, 1));
  if (uncovered == 0) return {};
  return fmt::format(
      "{} of {} anomalous samples lie in no window, and are not scored: a model that was trained with a smaller {} "
      "misses fewer at the end of a series",
      uncovered, all, field_text("stride"));
}

std::string acquaintance_note(const Acquaintance& found) {
  const std::string flag = field_text("held_out");
  if (found.kind == Acquaintance::Kind::kPart)
    return fmt::format(
        "about {:.0f} % of the data that the model was trained on is in this data, so the scores are too "
        "good",
        100 * found.share);
  if (found.kind == Acquaintance::Kind::kSameData)
    return fmt::format("the model was trained on this data, so the scores are too good: {} takes only its test part",
                       flag);
  if (found.kind == Acquaintance::Kind::kSameName)
    return "this data has the name of that which the model was trained on: where it has the same rows, the scores are "
           "too good";
  return {};
}

}  // namespace

Windows windows_to_evaluate(Dataset& dataset, const TrainedModel& model, bool held_out) {
  if (held_out) return test_part(dataset, model);
  if (std::string note = acquaintance_note(acquaintance_of(dataset, model)); !note.empty())
    dataset.notes.push_back(std::move(note));
  if (std::string note = scaling_note(model); !note.empty()) dataset.notes.push_back(std::move(note));
  keep_labelled(dataset);
  Windows windows = cut_for_model(dataset, model);
  if (std::string note = uncovered_note(windows); !note.empty()) dataset.notes.push_back(std::move(note));
  const std::vector<std::size_t> counts = windows.class_counts();
  for (std::size_t k = 0; k < counts.size() && counts.size() == 2; ++k)
    if (counts[k] == 0)
      dataset.notes.push_back(
          fmt::format("no window is {}: measures that compare the classes are not defined", quote(model.classes[k])));
  return windows;
}

Evaluation evaluate_model(const TrainedModel& model, const Windows& windows, EvaluationOptions options,
                          ThreadPool& pool) {
  options.threshold = model.threshold;
  Matrix<float> probabilities = probabilities_of(*model.predictor, windows, pool);
  require_scores(model, windows, probabilities);
  return evaluate_predictions(std::move(probabilities), windows, options, pool);
}

Json to_json(const Evaluation& evaluation, const TrainedModel& model, const Windows& windows, bool held_out) {
  Json json = to_json(evaluation);
  return json.set("reliability", reliability_json(evaluation.probabilities, windows))
      .set("data", windows.dataset().name)
      .set("held_out", held_out)
      .set("threshold", model.classes.size() == 2 ? Json(model.threshold) : Json())
      .set("classes", Json(Json::Array(model.classes.begin(), model.classes.end())));
}

}  // namespace faithful
