#pragma once

// Vector kernels. In float they run on the vector instructions of this machine, to the accuracy stated at each one
// (measured over its range against the double twin in tests/engine/kernels_test.cpp); in double they are the naive
// twins of reference.h, whose comments have the formulas.

#include <cstddef>

#include "faithful/engine/reference.h"

namespace faithful::engine {

// Relative error below 2e-7 from -87.3 to 88.3; 0 below -87.7, where float has no normal numbers; capped above.
void exponential(const float* x, std::size_t n, float* y);

// GELU with the exact normal distribution function, as PyTorch's default. Relative error of y below 5e-7 above -8;
// error of the slope below 3e-7. y may be x, and so may slope (not both).
void gelu(const float* x, std::size_t n, float* y, float* slope);

// Exact. y may be x.
void relu(const float* x, std::size_t n, float* y);
void relu_backward(const float* y, std::size_t n, float* dy);

// Relative error of every weight below 1e-6 plus 6e-8 times its score's distance from the greatest (the rounding of
// that distance), plus at worst 6e-8 for each vector of the row: a sum of equal numbers is rounded to one side. One
// score that is no number makes its row none. Where the stride has room for it, the last vector of a row is filled up
// with zeros.
void softmax_rows(float* x, std::size_t rows, std::size_t n, std::size_t stride);
inline void softmax(float* x, std::size_t n) {
  softmax_rows(x, 1, n, n);
}
void softmax_backward(const float* p, std::size_t rows, std::size_t n, std::size_t stride, float* d);

// Error below 2e-6 times the greatest magnitude of the row's result, for random rows shorter than 10,000. The mean of
// nearly equal numbers is rounded to one side: it may err by 6e-8 of their magnitude for each vector of the row.
void normalize(const Normalization<float>& of);
void normalize_backward(const Normalization<float>& of, const float* dy, std::size_t first, std::size_t rows, float* dz,
                        std::size_t dz_stride, float* dgain, float* doffset);

// Each sum or product rounded once, so equal to the twin in every bit.
void add(const float* x, std::size_t n, float* y);
void add_into(const float* x, const float* y, std::size_t n, float* z);
void multiply(const float* x, std::size_t n, float* y);
void multiply_into(const float* x, const float* y, std::size_t n, float* z);
void rescale(float factor, std::size_t n, float* x);
void add_squares(const float* x, const float* mean, std::size_t n, float* sums);
void standardize(const Standardization<float>& of, const float* x, std::size_t n, float* unit, float* y);
void add_slopes(const float* dy, const float* unit, std::size_t n, float* sums, float* slopes);
void standardize_backward(const StandardizationBackward<float>& of, const float* dy, const float* unit, std::size_t n,
                          bool add, float* dx);
void add_rows(const float* x, std::size_t rows, std::size_t columns, std::size_t stride, float* y);

// Each term rounded once with FMA, else twice; sums of weights' gradients run over the rows in another order.
void depthwise(const Depthwise& of, const float* x, const float* weights, bool add, float* y);
void depthwise_weights(const Depthwise& of, const float* x, const float* dy, float* dweights);

// The same draws as the twin, on every instruction set.
void dropout_factors(const DropoutPlace& place, std::size_t n, float keep, float* factors);

// Sums of squares run in another order than the twin's, in double as well.
double squared_sum(const float* const* gradients, std::size_t shards, std::size_t n);

// Relative error of the change of a weight below 1e-6.
void adamw(const float* const* gradients, std::size_t shards, float factor, std::size_t n, const AdamWStep<float>& step,
           float* weights, float* first, float* second);

using reference::adamw;
using reference::add;
using reference::add_into;
using reference::add_rows;
using reference::add_slopes;
using reference::add_squares;
using reference::depthwise;
using reference::depthwise_weights;
using reference::dropout_factors;
using reference::exponential;
using reference::gelu;
using reference::multiply;
using reference::multiply_into;
using reference::normalize;
using reference::normalize_backward;
using reference::relu;
using reference::relu_backward;
using reference::rescale;
using reference::softmax;
using reference::softmax_backward;
using reference::softmax_rows;
using reference::squared_sum;
using reference::standardize;
using reference::standardize_backward;

}  // namespace faithful::engine
