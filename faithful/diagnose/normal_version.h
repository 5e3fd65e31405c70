#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/window/windows.h"

// The normal version of a window: what each sensor should read, by the others. A mean window would not do: a trip three
// floors up, with one sensor of the mean of all trips, is stranger to the model than most faults.

namespace faithful {

// Fits, for each sensor, the ridge regression of its readings in a window on all readings of the other sensors in that
// window. Of many windows it takes every k-th: at most 256 (128 from 65 sensors on), and 2^23 readings in all. The
// penalty of each sensor has the least error of windows left out; a sensor for which no penalty is better than the mean
// stays with the mean. None (empty) below 10 windows, with one sensor, from 257 sensors on, and for readings that are
// no numbers.
FAITHFUL_API NormalWindows fit_normal_windows(const Windows& windows, std::span<const std::uint32_t> numbers,
                                              ThreadPool& pool);

// window [length, C], of which `samples` are no padding: each sensor as the others say, within the range that it has in
// normal windows. Without normal windows: the mean. Padding stays as it is. [length, C]
FAITHFUL_API std::vector<float> normal_version(const Normal& normal, std::span<const float> window,
                                               std::size_t samples);

}  // namespace faithful
