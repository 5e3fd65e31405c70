#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/data/times.h"

namespace faithful {

// What a step in time mostly is. Times that are coarser than the samples, such as minutes of a log with a sample every
// 20 s, mostly stand still: then the tick is the median of the steps that move, and a sample has its share of a tick.
struct UsualStep {
  double sample = 0;  // from one sample to the next; 0: no times, or all are equal
  double tick = 0;    // of the clock: the same, unless times mostly stand still

  bool is_gap(double step) const { return tick > 0 && step > kGapSteps * tick; }
  bool differs(double step) const;  // by more than 1 %
};
FAITHFUL_API UsualStep usual_step(std::vector<std::uint64_t> steps);  // in their unit

// The steps between neighbouring times of some series.
struct FAITHFUL_API StepSummary {
  UsualStep usual = {};  // in seconds
  double uneven = 0;     // share of the steps that differ from it
  std::size_t gaps = 0;
  double longest_gap = 0;  // in seconds; 0: none
  std::size_t steps = 0;
  std::size_t changed = 0;  // of these, longer or shorter than the usual one by more than a third, and no gap

  void add_step(std::uint64_t nanoseconds);
};
FAITHFUL_API StepSummary summarize_steps(const std::vector<const Series*>& series);
FAITHFUL_API StepSummary summarize_steps(const Dataset& dataset);

// What a user should know of gaps, and of another rate, before windows are cut; empty: there are none.
FAITHFUL_API std::string gaps_note(const StepSummary& steps);
FAITHFUL_API std::string gaps_note(const Dataset& dataset);

}  // namespace faithful
