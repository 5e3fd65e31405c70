#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/data/read.h"
#include "faithful/io/json.h"
#include "faithful/metrics/threshold.h"
#include "faithful/window/scale.h"
#include "faithful/window/seen_range.h"
#include "faithful/window/split.h"
#include "faithful/window/windows.h"

// The trained model. Training makes it; evaluation, prediction and diagnosis take it.

namespace faithful {

class WindowModel;  // faithful/model/infer.h
class Transformer;
class KernelModel;    // faithful/kernels/kernel_model.h
struct ContentMarks;  // faithful/window/marks.h
struct WindowShape;

// What a model of whole series keeps of predictions for series that it had not seen, so that it can predict sets
// (choose_set_limit): the nonconformities 1 - p(label), ascending.
struct ConformalScores {
  std::vector<float> scores = {};  // [min(count, 1000)]; of more, those of evenly spread ranks
  std::size_t count = 0;           // of the held-out series
  std::string method = "LAC";
};

// A model of windows with everything around it, from the columns of the data to the names of the classes.
struct FAITHFUL_API TrainedModel {
  std::shared_ptr<const WindowModel> predictor = {};  // a Transformer or a KernelModel
  std::vector<std::string> channels = {};             // [C], names, each once
  std::vector<std::string> classes = {};              // [K], names, each once; of two, the second is the positive one
  WindowOptions window = {};                          // as training cut them; length 0: every series whole
  std::size_t shortest_window = 1;                    // samples, without padding, of the shortest in training
  ScalerRecord scaler = {};                           // fitted on the training part
  SeenRange seen = {};                                // of the training readings; unknown in old model files
  double threshold = 0.5;                             // two classes: the second if its probability is at least this
  std::string threshold_from = "default";             // where it came from, in words
  std::optional<ThresholdCurve> thresholds = {};      // what others would do on the validation part; none: not known
  std::optional<ConformalScores> conformal = {};      // none: not known, or a model of windows
  Json record = Json::object();                       // how it was trained, on which data, and its scores

  WindowShape shape() const;
  std::size_t weight_count() const;        // that training changed
  const Transformer* transformer() const;  // null for other kinds
  const KernelModel* kernels() const;      // null for other kinds
  bool takes_whole_series() const { return window.length == 0; }
};

// All windows of a data set that fits the model (fit_to_model), cut as in training and scaled by prediction_scaler. The
// data set must outlive them.
FAITHFUL_API Windows cut_for_model(const Dataset& dataset, const TrainedModel& model);

// What scales new data: the statistics of all training samples, or each window's own. Never those of one training
// series: a name does not make new data part of the training. scale_as() chooses a series.
FAITHFUL_API ScalerRecord prediction_scaler(const TrainedModel& model);

// A threshold by a rule other than kAuto and kBestF1. InputError for more than two classes, and where the model does not
// keep its validation scores (files before version 0.2) and the rule needs them.
FAITHFUL_API ChosenThreshold choose_threshold(const TrainedModel& model, const ThresholdRule& rule);

// The same, and makes it the model's. Returns the warning of ChosenThreshold.
FAITHFUL_API std::string set_threshold(TrainedModel& model, const ThresholdRule& rule);

// The split of a training, as a model's record keeps it: enough to make every part again.
FAITHFUL_API Json split_json(const SplitOptions& split);
FAITHFUL_API SplitOptions parse_split(const Json& json, const std::string& place);

// How the training table was read, as a model's record keeps it. Of a record without it (other formats, files before
// version 0.2), nothing is known.
FAITHFUL_API Json table_json(const TableColumns& table);
FAITHFUL_API TableColumns recorded_table(const TrainedModel& model);

// The usual step in time of the training data, in seconds; 0: it had no times, or the file's version did not record it.
FAITHFUL_API double recorded_step(const TrainedModel& model);

// By what the training data is known again; none in files of versions that did not record them.
FAITHFUL_API Json marks_json(const ContentMarks& marks);
FAITHFUL_API ContentMarks recorded_marks(const TrainedModel& model);

// What became of missing values in training; kError for files of versions that did not record it.
FAITHFUL_API Missing recorded_missing(const TrainedModel& model);

// The test part of the model's own training: the data set split again as its record says. The digest in the record
// proves that the windows are the same. InputError if the data set is not the one of the training.
FAITHFUL_API Windows held_out_windows(const Dataset& dataset, const TrainedModel& model);

// Was the model trained on this data set? Split as the training data was, a part of it has the digest in the record; or
// it has a share of the stretches that the record marks; or, where the record marks none, its name is the same (of
// arrays: name and rows). Of a set that was split as given, the test part is new.
struct Acquaintance {
  enum class Kind : std::uint8_t { kNone, kSameName, kPart, kSameData } kind = Kind::kNone;
  double share = 0;  // of the training data that this data has, where the kind is kPart
};
FAITHFUL_API Acquaintance acquaintance_of(const Dataset& dataset, const TrainedModel& model);

}  // namespace faithful
