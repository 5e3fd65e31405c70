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

template <class T>
engine::OffsetFunction<T> kerple_function(Tensor<T> log_rates) {  // [2, H]
  using Function = engine::OffsetFunction<T>;
  Function f;
  f.of[0] = log_rates;
  f.add = [](const Function& of, Tape<T>&, std::size_t head, std::span<const T> offsets, T* row) {
    const T r1 = std::exp(of.of[0].row(0)[head]), r2 = std::exp(of.of[0].row(1)[head]);
    for (std::size_t j = 0; j < offsets.size(); ++j) row[j] -= r1 * std::log1p(r2 * std::abs(offsets[j]));
  };
  f.add_gradient = [](const Function& of, Tape<T>& tape, std::size_t head, std::span<const T> offsets, const T* d) {
    if (!tape.wants(of.of[0])) return;
    const T r1 = std::exp(of.of[0].row(0)[head]), r2 = std::exp(of.of[0].row(1)[head]);
    T* to = tape.gradient_to_add(of.of[0]) + head;  // [2, H]
    for (std::size_t j = 0; j < offsets.size(); ++j) {
      const T distance = r2 * std::abs(offsets[j]);
      to[0] += d[j] * (-r1 * std::log1p(distance));
      to[of.of[0].width()] -= d[j] * r1 * distance / (1 + distance);
    }
  };
  return f;
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
  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    enter_function(tape, kerple_function(tape[layers_[layer]]), this->place_, pass, inputs);
  }

 private:
  std::vector<Parameter> layers_;  // [2, H] each
};

}  // namespace

template <class T>
Tensor<T> kerple_bias(Tape<T>& tape, Tensor<T> log_rates, std::size_t positions) {
  return over_offsets(tape, kerple_function(log_rates), log_rates.width(), positions);
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
