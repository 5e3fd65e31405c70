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

// What a window looks like where nothing is wrong: what suspects are replaced by, and compared with.

namespace faithful {

// Mean and standard deviation of these windows, of each channel: sample by sample where windows are aligned (each is
// one whole run of the same thing, such as a trip), else of all samples together. So that a reference that hardly
// moves does not make every movement look like a fault, a deviation is at least a tenth of that of the channel's over
// all samples, and at least 1e-3.
FAITHFUL_API Normal fit_normal(const Windows& windows, std::span<const std::uint32_t> numbers, bool aligned,
                               ThreadPool& pool);

// All that a model file knows without any data: the middle that its scaler maps the training samples around. 0 with
// deviation 1 (standard, robust, none), 0.5 with deviation 0.25 (min-max).
FAITHFUL_API Normal scaler_normal(ScalerKind kind, std::size_t channels);

// |value - mean| / deviation of each sample of a window: values, out [length, C]
FAITHFUL_API void deviations_into(const Normal& normal, std::span<const float> values, std::span<double> out);

}  // namespace faithful
