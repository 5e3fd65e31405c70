#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"
#include "faithful/trained/readings.h"
#include "faithful/trained/trained_model.h"
#include "faithful/window/windows.h"

namespace faithful {

// What a model predicts for windows, in their order.
struct Predictions {
  std::vector<Window> windows = {};        // [N]: series, begin, length, and the label where the data has one
  Matrix<float> probabilities = {};        // [N, K], each row sums to 1
  std::vector<std::int32_t> classes = {};  // [N], decided by the model's threshold; kNoLabel where the score is invalid
  std::vector<PredictionCheck> checks = {};  // [N], whether each can be trusted
};

// Every window of every series, cut as in training: see WindowOptions. A series shorter than a window is padded; a
// model of whole series takes each as one window. The data set must fit the model. The same bits for any number of
// threads.
//
//   const TrainedModel model = load_model("pump.safetensors");
//   const Predictions found = predict(model, load_for_model("today.csv", model), pool);
FAITHFUL_API Predictions predict(const TrainedModel& model, const Dataset& dataset, ThreadPool& pool);

// The same in consecutive pieces, for large results.
FAITHFUL_API void predict(const TrainedModel& model, const Dataset& dataset, ThreadPool& pool,
                          const std::function<void(const Predictions&)>& take);

// Prediction sets of a model of whole series. A set has the true class with probability `coverage`, if new series are
// drawn like those of the training (split conformal prediction; LAC: Sadinle, Lei, Wasserman 2019).
//
//   const SetLimit limit = choose_set_limit(model, 0.9);
//   const std::vector<std::int32_t> classes = prediction_set(found.probabilities.row(i), limit);
struct SetLimit {
  float value = 1;        // a set has the classes with 1 - p <= value
  std::string note = {};  // for the user, where every set has all classes
};

// InputError for a model of windows, whose windows overlap, for one without held-out scores, and for a coverage that is
// not between 0 and 1. All classes, and a note, where the held-out scores are too few to promise this coverage.
FAITHFUL_API SetLimit choose_set_limit(const TrainedModel& model, double coverage);

// The most probable class, always, and all others within the limit: numbers, most probable first. probabilities: [K]
FAITHFUL_API std::vector<std::int32_t> prediction_set(std::span<const float> probabilities, const SetLimit& limit);

// Windows of the caller, one after the other, all of the model's length: values [B, length, C] as measured, scaled
// here as new data is (prediction_scaler); out [B, K]. On the caller's thread. InputError where a score is not a finite
// number.
FAITHFUL_API void predict_windows_into(const TrainedModel& model, std::span<const float> values, std::span<float> out);

// Some rows of a table, and what the model predicts for windows in them.
struct TablePiece {
  const Dataset& rows;       // one series; windows are places in it
  std::size_t offset;        // of its first row in the table
  const Predictions& found;  // of the windows that end in this piece
};

// Scores a table of one series (see can_stream) that may be larger than memory: reads some MB at a time and keeps the
// rows that the next window needs. Windows and predictions are those of the whole table, bit for bit. Gives notes for
// the user to `note`. InputError as in fit_to_model.
FAITHFUL_API void predict_table(const TrainedModel& model, const std::string& path, const ReadOptions& options,
                                ThreadPool& pool, const std::function<void(const TablePiece&)>& take,
                                const std::function<void(const std::string&)>& note);

// What to say of so many samples at the ends of series, which no window holds; empty where there are none.
FAITHFUL_API std::string tail_note(std::size_t samples, const TrainedModel& model);

}  // namespace faithful
