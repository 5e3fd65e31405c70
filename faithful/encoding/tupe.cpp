#include <cmath>

#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/t5_internal.h"

namespace faithful {

namespace {

const OwnOption kRelative{{"tupe_relative", "", "also add the bias of t5"}, false};

bool is_relative(const EncodingOptions& options) {
  return options.own.flag("tupe_relative");
}

// out = LN(p) u, where LN brings each row of p to mean 0 and variance 1.
std::vector<double> project_normalized(std::span<const double> p, std::span<const double> u, std::size_t length,
                                       std::size_t d) {
  std::vector<double> out(length * d);  // [S, d]
  for (std::size_t s = 0; s < length; ++s) {
    const std::span row = p.subspan(s * d, d);
    double mean = 0, variance = 0;
    for (const double x : row) mean += x / static_cast<double>(d);
    for (const double x : row) variance += (x - mean) * (x - mean) / static_cast<double>(d);
    const double inverse_deviation = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t k = 0; k < d; ++k) {
      const double x = (row[k] - mean) * inverse_deviation;
      for (std::size_t c = 0; c < d; ++c) out[s * d + c] += x * u[k * d + c];
    }
  }
  return out;
}

// logit += (LN(p_i) UQ_h) . (LN(p_j) UK_h) / sqrt(2 d_h) [+ t5's bias], where LN has no gain or shift (epsilon 1e-5) and
// UQ_h is columns h d_h .. (h+1) d_h - 1 of UQ. Parameters: p [S, d], UQ [d, d], UK [d, d] [, t5's table].
Encoding make_tupe(const EncodingOptions& options) {
  const std::size_t length = options.length, d = options.dim, width = head_width(options);
  const std::span all(options.parameters);
  const std::span p = all.first(length * d), uq = all.subspan(length * d, d * d);
  const std::span uk = all.subspan(length * d + d * d, d * d);
  const std::vector<double> q = project_normalized(p, uq, length, d), k = project_normalized(p, uk, length, d);
  const double scale = 1 / std::sqrt(2 * static_cast<double>(width));
  Encoding encoding;
  encoding.values = fill_bias(options.heads, length, [&](std::size_t h, std::size_t i, std::size_t j) {
    double dot = 0;
    for (std::size_t c = h * width; c < (h + 1) * width; ++c) dot += q[i * d + c] * k[j * d + c];
    return scale * dot;
  });
  if (is_relative(options)) {
    const std::vector<double> relative =
        t5_values(all.subspan(length * d + 2 * d * d), options.heads, positions_of(options));
    for (std::size_t i = 0; i < relative.size(); ++i) encoding.values[i] += relative[i];
  }
  return encoding;
}

std::vector<double> start_tupe(const EncodingOptions& options) {
  const std::size_t d = options.dim;
  if (d == 0) reject({{.field = "dim"}, "at least 1", "none"});
  head_width(options);
  checked_product({2, d, d}, "dim");
  checked_product({options.length, d}, "dim");
  std::vector<double> values = normal_values(options.length * d + 2 * d * d, options.seed, "tupe");
  if (is_relative(options)) {
    const std::vector<double> relative = start_t5(options);
    values.insert(values.end(), relative.begin(), relative.end());
  }
  return values;
}

// The position parts of queries and keys are the same for all layers. The product of content parts and that of position
// parts are both divided by sqrt(2 d_h): that is the one scale of the wider queries and keys.
template <class T>
class Tupe final : public InModel<T> {
 public:
  Tupe(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const std::size_t d = place.width, out = place.heads() * place.head_width;
    const auto start = engine::normal(kSmallDeviation);
    if (is_relative(place.options)) buckets_.declare(place, parameters);
    codes_ = parameters.declare("encoding.positions", {place.steps(), d}, start, false);
    query_ = parameters.declare("encoding.query.weight", {out, d}, start);
    key_ = parameters.declare("encoding.key.weight", {out, d}, start);
    if (place.has_token) token_ = parameters.declare("encoding.token", {2, place.heads()}, start, false);
  }

  void fill_tables() override {
    if (is_relative(place_.options)) buckets_.fill_tables(place_);
    ones_.assign(place_.width, T(1));
    zeros_.assign(place_.width, T(0));
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const std::size_t d = place_.width;
    Tensor<T>&query = pass.kept[0], &key = pass.kept[1], &bias = pass.kept[2];
    if (is_relative(place_.options)) bias = buckets_.bias(tape);
    const Tensor<T> normed =
        layer_norm(tape, tape[codes_], {}, tape.input(ones_.data(), {d}), tape.input(zeros_.data(), {d}));
    query = linear(tape, normed, tape[query_]);
    key = linear(tape, normed, tape[key_]);
    if (!place_.has_token) return;
    query = with_token_terms(tape, query, tape[token_], divisor(), true);
    key = with_token_terms(tape, key, tape[token_], divisor(), false);
  }

  void enter(Tape<T>& tape, std::size_t, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.query = beside_in_heads(tape, inputs.query, pass.kept[0], place_.heads());
    inputs.key = beside_in_heads(tape, inputs.key, pass.kept[1], place_.heads());
    inputs.offset_bias = pass.kept[2];
    inputs.scale = 1 / divisor();
  }

 private:
  double divisor() const { return std::sqrt(2 * static_cast<double>(place_.head_width)); }

  using InModel<T>::place_;
  T5Buckets<T> buckets_;           // where tupe_relative
  Parameter codes_, query_, key_;  // p [S, d]; UQ, UK [H d_h, d]
  Parameter token_;                // [2, H]: from the token to all, from all others to the token
  std::vector<T> ones_, zeros_;    // [d]: the layer norm learns nothing
};

}  // namespace

CatalogEntry tupe_entry() {
  return {.name = "tupe",
          .kind = EncodingKind::kLogitBias,
          .description = "inner products of learned positions with their own projections",
          .enters = "logits",
          .citation = "Ke, He, Liu 2021, Rethinking Positional Encoding in Language Pre-training",
          .options = {kRelative},
          .start = "N(0, .02)",
          .seeded = true,
          .rows_depend_on_length = true,
          .fixed_length = true,
          .absolute = true,
          .make = make_tupe,
          .start_values = start_tupe,
          .in_model = &kInModel<Tupe>};
}

}  // namespace faithful
