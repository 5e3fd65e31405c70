#include <cmath>

#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/rotary_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

namespace {

// theta_c = rho^(-c/d_h) for each of the d_h coordinates.
std::vector<double> pope_frequencies(const EncodingOptions& options) {
  return sinusoid_frequencies(2 * head_width(options), options.own.real("rho"));
}

// logit = Σ_c softplus(q_c) softplus(k_c) cos((j - i) theta_c + delta_c) / sqrt(d_h): the content gives the lengths, the
// positions the angles. Row s holds cos(s theta_c), c < d_h, then sin(s theta_c). Parameters: delta [H, d_h], which
// changes no table.
Encoding make_pope(const EncodingOptions& options) {
  Encoding encoding;
  encoding.frequencies = pope_frequencies(options);
  for (const double position : positions_of(options)) {
    for (const double theta : encoding.frequencies) encoding.values.push_back(std::cos(position * theta));
    for (const double theta : encoding.frequencies) encoding.values.push_back(std::sin(position * theta));
  }
  return encoding;
}

std::vector<double> start_pope(const EncodingOptions& options) {  // [H, d_h]
  return std::vector<double>(options.heads * head_width(options), 0.0);
}

template <class T>
class Pope final : public InModel<T> {
 public:
  Pope(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(place, parameters), frequencies_(pope_frequencies(place.options)) {
    for (std::size_t l = 0; l < place.layers; ++l) {
      layers_.push_back(
          parameters.declare(place.layer(l) + "phases", {place.heads() * place.head_width}, engine::zeros(), false));
    }
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const std::span<const T> at = rotary_positions(tape, place_, pass);
    const std::size_t n = frequencies_.size();
    T *cosines = tape.arena().template take<T>(at.size() * n), *sines = tape.arena().template take<T>(at.size() * n);
    for (std::size_t i = 0; i < at.size() * n; ++i) {  // in double: a float of many turns has no digits left
      const double angle = frequencies_[i % n] * static_cast<double>(at[i / n]);
      cosines[i] = static_cast<T>(std::cos(angle));
      sines[i] = static_cast<T>(std::sin(angle));
    }
    pass.kept[0] = tape.input(cosines, {at.size(), n});
    pass.kept[1] = tape.input(sines, {at.size(), n});
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.query = polar(tape, inputs.query, pass.kept[0], pass.kept[1], Tensor<T>{}, place_.heads());
    inputs.key = polar(tape, inputs.key, pass.kept[0], pass.kept[1], tape[layers_[layer]], place_.heads());
    inputs.scale = 1 / std::sqrt(static_cast<double>(place_.head_width));
  }

 private:
  using InModel<T>::place_;
  std::vector<double> frequencies_;  // [d_h]: radians per position
  std::vector<Parameter> layers_;    // delta [H d_h]
};

}  // namespace

CatalogEntry pope_entry() {
  return {.name = "pope",
          .kind = EncodingKind::kRotary,
          .description = "content as lengths, positions s * rho^(-c/d_h) as angles",
          .enters = "queries and keys",
          .citation =
              "Gopalakrishnan et al. 2025, Decoupling the What and Where with Polar Coordinate Positional "
              "Embeddings",
          .options = {kRho},
          .start = "phases 0",
          .real_positions = true,
          .make = make_pope,
          .start_values = start_pope,
          .extent = [](const EncodingOptions& options) { return 2 * head_width(options); },
          .in_model = &kInModel<Pope>};
}

}  // namespace faithful
