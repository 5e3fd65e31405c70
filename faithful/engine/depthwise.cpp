#include <algorithm>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

template <class T>
void depthwise_backward(Tape<T>& tape, const Depthwise& of, Tensor<T> x, Tensor<T> weight, Tensor<T> y) {
  const T* dy = tape.gradient_of(y);
  const std::size_t each = of.positions * of.width, samples = x.shape.count() / each;
  if (tape.wants(x)) {
    // The same filter turned around: dx[t] = Σ_k W[k] dy[t - (k - kernel / 2) dilation].
    const ScratchScope scope(tape.scratch());
    T* turned = tape.scratch().template take<T>(of.kernel * of.width);
    for (std::size_t k = 0; k < of.kernel; ++k)
      std::copy_n(weight.row(of.kernel - 1 - k), of.width, turned + k * of.width);
    const Gradient<T> dx = tape.gradient(x);
    for (std::size_t b = 0; b < samples; ++b) {
      depthwise(of, dy + b * each, static_cast<const T*>(turned), dx.add, dx.data + b * each);
    }
  }
  if (!tape.wants(weight)) return;
  T* dweight = tape.gradient_to_add(weight);
  for (std::size_t b = 0; b < samples; ++b) {
    depthwise_weights(of, static_cast<const T*>(x.data) + b * each, dy + b * each, dweight);
  }
}

}  // namespace

template <class T>
Tensor<T> depthwise_convolution(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, std::size_t dilation) {
  const auto timing = tape.time("depthwise_convolution");
  assert(x.shape.rank() == 3 && x.contiguous() && weight.width() == x.width() && weight.rows() % 2 == 1);
  const Depthwise of{x.shape[1], x.width(), weight.rows(), dilation};
  const Tensor<T> y = tape.make(x.shape);
  const std::size_t each = of.positions * of.width;
  for (std::size_t b = 0; b < x.shape[0]; ++b) {
    depthwise(of, static_cast<const T*>(x.data) + b * each, static_cast<const T*>(weight.data), false,
              y.data + b * each);
  }
  tape.record("depthwise_convolution", y, [&tape, of, x, weight, y] { depthwise_backward(tape, of, x, weight, y); });
  return y;
}

template Tensor<float> depthwise_convolution(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t);
template Tensor<double> depthwise_convolution(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t);

}  // namespace faithful::engine
