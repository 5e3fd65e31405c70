#include "faithful/predict/predict.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/decide.h"
#include "faithful/model/infer.h"

namespace faithful {

namespace {

// probabilities [B, K] of windows first, first + 1, ..
void check_finite(std::span<const float> probabilities, std::size_t first, std::size_t classes) {
  for (std::size_t i = 0; i < probabilities.size(); ++i)
    if (!std::isfinite(probabilities[i]))
      reject({{fmt::format("window {}", first + i / classes + 1)},
              "readings that the model can score",
              "values so large that the score is not a finite number"});
}

// The probabilities of windows `begin` to `begin + count - 1`, NaN where the model does not take the times of a window,
// and what it said of them. Each window is then asked by itself, because the others have an answer.
Matrix<float> probabilities_or_reasons(const TrainedModel& model, const Windows& windows, ThreadPool& pool,
                                       std::size_t begin, std::size_t count, std::vector<std::string>& reasons) {
  const WindowModel& predictor = *model.predictor;
  try {
    return probabilities_of(predictor, windows, pool, begin, count);
  } catch (const InputError&) {
    if (!model.shape().uses_times()) throw;
  }
  Matrix<float> found(std::min(count, windows.size() - begin), model.shape().classes);
  reasons.resize(found.rows);
  for (std::size_t i = 0; i < found.rows; ++i) {
    try {
      std::ranges::copy(probabilities_of(predictor, windows, pool, begin + i, 1).values, found.row(i).begin());
    } catch (const InputError& error) {
      std::ranges::fill(found.row(i), std::numeric_limits<float>::quiet_NaN());
      reasons[i] = error.what();
    }
  }
  return found;
}

}  // namespace

Predictions predict(const TrainedModel& model, const Dataset& dataset, ThreadPool& pool) {
  Predictions all;
  all.probabilities.columns = model.shape().classes;
  predict(model, dataset, pool, [&](const Predictions& piece) {
    all.windows.insert(all.windows.end(), piece.windows.begin(), piece.windows.end());
    all.classes.insert(all.classes.end(), piece.classes.begin(), piece.classes.end());
    all.checks.insert(all.checks.end(), piece.checks.begin(), piece.checks.end());
    const std::vector<float>& values = piece.probabilities.values;
    all.probabilities.values.insert(all.probabilities.values.end(), values.begin(), values.end());
    all.probabilities.rows += piece.probabilities.rows;
  });
  return all;
}

void predict(const TrainedModel& model, const Dataset& dataset, ThreadPool& pool,
             const std::function<void(const Predictions&)>& take) {
  const Windows windows = cut_for_model(dataset, model);
  constexpr std::size_t kBatchesOfPiece = 64;  // enough to keep many threads busy
  const std::size_t piece = model.predictor->batch() * kBatchesOfPiece;
  for (std::size_t begin = 0; begin < windows.size(); begin += piece) {
    Predictions found;
    std::vector<std::string> reasons;
    found.probabilities = probabilities_or_reasons(model, windows, pool, begin, piece, reasons);
    found.classes = decide(found.probabilities, model.threshold);
    for (std::size_t i = 0; i < found.classes.size(); ++i) {
      const Window& window = found.windows.emplace_back(windows[begin + i]);
      PredictionCheck& check = found.checks.emplace_back(check_prediction(model, dataset.series[window.series],
                                                                          {window.begin, window.begin + window.length},
                                                                          found.probabilities.row(i)));
      if (!reasons.empty()) check.refused = reasons[i];
      if (check.status == PredictionStatus::kInvalid) found.classes[i] = kNoLabel;
    }
    take(found);
  }
}

void predict_windows_into(const TrainedModel& model, std::span<const float> values, std::span<float> out) {
  const WindowShape shape = model.shape();
  const std::size_t window = shape.length * shape.channels, count = values.size() / window;
  const std::size_t batch = std::min(model.predictor->batch(), count);
  assert(values.size() == count * window && out.size() == count * shape.classes);
  if (shape.uses_times()) throw Error("a model whose positions are times needs a data set with times");
  std::vector<float> scaled(batch * window), logits(batch * shape.outputs());
  for (std::size_t begin = 0; begin < count; begin += batch) {
    const std::size_t size = std::min(batch, count - begin);
    const std::span<float> samples = std::span(scaled).first(size * window);
    const std::span<float> found = std::span(logits).first(size * shape.outputs());
    for (std::size_t i = 0; i < size; ++i)
      scale_window_into(model.scaler, model.scaler.common, values.subspan((begin + i) * window, window),
                        samples.subspan(i * window, window));
    model.predictor->logits_into({.count = size, .values = samples}, found);
    const std::span<float> probabilities = out.subspan(begin * shape.classes, size * shape.classes);
    probabilities_into<float>(found, shape.classes, probabilities);
    check_finite(probabilities, begin, shape.classes);
  }
}

}  // namespace faithful
