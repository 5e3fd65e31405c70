#pragma once

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

// y = activation(x), of n numbers. `slope` (of GELU alone; that of ReLU is seen in y) may be null. Nothing for kNone.
template <class T>
void activate(Activation activation, const T* x, std::size_t n, T* y, T* slope) {
  if (activation == Activation::kGelu) gelu(x, n, y, slope);
  if (activation == Activation::kRelu) relu(x, n, y);
}

// dy becomes the gradient of what came before the activation.
template <class T>
void activate_backward(Activation activation, const T* y, const T* slope, std::size_t n, T* dy) {
  if (activation == Activation::kGelu) multiply(slope, n, dy);
  if (activation == Activation::kRelu) relu_backward(y, n, dy);
}

// Where forward leaves the slope for backward; null where it is not wanted.
template <class T>
T* take_slope(Tape<T>& tape, Activation activation, std::size_t n) {
  const bool wanted = tape.recording() && activation == Activation::kGelu;
  return wanted ? tape.arena().template take<T>(n) : nullptr;
}

}  // namespace faithful::engine
