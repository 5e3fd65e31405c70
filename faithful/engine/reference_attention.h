#pragma once

// Attention by its definition, one number after the other: what attention() must equal, and the place to read first.

#include <cmath>
#include <vector>

#include "faithful/engine/attention.h"

namespace faithful::engine::reference {

// A query or key of one head, rotated where there are angles.
template <class T>
std::vector<T> rotated(const AttentionInputs<T>& in, const T* x, std::size_t width, std::size_t position) {
  std::vector<T> y(x, x + width);
  if (!in.angles) return y;
  for (std::size_t i = 0; i < width / 2; ++i) {
    const std::size_t a = in.pairing == Pairing::kInterleaved ? 2 * i : i;
    const std::size_t b = in.pairing == Pairing::kInterleaved ? 2 * i + 1 : i + width / 2;
    const T angle = in.angles.row(position)[i];
    y[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
    y[b] = x[a] * std::sin(angle) + x[b] * std::cos(angle);
  }
  return y;
}

// The row of a table of relative vectors for key j seen from query i: offset j - i, clipped.
template <class T>
const T* relative_vector(Tensor<T> table, std::size_t i, std::size_t j) {
  const auto clip = static_cast<std::ptrdiff_t>(table.rows() / 2);
  const auto offset = static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i);
  return table.row(static_cast<std::size_t>(std::clamp(offset, -clip, clip) + clip));
}

// [B, S, H * Dv].
template <class T>
std::vector<T> attention(const AttentionInputs<T>& in) {
  const std::size_t positions = in.query.shape[in.query.shape.rank() - 2], batch = in.query.rows() / positions;
  const std::size_t key_width = in.query.width() / in.heads, value_width = in.value.width() / in.heads;
  const T scale = static_cast<T>(in.scale != 0 ? in.scale : 1 / std::sqrt(static_cast<double>(key_width)));
  std::vector<T> out(in.value.shape.count(), T(0));
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < in.heads; ++h) {
      for (std::size_t i = 0; i < positions; ++i) {
        const auto is_valid = [&](std::size_t j) {
          return in.valid.empty() || in.valid[b * in.valid.size() / batch / positions * positions + j] != 0;
        };
        const std::vector<T> q = rotated(in, in.query.row(b * positions + i) + h * key_width, key_width, i);
        std::vector<T> weight(positions, T(0));
        T all = 0;
        for (std::size_t j = 0; j < positions; ++j) {
          if (!is_valid(j)) continue;
          const std::vector<T> k = rotated(in, in.key.row(b * positions + j) + h * key_width, key_width, j);
          T score = 0;
          for (std::size_t c = 0; c < key_width; ++c) {
            score += scale * q[c] * (k[c] + (in.relative_keys ? relative_vector(in.relative_keys, i, j)[c] : T(0)));
          }
          if (in.offset_bias) score += in.offset_bias.row(h)[j + positions - 1 - i];
          all += weight[j] = std::exp(score);
        }
        for (std::size_t j = 0; j < positions; ++j) {
          if (!is_valid(j)) continue;
          weight[j] /= all;
          if (in.offset_weights) weight[j] += in.offset_weights.row(h)[j + positions - 1 - i];
          for (std::size_t c = 0; c < value_width; ++c) {
            const T value = in.value.row(b * positions + j)[h * value_width + c];
            const T relative = in.relative_values ? relative_vector(in.relative_values, i, j)[c] : T(0);
            out[(b * positions + i) * in.value.width() + h * value_width + c] += weight[j] * (value + relative);
          }
        }
      }
    }
  }
  return out;
}

}  // namespace faithful::engine::reference
