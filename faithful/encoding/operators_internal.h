#pragma once

// Operators that only encodings need; the rest are the engine's. Held to central differences by
// tests/encoding, like those. Letters as in faithful/engine/operators.h.

#include <cstdint>
#include <span>

#include "faithful/engine/operators.h"

namespace faithful {

using engine::Tape;
using engine::Tensor;

// y[n, i] = amplitude cos(w_i t_n + b_i): [N, D] for w, b [D].
template <class T>
Tensor<T> cosine_features(Tape<T>& tape, std::span<const T> t, Tensor<T> w, Tensor<T> b, double amplitude);

// y[n, 0] = w_0 t_n + b_0, y[n, i] = sin(w_i t_n + b_i): [N, D].
template <class T>
Tensor<T> time_features(Tape<T>& tape, std::span<const T> t, Tensor<T> w, Tensor<T> b);

// y[h, o] = table[rows[o], h]: [H, O] for table [R, H].
template <class T>
Tensor<T> gather_columns(Tape<T>& tape, Tensor<T> table, std::span<const std::uint32_t> rows);

// y[h, o] = -exp(a_h) ln(1 + exp(c_h) |o - (S - 1)|), a = log_rates[0], c = log_rates[1]: [H, 2S - 1].
template <class T>
Tensor<T> kerple_bias(Tape<T>& tape, Tensor<T> log_rates, std::size_t positions);

// Every pair of x [B, S, H * D] rotated by its own angle, angles [B, S, D / 2].
template <class T>
Tensor<T> rotate(Tape<T>& tape, Tensor<T> x, Tensor<T> angles, std::size_t heads, engine::Pairing pairing);

// In every head the numbers of x [B, S, H * D], then those of y [S, H * E]: [B, S, H * (D + E)].
template <class T>
Tensor<T> beside_in_heads(Tape<T>& tape, Tensor<T> x, Tensor<T> y, std::size_t heads);

// TUPE with a class token in row 0: x [S, H * D] as queries (or keys) [S + 1, H * (D + 2)] whose products are those of
// x, theta[0, h] from the token to all, and theta[1, h] from all others to the token. theta [2, H].
template <class T>
Tensor<T> with_token_terms(Tape<T>& tape, Tensor<T> x, Tensor<T> theta, double factor, bool is_query);

}  // namespace faithful
