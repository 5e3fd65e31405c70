#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/io/json.h"
#include "faithful/trained/trained_model.h"

// From a trained model and data: the alarms, the sensors and times that caused them, and how often the diagnosis is
// right.

namespace faithful {

struct DiagnoseOptions {
  std::string class_name = {};                // the class to detect; empty: the second of two
  std::optional<double> above = {};           // an alarm is a score of at least this; none: the model's threshold
  std::vector<std::string> only_series = {};  // these, by name or by number from 1; empty: all
  const Dataset* normal = nullptr;            // what normal looks like (see choose_normal); must fit the model
  bool held_out = false;                      // only the test part of the model's own training
  std::size_t most = 100;                     // alarms to examine, highest score first
  std::uint64_t seed = 1;                     // of the intervals' resamples
  bool progress = false;                      // show a bar
};

// The window with the highest score, alarm or not.
struct SurestWindow {
  std::size_t series = 0;
  double score = 0;
};

// Model and data set must outlive it.
struct FAITHFUL_API DiagnosisReport {
  const TrainedModel& model;
  const Dataset& dataset;
  std::size_t class_number = 1;  // that is detected
  double threshold = 0.5;
  std::size_t alarms = 0;                              // how many there are; perhaps not all were examined
  std::vector<Diagnosis> found = {};                   // highest score first
  std::vector<std::optional<AlarmTruth>> truths = {};  // [found], by the labels
  std::optional<DiagnosisScores> scores = {};          // if the data has labels of the faults
  Normal normal = {};
  ScalerRecord scaler = {};                 // of the windows
  std::optional<SurestWindow> surest = {};  // none where the chosen series have no window

  const Series& series_of(const Diagnosis& one) const { return dataset.series[one.alarm.series]; }
  const std::string& class_name() const { return model.classes[class_number]; }
};

// What is normal, from the first of these that is available: the windows of `reference` (without those labelled as the
// class to detect; only the training part if it has parts), the windows of the data that score below the threshold, the
// middle of the model's scaler. scores: [windows]
FAITHFUL_API Normal choose_normal(const TrainedModel& model, const Windows& windows, std::span<const double> scores,
                                  double threshold, std::size_t class_number, const Dataset* reference,
                                  ThreadPool& pool);

// Scores the windows, joins those that reach the threshold into alarms, and diagnoses each alarm. The data set must fit
// the model (load_for_model). InputError for unknown classes and series.
FAITHFUL_API DiagnosisReport diagnose(const TrainedModel& model, const Dataset& dataset, const DiagnoseOptions& options,
                                      ThreadPool& pool);

// {"class", "threshold", "normal", "alarms": [{"series", "begin", "end", "score", "sensors": [..], "spans": [..],
// "methods": {..}, "agreement": [..], "truth": {..}}], "scores": {..}}; docs/diagnose.md has every key.
FAITHFUL_API Json to_json(const DiagnosisReport& report);

}  // namespace faithful
