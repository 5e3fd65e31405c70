#pragma once

// The weights of erpe, which tape+erpe has too.

#include <vector>

#include "faithful/encoding/in_model_internal.h"

namespace faithful {

std::vector<double> start_erpe(const EncodingOptions& options);  // [2S-1, H]

// Base, and a learned weight for every offset, head and layer, added after the softmax.
template <class Base, class T>
class WithOffsetWeights final : public Base {
 public:
  WithOffsetWeights(const ModelPlace& place, Parameters<T>& parameters) : Base(place, parameters) {
    for (std::size_t l = 0; l < place.layers; ++l) {
      layers_.push_back(parameters.declare(place.layer(l) + "offset_weights", {place.heads(), 2 * place.rows() - 1},
                                           engine::zeros(), false));
    }
  }
  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.times = pass.row_times;
    inputs.offset_weights = tape[layers_[layer]];
  }

 private:
  std::vector<Parameter> layers_;  // [H, 2 rows - 1] each
};

}  // namespace faithful
