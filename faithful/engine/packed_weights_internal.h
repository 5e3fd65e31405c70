#pragma once

#include "faithful/engine/tape.h"

namespace faithful::engine {

// Whether a weight has the shape that was declared, or that of one group in place of none.
inline bool is_declared_shape(const Shape& declared, const Shape& weight) {
  if (declared == weight) return true;
  return declared.rank() == 2 && weight.rank() == 3 && weight[0] == 1 && weight.count() == declared.count() &&
         weight.width() == declared.width();
}

// The packed form of one group's weights: made with the parameters, or here and now.
template <class T>
const T* packed_weights(Tape<T>& tape, Tensor<T> weight, Form form, std::size_t group) {
  const auto& entries = tape.parameters().entries();
  if (weight.slot < entries.size() && is_declared_shape(entries[weight.slot].shape, weight.shape)) {
    if (const T* ready = tape.parameters().packed(weight.slot, form, group)) return ready;
  }
  const std::size_t out = weight.shape[weight.shape.rank() - 2], in = weight.width();
  T* packed = tape.scratch().template take<T>(form == Form::kPlain ? packed_size<T>(out, in) : packed_size<T>(in, out));
  pack<T>({weight.data + group * out * in, out, in, in}, form, packed);
  return packed;
}

}  // namespace faithful::engine
