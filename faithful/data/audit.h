#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/data/leaks.h"

// What a careful person checks before training, separately for each part of a data set.

namespace faithful {

struct ChannelAudit {
  std::string name;
  std::size_t missing = 0;          // values
  std::size_t constant_series = 0;  // series in which it never changes
  double mean = 0, deviation = 0;   // of all values that are there
  double low = 0, high = 0;
  std::size_t at_fault = 0;  // spans that name it
  bool two_valued = false;   // as a label is
};

// How well a baseline detects anomalies.
struct BaselineScore {
  double precision = 0, recall = 0, f1 = 0;
};

struct PartAudit {
  DataPart part = DataPart::kNone;
  std::size_t series = 0, rows = 0;
  std::size_t shortest = 0, median_length = 0, longest = 0;
  double rate = 0;                                    // samples a second, from the times or stated; 0: unknown
  double uneven_steps = 0;                            // share of the steps in time that differ from the median by > 1 %
  std::size_t gaps = 0;                               // steps in time that are gaps: see kGapSteps
  double longest_gap = 0;                             // in seconds; 0: none
  std::vector<ChannelAudit> channels;                 // [C]
  std::vector<std::vector<std::string>> same_series;  // names of series whose values are equal
  std::size_t labelled_rows = 0, anomalous_rows = 0;  // of series with point labels
  std::vector<std::size_t> class_counts;              // [K], series; empty without labels of series
  std::size_t spans = 0, spans_with_channels = 0;     // labelled spans, and those that name the channels at fault
  std::size_t shortest_span = 0, median_span = 0, longest_span = 0;
  std::array<double, 10> where = {};  // share of the anomalous rows in each tenth of their timeline
  // Baseline: the largest deviation from the mean of the series, in standard deviations, over the channels (points) or
  // over channels and time (series of two classes), at its best threshold.
  std::optional<BaselineScore> largest_deviation;
  std::optional<BaselineScore> all_positive;  // baseline: everything is anomalous
  std::vector<Leak> leaks;                    // channels that give the labels away
  std::vector<std::size_t> counters;          // channels that count the rows of the whole data set
  std::optional<double> largest_class;        // baseline: the accuracy of always predicting the most frequent class
};

struct Audit {
  std::string name, source, format;
  std::vector<std::string> channels, classes, notes;
  std::vector<PartAudit> parts;  // those that have series: train, test, or the only one
};

FAITHFUL_API Audit audit(const Dataset& dataset);

// For people: a block for each part.
FAITHFUL_API std::string audit_text(const Audit& audit);

// For programs: pretty JSON.
FAITHFUL_API std::string audit_json(const Audit& audit);

// The score at the threshold of the best F1; empty where truth (1: positive) has no positive.
FAITHFUL_API std::optional<BaselineScore> best_score(const std::vector<float>& scores,
                                                     const std::vector<std::uint8_t>& truth);

}  // namespace faithful
