#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/window/windows.h"

namespace faithful {

// The alarms of windows with these scores: those of at least `threshold`, in the order of the data. Of a long alarm not
// every window is looked into: the surest one, then the surest that overlaps none of those taken, and so on, at most
// `most_windows`; they are given surest first. scores: [windows]
FAITHFUL_API std::vector<Alarm> find_alarms(const Windows& windows, std::span<const double> scores, double threshold,
                                            std::size_t most_windows = 8);

}  // namespace faithful
