#pragma once

// How a model knows its training data again, or a part of it; and what stands in a data set twice.

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

// The share of the windows `held` that stands among the windows `training`, too, at whatever place: tables that overlap.
// It looks at stretches as above, of those that stand only once among `held`: what a machine repeats is no copy.
double share_copied(const Windows& training, const Windows& held);

// Timelines that have the values and labels of an earlier one, but for those that are left out anyway (by name).
struct CopiedSeries {
  std::size_t copy, original;  // indices into Dataset::series
};
std::vector<CopiedSeries> copied_series(const Dataset& dataset, std::span<const std::string> left_out);

}  // namespace faithful
