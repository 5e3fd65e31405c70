#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"

namespace faithful {

// The steps between neighbouring times of some series.
struct FAITHFUL_API StepSummary {
  double usual = 0;        // the median, in seconds; 0: no times, or most of them are equal
  double uneven = 0;       // share of the steps that differ from it by more than 1 %
  std::size_t gaps = 0;    // steps of more than kGapSteps usual ones
  double longest_gap = 0;  // in seconds; 0: none

  void add_step(std::uint64_t nanoseconds);  // counts it where it is a gap
};
FAITHFUL_API StepSummary summarize_steps(const std::vector<const Series*>& series);
FAITHFUL_API StepSummary summarize_steps(const Dataset& dataset);

// What a user should know of gaps before windows are cut; empty: there are none.
FAITHFUL_API std::string gaps_note(const StepSummary& steps);
FAITHFUL_API std::string gaps_note(const Dataset& dataset);

}  // namespace faithful
