#include "faithful/encoding/clip_internal.h"

namespace faithful {

namespace {

std::vector<double> start_shaw(const EncodingOptions& options) {  // [2, 2 clip + 1, d_h], keys then values
  return normal_values(2 * clipped_vectors(options) * head_width(options), options.seed, "shaw");
}

// q_i . (k_j + aK_r) / sqrt(d_h) and sum_j A_ij (v_j + aV_r), where r is j - i clipped to +-clip. Between whole offsets
// of times the vectors are interpolated; the table has them at whole offsets, whatever the positions.
template <class T>
class Shaw final : public InModel<T> {
 public:
  Shaw(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const engine::Shape shape{clipped_vectors(place.options), place.head_width};
    for (std::size_t l = 0; l < place.layers; ++l) {
      const auto start = engine::normal(kSmallDeviation);
      layers_.push_back({parameters.declare(place.layer(l) + "relative_keys", shape, start, false),
                         parameters.declare(place.layer(l) + "relative_values", shape, start, false)});
    }
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.times = pass.row_times;
    inputs.relative_keys = tape[layers_[layer].keys];
    inputs.relative_values = tape[layers_[layer].values];
  }

 private:
  struct Layer {
    Parameter keys, values;
  };
  std::vector<Layer> layers_;
};

}  // namespace

CatalogEntry shaw_entry() {
  return {.name = "shaw",
          .kind = EncodingKind::kRelativeVectors,
          .description = "a learned vector for every clipped offset j - i",
          .enters = "keys and values",
          .citation = "Shaw, Uszkoreit, Vaswani 2018, Self-Attention with Relative Position Representations",
          .options = {kClip},
          .start = "N(0, .02)",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = [](const EncodingOptions& options) { return Encoding{.values = options.parameters}; },
          .start_values = start_shaw,
          .extent = clipped_vectors,
          .in_model = &kInModel<Shaw>};
}

}  // namespace faithful
