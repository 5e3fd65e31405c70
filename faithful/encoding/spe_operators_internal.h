#pragma once

// The operators of spe. Held to central differences by tests/encoding. C = H d_h coordinates of queries or keys, R
// realizations of a random process for each, K sines.

#include <span>

#include "faithful/engine/operators.h"

namespace faithful {

using engine::Tape;
using engine::Tensor;

// y[s, c, r] = sum_k softplus(gains[c, k]) / sqrt(2K) (cos(a) noise[c, k, 0, r] + sin(a) noise[c, k, 1, r]) with the angle
// a = pi sigmoid(frequencies[c, k]) s + phases[c, k]: [rows, C * R]. Without phases they are 0. noise [C, K, 2, R].
template <class T>
Tensor<T> sine_processes(Tape<T>& tape, Tensor<T> frequencies, Tensor<T> phases, Tensor<T> gains,
                         std::span<const T> noise, std::size_t rows, std::size_t realizations);

// y[s, c, r] = sum_p filter[p, c] noise[s + p, c, r]: [rows, C * R] for filter [P, C], noise [rows + P - 1, C, R].
template <class T>
Tensor<T> filtered_processes(Tape<T>& tape, Tensor<T> filter, std::span<const T> noise, std::size_t rows,
                             std::size_t realizations);

// y[s, c, r] = sqrt(1 - g_c) x[s, c, r] + sqrt(g_c) noise[c, r] with g = sigmoid(gate), gate [C], noise [C, R].
template <class T>
Tensor<T> gated_processes(Tape<T>& tape, Tensor<T> x, Tensor<T> gate, std::span<const T> noise);

// y[b, s, h, r] = sum over the coordinates c of head h of x[b, s, c] processes[s, c, r]: [.., H * R] for x [.., S, C].
template <class T>
Tensor<T> weigh_processes(Tape<T>& tape, Tensor<T> x, Tensor<T> processes, std::size_t heads);

}  // namespace faithful
