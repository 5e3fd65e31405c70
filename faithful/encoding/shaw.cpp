#include "faithful/encoding/entry_internal.h"

namespace faithful {

namespace {

const OwnOption kClip{{"clip", "K", "offsets beyond +-K share a vector", {.least = 0, .most = kMostValues}},
                      std::size_t{16}};

std::size_t vectors(const EncodingOptions& options) {
  return 2 * options.own.whole("clip") + 1;
}

std::vector<double> start_shaw(const EncodingOptions& options) {  // [2, 2 clip + 1, d_h], keys then values
  return normal_values(2 * vectors(options) * head_width(options), options.seed, "shaw");
}

// q_i . (k_j + aK_r) / sqrt(d_h) and sum_j A_ij (v_j + aV_r), where r is j - i clipped to +-clip.
template <class T>
class Shaw final : public InModel<T> {
 public:
  Shaw(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const engine::Shape shape{vectors(place.options), place.head_width};
    for (std::size_t l = 0; l < place.layers; ++l) {
      const auto start = engine::normal(kSmallDeviation);
      layers_.push_back({parameters.declare(place.layer(l) + "relative_keys", shape, start, false),
                         parameters.declare(place.layer(l) + "relative_values", shape, start, false)});
    }
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>&,
             engine::AttentionInputs<T>& inputs) const override {
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
          .rows_depend_on_length = true,
          .make = [](const EncodingOptions& options) { return Encoding{.values = options.parameters}; },
          .start_values = start_shaw,
          .extent = vectors,
          .in_model = &kInModel<Shaw>};
}

}  // namespace faithful
