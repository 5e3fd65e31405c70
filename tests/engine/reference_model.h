#pragma once

// The model of the benchmarks and of the comparison with PyTorch: C channels -> d, post-norm encoder layers (GELU,
// feed-forward 4d), mean pool, K classes. Weights have the names and shapes of torch.nn.TransformerEncoderLayer.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/engine/operators.h"
#include "faithful/engine/shards.h"

namespace faithful::engine::testing {

struct ReferenceConfig {
  std::size_t channels = 38, width = 64, heads = 4, layers = 2, positions = 100, classes = 2;
  double dropout = 0;
};

template <class T>
class ReferenceModel {
 public:
  explicit ReferenceModel(ReferenceConfig config, std::uint64_t seed = 1) : config_(config) {
    const std::size_t d = config.width;
    input_ = declare("input", d, config.channels);
    for (std::size_t l = 0; l < config.layers; ++l) {
      const std::string name = "layers." + std::to_string(l) + ".";
      layers_.push_back({declare(name + "in_proj", 3 * d, d), declare(name + "out_proj", d, d),
                         declare(name + "linear1", 4 * d, d), declare(name + "linear2", d, 4 * d),
                         declare_norm(name + "norm1"), declare_norm(name + "norm2")});
    }
    output_ = declare("output", config.classes, d);
    parameters.allocate();
    parameters.initialize(seed);
  }

  Tensor<T> logits(Tape<T>& tape, const T* x, std::size_t samples) const {  // x [samples, S, C]
    const std::size_t d = config_.width;
    Tensor<T> h = apply(tape, tape.input(x, {samples, config_.positions, config_.channels}), input_);
    for (const Layer& layer : layers_) {
      const std::size_t widths[] = {d, d, d};
      Tensor<T> qkv[3];
      tape.split(apply(tape, h, layer.in_proj), widths, qkv);
      Tensor<T> a = attention<T>(tape, {.query = qkv[0], .key = qkv[1], .value = qkv[2], .heads = config_.heads});
      a = dropout(tape, apply(tape, a, layer.out_proj), config_.dropout);
      h = layer_norm(tape, a, h, tape[layer.norm1.weight], tape[layer.norm1.bias]);
      Tensor<T> f = dropout(tape, apply(tape, h, layer.linear1, Activation::kGelu), config_.dropout);
      f = dropout(tape, apply(tape, f, layer.linear2), config_.dropout);
      h = layer_norm(tape, f, h, tape[layer.norm2.weight], tape[layer.norm2.bias]);
    }
    return apply(tape, mean_pool(tape, h), output_);
  }

  // The loss of samples begin .. end - 1 of a batch, as Shards wants it.
  Tensor<T> loss(Tape<T>& tape, std::span<const T> x, std::span<const std::int32_t> labels, std::size_t begin,
                 std::size_t end) const {
    const std::size_t each = config_.positions * config_.channels;
    const Tensor<T> z = logits(tape, x.data() + begin * each, end - begin);
    return softmax_cross_entropy<T>(tape, z, labels.subspan(begin, end - begin),
                                    {.scale = 1 / static_cast<double>(labels.size())});
  }

  const ReferenceConfig& config() const { return config_; }
  Parameters<T> parameters;

 private:
  struct Affine {
    Parameter weight, bias;
  };
  struct Layer {
    Affine in_proj, out_proj, linear1, linear2, norm1, norm2;
  };
  Affine declare(const std::string& name, std::size_t out, std::size_t in) {
    return {parameters.declare(name + ".weight", {out, in}, xavier_uniform()),
            parameters.declare(name + ".bias", {out}, normal(0.02))};
  }
  Affine declare_norm(const std::string& name) {
    return {parameters.declare(name + ".weight", {config_.width}, ones()),
            parameters.declare(name + ".bias", {config_.width}, zeros())};
  }
  static Tensor<T> apply(Tape<T>& tape, Tensor<T> x, Affine a, Activation activation = Activation::kNone) {
    return linear(tape, x, tape[a.weight], tape[a.bias], activation);
  }

  ReferenceConfig config_;
  Affine input_, output_;
  std::vector<Layer> layers_;
};

// A batch of noise whose labels depend on it, the same for every caller.
template <class T>
struct ReferenceBatch {
  ReferenceBatch(const ReferenceConfig& config, std::size_t samples, std::uint64_t seed = 2)
      : x(samples * config.positions * config.channels), labels(samples) {
    Random random(seed);
    for (T& value : x) value = static_cast<T>(random.normal());
    for (std::size_t b = 0; b < samples; ++b) {
      labels[b] = static_cast<std::int32_t>(x[b * config.positions * config.channels] > 0 ? 1 : 0);
    }
  }
  std::vector<T> x;                  // [B, S, C]
  std::vector<std::int32_t> labels;  // [B]
};

}  // namespace faithful::engine::testing
