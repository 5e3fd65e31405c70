#include "faithful/model/classifier.h"

#include <algorithm>
#include <cmath>

#include "faithful/model/encoder_internal.h"
#include "faithful/model/operators_internal.h"

namespace faithful {

using engine::Tape;
using engine::Tensor;
using model::Affine;

template <class T>
struct Classifier<T>::Parts {
  explicit Parts(const ModelConfig& of);  // declares; see prepare()
  void prepare();                         // takes memory

  ModelConfig config;
  engine::Parameters<T> parameters;
  Affine convolution{}, embedding{};
  Position<T> position;
  engine::Parameter token{}, query{};  // of the poolings that learn
  model::Encoder<T> encoder;
  Affine head{};

  std::span<const std::uint8_t> valid_steps(Tape<T>& tape,
                                            const Samples<T>& samples) const;  // one valid sample will do
  std::span<const T> step_times(Tape<T>& tape, const Samples<T>& samples) const;
  Tensor<T> segments(Tape<T>& tape, const Samples<T>& samples) const;
  Tensor<T> prepend_token(Tape<T>& tape, Tensor<T> h) const;
  Tensor<T> pool(Tape<T>& tape, Tensor<T> h, std::span<const std::uint8_t> valid) const;
  Tensor<T> embed(Tape<T>& tape, const Samples<T>& samples, const typename Position<T>::Pass& pass) const;
  Tensor<T> finish(Tape<T>& tape, Tensor<T> h, const Samples<T>& samples, const typename Position<T>::Pass& pass,
                   const AttentionMaps<T>& maps) const;
};

template <class T>
Classifier<T>::Parts::Parts(const ModelConfig& of)
    : config(of), position(config, parameters), encoder(config, position, parameters) {
  const std::size_t each = config.filters == 0 ? config.channels : config.filters, d = config.width;
  if (config.filters > 0) {
    convolution = model::declare_affine(parameters, "convolution", config.filters, config.kernel * config.channels);
  }
  embedding =
      model::declare_affine(parameters, "embedding", d, config.segment * each + position.concatenated_columns());
  if (config.pooling == "token") token = parameters.declare("token", {1, d}, engine::normal(0.02), false);
  if (config.pooling == "attention") {
    query = parameters.declare("pooling.weight", {1, encoder.width()}, engine::zeros(), false);
  }
  head = model::declare_affine(parameters, "head", config.outputs(), encoder.width());
}

template <class T>
void Classifier<T>::Parts::prepare() {
  parameters.allocate();
  position.fill_tables();
}

// [B, S, P * channels (or filters)]: the samples of each step side by side.
template <class T>
Tensor<T> Classifier<T>::Parts::segments(Tape<T>& tape, const Samples<T>& samples) const {
  const std::size_t batch = samples.count, channels = config.channels, padded = config.steps() * config.segment;
  const T* values = samples.values.data();
  if (padded != config.length || !samples.valid.empty()) {  // the last segment is filled up with zeros, as is padding
    T* filled = tape.arena().template take<T>(batch * padded * channels);
    for (std::size_t i = 0; i < batch * padded; ++i) {
      const std::size_t at = i / padded * config.length + i % padded;
      const bool there = i % padded < config.length && (samples.valid.empty() || samples.valid[at] != 0);
      if (there) std::copy_n(values + at * channels, channels, filled + i * channels);
      if (!there) std::fill_n(filled + i * channels, channels, T(0));
    }
    values = filled;
  }
  Tensor<T> x = tape.input(values, {batch, padded, channels});
  if (config.filters > 0) {
    x = engine::convolution(tape, x, tape[convolution.weight], tape[convolution.bias],
                            {.kernel = config.kernel, .padding = config.kernel / 2}, engine::Activation::kGelu);
  }
  return config.segment == 1 ? x : tape.reshape(x, {batch, config.steps(), config.segment * x.width()});
}

template <class T>
Tensor<T> Classifier<T>::Parts::embed(Tape<T>& tape, const Samples<T>& samples,
                                      const typename Position<T>::Pass& pass) const {
  return model::apply(tape, position.concatenate(tape, segments(tape, samples), pass), embedding);
}

// [B, S], and one before for a class token; empty where nothing is padded.
template <class T>
std::span<const std::uint8_t> Classifier<T>::Parts::valid_steps(Tape<T>& tape, const Samples<T>& samples) const {
  if (samples.valid.empty()) return {};
  const std::size_t steps = config.steps(), first = config.pooling == "token" ? 1 : 0, rows = steps + first;
  auto* valid = tape.arena().template take<std::uint8_t>(samples.count * rows);
  for (std::size_t b = 0; b < samples.count; ++b) {
    const std::uint8_t* of_sample = samples.valid.data() + b * config.length;
    valid[b * rows] = 1;
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t begin = s * config.segment, end = std::min(begin + config.segment, config.length);
      valid[b * rows + first + s] = std::any_of(of_sample + begin, of_sample + end, [](auto v) { return v != 0; });
    }
  }
  return {valid, samples.count * rows};
}

// [B, S]: the time of each step's first valid sample; empty where positions are numbers. A padded step takes the time
// of the one before it, so that no padding widens the range of the times.
template <class T>
std::span<const T> Classifier<T>::Parts::step_times(Tape<T>& tape, const Samples<T>& samples) const {
  if (config.positions != "time") return {};
  const std::size_t steps = config.steps();
  T* times = tape.arena().template take<T>(samples.count * steps);
  const auto there = [&](std::size_t at) { return samples.valid.empty() || samples.valid[at] != 0; };
  for (std::size_t b = 0; b < samples.count; ++b) {
    const std::size_t first = b * config.length, end = first + config.length;
    std::size_t at = first;
    while (at < end && !there(at)) ++at;
    T time = at < end ? samples.times[at] : T(0);
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t last = std::min(first + (s + 1) * config.segment, end);
      for (at = first + s * config.segment; at < last && !there(at);) ++at;
      if (at < last) time = samples.times[at];
      times[b * steps + s] = time;
    }
  }
  return {times, samples.count * steps};
}

template <class T>
Tensor<T> Classifier<T>::Parts::prepend_token(Tape<T>& tape, Tensor<T> h) const {
  const std::size_t batch = h.shape[0], steps = h.shape[1], d = h.width();
  const Tensor<T> parts[] = {tape.reshape(repeat(tape, tape[token], batch), {batch, d}),
                             tape.reshape(h, {batch, steps * d})};
  return tape.reshape(concat(tape, std::span<const Tensor<T>>(parts)), {batch, steps + 1, d});
}

template <class T>
Tensor<T> Classifier<T>::Parts::pool(Tape<T>& tape, Tensor<T> h, std::span<const std::uint8_t> valid) const {
  if (config.pooling == "mean") return mean_pool(tape, h, {valid});
  if (config.pooling == "token") return tape.reshape(slice(tape, h, 0, 1), {h.shape[0], h.width()});
  return model::weighted_pool(tape, h, linear(tape, h, tape[query]), {valid});
}

template <class T>
Tensor<T> Classifier<T>::Parts::finish(Tape<T>& tape, Tensor<T> h, const Samples<T>& samples,
                                       const typename Position<T>::Pass& pass, const AttentionMaps<T>& maps) const {
  const std::span<const std::uint8_t> valid = valid_steps(tape, samples);
  h = dropout(tape, position.add_to(tape, h, pass), config.dropout);
  if (config.pooling == "token") h = prepend_token(tape, h);
  h = encoder.apply_to(tape, h, valid, pass, maps.values);
  return model::apply(tape, pool(tape, h, valid), head);
}

template <class T>
Classifier<T>::Classifier(const ModelConfig& config) : parts_((check_config(config), std::make_unique<Parts>(config))) {
  parts_->prepare();
}
template <class T>
Classifier<T>::~Classifier() = default;
template <class T>
Classifier<T>::Classifier(Classifier&&) noexcept = default;
template <class T>
Classifier<T>& Classifier<T>::operator=(Classifier&&) noexcept = default;

template <class T>
std::size_t Classifier<T>::count(const ModelConfig& config) {
  return Parts(config).parameters.count();
}

template <class T>
const ModelConfig& Classifier<T>::config() const {
  return parts_->config;
}
template <class T>
engine::Parameters<T>& Classifier<T>::parameters() {
  return parts_->parameters;
}
template <class T>
const engine::Parameters<T>& Classifier<T>::parameters() const {
  return parts_->parameters;
}

template <class T>
void Classifier<T>::initialize(std::uint64_t seed) {
  parts_->parameters.initialize(seed);
  parts_->position.initialize(parts_->parameters, seed);
}

template <class T>
Tensor<T> Classifier<T>::logits(Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps) const {
  const auto pass = parts_->position.begin(tape, samples.count, parts_->step_times(tape, samples));
  return parts_->finish(tape, parts_->embed(tape, samples, pass), samples, pass, maps);
}

template <class T>
Tensor<T> Classifier<T>::embedded_steps(Tape<T>& tape, const Samples<T>& samples) const {
  const auto pass = parts_->position.begin(tape, samples.count, parts_->step_times(tape, samples));
  return parts_->embed(tape, samples, pass);
}

template <class T>
bool Classifier<T>::embeds_alone() const {
  const ModelConfig& config = parts_->config;
  return config.filters == 0 && config.segment == 1 && parts_->position.concatenated_columns() == 0;
}

template <class T>
Tensor<T> Classifier<T>::embed(Tape<T>& tape, const Samples<T>& samples) const {
  assert(embeds_alone());
  const std::size_t rows = samples.values.size() / samples.count / parts_->config.channels;
  return model::apply(tape, tape.input(samples.values.data(), {samples.count, rows, parts_->config.channels}),
                      parts_->embedding);
}

template <class T>
Tensor<T> Classifier<T>::logits_of(Tape<T>& tape, Tensor<T> h, const Samples<T>& samples,
                                   const AttentionMaps<T>& maps) const {
  const auto pass = parts_->position.begin(tape, samples.count, parts_->step_times(tape, samples));
  return parts_->finish(tape, h, samples, pass, maps);
}

template <class T>
Tensor<T> Classifier<T>::loss(Tape<T>& tape, const Samples<T>& samples, std::span<const std::int32_t> labels,
                              const engine::LossOptions<T>& options) const {
  const Tensor<T> z = logits(tape, samples);
  if (parts_->config.outputs() > 1) return softmax_cross_entropy<T>(tape, z, labels, options);
  T* targets = tape.arena().template take<T>(labels.size());
  std::transform(labels.begin(), labels.end(), targets, [](std::int32_t label) { return static_cast<T>(label); });
  return binary_cross_entropy<T>(tape, tape.reshape(z, {samples.count}), std::span<const T>(targets, labels.size()),
                                 options);
}

template <class T>
void probabilities_into(std::span<const T> logits, std::size_t classes, std::span<T> probabilities) {
  if (classes == 2) {
    for (std::size_t b = 0; b < logits.size(); ++b) {
      const T positive = 1 / (1 + std::exp(-logits[b]));
      probabilities[2 * b] = 1 - positive;
      probabilities[2 * b + 1] = positive;
    }
    return;
  }
  for (std::size_t first = 0; first < logits.size(); first += classes) {
    const std::span<const T> z = logits.subspan(first, classes);
    const std::span<T> p = probabilities.subspan(first, classes);
    const T highest = *std::max_element(z.begin(), z.end());
    T total = 0;
    for (std::size_t k = 0; k < classes; ++k) total += p[k] = std::exp(z[k] - highest);
    for (T& each : p) each /= total;
  }
}

std::size_t parameter_count(const ModelConfig& config) {
  return Classifier<float>::count(config);
}

template class Classifier<float>;
template class Classifier<double>;
template void probabilities_into(std::span<const float>, std::size_t, std::span<float>);
template void probabilities_into(std::span<const double>, std::size_t, std::span<double>);

}  // namespace faithful
