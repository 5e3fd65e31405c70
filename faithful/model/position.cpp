#include <cmath>

#include "faithful/encoding/catalog.h"
#include "faithful/model/position_internal.h"

namespace faithful {

using engine::Tensor;

ModelPlace place_of(const ModelConfig& config) {
  return {.name = config.position.encoding,
          .options = encoding_options(config),
          .width = config.body.width,
          .head_width = config.key_width(),
          .layers = config.body.layers,
          .has_token = config.has_token(),
          .by_time = config.has_times()};
}

std::size_t columns_beside(const ModelConfig& config) {
  engine::Parameters<float> declared;
  return Position<float>(config, declared).columns_beside();
}

template <class T>
Position<T>::Position(const ModelConfig& config, engine::Parameters<T>& parameters)
    : encoding_(catalog_entry(config.position.encoding).in_model->make(place_of(config), parameters)),
      decays_(config.decays()) {
  if (!decays_) return;
  // No shard ever leaves anything for this statistic, so that every update shrinks it.
  decay_ = parameters.declare({.name = "encoding.decay",
                               .shape = {1},
                               .initializer = engine::ones(),
                               .statistic = true,
                               .momentum = 1 - std::sqrt(2 / static_cast<double>(config.body.width))});
}

template <class T>
typename Position<T>::Pass Position<T>::begin(engine::Tape<T>& tape, std::size_t batch,
                                              std::span<const T> times) const {
  Pass pass{.batch = batch, .times = times};
  encoding_->begin(tape, pass);
  if (decays_) pass.added = scale(tape, pass.added, static_cast<double>(tape.parameters().values_of(decay_)[0]));
  return pass;
}

template <class T>
Tensor<T> Position<T>::concatenate(engine::Tape<T>& tape, Tensor<T> x, const Pass& pass) const {
  if (columns_beside() == 0) return x;
  const Tensor<T> parts[] = {x, pass.beside};
  return concat(tape, std::span<const Tensor<T>>(parts));
}

template <class T>
Tensor<T> Position<T>::add_to(engine::Tape<T>& tape, Tensor<T> h, const Pass& pass) const {
  return pass.added ? add(tape, h, pass.added) : h;
}

template class Position<float>;
template class Position<double>;

}  // namespace faithful
