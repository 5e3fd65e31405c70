#pragma once

// Diagnoses in words: when, who, and whether it was right.

#include <string>
#include <vector>

#include "faithful/data/dataset.h"
#include "faithful/predict/model_file.h"
#include "faithful/study/diagnosis.h"
#include "faithful/study/diagnosis_score.h"

namespace faithful::app {

// All that faithful diagnose found out.
struct DiagnosisReport {
  const TrainedModel& model;
  const Dataset& dataset;
  std::size_t looked_for = 1;
  double threshold = 0.5;
  std::size_t alarms = 0;                              // there are; not all may have been looked into
  std::vector<Diagnosis> found = {};                   // surest first
  std::vector<std::optional<AlarmTruth>> truths = {};  // [found]
  std::optional<DiagnosisScores> scores = {};
  Normal normal = {};
  std::vector<std::string> notes = {};

  const Series& series_of(const Diagnosis& one) const { return dataset.series[one.alarm.series]; }
  const std::string& class_name() const { return model.classes[looked_for]; }
};

// The clock of a series: its timestamps, else seconds where the data states a rate, else numbers of samples.
class Clock {
 public:
  Clock(const Dataset& dataset, const Series& series);

  double at(std::size_t sample) const;  // for an axis
  std::string axis_label() const;
  std::string axis_unit() const;
  std::string text(std::size_t sample) const;                             // "12.5 s", "sample 120", a timestamp
  std::string span_text(const TimeSpan& span) const;                      // "12.5 s to 14 s"
  std::string span_words(const std::vector<SuspectedSpan>& spans) const;  // of the first; empty: none

 private:
  std::size_t inside(std::size_t sample) const;

  const Series& series_;
  double rate_;
};

// The sensors that are named first: the most suspect one, and up to two more with at least half of its weight.
std::vector<std::size_t> first_sensors(const MethodAnswer& answer);

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names);

// What a person who runs the plant should read first.
std::string advice(const DiagnosisReport& report, std::size_t number);
std::string truth_words(const DiagnosisReport& report, std::size_t number);  // empty: nothing is known

}  // namespace faithful::app
