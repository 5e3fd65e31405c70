#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/metrics/summary.h"

// How a threshold is chosen from scores whose truth is known: those of the validation part.

namespace faithful {

// Scores of one uninterrupted stretch of windows, in order of time.
struct ScoredTimeline {
  std::span<const double> scores;       // [n], probabilities
  std::span<const std::uint8_t> truth;  // [n]
};

// What a threshold does on these scores. Events and false alarms as in events.h.
struct ThresholdPoint {
  double threshold = 0, precision = 0, recall = 0;
  std::size_t detected = 0, false_alarms = 0;
};

// All that later choices need: what a model file keeps of the validation scores.
struct FAITHFUL_API ThresholdCurve {
  std::vector<ThresholdPoint> points = {};  // thresholds falling; every score of the highest ones, then ever fewer
  std::size_t windows = 0, positives = 0, events = 0;
  double samples = 0, days = 0;                       // that the windows cover; days 0: there are no times
  double lowest_normal = 0, highest_anomalous = 0;    // scores
  std::optional<double> smoothed_f1 = {};             // the threshold of smoothed_f1_threshold
  std::optional<Interval> smoothed_f1_interval = {};  // 95 %

  double false_alarm_rate(const ThresholdPoint& point) const;  // a day, or per 1000 samples where there are no times
  std::string rate_unit() const;                               // "a day", "per 1000 samples"
};

// The threshold with the largest smoothed F1. Scores are smoothed as log odds, by a logistic kernel whose width follows
// the number of events (Silverman's rule): with few events, F1 of the scores as they are follows single windows. It is
// put in the middle between the two scores it lies between, in log odds. None without both classes. The interval is of thresholds over resamples of whole events and the stretches between them.
struct SmoothedThreshold {
  double value = 0.5;
  Interval interval{};
};
FAITHFUL_API std::optional<SmoothedThreshold> smoothed_f1_threshold(std::span<const ScoredTimeline> timelines,
                                                                    std::size_t resamples = 200,
                                                                    std::uint64_t seed = 1);

// Empty points without both classes. samples and days are those that the timelines cover.
FAITHFUL_API ThresholdCurve threshold_curve(std::span<const ScoredTimeline> timelines, double samples, double days = 0);

enum class ThresholdKind : std::uint8_t {
  kAuto,         // 0.5 where series have one label, else kF1
  kValue,        // a number
  kF1,           // the largest smoothed F1
  kBestF1,       // the largest F1 of the scores as they are: what published studies here used
  kFalseAlarms,  // the most recall with at most so many false alarms, at every higher threshold too
};

struct ThresholdRule {
  ThresholdKind kind = ThresholdKind::kAuto;
  double value = 0.5;    // kValue: the threshold; kFalseAlarms: how many
  bool per_day = false;  // kFalseAlarms: a day, else per 1000 samples
  bool operator==(const ThresholdRule&) const = default;
};

// "auto", "0.7", "f1", "best-f1", "false-alarms=2/day", "false-alarms=0.5/1000samples". InputError otherwise.
FAITHFUL_API ThresholdRule parse_threshold_rule(std::string_view text);
FAITHFUL_API std::string to_string(const ThresholdRule& rule);

struct ChosenThreshold {
  double value = 0.5;
  std::string from = "default";  // in words
  std::string warning = {};      // it flags every normal window, or no anomalous one; else empty
};

// By a rule other than kAuto and kBestF1. InputError where the curve cannot say: no scores of both classes, no times.
FAITHFUL_API ChosenThreshold choose_threshold(const ThresholdCurve& curve, const ThresholdRule& rule);

}  // namespace faithful
