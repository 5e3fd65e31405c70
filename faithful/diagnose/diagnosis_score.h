#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/metrics/bootstrap.h"

// Is a diagnosis right? If the data says which sensors were at fault, and when, every method is scored, and so are two
// kinds of baselines: a random order, and the sensors that deviate most from normal.

namespace faithful {

// What the labels say about an alarm.
struct AlarmTruth {
  bool is_false = false;                  // nothing was wrong there
  std::vector<std::size_t> sensors = {};  // at fault, ascending; empty: not known
  std::vector<Range> spans = {};          // of the faults, cut to the alarm, apart, in order; empty: not known
  std::vector<std::string> kinds = {};    // such as "rope_slip"; may be empty
};

// The truth of an alarm about class `class_number`; none if the series has no labels.
FAITHFUL_API std::optional<AlarmTruth> truth_of(const Series& series, const Alarm& alarm, std::size_t class_number = 1);

// hit@1, hit@3      1 where one of the first k sensors is at fault
// hit@100%, @150%   of the sensors at fault, the share among the first floor(P |at fault|), as the root-cause work on
//                   SMD has it (OmniAnomaly)
// pointing          1 where the piece of most weight (per sample) has its middle inside of a fault's span
// overlap           of the first suspected span and the faults' spans: samples in both / samples in either
enum DiagnosisMeasure : std::size_t { kHit1, kHit3, kHit100, kHit150, kPointing, kOverlap, kDiagnosisMeasures };
inline constexpr std::array<const char*, kDiagnosisMeasures> kDiagnosisMeasureNames = {
    "hit@1", "hit@3", "hit@100%", "hit@150%", "pointing", "overlap"};

// NaN if the method or the labels say nothing about it.
using MeasureRow = std::array<double, kDiagnosisMeasures>;
FAITHFUL_API MeasureRow score_answer(const MethodAnswer& answer, std::span<const Range> pieces,
                                     const AlarmTruth& truth);

// The expected measures of sensors and pieces in random order, and of a span of `length` samples at a random place in
// `within`.
FAITHFUL_API MeasureRow random_scores(std::size_t sensors, std::span<const Range> pieces, const AlarmTruth& truth,
                                      std::size_t length, const Range& within);

struct ScoredMethod {
  std::string method;
  std::array<std::optional<Bootstrap>, kDiagnosisMeasures> measures;  // none: says nothing about it
};

// One method minus another, alarm by alarm.
struct ScoredDifference {
  std::string method, other;
  std::array<std::optional<Bootstrap>, kDiagnosisMeasures> measures;
};

struct DiagnosisScores {
  std::size_t alarms = 0;                     // whose truth is known, not counting false ones
  std::size_t false_alarms = 0;               // they are not scored
  std::size_t with_sensors = 0, in_time = 0;  // alarms whose sensors, whose spans are known
  std::vector<ScoredMethod> methods;          // all, attention, occlusion, gradient
  std::vector<ScoredMethod> baselines;        // largest peak, largest mean, random
  std::vector<ScoredDifference> differences;  // of each method to random, and to the better of the two deviations
                                              // (other = "deviation"), measure by measure
};

// Means over alarms, with intervals by bootstrap over alarms. truths: [diagnoses]. None if no truth is known.
FAITHFUL_API std::optional<DiagnosisScores> score_diagnoses(std::span<const Diagnosis> diagnoses,
                                                            std::span<const std::optional<AlarmTruth>> truths,
                                                            const BootstrapOptions& options = {});

}  // namespace faithful
