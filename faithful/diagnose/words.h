#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/diagnose/diagnose.h"

// Diagnoses in words: when, which sensor, and whether it was right.

namespace faithful {

// The clock of a series: its timestamps, else seconds where the data states a rate, else numbers of samples.
class FAITHFUL_API Clock {
 public:
  Clock(const Dataset& dataset, const Series& series);

  double at(std::size_t sample) const;  // for an axis
  std::string axis_label() const;
  std::string axis_unit() const;
  std::string text(std::size_t sample) const;                             // "12.5 s", "sample 120", a timestamp
  std::string span_text(const Range& span) const;                         // "12.5 s to 14 s"
  std::string span_words(const std::vector<SuspectedSpan>& spans) const;  // of the first; empty: none

 private:
  std::size_t inside(std::size_t sample) const;

  const Series& series_;
  double rate_;
};

// The sensors that are named first: the most suspect one, and up to two more with at least half of its weight.
FAITHFUL_API std::vector<std::size_t> first_sensors(const MethodAnswer& answer);

// How many alarms there are, of what threshold, against what normal; or how far the data is from an alarm.
FAITHFUL_API std::string summary_words(const DiagnosisReport& report);

// The sentence that an operator should read first about alarm `number` of the report.
FAITHFUL_API std::string advice(const DiagnosisReport& report, std::size_t number);
FAITHFUL_API std::string truth_words(const DiagnosisReport& report, std::size_t number);  // empty: nothing is known

}  // namespace faithful
