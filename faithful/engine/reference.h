#pragma once

// The naive twins of the vector kernels: the definitions, one element after the other. They are what the engine runs in
// double, and the oracle of the float kernels in the tests.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include "faithful/base/random.h"
#include "faithful/engine/adamw.h"

namespace faithful::engine {

// What the draws of one sample in one dropout are keyed by.
struct DropoutPlace {
  PhiloxKey key;  // the seed
  std::uint32_t operation, sample, step;
  std::uint32_t dropped;  // of 65536
};

// Layer norm of the rows of x + residual: what goes in, and where it goes.
template <class T>
struct Normalization {
  std::size_t rows, width;
  const T* x;
  std::size_t x_stride;
  const T* residual;  // null: none
  std::size_t residual_stride;
  T epsilon;
  const T *gain, *offset;  // [width]
  T* unit;                 // [rows, width]: what backwards needs; may be y, and is then lost
  T* scales;               // [rows]
  T* y;                    // [rows, width]
};

// Batch norm of some rows that lie side by side as one long row: the numbers of every column, repeated for each row.
template <class T>
struct Standardization {
  const T *mean, *scale, *gain, *offset;
};
template <class T>
struct StandardizationBackward {
  const T *factor, *mean, *slope;  // gain times scale; the means of dy and of dy along the unit
};

// A filter per column over the rows of one sample, x [positions, width], weights [kernel, width], an odd kernel.
struct Depthwise {
  std::size_t positions, width, kernel, dilation;
};

}  // namespace faithful::engine

namespace faithful::engine::reference {

// y = e^x.
template <class T>
void exponential(const T* x, std::size_t n, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = std::exp(x[i]);
}

// y = x Φ(x), the exact form with Φ the normal distribution function; slope = Φ(x) + x φ(x) where it is wanted.
template <class T>
void gelu(const T* x, std::size_t n, T* y, T* slope) {
  for (std::size_t i = 0; i < n; ++i) {
    const T at = x[i];
    const T below = T(0.5) * std::erfc(-at / std::numbers::sqrt2_v<T>);
    y[i] = at * below;
    if (slope != nullptr) {
      slope[i] = below + at * std::exp(-at * at / 2) * (std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>);
    }
  }
}

// y = max(x, 0), and backwards dy = 0 where y is not above 0.
template <class T>
void relu(const T* x, std::size_t n, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : T(0);
}
template <class T>
void relu_backward(const T* y, std::size_t n, T* dy) {
  for (std::size_t i = 0; i < n; ++i) dy[i] = y[i] > 0 ? dy[i] : T(0);
}

// x = softmax(x) in place; -infinity marks what is masked, and a row masked throughout becomes zeros.
template <class T>
void softmax(T* x, std::size_t n) {
  const T most = *std::max_element(x, x + n);
  if (most == -std::numeric_limits<T>::infinity()) return (void)std::fill_n(x, n, T(0));
  T sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - most);
  for (std::size_t i = 0; i < n; ++i) x[i] /= sum;
}

// Every row of x [rows, n].
template <class T>
void softmax_rows(T* x, std::size_t rows, std::size_t n, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) softmax(x + r * stride, n);
}

// With p = softmax(x), every row: d = gradient by p on entry, by x on return: p (d - <p, d>).
template <class T>
void softmax_backward(const T* p, std::size_t rows, std::size_t n, std::size_t stride, T* d) {
  for (std::size_t r = 0; r < rows; ++r, p += stride, d += stride) {
    T mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += p[i] * d[i];
    for (std::size_t i = 0; i < n; ++i) d[i] = p[i] * (d[i] - mean);
  }
}

// Every row: z = x + residual; unit = (z - mean) * scale with scale = 1 / sqrt(var + epsilon); y = unit * gain +
// offset.
template <class T>
void normalize(const Normalization<T>& of) {
  const std::size_t n = of.width;
  for (std::size_t r = 0; r < of.rows; ++r) {
    const T* x = of.x + r * of.x_stride;
    const T* residual = of.residual == nullptr ? nullptr : of.residual + r * of.residual_stride;
    T *unit = of.unit + r * n, *y = of.y + r * n;
    T mean = 0, variance = 0;
    for (std::size_t i = 0; i < n; ++i) mean += unit[i] = x[i] + (residual == nullptr ? T(0) : residual[i]);
    mean /= static_cast<T>(n);
    for (std::size_t i = 0; i < n; ++i) variance += (unit[i] - mean) * (unit[i] - mean);
    const T scale = of.scales[r] = 1 / std::sqrt(variance / static_cast<T>(n) + of.epsilon);
    for (std::size_t i = 0; i < n; ++i) {
      const T u = unit[i] = (unit[i] - mean) * scale;
      y[i] = u * of.gain[i] + of.offset[i];
    }
  }
}

// The same backwards for some rows from `first` on: adds to the gradients of gain and offset; writes that of z to dz.
template <class T>
void normalize_backward(const Normalization<T>& of, const T* dy, std::size_t first, std::size_t rows, T* dz,
                        std::size_t dz_stride, T* dgain, T* doffset) {
  const std::size_t n = of.width;
  for (std::size_t r = first; r < first + rows; ++r, dz += dz_stride) {
    const T *g = dy + r * n, *unit = of.unit + r * n;
    T mean = 0, slope = 0;  // of the gradient by unit: its mean, and its mean along unit
    for (std::size_t i = 0; i < n; ++i) {
      dgain[i] += g[i] * unit[i];
      doffset[i] += g[i];
      mean += g[i] * of.gain[i];
      slope += g[i] * of.gain[i] * unit[i];
    }
    mean /= static_cast<T>(n);
    slope /= static_cast<T>(n);
    for (std::size_t i = 0; i < n; ++i) dz[i] = of.scales[r] * (g[i] * of.gain[i] - mean - unit[i] * slope);
  }
}

// sums += (x - mean)².
template <class T>
void add_squares(const T* x, const T* mean, std::size_t n, T* sums) {
  for (std::size_t i = 0; i < n; ++i) sums[i] += (x[i] - mean[i]) * (x[i] - mean[i]);
}

// unit = (x - mean) scale, y = unit gain + offset.
template <class T>
void standardize(const Standardization<T>& of, const T* x, std::size_t n, T* unit, T* y) {
  for (std::size_t i = 0; i < n; ++i) {
    unit[i] = (x[i] - of.mean[i]) * of.scale[i];
    y[i] = unit[i] * of.gain[i] + of.offset[i];
  }
}

// sums += dy, slopes += dy unit.
template <class T>
void add_slopes(const T* dy, const T* unit, std::size_t n, T* sums, T* slopes) {
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] += dy[i];
    slopes[i] += dy[i] * unit[i];
  }
}

// dx = factor (dy - mean - unit slope), or added to it.
template <class T>
void standardize_backward(const StandardizationBackward<T>& of, const T* dy, const T* unit, std::size_t n, bool add,
                          T* dx) {
  for (std::size_t i = 0; i < n; ++i) {
    const T d = of.factor[i] * (dy[i] - of.mean[i] - unit[i] * of.slope[i]);
    dx[i] = add ? dx[i] + d : d;
  }
}

// Calls visit(tap, index of a number of the result, of the one that the tap sees) for all that are not on padding.
template <class Visit>
void for_each_tap(const Depthwise& of, const Visit& visit) {
  for (std::size_t t = 0; t < of.positions; ++t) {
    for (std::size_t k = 0; k < of.kernel; ++k) {
      const std::size_t seen = t + k * of.dilation, padding = of.kernel / 2 * of.dilation;
      if (seen < padding || seen - padding >= of.positions) continue;
      for (std::size_t c = 0; c < of.width; ++c) {
        visit(k * of.width + c, t * of.width + c, (seen - padding) * of.width + c);
      }
    }
  }
}

// y[t, c] = Σ_k W[k, c] x[t + (k - kernel / 2) dilation, c], zero outside; or added to y.
template <class T>
void depthwise(const Depthwise& of, const T* x, const T* weights, bool add, T* y) {
  if (!add) std::fill_n(y, of.positions * of.width, T(0));
  for_each_tap(of, [&](std::size_t tap, std::size_t to, std::size_t from) { y[to] += weights[tap] * x[from]; });
}

// dW[k, c] += Σ_t dy[t, c] x[t + (k - kernel / 2) dilation, c].
template <class T>
void depthwise_weights(const Depthwise& of, const T* x, const T* dy, T* dweights) {
  for_each_tap(of, [&](std::size_t tap, std::size_t at, std::size_t from) { dweights[tap] += dy[at] * x[from]; });
}

// y += x.
template <class T>
void add(const T* x, std::size_t n, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] += x[i];
}

// z = x + y.
template <class T>
void add_into(const T* x, const T* y, std::size_t n, T* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

// z = x y.
template <class T>
void multiply_into(const T* x, const T* y, std::size_t n, T* z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = x[i] * y[i];
}

// y *= x.
template <class T>
void multiply(const T* x, std::size_t n, T* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] *= x[i];
}

// x *= factor.
template <class T>
void rescale(T factor, std::size_t n, T* x) {
  for (std::size_t i = 0; i < n; ++i) x[i] *= factor;
}

// Dropout's factors: 0 where the element's 16 bits are below `dropped`, else `keep`. Philox call j of a sample, counter
// {j, ..place}, serves the elements 128 (j / 16) + 16 e + j % 16, e = 0 .. 7, with its eight half words in order: so
// the numbers do not depend on how many calls run side by side.
template <class T>
void dropout_factors(const DropoutPlace& place, std::size_t n, T keep, T* factors) {
  for (std::size_t first = 0; first < n; first += 128) {
    for (std::size_t j = 0; j < 16; ++j) {
      const auto call = static_cast<std::uint32_t>(first / 8 + j);
      const PhiloxCounter words = philox({call, place.operation, place.sample, place.step}, place.key);
      for (std::size_t e = 0; e < 8; ++e) {
        const std::size_t i = first + 16 * e + j;
        const std::uint32_t bits = words[e / 2] >> (e % 2 * 16) & 0xFFFF;
        if (i < n) factors[i] = bits < place.dropped ? T(0) : keep;
      }
    }
  }
}

// y [columns] += the sum of the rows of x.
template <class T>
void add_rows(const T* x, std::size_t rows, std::size_t columns, std::size_t stride, T* y) {
  for (std::size_t r = 0; r < rows; ++r) add(x + r * stride, columns, y);
}

// The sum of the squares of n weights' gradients, each the sum of the shards' in their order.
template <class T>
double squared_sum(const T* const* gradients, std::size_t shards, std::size_t n) {
  double square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    T g = 0;
    for (std::size_t s = 0; s < shards; ++s) g += gradients[s][i];
    square += static_cast<double>(g) * static_cast<double>(g);
  }
  return square;
}

// One AdamW step (Loshchilov & Hutter 2019) on n weights, whose gradient is the sum of the shards' in their order,
// times `factor`.
template <class T>
void adamw(const T* const* gradients, std::size_t shards, T factor, std::size_t n, const AdamWStep<T>& step, T* weights,
           T* first, T* second) {
  for (std::size_t i = 0; i < n; ++i) {
    T g = 0;
    for (std::size_t s = 0; s < shards; ++s) g += gradients[s][i];
    g *= factor;
    first[i] = step.beta1 * first[i] + step.fresh1 * g;
    second[i] = step.beta2 * second[i] + step.fresh2 * g * g;
    weights[i] =
        weights[i] * step.keep - step.rate * first[i] / (std::sqrt(second[i]) * step.second_scale + step.epsilon);
  }
}

}  // namespace faithful::engine::reference
