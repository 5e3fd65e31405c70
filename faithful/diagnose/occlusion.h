#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/diagnose/diagnosis.h"

// Diagnosis by occlusion: what a sensor, a span of time, or a sensor during a span does to the model's score. It is
// replaced by normal readings, and it is put alone into the normal version of the window. Unlike attention, it measures
// what the score depends on.

namespace faithful {

// The logit (log-odds of the class to detect) of n windows that differ only in their values: values [n, length, C], out
// [n]. It is called from several threads at once. The logit of a window must not depend on the others.
using WindowLogit = std::function<void(std::span<const float> values, std::span<double> out)>;

inline constexpr std::size_t kAllSensors = static_cast<std::size_t>(-1);

// What is replaced, or put in.
struct Occlusion {
  std::size_t sensor = kAllSensors;
  Range samples = {};  // of the window
};

// [occlusions]: the mean of logit(window) - logit(window, this as in `normal`) and of logit(normal, this as in
// `window`) - logit(normal): above 0 if it supports the alarm. The first alone is near 0 where other sensors show the
// same fault, the second where only several together show it. window, normal: [length, C]. The same for any number of
// threads; `batch` windows go through the model together.
FAITHFUL_API std::vector<double> occlusion_changes(const WindowLogit& logit, std::span<const float> window,
                                                   std::span<const float> normal, std::size_t channels,
                                                   std::span<const Occlusion> occlusions, std::size_t batch,
                                                   ThreadPool& pool);

struct OcclusionOptions {
  std::size_t most_spans = 40;  // largest number of spans that the window is cut into; of whole steps, of equal length
  std::size_t detailed = 3;     // number of first sensors that are also replaced span by span
  std::size_t batch = 16;       // windows that go through the model together, at most
};

// normal: the normal version of the window. step: samples of a step. samples: how many the window has without its
// padding; spans end there.
FAITHFUL_API OcclusionDiagnosis diagnose_occlusion(const WindowLogit& logit, std::span<const float> window,
                                                   std::span<const float> normal, std::size_t channels,
                                                   std::size_t samples, std::size_t step,
                                                   const OcclusionOptions& options, ThreadPool& pool);

}  // namespace faithful
