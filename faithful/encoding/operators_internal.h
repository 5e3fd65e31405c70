#pragma once

// Operators that only encodings need; the rest are the engine's. Held to central differences by
// tests/encoding, like those. Letters as in faithful/engine/operators.h.

#include <cstdint>
#include <span>

#include "faithful/encoding/in_model_internal.h"
#include "faithful/engine/offset_function.h"
#include "faithful/engine/operators.h"

namespace faithful {

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

// y[h, o] = f_h(o - (S - 1)): [H, 2S - 1].
template <class T>
Tensor<T> over_offsets(Tape<T>& tape, const engine::OffsetFunction<T>& f, std::size_t heads, std::size_t positions);

// score += f_h(offset): over the whole offsets of a window, or with times in the tiles of attention.
template <class T>
void enter_function(Tape<T>& tape, const engine::OffsetFunction<T>& f, const ModelPlace& place,
                    const PositionPass<T>& pass, engine::AttentionInputs<T>& inputs) {
  if (pass.row_times.empty()) {
    inputs.offset_bias = over_offsets(tape, f, place.heads(), place.rows());
    return;
  }
  inputs.times = pass.row_times;
  inputs.offset_function = f;
}

// Every pair of x [B, S, H * D] rotated by its own angle, angles [B, S, D / 2].
template <class T>
Tensor<T> rotate(Tape<T>& tape, Tensor<T> x, Tensor<T> angles, std::size_t heads, engine::Pairing pairing);

// Pair m < M of every head of x [B, S, H * D], as a complex number, times real[., m] + i imaginary[., m]; further pairs
// stay. The rows of the factors [.., M] repeat when they are fewer.
template <class T>
Tensor<T> modulate(Tape<T>& tape, Tensor<T> x, Tensor<T> real, Tensor<T> imaginary, std::size_t heads,
                   engine::Pairing pairing);

// Every coordinate of x [B, S, H * D] as a length softplus(x), with an angle: cosines and sines [.., D], whose rows
// repeat, turned by phases [H * D] or none. In every head D numbers length * cos(angle), then D of length * sin(angle).
template <class T>
Tensor<T> polar(Tape<T>& tape, Tensor<T> x, Tensor<T> cosines, Tensor<T> sines, Tensor<T> phases, std::size_t heads);

// In every head the numbers of x [B, S, H * D], then those of y [S, H * E]: [B, S, H * (D + E)].
template <class T>
Tensor<T> beside_in_heads(Tape<T>& tape, Tensor<T> x, Tensor<T> y, std::size_t heads);

// x [E, H * D] head by head, and from the last row to the first where `reversed`: [H, E, D].
template <class T>
Tensor<T> heads_first(Tape<T>& tape, Tensor<T> x, std::size_t heads, bool reversed);

// y[h, e] = factor Σ_c (v - u)[h * D + c] x[h, e, c]: [H, E] for x [H, E, D], u and v [H * D].
template <class T>
Tensor<T> products_with(Tape<T>& tape, Tensor<T> x, Tensor<T> u, Tensor<T> v, double factor);

// y[r, h * E + e] = Σ_c x[r, h * D + c] W[h * D + c, e]: [B, S, H * E] for x [B, S, H * D], W [H * D, E].
template <class T>
Tensor<T> project_heads(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, std::size_t heads);

// TUPE with a class token in row 0: x [S, H * D] as queries (or keys) [S + 1, H * (D + 2)] whose products are those of
// x, theta[0, h] from the token to all, and theta[1, h] from all others to the token. theta [2, H].
template <class T>
Tensor<T> with_token_terms(Tape<T>& tape, Tensor<T> x, Tensor<T> theta, double factor, bool is_query);

}  // namespace faithful
