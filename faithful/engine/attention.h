#pragma once

#include <cstdint>
#include <span>

#include "faithful/base/api.h"
#include "faithful/engine/offset_function.h"
#include "faithful/engine/tape.h"

namespace faithful::engine {

// Which numbers of a query or key form a pair for rotation: 2i and 2i+1, or i and i + Dk/2.
enum class Pairing { kInterleaved, kHalves };

// Self-attention with every way a position can enter it. For query i and key j of one head,
//
//   score = scale (q'_i · (k'_j + relative_keys[c(j-i)]) + k'_j · relative_queries[c(j-i)]) + offset_bias[j-i],
//   weight = softmax over valid j (score) + offset_weights[j-i] at valid j
//   out_i = Σ_j weight (v_j + relative_values[c(j-i)])
//
// where q', k' are rotated by angles[i], angles[j], and c clips to ±C. Tables over offsets j-i are indexed from -(S-1)
// to S-1, relative vectors from -C to C. Everything but query, key and value may be left out. Queries and keys may be
// wider than values (tupe: content and position parts side by side). Rank 4 [B, G, S, ..]: groups attend each for
// itself.
//
// With `times` the offset is t_j - t_i, a real number: all tables are clipped to their ends and interpolated linearly
// between whole offsets, and score += offset_function(t_j - t_i). It is evaluated row by row, so that memory stays linear
// in S.
template <class T>
struct AttentionInputs {
  Tensor<T> query = {}, key = {};  // [B, S, H * Dk]
  Tensor<T> value = {};            // [B, S, H * Dv]
  std::size_t heads = 1;           // H
  double scale = 0;                // 0: 1 / sqrt(Dk)
  Tensor<T> angles = {};           // [S, Dk / 2], in radians
  Pairing pairing = Pairing::kInterleaved;
  Tensor<T> relative_keys = {};              // [2C + 1, Dk] for all heads, or [H, 2C + 1, Dk]
  Tensor<T> relative_queries = {};           // the same
  Tensor<T> relative_values = {};            // [2C + 1, Dv], or [H, 2C + 1, Dv]
  Tensor<T> offset_bias = {};                // [H, 2S - 1]
  Tensor<T> offset_weights = {};             // [H, 2S - 1]
  std::span<const T> times = {};             // [B, S], for each group too; empty: 0, 1, 2, ..
  OffsetFunction<T> offset_function = {};    // only with times
  std::span<const std::uint8_t> valid = {};  // [B, S], 0: padding, no key; empty: all. With groups one row for all
  std::span<T> maps = {};                    // [B, H, S, S]: the weights are copied there; empty: not wanted
  // Backwards needs the softmax: up to this S it is kept, beyond it is computed again, so that memory is linear in S.
  std::size_t keep_up_to = 512;
};

// [B, S, H * Dv].
template <class T>
FAITHFUL_API Tensor<T> attention(Tape<T>& tape, const AttentionInputs<T>& inputs);

}  // namespace faithful::engine
