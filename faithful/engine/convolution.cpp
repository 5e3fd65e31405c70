#include <algorithm>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"
#include "faithful/engine/packed_weights_internal.h"

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

// With groups, products run segment by segment: what one unfolds to stays in the first-level cache. (One product over
// all rows, as without groups, would write kernel times the input to memory and read it again.)
template <class T>
class GroupedConvolution {
 public:
  GroupedConvolution(Tensor<T> x, Tensor<T> weight, const ConvolutionOptions& options)
      : options_(options),
        groups_(weight.shape[0]),
        out_(weight.shape[1]),
        taps_(weight.width()),
        width_(x.width()),
        runs_(x.shape[0] * groups_),
        positions_(options.segment == 0 ? x.shape[2] : options.segment),
        segments_(x.shape[2] / positions_),
        padded_(positions_ + 2 * options.padding),
        outputs_((padded_ - (options.kernel - 1) * options.dilation - 1) / options.stride + 1) {
    assert(x.shape.rank() == 4 && x.shape[1] == groups_ && x.shape[2] % positions_ == 0 && x.contiguous());
    assert(taps_ == options.kernel * width_);
  }

  Shape shape_of_result(const Shape& x) const { return {x[0], groups_, segments_ * outputs_, out_}; }
  void forward(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, Tensor<T> y) const;
  void backward(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, Tensor<T> y) const;

 private:
  // One segment with its padding, and its unfolded rows [outputs, taps]: without dilation a row is a stretch of the
  // segment, and rows overlap in place.
  struct Unfolded {
    T* padded;
    View<T> rows;
  };
  Unfolded take_unfolded(Arena& scratch) const {
    Unfolded u{scratch.take<T>(padded_ * width_ + kReadBehind), {}};
    std::fill_n(u.padded, padded_ * width_ + kReadBehind, T(0));
    const bool overlap = options_.dilation == 1;
    u.rows = {overlap ? u.padded : scratch.take<T>(outputs_ * taps_ + kReadBehind), outputs_, taps_,
              overlap ? options_.stride * width_ : taps_};
    return u;
  }
  void unfold_into(const T* segment, const Unfolded& u) const {
    std::copy_n(segment, positions_ * width_, u.padded + options_.padding * width_);
    if (options_.dilation == 1) return;
    for_each_row([&](std::size_t row, std::size_t k, std::size_t position) {
      std::copy_n(u.padded + position * width_, width_, &u.rows(row, k * width_));
    });
  }
  // The sum of what rows [outputs, taps] have of every padded position.
  void fold_into(const T* rows, T* padded) const {
    std::fill_n(padded, padded_ * width_, T(0));
    if (options_.dilation == 1) {
      for (std::size_t t = 0; t < outputs_; ++t) add(rows + t * taps_, taps_, padded + t * options_.stride * width_);
      return;
    }
    for_each_row([&](std::size_t row, std::size_t k, std::size_t position) {
      add(rows + row * taps_ + k * width_, width_, padded + position * width_);
    });
  }
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    for (std::size_t t = 0; t < outputs_; ++t) {
      for (std::size_t k = 0; k < options_.kernel; ++k) visit(t, k, t * options_.stride + k * options_.dilation);
    }
  }

  ConvolutionOptions options_;
  std::size_t groups_, out_, taps_, width_, runs_, positions_, segments_, padded_, outputs_;
};

template <class T>
void GroupedConvolution<T>::forward(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, Tensor<T> y) const {
  const ScratchScope all(tape.scratch());
  const Unfolded u = take_unfolded(tape.scratch());
  for (std::size_t run = 0; run < runs_; ++run) {
    const ScratchScope scratch(tape.scratch());
    const std::size_t group = run % groups_;
    const T* packed = packed_weights(tape, weight, Form::kTransposed, group);
    const Start<T> start{.bias = bias ? bias.data + group * out_ : nullptr};
    for (std::size_t s = run * segments_; s < (run + 1) * segments_; ++s) {
      unfold_into(x.data + s * positions_ * width_, u);
      gemm_packed<T>(u.rows, Form::kPlain, packed, {y.data + s * outputs_ * out_, outputs_, out_, out_}, start);
    }
  }
}

template <class T>
void GroupedConvolution<T>::backward(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, Tensor<T> y) const {
  const ScratchScope all(tape.scratch());
  const T* dy = tape.gradient_of(y);
  const bool wants_x = tape.wants(x), wants_weight = tape.wants(weight);
  const Gradient<T> dx = wants_x ? tape.gradient(x) : Gradient<T>{};
  const Gradient<T> dweight = wants_weight ? tape.gradient(weight) : Gradient<T>{};
  T* dbias = bias && tape.wants(bias) ? tape.gradient_to_add(bias) : nullptr;
  const Unfolded u = take_unfolded(tape.scratch());
  T* drows = tape.scratch().template take<T>(outputs_ * taps_);
  T* folded = tape.scratch().template take<T>(padded_ * width_);
  for (std::size_t run = 0; run < runs_; ++run) {
    const ScratchScope scratch(tape.scratch());
    const std::size_t group = run % groups_;
    const T* packed = wants_x ? packed_weights(tape, weight, Form::kPlain, group) : nullptr;
    if (dbias != nullptr) {
      add_rows(dy + run * segments_ * outputs_ * out_, segments_ * outputs_, out_, out_, dbias + group * out_);
    }
    for (std::size_t s = run * segments_; s < (run + 1) * segments_; ++s) {
      const View<const T> from{dy + s * outputs_ * out_, outputs_, out_, out_};
      if (wants_weight) {
        unfold_into(x.data + s * positions_ * width_, u);
        gemm_in_place<T>(from, Form::kTransposed, u.rows, {dweight.data + group * out_ * taps_, out_, taps_, taps_},
                         {.add = dweight.add || run >= groups_ || s > run * segments_});
      }
      if (!wants_x) continue;
      gemm_packed<T>(from, Form::kPlain, packed, {drows, outputs_, taps_, taps_});
      fold_into(drows, folded);
      const T* inner = folded + options_.padding * width_;
      T* to = dx.data + s * positions_ * width_;
      if (dx.add) {
        add(inner, positions_ * width_, to);
      } else {
        std::copy_n(inner, positions_ * width_, to);
      }
    }
  }
}

}  // namespace

template <class T>
Tensor<T> convolution(Tape<T>& tape, Tensor<T> x, Tensor<T> weight, Tensor<T> bias, const ConvolutionOptions& options,
                      Activation activation) {
  if (weight.shape.rank() == 2 || activation != Activation::kNone) {
    assert(options.segment == 0);
    return linear(tape, unfold(tape, x, options), weight, bias, activation);
  }
  const auto timing = tape.time("convolution");
  const GroupedConvolution<T> grouped(x, weight, options);
  const Tensor<T> y = tape.make(grouped.shape_of_result(x.shape));
  grouped.forward(tape, x, weight, bias, y);
  tape.record("convolution", y, [&tape, grouped, x, weight, bias, y] { grouped.backward(tape, x, weight, bias, y); });
  return y;
}

template Tensor<float> convolution(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, const ConvolutionOptions&,
                                   Activation);
template Tensor<double> convolution(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>,
                                    const ConvolutionOptions&, Activation);

}  // namespace faithful::engine
