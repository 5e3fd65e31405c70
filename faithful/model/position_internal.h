#pragma once

// The encoding of a model. What it learns and where it enters is in its own file in faithful/encoding; this is the frame
// that all encodings share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "faithful/encoding/in_model_internal.h"
#include "faithful/model/config.h"

namespace faithful {

// What the encoding room needs to know of this model.
ModelPlace place_of(const ModelConfig& config);

// How many columns its encoding concatenates to the steps.
std::size_t columns_beside(const ModelConfig& config);

template <class T>
class Position {
 public:
  Position(const ModelConfig& config, engine::Parameters<T>& parameters);  // declares what is learned

  void fill_tables() { encoding_->fill_tables(); }
  void initialize(engine::Parameters<T>& parameters, std::uint64_t seed) const {
    encoding_->initialize(parameters, seed);
  }
  std::size_t columns_beside() const { return encoding_->columns_beside(); }
  bool replaces_queries() const { return encoding_->replaces_queries(); }

  using Pass = PositionPass<T>;
  Pass begin(engine::Tape<T>& tape, std::size_t batch, std::span<const T> times,
             std::span<const std::uint8_t> valid) const;

  engine::Tensor<T> concatenate(engine::Tape<T>& tape, engine::Tensor<T> x, const Pass& pass) const;
  engine::Tensor<T> add_to(engine::Tape<T>& tape, engine::Tensor<T> h, Pass& pass) const;  // h [.., S, d]
  void enter(engine::Tape<T>& tape, std::size_t layer, const Pass& pass, engine::AttentionInputs<T>& inputs) const {
    encoding_->enter(tape, layer, pass, inputs);
  }

 private:
  std::unique_ptr<InModel<T>> encoding_;
  bool has_token_;             // a class token stands before the first step
  bool decays_;                // the scale of added codes is decaying
  engine::Parameter decay_{};  // what they are multiplied by then
};

extern template class Position<float>;
extern template class Position<double>;

}  // namespace faithful
