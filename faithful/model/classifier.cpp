#include "faithful/model/classifier.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "faithful/base/error.h"
#include "faithful/model/body_internal.h"

namespace faithful {

using engine::Tape;
using engine::Tensor;

template <class T>
struct Classifier<T>::Parts {
  explicit Parts(const ModelConfig& config)  // declares, and takes no memory yet
      : body(config.is_dfstrans() ? model::make_spatio_temporal_body<T>(config, parameters)
                                  : model::make_encoder_body<T>(config, parameters)) {}

  engine::Parameters<T> parameters;
  std::unique_ptr<model::Body<T>> body;
};

template <class T>
Classifier<T>::Classifier(const ModelConfig& config) : parts_((check_config(config), std::make_unique<Parts>(config))) {
  parts_->parameters.allocate();
  parts_->body->position().fill_tables();
}
template <class T>
Classifier<T>::~Classifier() = default;
template <class T>
Classifier<T>::Classifier(Classifier&&) noexcept = default;
template <class T>
Classifier<T>& Classifier<T>::operator=(Classifier&&) noexcept = default;

template <class T>
std::size_t Classifier<T>::count(const ModelConfig& config, bool statistics) {
  const Parts parts(config);
  if (!statistics) return parts.parameters.count();
  std::size_t all = 0;
  for (const engine::ParameterEntry& entry : parts.parameters.entries()) all += entry.shape.count();
  return all;
}

template <class T>
const ModelConfig& Classifier<T>::config() const {
  return parts_->body->config();
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
  parts_->body->position().initialize(parts_->parameters, seed);
}

template <class T>
void Classifier<T>::rescale_logits(double factor, std::span<const double> added) {
  const std::string head = config().is_dfstrans() ? "head.out" : "head";
  const std::span<T> all = parts_->parameters.mutable_values();
  const auto values_of = [&](const std::string& name) {
    const engine::ParameterEntry* entry = parts_->parameters.find(name);
    assert(entry != nullptr);
    return all.subspan(entry->offset, entry->shape.count());
  };
  for (T& weight : values_of(head + ".weight")) weight = static_cast<T>(factor * static_cast<double>(weight));
  const std::span<T> bias = values_of(head + ".bias");
  assert(bias.size() == added.size());
  for (std::size_t k = 0; k < bias.size(); ++k)
    bias[k] = static_cast<T>(factor * static_cast<double>(bias[k]) + added[k]);
  ThreadPool alone(1);
  parts_->parameters.pack(alone);
}

template <class T>
Tensor<T> Classifier<T>::logits(Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps) const {
  return parts_->body->logits(tape, samples, maps);
}

template <class T>
Tensor<T> Classifier<T>::embedded_steps(Tape<T>& tape, const Samples<T>& samples) const {
  return parts_->body->embedded_steps(tape, samples);
}

template <class T>
void Classifier<T>::input_gradient_into(Tape<T>& tape, const Samples<T>& samples, std::size_t of,
                                        std::span<T> out) const {
  const ModelConfig& form = config();
  if (of >= form.input.classes) {
    reject({{"class"}, "a number from 0 to " + std::to_string(form.input.classes - 1), std::to_string(of)});
  }
  assert(out.size() == samples.values.size());
  Samples<T> wanted = samples;
  wanted.gradients = out;
  tape.begin(parameters(), {.record = true});
  const Tensor<T> z = logits(tape, wanted);
  const std::size_t outputs = form.outputs();
  std::vector<T> chosen(z.shape.count(), T(0));
  for (std::size_t b = 0; b < samples.count; ++b) {
    chosen[b * outputs + (outputs == 1 ? 0 : of)] = outputs == 1 && of == 0 ? T(-1) : T(1);
  }
  tape.backward(linear(tape, tape.reshape(z, {1, chosen.size()}), tape.input(chosen.data(), {1, chosen.size()})));
}

template <class T>
Tensor<T> Classifier<T>::loss(Tape<T>& tape, const Samples<T>& samples, std::span<const std::int32_t> labels,
                              const engine::LossOptions<T>& options) const {
  const Tensor<T> z = logits(tape, samples);
  if (config().outputs() > 1) return softmax_cross_entropy<T>(tape, z, labels, options);
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
  return Classifier<float>::count(config, false);
}
std::size_t stored_count(const ModelConfig& config) {
  return Classifier<float>::count(config, true);
}

template class Classifier<float>;
template class Classifier<double>;
template void probabilities_into(std::span<const float>, std::size_t, std::span<float>);
template void probabilities_into(std::span<const double>, std::size_t, std::span<double>);

}  // namespace faithful
