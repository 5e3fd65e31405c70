#pragma once

// Long timelines in figures.

#include <cstddef>
#include <functional>
#include <string>

#include "faithful/data/dataset.h"
#include "faithful/report/figure.h"

namespace faithful::app {

// Names whose inks (faithful/report/color.h) are blue, orange and dark red.
inline constexpr const char* kChannelInk = "dft";
inline constexpr const char* kSpanInk = "sinusoidal";
inline constexpr const char* kFaultInk = "time2vec";

inline constexpr std::size_t kBuckets = 600;  // about the width of a panel in dots

// y(0) .. y(count - 1) in few points that look the same: of each of kBuckets pieces its least and its largest value.
Curve thinned_curve(std::size_t count, const std::function<double(std::size_t)>& x,
                    const std::function<double(std::size_t)>& y);

// A band from `begin` to `end` between low and high.
Curve shade(const LabelSpan& span, double low, double high, const std::string& ink);

}  // namespace faithful::app
