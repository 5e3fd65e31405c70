#include <algorithm>
#include <cmath>

#include "faithful/encoding/catalog.h"
#include "faithful/model/position_internal.h"

namespace faithful {

using engine::Tensor;

namespace {

// The times of all rows: a class token is one position before the first step.
template <class T>
std::span<const T> row_positions(engine::Tape<T>& tape, bool has_token, std::size_t batch, std::span<const T> times) {
  if (!has_token) return times;
  const std::size_t steps = times.size() / batch;
  T* at = tape.arena().template take<T>(times.size() + batch);
  for (std::size_t b = 0; b < batch; ++b) {
    const std::span<const T> own = times.subspan(b * steps, steps);
    T* to = at + b * (steps + 1);
    to[0] = *std::min_element(own.begin(), own.end()) - 1;
    std::copy(own.begin(), own.end(), to + 1);
  }
  return {at, times.size() + batch};
}

}  // namespace

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
      has_token_(config.has_token()),
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
typename Position<T>::Pass Position<T>::begin(engine::Tape<T>& tape, std::size_t batch, std::span<const T> times,
                                              std::span<const std::uint8_t> valid) const {
  Pass pass{.batch = batch, .times = times, .valid = valid};
  if (!times.empty()) pass.row_times = row_positions(tape, has_token_, batch, times);
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
Tensor<T> Position<T>::add_to(engine::Tape<T>& tape, Tensor<T> h, Pass& pass) const {
  const engine::Shape each{pass.batch, h.shape.rows() / pass.batch, h.width()};
  if (pass.added) {
    h = add(tape, h, pass.added);
  } else if (const Tensor<T> codes = encoding_->codes_of(tape, tape.reshape(h, each), pass)) {
    h = add(tape, h, tape.reshape(codes, h.shape));
  }
  encoding_->see(tape, tape.reshape(h, each), pass);
  return h;
}

template class Position<float>;
template class Position<double>;

}  // namespace faithful
