#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "faithful/engine/tape.h"

namespace faithful::engine {

// A learned or fixed function f_h(offset) of each head h, evaluated for a row of offsets at a time. A plain value, so
// that the tape can keep it; `of` holds the tensors it is made of.
template <class T>
struct OffsetFunction {
  // row[j] += f_h(offsets[j])
  void (*add)(const OffsetFunction&, Tape<T>&, std::size_t head, std::span<const T> offsets, T* row) = nullptr;
  // Adds d[j] times the slope of f_h(offsets[j]) to the gradients of `of`. Null: nothing is learned.
  void (*add_gradient)(const OffsetFunction&, Tape<T>&, std::size_t head, std::span<const T> offsets,
                       const T* d) = nullptr;
  std::array<Tensor<T>, 5> of = {};
  double number = 0;  // as the function likes

  explicit operator bool() const { return add != nullptr; }
};

}  // namespace faithful::engine
