#include <fmt/format.h>

#include "faithful/model/stem_internal.h"

namespace faithful::model {

namespace {

constexpr std::size_t kBlockKernel = 5;

}  // namespace

template <class T>
Stem<T>::Stem(const ModelConfig& config, Parameters<T>& parameters) : config_(config) {
  std::size_t columns = config.columns();
  if (config.has_bottleneck()) {
    bottleneck_ = parameters.declare("stem.bottleneck.weight", {config.input.bottleneck, columns}, fan_in_uniform());
    columns = config.input.bottleneck;
  }
  for (std::size_t i = 0; i < config.input.branches; ++i) {
    // Without a bottleneck, only a diagnosis wants the gradient of what goes in.
    branches_.push_back(parameters.declare({.name = fmt::format("stem.branches.{}.weight", i),
                                            .shape = {config.input.filters, branch_kernel(config.input, i) * columns},
                                            .initializer = fan_in_uniform(),
                                            .passes_back = config.has_bottleneck()}));
  }
  if (config.input.branches == 0) return;
  norm_ = declare_batch_norm(parameters, "stem.norm");
  for (std::size_t i = 0; i < config.input.blocks; ++i) {
    const std::string name = fmt::format("stem.blocks.{}.", i);
    Block block{};
    engine::Initializer start = fan_in_uniform();
    start.fan_in = kBlockKernel;
    block.depthwise = parameters.declare(name + "depthwise.weight", {kBlockKernel, width()}, start);
    block.pointwise = parameters.declare(name + "pointwise.weight", {width(), width()}, fan_in_uniform());
    block.norm = declare_batch_norm(parameters, name + "norm");
    blocks_.push_back(block);
  }
}

template <class T>
typename Stem<T>::Norm Stem<T>::declare_batch_norm(Parameters<T>& parameters, const std::string& name) const {
  const Affine affine = declare_norm(parameters, name, width());
  const auto statistic = [&](const char* which, engine::Initializer start) {
    return parameters.declare(
        {.name = name + which, .shape = {width()}, .initializer = start, .decays = false, .statistic = true});
  };
  return {affine, statistic(".mean", engine::zeros()), statistic(".variance", engine::ones())};
}

template <class T>
Tensor<T> Stem<T>::activated(Tape<T>& tape, Tensor<T> x, const Norm& norm, std::span<const std::uint8_t> valid) const {
  return batch_norm(tape, x, tape[norm.affine.weight], tape[norm.affine.bias], tape[norm.mean], tape[norm.variance],
                    {.mask = {valid}, .activation = Activation::kGelu});
}

template <class T>
Tensor<T> Stem<T>::apply_to(Tape<T>& tape, Tensor<T> x, std::span<const std::uint8_t> valid) const {
  if (config_.has_bottleneck()) x = linear(tape, x, tape[bottleneck_]);  // no bias: padding stays zero
  const std::size_t batch = x.shape[0], rows = x.shape[1], filters = config_.input.filters;
  Tensor<T> parts[6];  // as many as the config's bounds allow
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    const std::size_t kernel = branch_kernel(config_.input, i);
    // As one group: its products read the samples where they lie, without unfolding them.
    const Tensor<T> weight = tape.reshape(tape[branches_[i]], {1, filters, kernel * x.width()});
    const Tensor<T> y = engine::convolution(tape, tape.reshape(x, {batch, 1, rows, x.width()}), weight, {},
                                            {.kernel = kernel, .padding = kernel / 2});
    parts[i] = tape.reshape(y, {batch, rows, filters});
  }
  Tensor<T> h = activated(tape, concat(tape, std::span<const Tensor<T>>(parts, branches_.size())), norm_, valid);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const Tensor<T> apart = depthwise_convolution(tape, h, tape[block.depthwise], std::size_t{2} << i);
    h = add(tape, activated(tape, linear(tape, apart, tape[block.pointwise]), block.norm, valid), h);
  }
  return h;
}

template class Stem<float>;
template class Stem<double>;

}  // namespace faithful::model
