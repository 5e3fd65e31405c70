#include <fmt/format.h>

#include "faithful/base/random.h"
#include "faithful/encoding/time_features_internal.h"

namespace faithful {

namespace {

const OwnOption kMtan{{"mtan",
                       "WHERE",
                       "time features are appended to the input (concat), or give queries and keys (attention)",
                       {.choices = {"concat", "attention"}}},
                      "concat",
                      /*in_table=*/false};

std::vector<double> start_mtan(const EncodingOptions& options) {  // [2, time_dim], w then b
  Random random(options.seed, stream_of("mtan"));
  std::vector<double> w_and_b(2 * time_dim(options));
  for (double& value : w_and_b) value = random.uniform(-1, 1);
  return w_and_b;
}

// Concatenated to the steps; or, with mtan = attention, queries and keys are projections of the features alone.
template <class T>
class Mtan final : public TimeFeatures<T> {
 public:
  Mtan(const ModelPlace& place, Parameters<T>& parameters) : TimeFeatures<T>(place, parameters) {
    if (!replaces_queries()) return;
    const std::size_t out = 2 * place.heads() * place.head_width;
    for (std::size_t l = 0; l < place.layers; ++l) {
      const std::string name = place.layer(l) + "time.";
      layers_.push_back({parameters.declare(name + "weight", {out, time_dim(place.options)}, engine::xavier_uniform()),
                         parameters.declare(name + "bias", {out}, engine::zeros(), false)});
    }
  }

  bool replaces_queries() const override { return place_.options.own.text("mtan") == "attention"; }
  std::size_t columns_beside() const override { return replaces_queries() ? 0 : TimeFeatures<T>::columns_beside(); }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    if (!replaces_queries()) return;
    const std::size_t steps = place_.steps(), width = place_.heads() * place_.head_width, widths[] = {width, width};
    const Tensor<T> both = linear(tape, pass.beside, tape[layers_[layer].weight], tape[layers_[layer].bias]);
    const bool shared = both.rows() == steps;  // the same times for all samples
    Tensor<T> parts[2];
    tape.split(shared ? repeat(tape, both, pass.batch) : tape.reshape(both, {pass.batch, steps, 2 * width}), widths,
               parts);
    inputs.query = parts[0];
    inputs.key = parts[1];
  }

 private:
  using TimeFeatures<T>::place_;
  struct Layer {
    Parameter weight, bias;  // queries below keys: [2 H d_h, time_dim]
  };
  std::vector<Layer> layers_;
};

void check_token(const ModelPlace& place) {
  if (place.options.own.text("mtan") == "attention" && place.has_token) {
    throw InputError(fmt::format("{} does not go with {}: a class token has no time", field_text("mtan", "attention"),
                                 field_text("pooling", "token")));
  }
}

}  // namespace

CatalogEntry mtan_entry() {
  return {.name = "mtan",
          .kind = EncodingKind::kConcatenated,
          .description = "a linear term and sines with learned frequencies over t = s/(S-1)",
          .enters = "input, concatenated; or queries and keys, which are then made from it alone",
          .citation = "Shukla, Marlin 2020, Multi-Time Attention Networks for Irregularly Sampled Time Series",
          .options = {kTimeDim, kMtan},
          .start = "U(-1, 1)",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_time_features,
          .start_values = start_mtan,
          .extent = time_dim,
          .in_model = &kInModel<Mtan>,
          .parameters_in_model = {"encoding.frequencies", "encoding.phases"},
          .check_in_model = check_token};
}

}  // namespace faithful
