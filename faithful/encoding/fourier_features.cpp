#include <cmath>
#include <numbers>
#include <numeric>

#include "faithful/base/random.h"
#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

const OwnOption kGamma{
    {"fourier_gamma", "G", "initial frequencies are N(0, 1/G^2); G is a distance in positions", {.above = 0}}, 10.0};
const OwnOption kHidden{{"fourier_hidden", "N", "hidden width", {.least = 1, .most = 65536}}, std::size_t{32}};

// With n = ceil(d/4) frequencies w: r(x) = (cos(w x), sin(w x)) / sqrt(2n), e(x) = W2 GELU(W1 r(x) + b1) + b2.
// The parameters, in this order: w [n], W1 [hidden, 2n], b1 [hidden], W2 [d, hidden], b2 [d].
struct Sizes {
  explicit Sizes(const EncodingOptions& options)
      : n((options.dim + 3) / 4), hidden(options.own.whole("fourier_hidden")), d(options.dim) {}

  std::size_t n, hidden, d;
};

Encoding make_fourier_features(const EncodingOptions& options) {
  const auto [n, hidden, d] = Sizes(options);
  const double *w = options.parameters.data(), *w1 = w + n, *b1 = w1 + hidden * 2 * n, *w2 = b1 + hidden;
  const double* b2 = w2 + d * hidden;
  std::vector<double> r(2 * n), h(hidden);
  Encoding encoding;
  for (const double x : positions_of(options)) {
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = std::cos(w[i] * x) / std::sqrt(2 * static_cast<double>(n));
      r[n + i] = std::sin(w[i] * x) / std::sqrt(2 * static_cast<double>(n));
    }
    for (std::size_t k = 0; k < hidden; ++k) {
      const double z = std::inner_product(r.begin(), r.end(), w1 + k * 2 * n, b1[k]);
      h[k] = z / 2 * (1 + std::erf(z / std::numbers::sqrt2));
    }
    for (std::size_t c = 0; c < d; ++c) {
      encoding.values.push_back(std::inner_product(h.begin(), h.end(), w2 + c * hidden, b2[c]));
    }
  }
  return encoding;
}

std::vector<double> start_fourier_features(const EncodingOptions& options) {
  const auto [n, hidden, d] = Sizes(options);
  checked_product({hidden, 2 * n + d}, "fourier_hidden");
  Random random(options.seed, stream_of("fourier-features"));
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(random.normal() / options.own.real("fourier_gamma"));
  const auto add_layer = [&](std::size_t out, std::size_t in) {  // Glorot & Bengio 2010
    const double bound = std::sqrt(6 / static_cast<double>(out + in));
    for (std::size_t i = 0; i < out * in; ++i) values.push_back(random.uniform(-bound, bound));
    values.resize(values.size() + out, 0.0);
  };
  add_layer(hidden, 2 * n);
  add_layer(d, hidden);
  return values;
}

template <class T>
class FourierFeatures final : public InModel<T> {
 public:
  FourierFeatures(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const auto [n, hidden, d] = Sizes(place.options);
    w_ = parameters.declare("encoding.frequencies", {n}, engine::zeros(), false);
    w1_ = parameters.declare("encoding.first.weight", {hidden, 2 * n}, engine::zeros());
    b1_ = parameters.declare("encoding.first.bias", {hidden}, engine::zeros(), false);
    w2_ = parameters.declare("encoding.second.weight", {d, hidden}, engine::zeros());
    b2_ = parameters.declare("encoding.second.bias", {d}, engine::zeros(), false);
  }

  void fill_tables() override {
    const std::size_t n = Sizes(place_.options).n;
    cosines_.assign(n, T(0));
    sines_.assign(n, static_cast<T>(-std::numbers::pi / 2));  // sin x = cos(x - pi/2)
    for (std::size_t s = 0; s < place_.steps(); ++s) index_.push_back(static_cast<T>(s));
  }

  void initialize(Parameters<T>& parameters, std::uint64_t seed) const override {
    ModelPlace place = place_;
    place.options.seed = seed;
    std::vector<double> start = start_fourier_features(place.options);
    const double factor = scale_factor_in_model(place);
    std::span<const double> rest(start);
    for (const Parameter parameter : {w_, w1_, b1_, w2_, b2_}) {
      const std::size_t count = parameters.values_of(parameter).size();
      write_values(parameters, parameter, rest.first(count));
      rest = rest.subspan(count);
    }
    for (T& value : parameters.mutable_values_of(w2_)) value *= static_cast<T>(factor);
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const std::size_t n = cosines_.size();
    const std::span<const T> at = pass.times.empty() ? std::span<const T>(index_) : pass.times;
    const auto waves = [&](const std::vector<T>& phases) {
      return cosine_features(tape, at, tape[w_], tape.input(phases.data(), {n}),
                             1 / std::sqrt(2 * static_cast<double>(n)));
    };
    const Tensor<T> both[] = {waves(cosines_), waves(sines_)};
    const Tensor<T> hidden =
        linear(tape, concat(tape, std::span<const Tensor<T>>(both)), tape[w1_], tape[b1_], engine::Activation::kGelu);
    pass.added = linear(tape, hidden, tape[w2_], tape[b2_]);
  }

 private:
  using InModel<T>::place_;
  Parameter w_, w1_, b1_, w2_, b2_;
  std::vector<T> cosines_, sines_;  // [n]: their phases
  std::vector<T> index_;            // [S]: 0, 1, 2, ..
};

}  // namespace

CatalogEntry fourier_features_entry() {
  return {.name = "fourier-features",
          .kind = EncodingKind::kAdditive,
          .description = "a learned network of cos(w s) and sin(w s) with learned frequencies",
          .enters = kAddedToInput,
          .citation = "Li et al. 2021, Learnable Fourier Features for Multi-Dimensional Spatial Positional Encoding",
          .options = {kGamma, kHidden},
          .start = "w N(0, 1/gamma^2), weights uniform by Glorot and Bengio, biases 0",
          .seeded = true,
          .real_positions = true,
          .scales_start = true,
          .make = make_fourier_features,
          .start_values = start_fourier_features,
          .in_model = &kInModel<FourierFeatures>,
          .parameters_in_model = {"encoding.frequencies", "encoding.first.weight", "encoding.first.bias",
                                  "encoding.second.weight", "encoding.second.bias"}};
}

}  // namespace faithful
