#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/window/windows.h"

namespace faithful {

// The alarms of windows whose scores are at least `threshold`, in the order of the data. In a long alarm not every
// window is examined: the one with the highest score, then the highest that does not overlap those, and so on, at most
// `most_windows`. They are given in that order. scores: [windows]
FAITHFUL_API std::vector<Alarm> find_alarms(const Windows& windows, std::span<const double> scores, double threshold,
                                            std::size_t most_windows = 8);

}  // namespace faithful
