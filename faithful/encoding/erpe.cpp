#include "faithful/encoding/entry_internal.h"

namespace faithful {

namespace {

// A_ij + w[i - j + S - 1][h] after the softmax, not renormalised.
Encoding make_erpe(const EncodingOptions& options) {
  const std::size_t length = options.length, heads = options.heads;
  return {.values = fill_bias(heads, length, [&](std::size_t h, std::size_t i, std::size_t j) {
            return options.parameters[(i + length - 1 - j) * heads + h];
          })};
}

std::vector<double> start_erpe(const EncodingOptions& options) {  // [2S-1, H]
  return std::vector<double>((2 * options.length - 1) * options.heads, 0.0);
}

template <class T>
class Erpe final : public InModel<T> {
 public:
  Erpe(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    for (std::size_t l = 0; l < place.layers; ++l) {
      layers_.push_back(parameters.declare(place.layer(l) + "offset_weights", {place.heads(), 2 * place.rows() - 1},
                                           engine::zeros(), false));
    }
  }
  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>&,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.offset_weights = tape[layers_[layer]];
  }

 private:
  std::vector<Parameter> layers_;  // [H, 2 rows - 1] each
};

}  // namespace

CatalogEntry erpe_entry() {
  return {.name = "erpe",
          .kind = EncodingKind::kWeightBias,
          .description = "a learned weight for every offset, added after the softmax",
          .enters = "attention weights",
          .citation = "Foumani et al. 2024, Improving Position Encoding of Transformers for Multivariate Time Series",
          .start = "zeros",
          .rows_depend_on_length = true,
          .fixed_length = true,
          .make = make_erpe,
          .start_values = start_erpe,
          .in_model = &kInModel<Erpe>};
}

}  // namespace faithful
