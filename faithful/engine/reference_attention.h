#pragma once

// Attention by its definition, one number after the other: what attention() must equal, and the place to read first.

#include <algorithm>
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

// Number c of the relative vector for key j seen from query i, in the table of head h or of all: that of offset j - i
// clipped, or with times between those of the whole offsets around t_j - t_i. A table [H, entries] has D = 1.
template <class T>
T relative(const AttentionInputs<T>& in, Tensor<T> table, std::size_t entries, std::size_t b, std::size_t h,
           std::size_t i, std::size_t j, std::size_t c) {
  if (!table) return 0;
  const std::size_t width = table.shape.count() / (table.shape.rank() == 3 ? in.heads : 1) / entries;
  const std::size_t positions = in.query.shape[in.query.shape.rank() - 2];
  const T* own = table.data + (table.shape.rank() == 3 ? h * entries * width : 0);
  const std::size_t middle = entries / 2;
  const T clip = static_cast<T>(middle);
  const T offset = in.times.empty() ? static_cast<T>(j) - static_cast<T>(i)
                                    : in.times[b * positions + j] - in.times[b * positions + i];
  const T place = std::clamp(offset, -clip, clip) + clip, low = std::floor(place);
  const T below = own[static_cast<std::size_t>(low) * width + c];
  const T above = own[static_cast<std::size_t>(std::ceil(place)) * width + c];
  return below + (place - low) * (above - below);
}

// [B, S, H * Dv]. The tape is for offset functions, which may want memory.
template <class T>
std::vector<T> attention(Tape<T>& tape, const AttentionInputs<T>& in) {
  const std::size_t positions = in.query.shape[in.query.shape.rank() - 2], batch = in.query.rows() / positions;
  const std::size_t key_width = in.query.width() / in.heads, value_width = in.value.width() / in.heads;
  const T scale = static_cast<T>(in.scale != 0 ? in.scale : 1 / std::sqrt(static_cast<double>(key_width)));
  std::vector<T> out(in.value.shape.count(), T(0));
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t h = 0; h < in.heads; ++h) {
      const auto vector_of = [&](Tensor<T> table, std::size_t i, std::size_t j, std::size_t c) {
        return table ? relative(in, table, table.shape[table.shape.rank() - 2], b, h, i, j, c) : T(0);
      };
      const auto entry_of = [&](Tensor<T> table, std::size_t i, std::size_t j) {  // of a table [H, 2S - 1]
        const Tensor<T> own{table.row(h), {2 * positions - 1, 1}, 1, 0};
        return relative(in, own, 2 * positions - 1, b, h, i, j, 0);
      };
      const auto function_of = [&](std::size_t i, std::size_t j) {
        const T offset = in.times[b * positions + j] - in.times[b * positions + i];
        T value = 0;
        in.offset_function.add(in.offset_function, tape, h, {&offset, 1}, &value);
        return value;
      };
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
            score += scale * q[c] * (k[c] + vector_of(in.relative_keys, i, j, c));
            score += scale * k[c] * vector_of(in.relative_queries, i, j, c);
          }
          if (in.offset_bias) score += entry_of(in.offset_bias, i, j);
          if (in.offset_function) score += function_of(i, j);
          all += weight[j] = std::exp(score);
        }
        for (std::size_t j = 0; j < positions; ++j) {
          if (!is_valid(j)) continue;
          weight[j] /= all;
          if (in.offset_weights) weight[j] += entry_of(in.offset_weights, i, j);
          for (std::size_t c = 0; c < value_width; ++c) {
            const T value = in.value.row(b * positions + j)[h * value_width + c];
            out[(b * positions + i) * in.value.width() + h * value_width + c] +=
                weight[j] * (value + vector_of(in.relative_values, i, j, c));
          }
        }
      }
    }
  }
  return out;
}

}  // namespace faithful::engine::reference
