#include "app/pages/timeline.h"

#include <algorithm>

namespace faithful::app {

Curve thinned_curve(std::size_t count, const std::function<double(std::size_t)>& x,
                    const std::function<double(std::size_t)>& y) {
  Curve curve{.name = "", .x = {}, .y = {}, .ink = kChannelInk};
  const std::size_t step = (count + kBuckets - 1) / kBuckets;
  for (std::size_t begin = 0; begin < count; begin += step) {
    std::size_t low = begin, high = begin;
    for (std::size_t t = begin; t < std::min(begin + step, count); ++t) {
      if (!(y(t) >= y(low))) low = t;
      if (!(y(t) <= y(high))) high = t;
    }
    for (const std::size_t t : {std::min(low, high), std::max(low, high)}) {
      curve.x.push_back(x(t));
      curve.y.push_back(y(t));
      if (low == high) break;
    }
  }
  return curve;
}

Curve shade(const LabelSpan& span, double low, double high, const std::string& ink) {
  const auto begin = static_cast<double>(span.begin), end = static_cast<double>(span.end);
  return {.name = "",
          .x = {begin, end},
          .y = {high, high},
          .mark = Mark::kBand,
          .low = {low, low},
          .high = {high, high},
          .ink = ink};
}

}  // namespace faithful::app
