#include <algorithm>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

// A filter per column over [B, S, C]. Rows are passed some at once, as one long row with the weights repeated, so that
// vectors are full where columns are few, and every tap finds the rows of the one before in the first-level cache.
struct Depthwise {
  static constexpr std::size_t kNumbersAtOnce = 1024;
  std::size_t samples, positions, width, kernel, dilation;

  std::size_t rows_at_once() const { return std::clamp<std::size_t>(kNumbersAtOnce / width, 1, positions); }
  std::size_t wide() const { return rows_at_once() * width; }

  // Calls visit(tap, index of the first number of the result, of the input, how many) for every stretch of rows that a
  // tap sees.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const auto length = static_cast<std::ptrdiff_t>(positions), middle = static_cast<std::ptrdiff_t>(kernel / 2);
    for (std::size_t b = 0; b < samples; ++b) {
      for (std::ptrdiff_t begin = 0; begin < length; begin += static_cast<std::ptrdiff_t>(rows_at_once())) {
        const std::ptrdiff_t end = std::min(begin + static_cast<std::ptrdiff_t>(rows_at_once()), length);
        for (std::size_t k = 0; k < kernel; ++k) {
          const std::ptrdiff_t shift =
              (static_cast<std::ptrdiff_t>(k) - middle) * static_cast<std::ptrdiff_t>(dilation);
          const std::ptrdiff_t from = std::max(begin, -shift), to = std::min(end, length - shift);
          if (from >= to) continue;
          const std::size_t first = b * positions;
          visit(k, (first + static_cast<std::size_t>(from)) * width,
                (first + static_cast<std::size_t>(from + shift)) * width, static_cast<std::size_t>(to - from) * width);
        }
      }
    }
  }

  // [kernel, wide]: the weights of a tap, over and over.
  template <class T>
  void spread(const T* weights, T* wide_weights) const {
    for (std::size_t k = 0; k < kernel; ++k) {
      for (std::size_t i = 0; i < wide(); ++i) wide_weights[k * wide() + i] = weights[k * width + i % width];
    }
  }
};

template <class T>
void depthwise_backward(Tape<T>& tape, const Depthwise& of, Tensor<T> x, Tensor<T> weight, Tensor<T> y) {
  const T* dy = tape.gradient_of(y);
  const ScratchScope scope(tape.scratch());
  T* wide = tape.scratch().template take<T>(of.kernel * of.wide());
  if (tape.wants(x)) {
    of.spread(weight.data, wide);
    T* dx = tape.gradient_to_add(x);
    of.for_each([&](std::size_t k, std::size_t result, std::size_t input, std::size_t n) {
      multiply_add(dy + result, wide + k * of.wide(), n, dx + input);
    });
  }
  if (!tape.wants(weight)) return;
  std::fill_n(wide, of.kernel * of.wide(), T(0));
  of.for_each([&](std::size_t k, std::size_t result, std::size_t input, std::size_t n) {
    multiply_add(static_cast<const T*>(x.data) + input, dy + result, n, wide + k * of.wide());
  });
  T* dweight = tape.gradient_to_add(weight);
  for (std::size_t k = 0; k < of.kernel; ++k) {
    add_rows(static_cast<const T*>(wide) + k * of.wide(), of.rows_at_once(), of.width, of.width,
             dweight + k * of.width);
  }
}

}  // namespace

template <class T>
Tensor<T> depthwise_convolution(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, std::size_t dilation) {
  const auto timing = tape.time("depthwise_convolution");
  assert(x.shape.rank() == 3 && x.contiguous() && weight.width() == x.width() && weight.rows() % 2 == 1);
  const Depthwise of{x.shape[0], x.shape[1], x.width(), weight.rows(), dilation};
  const Tensor<T> y = tape.make(x.shape);
  std::fill_n(y.data, y.shape.count(), T(0));
  const ScratchScope scope(tape.scratch());
  T* wide = tape.scratch().template take<T>(of.kernel * of.wide());
  of.spread(weight.data, wide);
  of.for_each([&](std::size_t k, std::size_t result, std::size_t input, std::size_t n) {
    multiply_add(static_cast<const T*>(x.data) + input, wide + k * of.wide(), n, y.data + result);
  });
  tape.record("depthwise_convolution", y, [&tape, of, x, weight, y] { depthwise_backward(tape, of, x, weight, y); });
  return y;
}

template Tensor<float> depthwise_convolution(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t);
template Tensor<double> depthwise_convolution(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t);

}  // namespace faithful::engine
