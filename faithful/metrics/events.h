#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/metrics/confusion.h"

// Anomalies are events that last. A user wants to know whether an event was detected, how soon, and how many alarms
// were false.
//
//   event        a maximal run of anomalous points (or windows) of one timeline
//   detected     at least one point inside of the event is flagged
//   alarm        a maximal run of flagged points of one timeline
//   false alarm  an alarm without any anomalous point; one that touches an event, however long, is none
//   delay        from the first point of a detected event to its first flagged point; 0 where an alarm was already on
//
// Event-wise recall is detected / events, precision detected / (detected + false alarms), F1 their harmonic mean.

namespace faithful {

// One uninterrupted stretch of points or windows, in order of time. Other series, and other pieces of a split, are
// other timelines: a run never crosses from one to another.
struct Timeline {
  std::span<const std::uint8_t> truth;  // [n]
  std::span<const std::uint8_t> flags;  // [n]
  std::span<const double> times = {};   // [n], never decreasing, in any unit; empty: the index
};

struct FAITHFUL_API EventScores {
  std::size_t events = 0, detected = 0;
  std::size_t false_alarms = 0;
  std::vector<double> delays;  // [detected], in the order of the timelines

  std::size_t missed() const { return events - detected; }
  double precision() const;  // 0 where there is neither a detected event nor a false alarm
  double recall() const;     // 0 without events
  double f1() const;
  std::optional<double> mean_delay() const;    // of the detected events; none where all were missed
  std::optional<double> median_delay() const;  // the mean of the middle two where their number is even
};
FAITHFUL_API EventScores event_scores(std::span<const Timeline> timelines);

// For each point, all timelines one after another, the number of its stretch: each event, and each maximal run of
// normal points, is one, numbered from 0. What a bootstrap over events draws (bootstrap_groups). [sum of n]
FAITHFUL_API std::vector<std::size_t> stretches(std::span<const Timeline> timelines);

// The confusion after every point of a detected event is flagged. INFLATED: when events are long, a random score gets a
// high F1. So report it only beside the value of a random score.
FAITHFUL_API Confusion point_adjusted_confusion(std::span<const Timeline> timelines);

}  // namespace faithful
