#pragma once

// Predictions as lines of CSV.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/predict/predict.h"
#include "faithful/trained/readings.h"
#include "faithful/trained/trained_model.h"

namespace faithful::app {

// The prediction for one window.
struct PredictionRow {
  std::string series = {};                            // of a stream: empty
  std::size_t begin = 0, end = 0;                     // samples begin .. end - 1, from 0
  std::optional<std::int64_t> first = {}, last = {};  // times of the first and the last sample, where there are any
  std::span<const float> probabilities = {};          // [K]
  PredictionStatus status = PredictionStatus::kOk;
  std::string reason = {};  // of a status other than ok
};

// series,begin,end,start_time,end_time,score,class,set,status,reason: the series where there are several or it has a
// name, times where there are any, the set where there is a limit. The score is the probability of the second of two classes; of more classes each has a column
// `p(NAME)`. An invalid prediction has no score, no set, and `invalid` for its class.
class PredictionLines {
 public:
  PredictionLines(const TrainedModel& model, bool has_series, bool has_times, std::optional<SetLimit> sets = {});
  std::string header() const;
  std::string line(const PredictionRow& row) const;

 private:
  const TrainedModel& model_;
  bool has_series_, has_times_;
  std::optional<SetLimit> sets_;
};

// The classes of a set, as `a|b`: a backslash stands before | and \ of a name.
std::string set_text(const std::vector<std::string>& names);

}  // namespace faithful::app
