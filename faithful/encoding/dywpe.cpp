#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/signal_operators_internal.h"

namespace faithful {

namespace {

const OwnOption kWavelet{{"dywpe_wavelet", "W", "Daubechies' wavelet of 8 taps, or of 2", {.choices = {"db4", "haar"}}},
                         "db4"};
const OwnOption kLevels{
    {"dywpe_levels", "J", "levels of the wavelet transform; 0: log2 of the steps less 2", {.least = 0, .most = 20}},
    std::size_t{0}};

// Low-pass filters: sum sqrt(2), orthonormal to their shifts by 2. db4 solves these and four vanishing moments.
constexpr std::array<double, 8> kDb4 = {0.23037781330889637,   0.71484657055291546,  0.63088076792985912,
                                        -0.027983769416859545, -0.18703481171909328, 0.030841381835560611,
                                        0.032883011666885406,  -0.010597401785069095};
constexpr std::array<double, 2> kHaar = {1 / std::numbers::sqrt2, 1 / std::numbers::sqrt2};

std::span<const double> filter_of(const EncodingOptions& options) {
  if (options.own.text("dywpe_wavelet") == "haar") return kHaar;
  return kDb4;
}

std::size_t levels_of(const EncodingOptions& options) {
  const std::size_t asked = options.own.whole("dywpe_levels");
  if (asked > 0) return asked;
  const auto log2 = static_cast<std::size_t>(std::bit_width(std::max<std::size_t>(options.length, 1)) - 1);
  return log2 > 3 ? log2 - 2 : 1;
}

// The parameters, in this order: w [1, d], b [1], E [J + 1, d], Wg [d, d], bg [d], Wv [d, d], bv [d].
std::vector<double> start_dywpe(const EncodingOptions& options) {
  const std::size_t d = options.dim;
  checked_product({2, d, d}, "dim");
  const double bound = std::sqrt(1 / static_cast<double>(d));
  Random random(options.seed, stream_of("dywpe"));
  std::vector<double> values;
  const auto uniform = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) values.push_back(random.uniform(-bound, bound));
  };
  uniform(d + 1);
  for (std::size_t i = 0; i < (levels_of(options) + 1) * d; ++i) values.push_back(random.normal());
  uniform(2 * (d * d + d));
  return values;
}

// x = w . h + b is one channel. Its parts m_0 .. m_J at the scales of a wavelet transform add up to x. The code of step
// s is sum_j m_j(s) g_j, where g_j = sigmoid(Wg E_j + bg) * tanh(Wv E_j + bv). The paper multiplies the coefficients of
// scale j by g_j and transforms back, which is the same, as the transform is linear.
template <class T>
class WaveletCodes final : public InModel<T> {
 public:
  WaveletCodes(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const std::size_t d = place.width;
    w_ = parameters.declare("encoding.channel.weight", {1, d}, engine::zeros());
    b_ = parameters.declare("encoding.channel.bias", {1}, engine::zeros(), false);
    scales_ = parameters.declare("encoding.scales", {levels_of(place.options) + 1, d}, engine::zeros(), false);
    wg_ = parameters.declare("encoding.gate.weight", {d, d}, engine::zeros());
    bg_ = parameters.declare("encoding.gate.bias", {d}, engine::zeros(), false);
    wv_ = parameters.declare("encoding.value.weight", {d, d}, engine::zeros());
    bv_ = parameters.declare("encoding.value.bias", {d}, engine::zeros(), false);
  }

  void initialize(Parameters<T>& parameters, std::uint64_t seed) const override {
    EncodingOptions options = place_.options;
    options.seed = seed;
    const std::vector<double> start = start_dywpe(options);
    std::span<const double> rest(start);
    for (const Parameter parameter : {w_, b_, scales_, wg_, bg_, wv_, bv_}) {
      const std::size_t count = parameters.values_of(parameter).size();
      write_values(parameters, parameter, rest.first(count));
      rest = rest.subspan(count);
    }
  }

  Tensor<T> codes_of(Tape<T>& tape, Tensor<T> h, const PositionPass<T>& pass) const override {
    const std::size_t levels = levels_of(place_.options), d = place_.width;
    const Tensor<T> channel = keep_valid(tape, linear(tape, h, tape[w_], tape[b_]), pass.valid);  // [B, S, 1]
    const Tensor<T> parts = wavelet_parts(tape, channel, filter_of(place_.options), levels);      // [B, S, J + 1]
    const Tensor<T> gates = gate(tape, linear(tape, tape[scales_], tape[wg_], tape[bg_]),
                                 linear(tape, tape[scales_], tape[wv_], tape[bv_]));  // [J + 1, d]
    const Tensor<T> turned = transpose(tape, tape.reshape(gates, {1, levels + 1, d}));
    return linear(tape, parts, tape.reshape(turned, {d, levels + 1}));
  }

 private:
  using InModel<T>::place_;
  Parameter w_, b_, scales_, wg_, bg_, wv_, bv_;
};

// A model for longer windows keeps the levels of training.
std::string settle_dywpe(EncodingOptions& options, std::optional<double>) {
  if (options.own.whole("dywpe_levels") > 0) return "";
  options.own.set("dywpe_levels", levels_of(options));
  return fmt::format("{} steps have {} levels of wavelets: {} {}", options.length, levels_of(options),
                     field_text("dywpe_levels"), levels_of(options));
}

}  // namespace

CatalogEntry dywpe_entry() {
  return {.name = "dywpe",
          .kind = EncodingKind::kFromSignal,
          .description = "the signal's parts at each scale of a wavelet transform, times gates",
          .enters = "input, computed from it and added",
          .citation = "Irani, Metsis 2025, DyWPE: Signal-Aware Dynamic Wavelet Positional Encoding",
          .options = {kWavelet, kLevels},
          .start = "scales N(0, 1), all others U(-1/sqrt(d), 1/sqrt(d))",
          .seeded = true,
          .make = nullptr,
          .start_values = start_dywpe,
          .in_model = &kInModel<WaveletCodes>,
          .parameters_in_model = {"encoding.channel.weight", "encoding.channel.bias", "encoding.scales",
                                  "encoding.gate.weight", "encoding.gate.bias", "encoding.value.weight",
                                  "encoding.value.bias"},
          .settle_in_model = settle_dywpe};
}

}  // namespace faithful
