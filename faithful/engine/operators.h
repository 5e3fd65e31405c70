#pragma once

// The operators of the engine, from which models are built. Each computes its result at once and records its backward
// pass. tests/engine compares every gradient with central differences in double, and every operator with PyTorch.
// Letters: B samples, S positions, D width, H heads, K classes, G groups. `[.., D]` means any sizes before the last.

#include <cstdint>
#include <span>

#include "faithful/base/api.h"
#include "faithful/engine/attention.h"
#include "faithful/engine/tape.h"

namespace faithful::engine {

enum class Activation { kNone, kRelu, kGelu };

// y [.., out] = activation(x [.., in] Wᵀ + bias), W [out, in], bias [out] or none.
// With W [G, out, in] and bias [G, out]: x [B, G, R, in], and group g has weights of its own.
template <class T>
FAITHFUL_API Tensor<T> linear(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias = {},
                              Activation activation = Activation::kNone);

// y = (z - mean) / sqrt(variance + epsilon) * gain + offset over every row of z = x + residual; residual may be none.
template <class T>
FAITHFUL_API Tensor<T> layer_norm(Tape<T>& tape, Tensor<T> x, Tensor<T> residual, Tensor<T> gain, Tensor<T> offset,
                                  double epsilon = 1e-5);

// Which positions are there: 1, or 0 for padding. Empty: all.
struct Mask {
  std::span<const std::uint8_t> valid;  // [B, S]
};

struct BatchNormOptions {
  double epsilon = 1e-5;
  Mask mask = {};  // of the rows of x: those of padding count for nothing and become zeros
  Activation activation = Activation::kNone;
};

// The same over the rows for every column of x [.., D]. In training it takes the statistics of the rows on this tape
// (one shard of the batch: "ghost batch norm", Hoffer et al. 2017) and leaves them for the parameters `mean` and
// `variance`, which must be declared as statistics [D]; otherwise it uses those. With all four [G, D]: x [B, G, R, D],
// and group g has statistics, gain and offset of its own.
template <class T>
FAITHFUL_API Tensor<T> batch_norm(Tape<T>& tape, Tensor<T> x, Tensor<T> gain, Tensor<T> offset, Tensor<T> mean,
                                  Tensor<T> variance, const BatchNormOptions& options = {});

// In training, each element is zero with probability p (to 1/65536), else divided by 1 - p. x [B, ..].
template <class T>
FAITHFUL_API Tensor<T> dropout(Tape<T>& tape, Tensor<T> x, double p);

// The mean (or greatest value) over the valid positions of x [B, S, D]: [B, D]. No valid position: zeros.
template <class T>
FAITHFUL_API Tensor<T> mean_pool(Tape<T>& tape, Tensor<T> x, Mask mask = {});
template <class T>
FAITHFUL_API Tensor<T> max_pool(Tape<T>& tape, Tensor<T> x, Mask mask = {});

// The greatest value in each of the windows x[b, t * stride .. + window - 1, :]: [.., (S - window) / stride + 1, D].
// `rectified`: at least 0, as if ReLU came before.
template <class T>
FAITHFUL_API Tensor<T> max_pool_windows(Tape<T>& tape, Tensor<T> x, std::size_t window, std::size_t stride,
                                        bool rectified = false);

// x + y; the rows of y repeat when it has fewer: [B, S, D] + [S, D], or + [D].
template <class T>
FAITHFUL_API Tensor<T> add(Tape<T>& tape, Tensor<T> x, Tensor<T> y);

// x times a constant.
template <class T>
FAITHFUL_API Tensor<T> scale(Tape<T>& tape, Tensor<T> x, double factor);

// The sum of all elements: one number.
template <class T>
FAITHFUL_API Tensor<T> sum(Tape<T>& tape, Tensor<T> x);

// Side by side along the last size; rows repeat as in add(). The first part has the most rows.
template <class T>
FAITHFUL_API Tensor<T> concat(Tape<T>& tape, std::span<const Tensor<T>> parts);

// Positions begin .. begin + count - 1 of x [.., S, D].
template <class T>
FAITHFUL_API Tensor<T> slice(Tape<T>& tape, Tensor<T> x, std::size_t begin, std::size_t count);

// The difference of the given order along the positions of x [B, S, D]: order 1 is x[t] - x[t-1], order 2 the
// difference of those, .. Zero where one of the positions t - order .. t is missing: before the first, or padding.
template <class T>
FAITHFUL_API Tensor<T> difference(Tape<T>& tape, Tensor<T> x, std::size_t order, Mask mask = {});

// x [S, D] `times` over: [times, S, D].
template <class T>
FAITHFUL_API Tensor<T> repeat(Tape<T>& tape, Tensor<T> x, std::size_t times);

// x [B, M, N] -> [B, N, M].
template <class T>
FAITHFUL_API Tensor<T> transpose(Tape<T>& tape, Tensor<T> x);

// x [B, M, N, D] -> [B, N, M, D]: whole rows change places.
template <class T>
FAITHFUL_API Tensor<T> transpose_rows(Tape<T>& tape, Tensor<T> x);

struct ConvolutionOptions {
  std::size_t kernel = 3;    // positions that one output sees
  std::size_t stride = 1;    // positions from one output to the next
  std::size_t dilation = 1;  // positions from one tap to the next
  std::size_t padding = 0;   // zeros before and after
  // With groups: the S positions are segments of so many, each convolved (and padded) for itself; 0: one of all.
  std::size_t segment = 0;
};

// y[b, t, o] = bias[o] + Σ_k Σ_c W[o, k * C + c] x[b, t * stride + k * dilation - padding, c]; x [.., S, C],
// W [out, kernel * C]. With W [G, out, kernel * C], x [B, G, S, C]: one set of weights per group, such as per sensor.
template <class T>
FAITHFUL_API Tensor<T> convolution(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias,
                                   const ConvolutionOptions& options, Activation activation = Activation::kNone);

// y[b, t, c] = Σ_k W[k, c] x[b, t + (k - kernel / 2) dilation, c], zero outside: every column has a filter of its own.
// x [B, S, C], W [kernel, C] with an odd kernel: [B, S, C].
template <class T>
FAITHFUL_API Tensor<T> depthwise_convolution(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, std::size_t dilation = 1);

template <class T>
struct LossOptions {
  std::span<const T> class_weights = {};  // [K]; empty: 1. For two classes from one logit: of 0 and of 1
  double scale = 1;                       // of the sum over samples; 1 / B for the mean over a batch of B
  double smoothing = 0;  // ε: the target is 1 - ε for the label, and ε spread evenly over all classes
  std::span<const T> sample_weights = {};  // [B]; empty: 1. Each multiplies what its sample adds to the loss
};

// scale Σ_b Σ_k w[k] target[b,k] (log Σ_j exp z[b,j] - z[b,k]) for logits z [B, K] and labels y [B]: one number.
// Without smoothing the target is 1 for k = y_b.
template <class T>
FAITHFUL_API Tensor<T> softmax_cross_entropy(Tape<T>& tape, Tensor<T> logits, std::span<const std::int32_t> labels,
                                             const LossOptions<T>& options = {});

// scale Σ_b (w1 y_b log(1 + exp(-z_b)) + w0 (1 - y_b) log(1 + exp(z_b))) for logits z [B] and targets y in [0, 1];
// smoothing ε makes them (1 - ε) y + ε / 2.
template <class T>
FAITHFUL_API Tensor<T> binary_cross_entropy(Tape<T>& tape, Tensor<T> logits, std::span<const T> targets,
                                            const LossOptions<T>& options = {});

}  // namespace faithful::engine
