#include <cmath>

#include <fmt/format.h>

#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

// The logarithmic form: logit -= r1_h ln(1 + r2_h |i - j|).
Encoding make_kerple(const EncodingOptions& options) {
  const std::span r1 = std::span(options.parameters).first(options.heads);
  const std::span r2 = std::span(options.parameters).last(options.heads);
  for (const double r : options.parameters) {
    if (!(r > 0) || !std::isfinite(r)) {
      reject({{.field = "parameters"}, "r1, r2 > 0 for kerple", fmt::format("{}", r)});
    }
  }
  const std::vector<double> positions = positions_of(options);
  return {.values = fill_bias(options.heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            return 0 - r1[h] * std::log1p(r2[h] * std::abs(positions[i] - positions[j]));
          })};
}

std::vector<double> start_kerple(const EncodingOptions& options) {  // [2, H], r1 then r2
  return std::vector<double>(2 * options.heads, 1.0);
}

// Learns the logarithms of r1 and r2, so that both stay positive.
template <class T>
class Kerple final : public InModel<T> {
 public:
  Kerple(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    for (std::size_t l = 0; l < place.layers; ++l) {
      layers_.push_back(parameters.declare(place.layer(l) + "log_rates", {2, place.heads()}, engine::zeros(), false));
    }
  }
  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>&,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.offset_bias = kerple_bias(tape, tape[layers_[layer]], this->place_.rows());
  }

 private:
  std::vector<Parameter> layers_;  // [2, H] each
};

}  // namespace

template <class T>
Tensor<T> kerple_bias(Tape<T>& tape, Tensor<T> log_rates, std::size_t positions) {
  const auto timing = tape.time("kerple_bias");
  const std::size_t heads = log_rates.width(), last = positions - 1;
  const Tensor<T> y = tape.make({heads, 2 * positions - 1});
  for (std::size_t h = 0; h < heads; ++h) {
    const T r1 = std::exp(log_rates.row(0)[h]), r2 = std::exp(log_rates.row(1)[h]);
    for (std::size_t o = 0; o < y.width(); ++o) {
      y.row(h)[o] = -r1 * std::log1p(r2 * static_cast<T>(o > last ? o - last : last - o));
    }
  }
  tape.record("kerple_bias", y, [&tape, log_rates, y, last] {
    if (!tape.wants(log_rates)) return;
    const T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(log_rates);  // [2, H]
    const std::size_t count = y.rows(), width = y.width();
    for (std::size_t h = 0; h < count; ++h) {
      const T r1 = std::exp(log_rates.row(0)[h]), r2 = std::exp(log_rates.row(1)[h]);
      for (std::size_t o = 0; o < width; ++o) {
        const T distance = r2 * static_cast<T>(o > last ? o - last : last - o), d = dy[h * width + o];
        to[h] += d * y.row(h)[o];
        to[count + h] -= d * r1 * distance / (1 + distance);
      }
    }
  });
  return y;
}

template Tensor<float> kerple_bias(Tape<float>&, Tensor<float>, std::size_t);
template Tensor<double> kerple_bias(Tape<double>&, Tensor<double>, std::size_t);

CatalogEntry kerple_entry() {
  return {.name = "kerple",
          .kind = EncodingKind::kLogitBias,
          .description = "-r1 ln(1 + r2 |i - j|) with learned r1, r2 > 0 per head",
          .enters = "logits",
          .citation = "Chi et al. 2022, KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation",
          .start = "r1 = r2 = 1",
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_kerple,
          .start_values = start_kerple,
          .in_model = &kInModel<Kerple>};
}

}  // namespace faithful
