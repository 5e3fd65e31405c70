#pragma once

// How a model knows its training data again, or a part of it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faithful/window/windows.h"

namespace faithful {

// Digests of short stretches of the training data, of all their channels.
struct ContentMarks {
  std::size_t length = 0;                   // samples of a stretch
  std::vector<std::uint64_t> digests = {};  // at most 128; none where windows are too short or never change
};

// The first samples of windows that lie evenly among all. Stretches in which nothing changes are left out: idle machines
// repeat themselves.
ContentMarks content_marks(const Windows& windows);

// The share of the stretches that stand somewhere in the data set; 0 where there are no marks, or only one is found.
double share_found(const ContentMarks& marks, const Dataset& dataset);

}  // namespace faithful
