#pragma once

#include "faithful/engine/tape.h"

namespace faithful::engine {

// The packed form of one group's weights: made with the parameters, or here and now.
template <class T>
const T* packed_weights(Tape<T>& tape, Tensor<T> weight, Form form, std::size_t group) {
  const auto& entries = tape.parameters().entries();
  if (weight.slot < entries.size() && weight.shape == entries[weight.slot].shape) {
    if (const T* ready = tape.parameters().packed(weight.slot, form, group)) return ready;
  }
  const std::size_t out = weight.shape[weight.shape.rank() - 2], in = weight.width();
  T* packed = tape.scratch().template take<T>(form == Form::kPlain ? packed_size<T>(out, in) : packed_size<T>(in, out));
  pack<T>({weight.data + group * out * in, out, in, in}, form, packed);
  return packed;
}

}  // namespace faithful::engine
