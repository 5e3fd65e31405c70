#pragma once

// Operators of the encodings that look at the signal. Held to central differences by tests/encoding.

#include <cstdint>
#include <span>

#include "faithful/engine/operators.h"

namespace faithful {

using engine::Tape;
using engine::Tensor;

// x [B, S, D] with zeros where valid [B, S] is 0; empty: x itself.
template <class T>
Tensor<T> keep_valid(Tape<T>& tape, Tensor<T> x, std::span<const std::uint8_t> valid);

// y[r, h * D + c] = factor weights_h x[r, c]: [.., H * D] for x [.., D] and weights [H]; without weights they are 1.
template <class T>
Tensor<T> copies_for_heads(Tape<T>& tape, Tensor<T> x, Tensor<T> weights, std::size_t heads, double factor);

// sigmoid(u) tanh(v), element by element.
template <class T>
Tensor<T> gate(Tape<T>& tape, Tensor<T> u, Tensor<T> v);

inline constexpr std::size_t kMostWaveletLevels = 32;

// The parts of x [B, S, 1] at each scale of an orthogonal wavelet with the low-pass `filter`: [B, S, levels + 1]. With
// V_j the projection on the scaling functions of level j, and V_0 = 1: column 0 is V_levels x, and column j is
// V_(j-1) x - V_j x, the details of level j. Their sum is x. Beyond its ends x is zero.
template <class T>
Tensor<T> wavelet_parts(Tape<T>& tape, Tensor<T> x, std::span<const double> filter, std::size_t levels);

}  // namespace faithful
