#include <algorithm>
#include <cmath>

#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/signal_operators_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

namespace {

constexpr double kSimilarityStart = 0.1;  // the authors' weight of the similarity

std::vector<double> start_t_pe(const EncodingOptions& options) {  // [H]
  return std::vector<double>(options.heads, kSimilarityStart);
}

// The codes p of `sinusoidal` are added to the input, and in every layer to what queries and keys are made from. The
// logits get weight_h (x_i . x_j) / sqrt(d), where x are the steps that the first layer gets.
template <class T>
class TemporalCodes final : public AddedTable<T> {
 public:
  TemporalCodes(const ModelPlace& place, Parameters<T>& parameters) : AddedTable<T>(place, parameters) {
    for (std::size_t l = 0; l < place.layers; ++l) {
      weights_.push_back(parameters.declare(place.layer(l) + "similarity", {place.heads()}, engine::zeros(), false));
    }
  }
  void initialize(Parameters<T>& parameters, std::uint64_t) const override {
    for (const Parameter weight : weights_) write_values(parameters, weight, start_t_pe(place_.options));
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    AddedTable<T>::begin(tape, pass);
    pass.in_queries = below_token(tape, pass.added);
  }
  void see(Tape<T>& tape, Tensor<T> h, PositionPass<T>& pass) const override {
    pass.kept[0] = below_token(tape, h);
    pass.kept[1] = copies_for_heads(tape, pass.kept[0], {}, place_.heads(), 1);
  }
  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    const double width = static_cast<double>(place_.head_width), d = static_cast<double>(place_.width);
    const Tensor<T> weighted =
        copies_for_heads(tape, pass.kept[0], tape[weights_[layer]], place_.heads(), std::sqrt(width / d));
    inputs.query = beside_in_heads(tape, inputs.query, weighted, place_.heads());
    inputs.key = beside_in_heads(tape, inputs.key, pass.kept[1], place_.heads());
    inputs.scale = 1 / std::sqrt(width);
  }

 private:
  // x [S, d] or [B, S, d], with a row of zeros before the first step where there is a class token.
  Tensor<T> below_token(Tape<T>& tape, Tensor<T> x) const {
    if (!place_.has_token) return x;
    const std::size_t steps = place_.steps(), d = x.width(), count = x.rows() / steps;
    T* zeros = tape.arena().template take<T>(count * d);
    std::fill_n(zeros, count * d, T(0));
    const Tensor<T> parts[] = {tape.input(zeros, {count, d}), tape.reshape(x, {count, steps * d})};
    const Tensor<T> rows = concat(tape, std::span<const Tensor<T>>(parts));
    return tape.reshape(rows, x.shape.with_positions(steps + 1));
  }

  using AddedTable<T>::place_;
  std::vector<Parameter> weights_;  // [H] each
};

}  // namespace

CatalogEntry t_pe_entry() {
  return {.name = "t-pe",
          .kind = EncodingKind::kAdditive,
          .description = "sinusoidal in every layer, and the similarity of steps in the logits",
          .enters = "input, added; queries and keys of every layer; logits",
          .citation = "Zhang et al. 2024, Intriguing Properties of Positional Encoding in Time Series Forecasting",
          .options = {kRho},
          .start = "weights of the similarity: 0.1; the table is fixed",
          .real_positions = true,
          .geometric = true,
          .make = [](const EncodingOptions& options) { return make_sinusoids(options, 1); },
          .start_values = start_t_pe,
          .in_model = &kInModel<TemporalCodes>};
}

}  // namespace faithful
