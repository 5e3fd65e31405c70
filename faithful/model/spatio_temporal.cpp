// The form "dfstrans": which sensor, and when. A CNN per sensor turns every segment into d numbers; each sensor attends
// over the steps and each step over the sensors, in parallel; docs/model.md has the diagram. All sensors and all steps
// are groups of one operator.

#include <algorithm>

#include <fmt/format.h>

#include "faithful/model/body_internal.h"
#include "faithful/model/encoder_internal.h"

namespace faithful::model {

namespace {

template <class T>
class SpatioTemporal final : public Body<T> {
 public:
  SpatioTemporal(const ModelConfig& of, Parameters<T>& parameters);

  Tensor<T> logits(Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps) const override;
  Tensor<T> embedded_steps(Tape<T>& tape, const Samples<T>& samples) const override;  // [B, C, S, d]

 private:
  using Pass = typename Position<T>::Pass;
  using Body<T>::config_;
  using Body<T>::position_;

  // Convolution -> ReLU -> pooling by two -> batch norm, each sensor with weights and statistics of its own.
  struct Stage {
    Affine convolution, norm;
    Parameter mean, variance;
  };
  // Attention with its residual and norm.
  struct Branch {
    Affine qkv, out, norm;
  };
  void declare_stage(Parameters<T>& parameters, std::size_t number);
  Branch declare_branch(Parameters<T>& parameters, const std::string& name, std::size_t groups, bool values_alone);

  Tensor<T> apply_stage(Tape<T>& tape, const Stage& stage, Tensor<T> x, std::size_t length) const;
  Tensor<T> attend(Tape<T>& tape, const Branch& branch, Tensor<T> h, engine::AttentionInputs<T> inputs,
                   const Pass* pass) const;
  Tensor<T> feed_forward(Tape<T>& tape, Tensor<T> h) const;

  Differences<T> differences_;
  std::vector<Stage> stages_;
  Branch temporal_{}, spatial_{};
  Affine first_{}, second_{}, norm_{};  // the feed-forward
  Affine hidden_{}, out_{};             // the head
};

template <class T>
SpatioTemporal<T>::SpatioTemporal(const ModelConfig& of, Parameters<T>& parameters)
    : Body<T>(of, parameters), differences_(config_, parameters, Order::kSensorFirst) {
  const std::size_t d = config_.body.width, channels = config_.input.channels;
  for (std::size_t i = 0; i < config_.input.stages; ++i) declare_stage(parameters, i);
  temporal_ =
      declare_branch(parameters, "temporal", config_.body.sensor_weights ? channels : 0, position_.replaces_queries());
  spatial_ = declare_branch(parameters, "spatial", config_.body.step_weights ? config_.steps() : 0, false);
  first_ = declare_affine(parameters, "feed_forward.first", config_.hidden(), d);
  second_ = declare_affine(parameters, "feed_forward.second", d, config_.hidden());
  norm_ = declare_norm(parameters, "feed_forward.norm", d);
  hidden_ = declare_affine(parameters, "head.hidden", config_.head.hidden, channels * d);
  out_ = declare_affine(parameters, "head.out", config_.outputs(), config_.head.hidden);
}

template <class T>
void SpatioTemporal<T>::declare_stage(Parameters<T>& parameters, std::size_t number) {
  const std::string name = fmt::format("sensors.{}.", number);
  const std::size_t filters = config_.input.filters, in = number == 0 ? 1 + config_.input.differences : filters;
  const engine::Shape shape{config_.input.channels, filters};
  const auto statistic = [&](const char* of, engine::Initializer start) {
    return parameters.declare(
        {.name = name + of, .shape = shape, .initializer = start, .decays = false, .statistic = true});
  };
  Stage stage{};
  stage.convolution =
      declare_affine(parameters, name + "convolution", filters, config_.input.kernel * in, config_.input.channels);
  stage.norm = {parameters.declare(name + "norm.weight", shape, engine::ones(), false),
                parameters.declare(name + "norm.bias", shape, engine::zeros(), false)};
  stage.mean = statistic("norm.mean", engine::zeros());
  stage.variance = statistic("norm.variance", engine::ones());
  stages_.push_back(stage);
}

template <class T>
typename SpatioTemporal<T>::Branch SpatioTemporal<T>::declare_branch(Parameters<T>& parameters, const std::string& name,
                                                                     std::size_t groups, bool values_alone) {
  const std::size_t d = config_.body.width, heads = config_.body.heads * config_.key_width();
  return {declare_affine(parameters, name + ".qkv", (values_alone ? 1 : 3) * heads, d, groups),
          declare_affine(parameters, name + ".out", d, heads, groups), declare_norm(parameters, name + ".norm", d)};
}

// x [B, C, S * length, in] -> [B, C, S * (length / 2), filters]. ReLU and the greatest of two may change places, and
// pooling first leaves half of the numbers to it.
template <class T>
Tensor<T> SpatioTemporal<T>::apply_stage(Tape<T>& tape, const Stage& stage, Tensor<T> x, std::size_t length) const {
  const std::size_t batch = x.shape[0], channels = config_.input.channels, steps = config_.steps(),
                    filters = config_.input.filters;
  x = engine::convolution(tape, x, tape[stage.convolution.weight], tape[stage.convolution.bias],
                          {.kernel = config_.input.kernel, .padding = config_.input.kernel / 2, .segment = length});
  x = engine::max_pool_windows(tape, tape.reshape(x, {batch * channels * steps, length, filters}), 2, 2, true);
  x = tape.reshape(x, {batch, channels, steps * (length / 2), filters});
  return engine::batch_norm(tape, x, tape[stage.norm.weight], tape[stage.norm.bias], tape[stage.mean],
                            tape[stage.variance]);
}

template <class T>
Tensor<T> SpatioTemporal<T>::embedded_steps(Tape<T>& tape, const Samples<T>& samples) const {
  const std::size_t batch = samples.count, channels = config_.input.channels, steps = config_.steps();
  std::size_t length = config_.input.segment;
  Tensor<T> x = differences_.append(tape, filled_samples(tape, config_, samples, Order::kSensorFirst), samples);
  for (const Stage& stage : stages_) {
    x = apply_stage(tape, stage, x, length);
    length /= 2;
  }
  return tape.reshape(x, {batch, channels, steps, config_.body.width});
}

// h [B, groups, N, d]: every group attends over its N.
template <class T>
Tensor<T> SpatioTemporal<T>::attend(Tape<T>& tape, const Branch& branch, Tensor<T> h, engine::AttentionInputs<T> inputs,
                                    const Pass* pass) const {
  inputs.heads = config_.body.heads;
  const Tensor<T> in_queries = pass == nullptr ? Tensor<T>{} : pass->in_queries;
  fill_inputs(tape, project(tape, h, branch.qkv, in_queries), pass != nullptr && position_.replaces_queries(), inputs);
  if (pass != nullptr) position_.enter(tape, 0, *pass, inputs);
  const Tensor<T> out = apply(tape, attention(tape, inputs), branch.out);
  return normalize(tape, dropout(tape, out, config_.body.dropout), h, branch.norm);
}

template <class T>
Tensor<T> SpatioTemporal<T>::feed_forward(Tape<T>& tape, Tensor<T> h) const {
  const Tensor<T> hidden = apply(tape, h, first_, activation_of(config_));
  return normalize(tape, dropout(tape, apply(tape, hidden, second_), config_.body.dropout), h, norm_);
}

template <class T>
Tensor<T> SpatioTemporal<T>::logits(Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps) const {
  const std::size_t batch = samples.count, channels = config_.input.channels, steps = config_.steps(),
                    d = config_.body.width;
  // To the encoding every sensor of every sample is a sequence.
  const std::span<const T> times = for_each_sensor(tape, step_times(tape, config_, samples), batch, channels);
  const std::span<const std::uint8_t> valid =
      for_each_sensor(tape, valid_steps(tape, config_, samples, false), batch, channels);
  Pass pass = position_.begin(tape, batch * channels, times, valid);

  const Tensor<T> h = position_.add_to(tape, embedded_steps(tape, samples), pass);  // [B, C, S, d]
  const Tensor<T> when = attend(tape, temporal_, h, {.valid = valid, .maps = maps.temporal}, &pass);
  const Tensor<T> where = attend(tape, spatial_, transpose_rows(tape, h), {.maps = maps.spatial}, nullptr);
  const Tensor<T> z = feed_forward(tape, add(tape, when, transpose_rows(tape, where)));

  const Tensor<T> means = mean_pool(tape, tape.reshape(z, {batch * channels, steps, d}), {valid});
  const Tensor<T> hidden = apply(tape, tape.reshape(means, {batch, channels * d}), hidden_, Activation::kRelu);
  return apply(tape, dropout(tape, hidden, config_.body.dropout), out_);
}

}  // namespace

template <class T>
std::unique_ptr<Body<T>> make_spatio_temporal_body(const ModelConfig& config, Parameters<T>& parameters) {
  return std::make_unique<SpatioTemporal<T>>(config, parameters);
}

template std::unique_ptr<Body<float>> make_spatio_temporal_body(const ModelConfig&, Parameters<float>&);
template std::unique_ptr<Body<double>> make_spatio_temporal_body(const ModelConfig&, Parameters<double>&);

}  // namespace faithful::model
