#pragma once

#include <vector>

#include "faithful/model/body_internal.h"
#include "faithful/model/encoder_internal.h"

namespace faithful::model {

// What lies between the samples and the embedding, if config.input.branches > 0: many columns are mixed to few; convolutions of several lengths side by
// side, each [kernel, 2 kernel + 1, ..] long, a batch norm and GELU; then residual blocks
// x + GELU(norm(pointwise(depthwise(x)))) whose dilation doubles. Padding stays zero.
template <class T>
class Stem {
 public:
  // The config must outlive it.
  Stem(const ModelConfig& config, Parameters<T>& parameters);

  std::size_t width() const { return config_.input.branches * config_.input.filters; }  // of what it gives

  // x [B, R, config.columns()] -> [B, R, width()]; valid [B, R] or empty.
  Tensor<T> apply_to(Tape<T>& tape, Tensor<T> x, std::span<const std::uint8_t> valid) const;

 private:
  struct Norm {
    Affine affine;
    Parameter mean, variance;
  };
  struct Block {
    Parameter depthwise, pointwise;
    Norm norm;
  };
  Norm declare_batch_norm(Parameters<T>& parameters, const std::string& name) const;
  Tensor<T> activated(Tape<T>& tape, Tensor<T> x, const Norm& norm, std::span<const std::uint8_t> valid) const;

  const ModelConfig& config_;
  Parameter bottleneck_{};  // [bottleneck, columns], if the config has one
  std::vector<Parameter> branches_;
  Norm norm_{};
  std::vector<Block> blocks_;
};

extern template class Stem<float>;
extern template class Stem<double>;

}  // namespace faithful::model
