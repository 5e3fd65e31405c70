#include <algorithm>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

// Calls body(row of x, row of the unfolded tensor, tap) for every tap that does not fall on padding.
template <class Body>
void for_each_tap(std::size_t samples, std::size_t positions, std::size_t outputs, const ConvolutionOptions& options,
                  const Body& body) {
  for (std::size_t b = 0; b < samples; ++b) {
    for (std::size_t t = 0; t < outputs; ++t) {
      for (std::size_t k = 0; k < options.kernel; ++k) {
        const std::size_t shifted = t * options.stride + k * options.dilation;  // position + padding
        if (shifted < options.padding || shifted - options.padding >= positions) continue;
        body(b * positions + shifted - options.padding, b * outputs + t, k);
      }
    }
  }
}

// u[.., t, k * C + c] = x[.., t * stride + k * dilation - padding, c], zero on padding: a convolution is then linear().
template <class T>
Tensor<T> unfold(Tape<T>& tape, Tensor<T> x, const ConvolutionOptions& options) {
  const auto timing = tape.time("unfold");
  const std::size_t positions = x.shape[x.shape.rank() - 2], samples = x.rows() / positions, width = x.width();
  const std::size_t reach = (options.kernel - 1) * options.dilation + 1;
  assert(options.kernel >= 1 && options.stride >= 1 && positions + 2 * options.padding >= reach);
  const std::size_t outputs = (positions + 2 * options.padding - reach) / options.stride + 1;
  const Tensor<T> u = tape.make(x.shape.with_positions(outputs).with_width(options.kernel * width));
  if (options.padding > 0) std::fill_n(u.data, u.shape.count(), T(0));
  for_each_tap(samples, positions, outputs, options, [&](std::size_t from, std::size_t to, std::size_t k) {
    std::copy_n(x.row(from), width, u.row(to) + k * width);
  });
  tape.record("unfold", u, [&tape, x, u, options, positions, samples, outputs] {
    if (!tape.wants(x)) return;
    const T* du = tape.gradient_of(u);
    T* dx = tape.gradient_to_add(x);
    for_each_tap(samples, positions, outputs, options, [&](std::size_t to, std::size_t from, std::size_t k) {
      add(du + from * u.width() + k * x.width(), x.width(), dx + to * x.width());
    });
  });
  return u;
}

}  // namespace

template <class T>
Tensor<T> convolution(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, const ConvolutionOptions& options,
                      Activation activation) {
  return linear(tape, unfold(tape, x, options), weight, bias, activation);
}

template Tensor<float> convolution(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, const ConvolutionOptions&,
                                   Activation);
template Tensor<double> convolution(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>,
                                    const ConvolutionOptions&, Activation);

}  // namespace faithful::engine
