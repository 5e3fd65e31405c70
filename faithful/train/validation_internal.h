#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "faithful/base/matrix.h"
#include "faithful/train/record.h"

namespace faithful {

// Mean over windows of the cross-entropy of logits z [n, outputs], weighted by class (weights [K], or none: 1).
double mean_loss(std::span<const float> logits, std::size_t classes, std::span<const std::int32_t> labels,
                 std::span<const float> weights);

// The validation numbers of an epoch from logits and probabilities [n, K]; labels [n] and all known.
void validate_into(std::span<const float> logits, const Matrix<float>& probabilities,
                   std::span<const std::int32_t> labels, std::span<const float> weights, EpochRecord& record);

}  // namespace faithful
