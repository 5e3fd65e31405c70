#pragma once

// The operator that only pooling needs; the rest are the engine's. Held to central differences by
// tests/model, like those. Letters as in faithful/engine/operators.h.

#include <cstdint>
#include <span>

#include "faithful/engine/operators.h"

namespace faithful::model {

using engine::Tape;
using engine::Tensor;

// Σ_s w_s x[b, s] with w = softmax over the valid s of scores [B, S, 1]: [B, D]. No valid position: zeros.
template <class T>
Tensor<T> weighted_pool(Tape<T>& tape, Tensor<T> x, Tensor<T> scores, engine::Mask mask);

}  // namespace faithful::model
