#include <cmath>

#include "faithful/base/random.h"
#include "faithful/encoding/clip_internal.h"
#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

// With c clipping to +-clip and rows P_o of relative positions:
// logit = (q_i . k_j + q_i . (P_c(i-j) WK)_h + k_j . (P_c(j-i) WQ)_h) / sqrt(3 d_h).
// The table: what is multiplied with queries, then with keys, both for j - i = -clip .. clip. Parameters: P
// [2 clip + 1, d], WK [d, d], WQ [d, d], whose rows are outputs.
Encoding make_deberta(const EncodingOptions& options) {
  const std::size_t d = options.dim, entries = clipped_vectors(options);
  const double *p = options.parameters.data(), *weights = p + entries * d;
  Encoding encoding;
  encoding.values.reserve(2 * entries * d);
  for (const bool of_keys : {false, true}) {
    for (std::size_t e = 0; e < entries; ++e) {
      const double* row = p + (of_keys ? e : entries - 1 - e) * d;
      for (std::size_t out = 0; out < d; ++out) {
        const double* w = weights + ((of_keys ? d : 0) + out) * d;
        double sum = 0;
        for (std::size_t c = 0; c < d; ++c) sum += row[c] * w[c];
        encoding.values.push_back(sum);
      }
    }
  }
  return encoding;
}

std::vector<double> start_deberta(const EncodingOptions& options) {
  const std::size_t d = options.dim;
  head_width(options);
  checked_product({2, d, d}, "dim");
  std::vector<double> values = normal_values(clipped_vectors(options) * d, options.seed, "deberta");
  Random random(options.seed, stream_of("deberta, weights"));
  const double bound = std::sqrt(3 / static_cast<double>(d));  // Glorot & Bengio 2010
  for (std::size_t i = 0; i < 2 * d * d; ++i) values.push_back(random.uniform(-bound, bound));
  return values;
}

template <class T>
class Deberta final : public InModel<T> {
 public:
  Deberta(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const engine::Shape shape{place.heads() * place.head_width, place.width};
    codes_ = parameters.declare("encoding.positions", {clipped_vectors(place.options), place.width},
                                engine::normal(kSmallDeviation), false);
    for (std::size_t l = 0; l < place.layers; ++l) {
      layers_.push_back(
          {parameters.declare(place.layer(l) + "relative_key.weight", shape, engine::xavier_uniform()),
           parameters.declare(place.layer(l) + "relative_query.weight", shape, engine::xavier_uniform())});
    }
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    const auto vectors = [&](Parameter weight, bool reversed) {
      return heads_first(tape, linear(tape, tape[codes_], tape[weight]), this->place_.heads(), reversed);
    };
    inputs.times = pass.row_times;
    inputs.relative_keys = vectors(layers_[layer].key, true);  // of i - j, where the table is over j - i
    inputs.relative_queries = vectors(layers_[layer].query, false);
    inputs.scale = 1 / std::sqrt(3 * static_cast<double>(this->place_.head_width));
  }

 private:
  struct Layer {
    Parameter key, query;  // WK, WQ [H d_h, d]
  };
  Parameter codes_;  // P [2 clip + 1, d], shared by all layers
  std::vector<Layer> layers_;
};

}  // namespace

CatalogEntry deberta_entry() {
  return {.name = "deberta",
          .kind = EncodingKind::kRelativeVectors,
          .description = "queries and keys times projected vectors of clipped offsets",
          .enters = "logits",
          .citation = "He et al. 2020, DeBERTa: Decoding-enhanced BERT with Disentangled Attention",
          .options = {kClip},
          .start = "vectors N(0, .02), weights uniform by Glorot and Bengio",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_deberta,
          .start_values = start_deberta,
          .extent = clipped_vectors,
          .vectors_of_all_heads = true,
          .in_model = &kInModel<Deberta>};
}

}  // namespace faithful
