#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/window/split.h"
#include "faithful/window/windows.h"

namespace faithful {

// The least and the greatest value of each channel in the training part, as measured: what a model has seen.
struct SeenRange {
  std::vector<float> low = {};     // [C]; empty: not known (a model file of an older version)
  std::vector<float> high = {};    // [C]
  std::vector<float> always = {};  // [C]: 1 where every training window had a value, else 0; empty: not known

  bool known() const { return !low.empty(); }
  bool operator==(const SeenRange&) const = default;
};

// A channel without any value in the training part has seen 0 alone. `windows`: those of the part.
FAITHFUL_API SeenRange measure_seen(const TrainingPart& part, const Windows& windows);

// How far a reading lies outside of what training has seen, in widths (high - low) of its channel: 0 inside, infinite
// for infinity. A channel that was constant has the width 1e-3 of its value, at least 1e-3 and at most 0.1: scalers leave
// its units as they are, so that 1 is a deviation to the model. A missing value (NaN) is inside.
FAITHFUL_API double distance_outside(const SeenRange& seen, std::size_t channel, float value);

// Readings further outside than this are answered, and flagged: one whole width of the training range.
inline constexpr double kFarOutside = 1;

}  // namespace faithful
