#include <algorithm>
#include <cmath>

#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

const OwnOption kDynamicHidden{{"dynamic_hidden", "N", "hidden width", {.least = 1, .most = 65536}}, std::size_t{16}};

// logit += W3 ReLU(LN2(W2 ReLU(LN1(W1 (j - i) + b1)) + b2)) + b3, where LN has a gain and a shift (epsilon 1e-5).
// Learned, in this order, for N hidden units: W1 [N, 1], b1, gain1, shift1 [N], W2 [N, N], b2, gain2, shift2 [N],
// W3 [H, N], b3 [H].
// Between whole offsets of real positions the bias is interpolated, beyond S - 1 it is that of S - 1: the network for
// each pair of steps would cost a hundred times as much.
constexpr std::size_t kDynamicTensors = 10;
constexpr const char* kDynamicNames[kDynamicTensors] = {"first.weight",  "first.bias",  "norm1.weight", "norm1.bias",
                                                        "second.weight", "second.bias", "norm2.weight", "norm2.bias",
                                                        "third.weight",  "third.bias"};

// Where the two networks of one pair are kept: normalized values and activations of both hidden layers.
template <class T>
struct DynamicHidden {
  T *n1, *a1, *n2, *a2;  // [N] each
  T r1 = 0, r2 = 0;      // 1 / deviation

  DynamicHidden(T* memory, std::size_t width)
      : n1(memory), a1(memory + width), n2(memory + 2 * width), a2(memory + 3 * width) {}
};

// n = (n - mean) / deviation in place, a = ReLU(gain n + shift); gives 1 / deviation.
template <class T>
T normalize_row(T* n, const T* gain, const T* shift, std::size_t width, T* a) {
  T mean = 0, variance = 0;
  for (std::size_t k = 0; k < width; ++k) mean += n[k];
  mean /= static_cast<T>(width);
  for (std::size_t k = 0; k < width; ++k) variance += (n[k] - mean) * (n[k] - mean);
  const T r = 1 / std::sqrt(variance / static_cast<T>(width) + static_cast<T>(1e-5));
  for (std::size_t k = 0; k < width; ++k) {
    n[k] = (n[k] - mean) * r;
    a[k] = std::max(T(0), gain[k] * n[k] + shift[k]);
  }
  return r;
}

// da [N] becomes the gradient by the row before it was normalized.
template <class T>
void normalize_row_back(const T* n, const T* a, T r, const T* gain, std::size_t width, T* da, T* dgain, T* dshift) {
  T sum = 0, product = 0;
  for (std::size_t k = 0; k < width; ++k) {
    if (!(a[k] > 0)) da[k] = 0;
    dgain[k] += da[k] * n[k];
    dshift[k] += da[k];
    da[k] *= gain[k];
    sum += da[k];
    product += da[k] * n[k];
  }
  const T count = static_cast<T>(width);
  for (std::size_t k = 0; k < width; ++k) da[k] = r * (da[k] - sum / count - n[k] * product / count);
}

// All hidden units of one offset; p are the ten arrays above.
template <class T>
void dynamic_hidden(const T* const (&p)[kDynamicTensors], std::size_t width, T offset, DynamicHidden<T>& h) {
  for (std::size_t k = 0; k < width; ++k) h.n1[k] = p[0][k] * offset + p[1][k];
  h.r1 = normalize_row(h.n1, p[2], p[3], width, h.a1);
  for (std::size_t k = 0; k < width; ++k) {
    T sum = p[5][k];
    for (std::size_t m = 0; m < width; ++m) sum += p[4][k * width + m] * h.a1[m];
    h.n2[k] = sum;
  }
  h.r2 = normalize_row(h.n2, p[6], p[7], width, h.a2);
}

template <class T>
T dynamic_value(const T* const (&p)[kDynamicTensors], std::size_t width, std::size_t head, const DynamicHidden<T>& h) {
  T sum = p[9][head];
  for (std::size_t k = 0; k < width; ++k) sum += p[8][head * width + k] * h.a2[k];
  return sum;
}

// What is learned in one layer, as tensors.
template <class T>
using DynamicTensors = std::array<Tensor<T>, kDynamicTensors>;

// All heads at once, because they share the hidden units: y [H, offsets].
template <class T>
void fill_dynamic(const DynamicTensors<T>& of, Tape<T>& tape, std::span<const T> offsets, Tensor<T> y) {
  const engine::ScratchScope scratch(tape.scratch());
  const std::size_t width = of[0].rows();
  const T* p[kDynamicTensors];
  for (std::size_t i = 0; i < kDynamicTensors; ++i) p[i] = of[i].data;
  DynamicHidden<T> h(tape.scratch().template take<T>(4 * width), width);
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    dynamic_hidden(p, width, offsets[j], h);
    for (std::size_t head = 0; head < y.rows(); ++head) y.row(head)[j] = dynamic_value(p, width, head, h);
  }
}

template <class T>
void add_dynamic_gradients(const DynamicTensors<T>& of, Tape<T>& tape, std::span<const T> offsets, Tensor<T> y) {
  if (!tape.wants(of[0])) return;
  const T* dy = tape.gradient_of(y);
  const engine::ScratchScope scratch(tape.scratch());
  const std::size_t width = of[0].rows();
  const T* p[kDynamicTensors];
  T* g[kDynamicTensors];
  for (std::size_t i = 0; i < kDynamicTensors; ++i) {
    p[i] = of[i].data;
    g[i] = tape.gradient_to_add(of[i]);
  }
  DynamicHidden<T> h(tape.scratch().template take<T>(4 * width), width);
  T *da2 = tape.scratch().template take<T>(2 * width), *da1 = da2 + width;
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    dynamic_hidden(p, width, offsets[j], h);
    std::fill_n(da2, 2 * width, T(0));
    for (std::size_t head = 0; head < y.rows(); ++head) {
      const T by = dy[head * offsets.size() + j];
      g[9][head] += by;
      for (std::size_t k = 0; k < width; ++k) {
        g[8][head * width + k] += by * h.a2[k];
        da2[k] += by * p[8][head * width + k];
      }
    }
    normalize_row_back(h.n2, h.a2, h.r2, p[6], width, da2, g[6], g[7]);
    for (std::size_t k = 0; k < width; ++k) {
      g[5][k] += da2[k];
      for (std::size_t m = 0; m < width; ++m) {
        g[4][k * width + m] += da2[k] * h.a1[m];
        da1[m] += da2[k] * p[4][k * width + m];
      }
    }
    normalize_row_back(h.n1, h.a1, h.r1, p[2], width, da1, g[2], g[3]);
    for (std::size_t k = 0; k < width; ++k) {
      g[0][k] += da1[k] * offsets[j];
      g[1][k] += da1[k];
    }
  }
}

// y[h, o] = f_h(o - (S - 1)): [H, 2S - 1].
template <class T>
Tensor<T> dynamic_over_offsets(Tape<T>& tape, const DynamicTensors<T>& of, std::size_t heads, std::size_t positions) {
  const auto timing = tape.time("dynamic_bias");
  const Tensor<T> y = tape.make({heads, 2 * positions - 1});
  T* at = tape.arena().template take<T>(y.width());
  for (std::size_t o = 0; o < y.width(); ++o) at[o] = static_cast<T>(o) - static_cast<T>(positions - 1);
  const std::span<const T> offsets(at, y.width());
  fill_dynamic(of, tape, offsets, y);
  tape.record("dynamic_bias", y, [&tape, of, y, offsets] { add_dynamic_gradients(of, tape, offsets, y); });
  return y;
}

// The sizes of the ten arrays, and the fan-in that their start follows; 0: a gain, which starts at 1, or a shift.
struct DynamicSizes {
  DynamicSizes(std::size_t width, std::size_t heads)
      : count{width, width, width, width, width * width, width, width, width, heads * width, heads},
        fan_in{1, 1, 0, 0, width, width, 0, 0, width, width} {}

  std::array<std::size_t, kDynamicTensors> count, fan_in;
};

Encoding make_dynamic_bias(const EncodingOptions& options) {
  const std::size_t width = options.own.whole("dynamic_hidden"), heads = options.heads, length = options.length;
  const DynamicSizes sizes(width, heads);
  const double* p[kDynamicTensors];
  const double* at = options.parameters.data();
  for (std::size_t i = 0; i < kDynamicTensors; ++i) {
    p[i] = at;
    at += sizes.count[i];
  }
  std::vector<double> memory(4 * width);
  DynamicHidden<double> h(memory.data(), width);
  const std::vector<double> positions = positions_of(options);
  const double last = static_cast<double>(length - 1);
  std::vector<double> table;  // [2S - 1, H]: at whole offsets
  for (double offset = -last; offset <= last; ++offset) {
    dynamic_hidden(p, width, offset, h);
    for (std::size_t head = 0; head < heads; ++head) table.push_back(dynamic_value(p, width, head, h));
  }
  return {.values = fill_bias(heads, length, [&](std::size_t head, std::size_t i, std::size_t j) {
            const double place = std::clamp(positions[j] - positions[i], -last, last) + last, low = std::floor(place);
            const double below = table[static_cast<std::size_t>(low) * heads + head];
            const double above = table[static_cast<std::size_t>(std::ceil(place)) * heads + head];
            return below + (place - low) * (above - below);
          })};
}

std::vector<double> start_dynamic_bias(const EncodingOptions& options) {
  const std::size_t width = options.own.whole("dynamic_hidden");
  checked_product({width + options.heads, width}, "dynamic_hidden");
  const DynamicSizes sizes(width, options.heads);
  Random random(options.seed, stream_of("dynamic-bias"));
  std::vector<double> values;
  for (std::size_t i = 0; i < kDynamicTensors; ++i) {
    const double bound = 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, sizes.fan_in[i])));
    const bool gain = i == 2 || i == 6;
    for (std::size_t n = 0; n < sizes.count[i]; ++n) {
      values.push_back(sizes.fan_in[i] == 0 ? (gain ? 1.0 : 0.0) : random.uniform(-bound, bound));
    }
  }
  return values;
}

template <class T>
class DynamicBias final : public InModel<T> {
 public:
  DynamicBias(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const std::size_t width = place.options.own.whole("dynamic_hidden"), heads = place.heads();
    const DynamicSizes sizes(width, heads);
    for (std::size_t l = 0; l < place.layers; ++l) {
      Layer& layer = layers_.emplace_back();
      for (std::size_t i = 0; i < kDynamicTensors; ++i) {
        const bool weight = i % 4 == 0;
        const engine::Shape shape =
            weight ? engine::Shape{i == 8 ? heads : width, i == 0 ? 1 : width} : engine::Shape{sizes.count[i]};
        const engine::Initializer start = sizes.fan_in[i] > 0 ? uniform_of_fan(sizes.fan_in[i])
                                          : i == 2 || i == 6  ? engine::ones()
                                                              : engine::zeros();
        layer[i] = parameters.declare(place.layer(l) + "dynamic." + kDynamicNames[i], shape, start, weight);
      }
    }
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    DynamicTensors<T> of;
    for (std::size_t i = 0; i < kDynamicTensors; ++i) of[i] = tape[layers_[layer][i]];
    inputs.offset_bias = dynamic_over_offsets(tape, of, this->place_.heads(), this->place_.rows());
    inputs.times = pass.row_times;
  }

 private:
  using Layer = std::array<Parameter, kDynamicTensors>;
  std::vector<Layer> layers_;
};

}  // namespace

CatalogEntry dynamic_bias_entry() {
  return {.name = "dynamic-bias",
          .kind = EncodingKind::kLogitBias,
          .description = "a learned network of the offset j - i",
          .enters = "logits",
          .citation = "Wang et al. 2021, CrossFormer: A Versatile Vision Transformer Hinging on Cross-scale Attention",
          .options = {kDynamicHidden},
          .start = "weights and biases uniform by their fan-in",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_dynamic_bias,
          .start_values = start_dynamic_bias,
          .in_model = &kInModel<DynamicBias>};
}

}  // namespace faithful
