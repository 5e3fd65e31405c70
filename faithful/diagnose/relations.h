#pragma once

#include <cstdint>
#include <span>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/window/windows.h"

namespace faithful {

// Fits what each sensor should read by the others, on these windows. With R the correlations of the samples and
// P = (R + 1e-6 I)^-1, the weights are P_cj / P_cc: those of the regression of c on all others. Of many windows it
// takes every k-th, so that about 2^18 samples count. None (empty weights) from 257 sensors on, where the products of
// all pairs would take minutes.
FAITHFUL_API Relations fit_relations(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool);

// The square of each sensor's disagreement with the others, over its normal deviation: values, out [samples, C]
FAITHFUL_API void disagreements_into(const Relations& relations, std::span<const float> values, std::span<double> out);

}  // namespace faithful
