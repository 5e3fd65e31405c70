// Operators of the engine with their gradients, in float on each instruction set of the machine, against the same
// operator in double: every result and gradient within kTolerance of it, relative to the greatest of its tensor (at
// least 1). The first byte chooses the operator, the next ones sizes and options, the rest are numbers in [-2, 2).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "faithful/engine/operators.h"
#include "fuzz/numbers.h"

namespace {

using namespace faithful::engine;
using faithful::fuzz::expect_near;
using faithful::fuzz::Numbers;

constexpr double kTolerance = 2e-5;

// One case: the operator on variables that it takes from the input.
template <class T>
class Case {
 public:
  explicit Case(Numbers in) : in_(in) {
    parameters_.allocate();
    tape_.begin(parameters_, {.record = true, .training = true});
    const Tensor<T> out = build();
    values.push_back({out.data, out.data + out.shape.count()});
    const std::vector<float> mixer = in_.small(out.shape.count());  // so that one number depends on each element
    const std::vector<T> factors(mixer.begin(), mixer.end());
    const std::size_t count = factors.size();
    tape_.backward(linear(tape_, tape_.reshape(out, {1, count}), tape_.input(factors.data(), {1, count})));
    for (std::vector<T>& gradient : gradients_) values.push_back(std::move(gradient));
  }
  std::vector<std::vector<T>> values = {};  // the result, then the gradient of each variable

 private:
  static Tape<T>& shared_tape() {  // it keeps its memory: megabytes are slow to take under AddressSanitizer
    static Tape<T> tape;
    return tape;
  }

  Tensor<T> variable(Shape shape) {
    const std::vector<float> numbers = in_.small(shape.count());
    variables_.emplace_back(numbers.begin(), numbers.end());
    gradients_.emplace_back(shape.count(), T(1e9));  // so that what is not written shows
    return tape_.variable(variables_.back().data(), shape, gradients_.back().data());
  }

  Tensor<T> build() {
    switch (in_.take<std::uint8_t>() % 5) {
      case 0:
        return build_attention();
      case 1:
        return build_linear();
      case 2:
        return build_norm();
      case 3:
        return build_convolution();
      default:
        return build_pool();
    }
  }

  Tensor<T> build_attention() {
    const std::size_t samples = in_.size(2), positions = in_.size(20), heads = in_.size(2), width = 2 * in_.size(4);
    const std::size_t value_width = in_.size(7), terms = in_.take<std::uint8_t>(), clip = in_.size(3);
    AttentionInputs<T> in{.query = variable({samples, positions, heads * width}),
                          .key = variable({samples, positions, heads * width}),
                          .value = variable({samples, positions, heads * value_width}),
                          .heads = heads};
    if (terms & 1) in.angles = variable({positions, width / 2});
    if (terms & 2) in.pairing = Pairing::kHalves;
    if (terms & 4) in.relative_keys = variable({2 * clip + 1, width});
    if (terms & 8) in.relative_values = variable({2 * clip + 1, value_width});
    if (terms & 16) in.offset_bias = variable({heads, 2 * positions - 1});
    if (terms & 32) in.offset_weights = variable({heads, 2 * positions - 1});
    if (terms & 64) in.keep_up_to = 0;
    if (terms & 128) {
      for (std::size_t i = 0; i < samples * positions; ++i) valid_.push_back(in_.take<std::uint8_t>() % 4 != 0);
      in.valid = valid_;
    }
    return attention(tape_, in);
  }

  Tensor<T> build_linear() {
    const std::size_t groups = in_.size(2), rows = in_.size(8), from = in_.size(20), to = in_.size(40);
    const bool bias = in_.take<std::uint8_t>() % 2 == 0, gelu = in_.take<std::uint8_t>() % 2 == 0;
    const Tensor<T> x = variable({2, groups, rows, from}), weight = variable({groups, to, from});
    return linear(tape_, x, weight, bias ? variable({groups, to}) : Tensor<T>{},
                  gelu ? Activation::kGelu : Activation::kNone);
  }

  // A tenth as epsilon keeps rows of equal elements well conditioned.
  Tensor<T> build_norm() {
    const std::size_t rows = in_.size(6), width = in_.size(70);
    const bool residual = in_.take<std::uint8_t>() % 2 == 0;
    const Tensor<T> x = variable({rows, width}), other = residual ? variable({rows, width}) : Tensor<T>{};
    const Tensor<T> gain = variable({width});
    return layer_norm(tape_, x, other, gain, variable({width}), 0.1);
  }

  Tensor<T> build_convolution() {
    ConvolutionOptions options{.kernel = in_.size(5), .stride = in_.size(3), .dilation = in_.size(3)};
    options.padding = in_.size(4) - 1;
    const std::size_t positions = (options.kernel - 1) * options.dilation + in_.size(20), channels = in_.size(5);
    const std::size_t outputs = in_.size(9);
    const Tensor<T> x = variable({2, positions, channels}), weight = variable({outputs, options.kernel * channels});
    return convolution(tape_, x, weight, variable({outputs}), options, Activation::kGelu);
  }

  Tensor<T> build_pool() {
    const std::size_t window = in_.size(5), stride = in_.size(4), positions = window + in_.size(20),
                      width = in_.size(20);
    return max_pool_windows(tape_, variable({2, positions, width}), window, stride, in_.take<std::uint8_t>() % 2 == 0);
  }

  Numbers in_;
  Parameters<T> parameters_;
  Tape<T>& tape_ = shared_tape();
  std::vector<std::vector<T>> variables_, gradients_;
  std::vector<std::uint8_t> valid_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Numbers in(data, size);
  const Case<double> exact(in);
  faithful::fuzz::on_each_instruction_set([&] {
    const Case<float> ours(in);
    for (std::size_t v = 0; v < exact.values.size(); ++v) {
      double most = 1;
      for (const double value : exact.values[v]) most = std::max(most, std::fabs(value));
      expect_near(v == 0 ? "result" : "gradient", ours.values[v], exact.values[v],
                  [&](std::size_t) { return kTolerance * most; });
    }
  });
  return 0;
}
