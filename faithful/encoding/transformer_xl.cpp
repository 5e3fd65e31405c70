#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

namespace {

// With r(o) = (cos(w_k o), sin(w_k o))_k for n = ceil(d/2) frequencies w_k = rho^(-k/n), and o = j - i:
// logit = (q_i . k_j + q_i . W_h r(o) + u_h . k_j + v_h . W_h r(o)) / sqrt(d_h).
std::vector<double> xl_frequencies(std::size_t width, double rho) {
  return sinusoid_frequencies(2 * ((width + 1) / 2), rho);
}

// The part that does not depend on the content, v_h . W_h r(o) / sqrt(d_h). Parameters: v [d], W [d, 2n].
Encoding make_transformer_xl(const EncodingOptions& options) {
  const std::size_t width = head_width(options);
  const std::vector<double> w = xl_frequencies(options.dim, options.own.real("rho")), positions = positions_of(options);
  const double *v = options.parameters.data(), *matrix = v + options.dim;
  // v_h . W_h is a vector of 2n numbers for each head.
  std::vector<double> product(options.heads * 2 * w.size());
  for (std::size_t c = 0; c < options.dim; ++c) {
    for (std::size_t k = 0; k < 2 * w.size(); ++k) {
      product[c / width * 2 * w.size() + k] +=
          v[c] * matrix[c * 2 * w.size() + k] / std::sqrt(static_cast<double>(width));
    }
  }
  return {.values = fill_bias(options.heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            const double offset = positions[j] - positions[i];
            const double* of = &product[h * 2 * w.size()];
            double sum = 0;
            for (std::size_t k = 0; k < w.size(); ++k) {
              sum += of[2 * k] * std::cos(w[k] * offset) + of[2 * k + 1] * std::sin(w[k] * offset);
            }
            return sum;
          })};
}

std::vector<double> start_transformer_xl(const EncodingOptions& options) {
  const std::size_t d = options.dim, columns = 2 * ((d + 1) / 2);
  if (d == 0) reject({{.field = "dim"}, "at least 1", "none"});
  head_width(options);
  checked_product({d + 1, columns}, "dim");
  std::vector<double> values = normal_values(d, options.seed, "transformer-xl");
  Random random(options.seed, stream_of("transformer-xl, weights"));
  const double bound = std::sqrt(6 / static_cast<double>(d + columns));  // Glorot & Bengio 2010
  for (std::size_t i = 0; i < d * columns; ++i) values.push_back(random.uniform(-bound, bound));
  return values;
}

// The sinusoids of all offsets of a window.
constexpr std::size_t kMostWaves = std::size_t{1} << 26;

void check_transformer_xl(const ModelPlace& place) {
  const std::size_t offsets = 2 * place.rows() - 1, columns = 2 * ((place.width + 1) / 2);
  if (place.by_time || offsets <= kMostWaves / columns) return;
  reject({{.field = "encoding"},
          fmt::format("at most {} sinusoids of offsets", kMostWaves),
          fmt::format("{} x {}", offsets, columns),
          "take a smaller width or length"});
}

// q' = q + u takes the places of q, so that scores are scale q' . (k + W r) + scale (v - u) . W r: a relative key for
// every offset, and a bias over offsets.
template <class T>
class TransformerXl final : public InModel<T> {
 public:
  TransformerXl(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(place, parameters), frequencies_(xl_frequencies(place.width, place.options.own.real("rho"))) {
    const std::size_t inner = place.heads() * place.head_width;
    const auto start = engine::normal(kSmallDeviation);
    u_ = parameters.declare("encoding.content", {inner}, start, false);
    v_ = parameters.declare("encoding.position", {inner}, start, false);
    for (std::size_t l = 0; l < place.layers; ++l) {
      layers_.push_back(parameters.declare(place.layer(l) + "relative.weight", {inner, 2 * frequencies_.size()},
                                           engine::xavier_uniform()));
    }
  }

  void fill_tables() override {
    if (place_.by_time) return;
    const auto last = static_cast<std::ptrdiff_t>(place_.rows()) - 1;
    for (std::ptrdiff_t o = -last; o <= last; ++o) {
      for (const double w : frequencies_) {
        waves_.push_back(static_cast<T>(std::cos(w * static_cast<double>(o))));
        waves_.push_back(static_cast<T>(std::sin(w * static_cast<double>(o))));
      }
    }
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    if (pass.times.empty()) return;
    const std::size_t n = frequencies_.size(), rows = pass.row_times.size(), heads = place_.heads();
    T *angles = tape.arena().template take<T>(rows * n), *waves = tape.arena().template take<T>(rows * heads * 2 * n);
    pass.kept[0] = tape.input(angles, {pass.batch, place_.rows(), n});
    pass.kept[1] = tape.input(waves, {rows, heads * 2 * n});
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < n; ++k) {  // in double: a float of many turns has no digits left for the angle
        const double angle = frequencies_[k] * static_cast<double>(pass.row_times[r]);
        *angles++ = static_cast<T>(std::remainder(angle, 2 * std::numbers::pi));
        for (std::size_t h = 0; h < heads; ++h) {
          waves[(h * n + k) * 2] = static_cast<T>(std::cos(angle));
          waves[(h * n + k) * 2 + 1] = static_cast<T>(std::sin(angle));
        }
      }
      waves += heads * 2 * n;
    }
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.scale = 1 / std::sqrt(static_cast<double>(place_.head_width));
    if (!pass.times.empty()) {
      enter_by_time(tape, tape[layers_[layer]], pass, inputs);
      return;
    }
    const std::size_t entries = 2 * place_.rows() - 1;
    const Tensor<T> waves = tape.input(waves_.data(), {entries, 2 * frequencies_.size()});
    inputs.query = add(tape, inputs.query, tape[u_]);
    inputs.relative_keys =
        heads_first(tape, linear(tape, waves, tape[layers_[layer]]), place_.heads(), /*reversed=*/false);
    inputs.offset_bias = products_with(tape, inputs.relative_keys, tape[u_], tape[v_], inputs.scale);
  }

 private:
  // r(t_j - t_i) is r(t_j) turned by -t_i, so (q + v) . W r is the product of W' (q + v), turned by t_i, with r(t_j):
  // queries and keys get 2n more numbers in each head, and memory stays linear in S.
  void enter_by_time(Tape<T>& tape, Tensor<T> weight, const PositionPass<T>& pass,
                     engine::AttentionInputs<T>& inputs) const {
    const std::size_t heads = place_.heads();
    const Tensor<T> projected = project_heads(tape, add(tape, inputs.query, tape[v_]), weight, heads);
    const Tensor<T> turned = rotate(tape, projected, pass.kept[0], heads, engine::Pairing::kInterleaved);
    inputs.query = beside_in_heads(tape, add(tape, inputs.query, tape[u_]), turned, heads);
    inputs.key = beside_in_heads(tape, inputs.key, pass.kept[1], heads);
  }

  using InModel<T>::place_;
  std::vector<double> frequencies_;  // [n]: radians per position
  Parameter u_, v_;                  // [H d_h], shared by all layers
  std::vector<Parameter> layers_;    // W [H d_h, 2n]
  std::vector<T> waves_;             // [2 rows - 1, 2n]: r of each offset
};

}  // namespace

CatalogEntry transformer_xl_entry() {
  return {.name = "transformer-xl",
          .kind = EncodingKind::kLogitBias,
          .description = "queries, and a learned vector, times projected sinusoids of j - i",
          .enters = "logits",
          .citation = "Dai et al. 2019, Transformer-XL: Attentive Language Models beyond a Fixed-Length Context",
          .options = {kRho},
          .start = "vectors N(0, .02), weights uniform by Glorot and Bengio",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_transformer_xl,
          .start_values = start_transformer_xl,
          .in_model = &kInModel<TransformerXl>,
          .check_in_model = check_transformer_xl};
}

}  // namespace faithful
