#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "faithful/engine/operators.h"
#include "faithful/model/classifier.h"
#include "faithful/model/position_internal.h"

namespace faithful::model {

using engine::Activation;
using engine::Parameter;
using engine::Parameters;
using engine::Tape;
using engine::Tensor;

// A weight [out, in] and a bias [out], [groups, out, in] and [groups, out], or the gain and offset of a norm.
struct Affine {
  Parameter weight, bias;
};

// U(-a, a), a = 1 / sqrt(fan_in): what PyTorch starts convolutions and linear layers from.
inline engine::Initializer fan_in_uniform() {
  return engine::kaiming_uniform(0.57735026918962576);  // 1 / sqrt(3)
}

template <class T>
Affine declare_affine(Parameters<T>& parameters, const std::string& name, std::size_t out, std::size_t in,
                      std::size_t groups = 0, engine::Initializer start = engine::xavier_uniform()) {
  const engine::Shape weight = groups == 0 ? engine::Shape{out, in} : engine::Shape{groups, out, in};
  const engine::Shape bias = groups == 0 ? engine::Shape{out} : engine::Shape{groups, out};
  return {parameters.declare(name + ".weight", weight, start),
          parameters.declare(name + ".bias", bias, engine::zeros(), false)};
}

template <class T>
Affine declare_norm(Parameters<T>& parameters, const std::string& name, std::size_t width) {
  return {parameters.declare(name + ".weight", {width}, engine::ones(), false),
          parameters.declare(name + ".bias", {width}, engine::zeros(), false)};
}

template <class T>
Tensor<T> apply(Tape<T>& tape, Tensor<T> x, Affine affine, Activation activation = Activation::kNone) {
  return linear(tape, x, tape[affine.weight], tape[affine.bias], activation);
}

template <class T>
Tensor<T> normalize(Tape<T>& tape, Tensor<T> x, Tensor<T> residual, Affine affine) {
  return layer_norm(tape, x, residual, tape[affine.weight], tape[affine.bias]);
}

inline Activation activation_of(const ModelConfig& config) {
  return config.body.activation == LayerActivation::kRelu ? Activation::kRelu : Activation::kGelu;
}

// Queries, keys and values side by side. `in_queries` [S, d] or [B, S, d], where its width fits, is added to what the
// first two are made from: W (h + p) = W h + W p.
template <class T>
Tensor<T> project(Tape<T>& tape, Tensor<T> h, Affine qkv, Tensor<T> in_queries) {
  const Tensor<T> plain = apply(tape, h, qkv), weight = tape[qkv.weight];  // weight [3 inner, d] or [G, 3 inner, d]
  if (!in_queries || in_queries.width() != weight.width()) return plain;
  const std::size_t inner = plain.width() / 3, rows = in_queries.shape[in_queries.shape.rank() - 2];
  if (weight.shape.rank() == 3) {
    const std::size_t groups = weight.shape[0], d = weight.width();
    if (in_queries.shape.rank() == 2) in_queries = repeat(tape, in_queries, groups);
    in_queries = tape.reshape(in_queries, {in_queries.rows() / (groups * rows), groups, rows, d});
  }
  const Tensor<T> both = linear(tape, in_queries, slice(tape, weight, 0, 2 * inner));
  const engine::Shape of_values = both.shape.with_width(inner);
  T* zeros = tape.arena().template take<T>(of_values.count());
  std::fill_n(zeros, of_values.count(), T(0));
  const Tensor<T> parts[] = {both, tape.input(zeros, of_values)};
  return add(tape, plain, concat(tape, std::span<const Tensor<T>>(parts)));
}

// Queries, keys and values side by side become those of attention; or all are values, where positions give the others.
template <class T>
void fill_inputs(Tape<T>& tape, Tensor<T> projected, bool values_alone, engine::AttentionInputs<T>& inputs) {
  if (values_alone) {
    inputs.value = projected;
    return;
  }
  const std::size_t width = projected.width() / 3, widths[] = {width, width, width};
  Tensor<T> parts[3];
  tape.split(projected, widths, parts);
  inputs.query = parts[0];
  inputs.key = parts[1];
  inputs.value = parts[2];
}

// L layers of attention and feed-forward, as config.body.block says.
template <class T>
class Encoder {
 public:
  Encoder(const ModelConfig& config, const Position<T>& position, Parameters<T>& parameters);

  std::size_t width() const { return width_; }  // of what it gives

  // h [B, S, d] -> [B, S, width()]. valid [B, S] or empty.
  Tensor<T> apply_to(Tape<T>& tape, Tensor<T> h, std::span<const std::uint8_t> valid,
                     const typename Position<T>::Pass& pass, std::span<T> maps) const;

 private:
  struct Layer {
    Affine qkv;  // one below the other; the values alone where positions give queries and keys
    Affine out, first, second, norm1, norm2;
  };
  Tensor<T> attend(Tape<T>& tape, std::size_t number, Tensor<T> h, std::span<const std::uint8_t> valid,
                   const typename Position<T>::Pass& pass, std::span<T> maps) const;
  Tensor<T> feed_forward(Tape<T>& tape, const Layer& layer, Tensor<T> h) const;
  Tensor<T> project(Tape<T>& tape, const Layer& layer, Tensor<T> heads) const;

  ModelConfig config_;
  const Position<T>& position_;
  std::vector<Layer> layers_;
  Affine last_norm_{};  // pre-norm alone
  std::size_t width_;
};

extern template class Encoder<float>;
extern template class Encoder<double>;

}  // namespace faithful::model
