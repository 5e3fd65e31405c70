#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/window/windows.h"

// What a normal window looks like. Suspected readings are compared with it and replaced by it.

namespace faithful {

// Mean and standard deviation of these windows, of each channel: sample by sample where windows are aligned (each is
// one whole run of the same thing, such as a trip), else of all samples together. A deviation is at least a tenth of
// the channel's deviation over all samples, and at least 1e-3. Otherwise, with a reference that hardly moves, every
// movement would look like a fault. With it, what the sensors say about each other (fit_relations,
// fit_normal_windows).
FAITHFUL_API Normal fit_normal(const Windows& windows, std::span<const std::uint32_t> numbers, bool aligned,
                               ThreadPool& pool);

// The normal of a model file without any data: the middle of its scaler. 0 with deviation 1 (standard, robust, none),
// 0.5 with deviation 0.25 (min-max).
FAITHFUL_API Normal scaler_normal(ScalerKind kind, std::size_t channels);

// |value - mean| / deviation of each sample of a window: values, out [length, C]
FAITHFUL_API void deviations_into(const Normal& normal, std::span<const float> values, std::span<double> out);

}  // namespace faithful
