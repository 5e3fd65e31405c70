#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/metrics/summary.h"

namespace faithful {

// A measure of a resample: counts[i] is how often sample i was drawn (0, 1, 2, ..). The functions of this room take
// them as weights:
//
//   bootstrap(truth.size(), [&](std::span<const double> counts) { return confusion(truth, flags, counts).f1(); })
//
// It returns NaN if the measure is not defined on the resample. It is called from several threads at once.
using Statistic = std::function<double(std::span<const double> counts)>;

struct BootstrapOptions {
  std::size_t resamples = 2000;
  double level = 0.95;         // share of the resamples inside of the interval
  std::uint64_t seed = 1;      // the same seed gives the same bits, whatever the number of threads
  ThreadPool* pool = nullptr;  // nullptr: one of default_threads()
};

struct Bootstrap {
  double value = 0;           // of the samples themselves
  Interval interval{};        // the (1 - level) / 2 and (1 + level) / 2 quantiles of the resamples' values
  double deviation = 0;       // of the resamples' values: the standard error
  std::size_t undefined = 0;  // resamples on which the measure was NaN; they are left out above
};

// Percentile bootstrap over samples: each resample draws n of n with replacement.
FAITHFUL_API Bootstrap bootstrap(std::size_t samples, const Statistic& statistic, const BootstrapOptions& options = {});

// The same over groups of samples that belong together (events, series, seeds): each resample draws as many groups as
// there are, whole, with replacement. group_of: [n], numbers 0 .. G-1
FAITHFUL_API Bootstrap bootstrap_groups(std::span<const std::size_t> group_of, const Statistic& statistic,
                                        const BootstrapOptions& options = {});

}  // namespace faithful
