#pragma once

#include <cstddef>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/model/classifier.h"
#include "faithful/window/windows.h"

namespace faithful {

// [n, K]: the probability of each class for each window, in the order of the windows. The same bits for any number of
// threads. `batch` windows are in memory at a time; their number is part of what fixes the bits.
FAITHFUL_API Matrix<float> score_windows(const Classifier<float>& model, const Windows& windows, ThreadPool& pool,
                                         std::size_t batch = 32);

}  // namespace faithful
