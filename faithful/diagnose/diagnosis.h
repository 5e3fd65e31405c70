#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/range.h"
#include "faithful/metrics/bootstrap.h"

// Which sensor, and when: what made a trained model raise an alarm, by four independent methods.
//
//   attention   where the model looked (attention_diagnosis.h). An ordinary encoder sees all sensors of a step at once:
//               its attention says when, by rollout, and nothing about sensors
//   occlusion   how much the logit falls where a sensor, or a span, is replaced by that of the window's normal version
//               (occlusion.h, normal_version.h)
//   gradient    gradient x input: the sum of dlogit/dx (x - normal), with the mean gradient on the way from normal to x
//               (integrated gradients), so that the sums over all sensors, and over all steps, are the whole change
//   disagreement  how far a sensor is from what the other sensors say it should read (relations.h). It needs no model
//
// and, as a baseline that needs no model, the deviation from normal.

namespace faithful {

// An alarm: flagged windows of one series that overlap or touch.
struct Alarm {
  std::size_t series = 0;
  Range span = {};                          // of the series: all of its windows
  double score = 0;                         // the highest score of its windows
  std::size_t flagged = 0;                  // windows
  std::vector<std::uint32_t> windows = {};  // numbers of the windows to examine: see find_alarms
};

// What each sensor should read by the other sensors at the same sample: its linear regression on them over normal
// windows. In units of its scale, a sensor differs from that by sum_j weights(c, j) (x_j - mean_j) / scale_j.
struct Relations {
  Matrix<double> weights = {};         // [C, C], 1 on the diagonal; empty: not known
  std::vector<double> mean = {};       // [C]
  std::vector<double> scale = {};      // [C]: standard deviation, at least 1e-3
  std::vector<double> deviation = {};  // [C]: of the difference over normal windows, in units of the scale, above 0
};

// Normal windows, and how a window's normal version is made of them (normal_version.h). Readings are sensor by sensor.
struct NormalWindows {
  std::size_t length = 0, count = 0;         // samples; windows: 0 if there are none
  std::vector<float> readings = {};          // [C, count, length], minus the mean
  std::vector<float> mean = {};              // [C, length]
  std::vector<float> least = {}, most = {};  // [C]: of all normal readings
  std::vector<Matrix<double>> weights = {};  // [C] of [count, count]; empty: the others say nothing about this sensor
};

// In scaled units. One row where all samples share it, else one for each sample of a window.
struct Normal {
  Matrix<float> mean;       // [1, C] or [length, C]
  Matrix<float> deviation;  // of the same shape, above 0
  std::string from = {};    // in words: "the mean, sample by sample, of the 97 windows of .."
  Relations relations = {};
  NormalWindows windows = {};

  std::size_t row(std::size_t sample) const { return mean.rows == 1 ? 0 : sample; }
  float mean_at(std::size_t sample, std::size_t channel) const { return mean(row(sample), channel); }
  float deviation_at(std::size_t sample, std::size_t channel) const { return deviation(row(sample), channel); }
};

struct SuspectedSpan {
  Range span;
  double share = 0;  // of all weight
};

// How far two rankings of the same things agree.
struct Agreement {
  std::optional<double> spearman;  // correlation of the ranks, -1 .. 1; none if one ranking is constant
  bool same_first = false;         // both have the same first
  std::size_t common = 0;          // of the first three (or fewer, where there are fewer), how many both name
};

struct OcclusionDiagnosis {
  std::vector<double> sensors;                // [C], change of the logit
  std::vector<Range> spans;                   // samples of the window
  std::vector<double> changes;                // [spans], of each with all its sensors
  std::vector<std::size_t> detailed_sensors;  // the first by `sensors`
  Matrix<double> detailed;                    // [detailed_sensors, spans]
};

// What one method says about an alarm. Larger weights are more suspect. Each method has its own units.
struct MethodAnswer {
  std::string method;                     // "attention", "occlusion", "gradient", "disagreement", "together", ...
  std::vector<double> sensors = {};       // [C]; empty: the method says nothing about sensors
  std::vector<double> times = {};         // [pieces]
  std::vector<SuspectedSpan> spans = {};  // that stand out in `times`, most suspect first
};

// Details of the window with the highest score of an alarm.
struct WindowDetails {
  Range span;               // of the series
  std::size_t step = 1;     // samples of a step
  Matrix<double> temporal;  // [S, S]: attention over steps (an encoder's last layer), mean over heads
  std::vector<Matrix<double>> temporal_heads;  // [H] of [S, S]
  Matrix<double> spatial;                      // [C, C]: attention over sensors; empty: the model has none
  std::vector<Matrix<double>> spatial_heads;   // [H] of [C, C]
  // The local versions, of what the attention points at; empty as above.
  std::size_t first_sensor = 0, first_step = 0;
  std::vector<double> steps_of_first;    // [S]: when, for that sensor alone
  std::vector<double> sensors_at_first;  // [C]: where, at that step alone
  OcclusionDiagnosis occlusion;
};

struct Diagnosis {
  Alarm alarm;
  std::vector<Range> pieces;            // of the series: the steps of the examined windows, in order of time
  std::vector<MethodAnswer> methods;    // attention, occlusion, gradient, disagreement, as far as they are known
  MethodAnswer together;                // what the advice says: see docs/diagnose.md, The methods
  std::vector<MethodAnswer> baselines;  // "largest peak": max |z| of a sensor; "largest mean": mean |z|
  WindowDetails details;
};

// Whether each pair of methods agrees.
struct MethodAgreement {
  std::string first, second;
  std::optional<Agreement> sensors;  // none if one of them says nothing about sensors
  Agreement times;
};
FAITHFUL_API std::vector<MethodAgreement> agreements(const Diagnosis& diagnosis);

// What the labels say about an alarm.
struct AlarmTruth {
  bool is_false = false;                  // nothing was wrong there
  std::vector<std::size_t> sensors = {};  // at fault, ascending; empty: not known
  std::vector<Range> spans = {};          // of the faults, cut to the alarm, apart, in order; empty: not known
  std::vector<std::string> kinds = {};    // such as "rope_slip"; may be empty
};

// hit@1, hit@3      1 where one of the first k sensors is at fault
// hit@100%, @150%   of the sensors at fault, the share among the first floor(P |at fault|), as the root-cause work on
//                   SMD has it (OmniAnomaly)
// pointing          1 where the piece of most weight (per sample) has its middle inside of a fault's span
// overlap           of the first suspected span and the faults' spans: samples in both / samples in either
enum DiagnosisMeasure : std::size_t { kHit1, kHit3, kHit100, kHit150, kPointing, kOverlap, kDiagnosisMeasures };
inline constexpr std::array<const char*, kDiagnosisMeasures> kDiagnosisMeasureNames = {
    "hit@1", "hit@3", "hit@100%", "hit@150%", "pointing", "overlap"};

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
  std::vector<ScoredMethod> methods;          // together, attention, occlusion, gradient, disagreement
  std::vector<ScoredMethod> baselines;        // largest peak, largest mean, random
  std::vector<ScoredDifference> differences;  // of each method to random, and to the better of the two deviations
                                              // (other = "deviation"), measure by measure
};

}  // namespace faithful
