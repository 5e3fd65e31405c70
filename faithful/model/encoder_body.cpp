// The form "encoder": every step is embedded, L layers attend over the steps.

#include "faithful/model/body_internal.h"
#include "faithful/model/encoder_internal.h"
#include "faithful/model/operators_internal.h"
#include "faithful/model/stem_internal.h"

namespace faithful::model {

namespace {

template <class T>
class EncoderBody final : public Body<T> {
 public:
  EncoderBody(const ModelConfig& of, Parameters<T>& parameters)
      : Body<T>(of, parameters),
        differences_(config_, parameters, Order::kTimeFirst),
        stem_(config_, parameters),
        encoder_(config_, position_, parameters) {
    const std::size_t columns = config_.columns(), d = config_.body.width;
    const bool has_stem = config_.input.branches > 0;
    const engine::Initializer start = has_stem ? fan_in_uniform() : engine::xavier_uniform();
    const std::size_t each = has_stem ? stem_.width() : config_.input.filters == 0 ? columns : config_.input.filters;
    if (config_.input.filters > 0 && !has_stem) {
      convolution_ = declare_affine(parameters, "convolution", config_.input.filters, config_.input.kernel * columns);
    }
    embedding_ =
        declare_affine(parameters, "embedding", d, config_.input.segment * each + position_.columns_beside(), 0, start);
    if (config_.has_token()) token_ = parameters.declare("token", {1, d}, engine::normal(0.02), false);
    if (config_.head.pooling == Pooling::kAttention) {
      query_ = parameters.declare("pooling.weight", {1, encoder_.width()}, engine::zeros(), false);
    }
    head_ = declare_affine(parameters, "head", config_.outputs(), encoder_.width(), 0, start);
  }

  Tensor<T> logits(Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps) const override {
    Pass pass = begin(tape, samples);
    return finish(tape, embed_all(tape, samples, pass), samples, pass, maps);
  }
  Tensor<T> embedded_steps(Tape<T>& tape, const Samples<T>& samples) const override {
    return embed_all(tape, samples, begin(tape, samples));
  }

 private:
  using Pass = typename Position<T>::Pass;
  using Body<T>::config_;
  using Body<T>::position_;

  Pass begin(Tape<T>& tape, const Samples<T>& samples) const {
    return position_.begin(tape, samples.count, step_times(tape, config_, samples),
                           valid_steps(tape, config_, samples, false));
  }
  Tensor<T> segments(Tape<T>& tape, const Samples<T>& samples) const;
  Tensor<T> embed_all(Tape<T>& tape, const Samples<T>& samples, const Pass& pass) const {
    return apply(tape, position_.concatenate(tape, segments(tape, samples), pass), embedding_);
  }
  Tensor<T> prepend_token(Tape<T>& tape, Tensor<T> h) const;
  Tensor<T> pool(Tape<T>& tape, Tensor<T> h, std::span<const std::uint8_t> valid) const;
  Tensor<T> finish(Tape<T>& tape, Tensor<T> h, const Samples<T>& samples, Pass& pass,
                   const AttentionMaps<T>& maps) const;

  Differences<T> differences_;
  Stem<T> stem_;
  Encoder<T> encoder_;
  Affine convolution_{}, embedding_{}, head_{};
  Parameter token_{}, query_{};  // of the poolings that learn
};

// [B, S, P * channels (or filters)]: the samples of each step side by side.
template <class T>
Tensor<T> EncoderBody<T>::segments(Tape<T>& tape, const Samples<T>& samples) const {
  Tensor<T> x = differences_.append(tape, averaged_samples(tape, config_, samples), samples);
  if (config_.input.branches > 0) {
    // Nothing before the stem learns: unless the samples want their gradient, the way back ends here.
    if (samples.gradients.empty()) x = tape.input(x.data, x.shape);
    x = stem_.apply_to(tape, x, valid_rows(tape, config_, samples));
  } else if (config_.input.filters > 0) {
    x = engine::convolution(tape, x, tape[convolution_.weight], tape[convolution_.bias],
                            {.kernel = config_.input.kernel, .padding = config_.input.kernel / 2}, Activation::kGelu);
  }
  if (config_.input.segment == 1) return x;
  return tape.reshape(x, {samples.count, config_.steps(), config_.input.segment * x.width()});
}

template <class T>
Tensor<T> EncoderBody<T>::prepend_token(Tape<T>& tape, Tensor<T> h) const {
  const std::size_t batch = h.shape[0], steps = h.shape[1], d = h.width();
  const Tensor<T> parts[] = {tape.reshape(repeat(tape, tape[token_], batch), {batch, d}),
                             tape.reshape(h, {batch, steps * d})};
  return tape.reshape(concat(tape, std::span<const Tensor<T>>(parts)), {batch, steps + 1, d});
}

template <class T>
Tensor<T> EncoderBody<T>::pool(Tape<T>& tape, Tensor<T> h, std::span<const std::uint8_t> valid) const {
  if (config_.head.pooling == Pooling::kMean) return mean_pool(tape, h, {valid});
  if (config_.has_token()) return tape.reshape(slice(tape, h, 0, 1), {h.shape[0], h.width()});
  return weighted_pool(tape, h, linear(tape, h, tape[query_]), {valid});
}

template <class T>
Tensor<T> EncoderBody<T>::finish(Tape<T>& tape, Tensor<T> h, const Samples<T>& samples, Pass& pass,
                                 const AttentionMaps<T>& maps) const {
  const std::span<const std::uint8_t> valid =
      config_.has_token() ? valid_steps(tape, config_, samples, true) : pass.valid;
  h = dropout(tape, position_.add_to(tape, h, pass), config_.body.dropout);
  if (config_.has_token()) h = prepend_token(tape, h);
  h = encoder_.apply_to(tape, h, valid, pass, maps.values);
  return apply(tape, pool(tape, h, valid), head_);
}

}  // namespace

template <class T>
std::unique_ptr<Body<T>> make_encoder_body(const ModelConfig& config, Parameters<T>& parameters) {
  return std::make_unique<EncoderBody<T>>(config, parameters);
}

template std::unique_ptr<Body<float>> make_encoder_body(const ModelConfig&, Parameters<float>&);
template std::unique_ptr<Body<double>> make_encoder_body(const ModelConfig&, Parameters<double>&);

}  // namespace faithful::model
