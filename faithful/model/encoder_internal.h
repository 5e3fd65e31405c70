#pragma once

#include <span>
#include <string>
#include <vector>

#include "faithful/engine/operators.h"
#include "faithful/model/classifier.h"
#include "faithful/model/position.h"

namespace faithful::model {

using engine::Activation;
using engine::Parameter;
using engine::Parameters;
using engine::Tape;
using engine::Tensor;

// A weight [out, in] and a bias [out], or the gain and offset of a norm.
struct Affine {
  Parameter weight, bias;
};

template <class T>
Affine declare_affine(Parameters<T>& parameters, const std::string& name, std::size_t out, std::size_t in) {
  return {parameters.declare(name + ".weight", {out, in}, engine::xavier_uniform()),
          parameters.declare(name + ".bias", {out}, engine::zeros(), false)};
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

// L layers of attention and feed-forward, as config.block says.
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
