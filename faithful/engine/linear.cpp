#include "faithful/engine/activation_internal.h"
#include "faithful/engine/packed_weights_internal.h"

namespace faithful::engine {

namespace {

constexpr std::size_t kBlockRows = 72;  // rows that are still in the cache when the activation follows the product

// The rows of a grouped tensor come in runs: run i belongs to group i % groups.
struct Runs {
  std::size_t groups, count, rows;  // of each run
};

template <class T>
Runs runs_of(Tensor<T> x, Tensor<T> weight) {
  if (weight.shape.rank() == 2) return {1, 1, x.rows()};
  assert(x.shape.rank() == 4 && x.shape[1] == weight.shape[0]);
  return {weight.shape[0], x.shape[0] * x.shape[1], x.shape[2]};
}

template <class T>
void linear_forward(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, Activation activation, Tensor<T> y,
                    T* slope) {
  const Runs runs = runs_of(x, weight);
  const std::size_t out = y.width();
  for (std::size_t group = 0; group < runs.groups; ++group) {
    const ScratchScope scratch(tape.scratch());
    const T* packed = packed_weights(tape, weight, Form::kTransposed, group);
    const Start<T> start{.bias = bias ? bias.data + group * out : nullptr};
    for (std::size_t run = group; run < runs.count; run += runs.groups) {
      for (std::size_t r = 0; r < runs.rows; r += kBlockRows) {
        const std::size_t count = std::min(kBlockRows, runs.rows - r), first = run * runs.rows + r;
        // The slope's place holds what comes before the activation, until the slope replaces it.
        T* before = slope == nullptr ? y.row(first) : slope + first * out;
        gemm_packed<T>({x.row(first), count, x.width(), x.stride}, Form::kPlain, packed, {before, count, out, out},
                       start);
        activate(activation, before, count * out, y.row(first), slope == nullptr ? slope : before);
      }
    }
  }
}

template <class T>
void linear_backward(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, Activation activation, Tensor<T> y,
                     const T* slope) {
  const Runs runs = runs_of(x, weight);
  const std::size_t out = y.width(), in = x.width();
  T* dy = tape.gradient_of(y);  // [rows, out]
  activate_backward<T>(activation, y.data, slope, y.shape.count(), dy);
  if (bias && tape.wants(bias)) {
    T* to = tape.gradient_to_add(bias);
    for (std::size_t run = 0; run < runs.count; ++run) {
      add_rows(dy + run * runs.rows * out, runs.rows, out, out, to + run % runs.groups * out);
    }
  }
  if (tape.wants(weight)) {
    // dW = dyᵀ x, summed over the runs of a group.
    const Gradient<T> to = tape.gradient(weight);
    const ScratchScope scratch(tape.scratch());
    T* packed = tape.scratch().template take<T>(packed_size<T>(runs.rows, in));
    for (std::size_t run = 0; run < runs.count; ++run) {
      const std::size_t first = run * runs.rows;
      gemm<T>({dy + first * out, runs.rows, out, out}, Form::kTransposed, {x.row(first), runs.rows, in, x.stride},
              Form::kPlain, {to.data + run % runs.groups * out * in, out, in, in}, packed,
              {.add = to.add || run >= runs.groups});
    }
  }
  if (tape.wants(x)) {
    // dx = dy W.
    const Gradient<T> to = tape.gradient(x);
    for (std::size_t group = 0; group < runs.groups; ++group) {
      const ScratchScope scratch(tape.scratch());
      const T* packed = packed_weights(tape, weight, Form::kPlain, group);
      for (std::size_t run = group; run < runs.count; run += runs.groups) {
        const std::size_t first = run * runs.rows;
        gemm_packed<T>({dy + first * out, runs.rows, out, out}, Form::kPlain, packed,
                       {to.row(first), runs.rows, in, to.stride}, {.add = to.add});
      }
    }
  }
}

}  // namespace

template <class T>
Tensor<T> linear(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, Activation activation) {
  assert(x.width() == weight.width());
  const auto timing = tape.time("linear");
  const Tensor<T> y = tape.make(x.shape.with_width(weight.shape[weight.shape.rank() - 2]));
  T* slope = take_slope(tape, activation, y.shape.count());
  linear_forward(tape, x, weight, bias, activation, y, slope);
  tape.record("linear", y, [&tape, x, weight, bias, activation, y, slope] {
    linear_backward(tape, x, weight, bias, activation, y, slope);
  });
  return y;
}

template Tensor<float> linear(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, Activation);
template Tensor<double> linear(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, Activation);

}  // namespace faithful::engine
