#include <fmt/format.h>

#include "faithful/model/encoder_internal.h"

namespace faithful::model {

template <class T>
Encoder<T>::Encoder(const ModelConfig& config, const Position<T>& position, Parameters<T>& parameters)
    : config_(config), position_(position), width_(config.body.width) {
  const std::size_t heads = config.body.heads * config.key_width();
  for (std::size_t l = 0; l < config.body.layers; ++l) {
    const std::string name = fmt::format("layers.{}.", l);
    Layer layer{};
    layer.qkv =
        declare_affine(parameters, name + "attention.qkv", (position.replaces_queries() ? 1 : 3) * heads, width_);
    if (config.body.block == LayerBlock::kBare) {
      width_ = heads;
    } else {
      layer.out = declare_affine(parameters, name + "attention.out", width_, heads);
      layer.first = declare_affine(parameters, name + "feed_forward.first", config.hidden(), width_);
      layer.second = declare_affine(parameters, name + "feed_forward.second", width_, config.hidden());
      layer.norm1 = declare_norm(parameters, name + "norm1", width_);
      layer.norm2 = declare_norm(parameters, name + "norm2", width_);
    }
    layers_.push_back(layer);
  }
  if (config.body.block == LayerBlock::kPre) last_norm_ = declare_norm(parameters, "norm", width_);
}

template <class T>
Tensor<T> Encoder<T>::attend(Tape<T>& tape, std::size_t number, Tensor<T> h, std::span<const std::uint8_t> valid,
                             const typename Position<T>::Pass& pass, std::span<T> maps) const {
  engine::AttentionInputs<T> inputs{.heads = config_.body.heads, .valid = valid, .maps = maps};
  fill_inputs(tape, model::project(tape, h, layers_[number].qkv, pass.in_queries), position_.replaces_queries(),
              inputs);
  position_.enter(tape, number, pass, inputs);
  return attention(tape, inputs);
}

template <class T>
Tensor<T> Encoder<T>::project(Tape<T>& tape, const Layer& layer, Tensor<T> heads) const {
  return dropout(tape, apply(tape, heads, layer.out), config_.body.dropout);
}

template <class T>
Tensor<T> Encoder<T>::feed_forward(Tape<T>& tape, const Layer& layer, Tensor<T> h) const {
  const Tensor<T> hidden = dropout(tape, apply(tape, h, layer.first, activation_of(config_)), config_.body.dropout);
  return dropout(tape, apply(tape, hidden, layer.second), config_.body.dropout);
}

template <class T>
Tensor<T> Encoder<T>::apply_to(Tape<T>& tape, Tensor<T> h, std::span<const std::uint8_t> valid,
                               const typename Position<T>::Pass& pass, std::span<T> maps) const {
  const std::size_t map_size = layers_.empty() ? 0 : maps.size() / layers_.size();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const std::span<T> map = maps.subspan(l * map_size, map_size);
    if (config_.body.block == LayerBlock::kBare) {
      h = attend(tape, l, h, valid, pass, map);
    } else if (config_.body.block == LayerBlock::kPost) {
      h = normalize(tape, project(tape, layer, attend(tape, l, h, valid, pass, map)), h, layer.norm1);
      h = normalize(tape, feed_forward(tape, layer, h), h, layer.norm2);
    } else {
      const Tensor<T> before = normalize(tape, h, {}, layer.norm1);
      h = add(tape, project(tape, layer, attend(tape, l, before, valid, pass, map)), h);
      h = add(tape, feed_forward(tape, layer, normalize(tape, h, {}, layer.norm2)), h);
    }
  }
  return config_.body.block == LayerBlock::kPre ? normalize(tape, h, {}, last_norm_) : h;
}

template class Encoder<float>;
template class Encoder<double>;

}  // namespace faithful::model
