#include <algorithm>
#include <cmath>

#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

const OwnOption kFireHidden{{"fire_hidden", "N", "hidden width", {.least = 1, .most = 65536}}, std::size_t{32}};
const OwnOption kFireThreshold{{"fire_threshold",
                                "L",
                                "initial L: log distances are divided by that of L, or of the window if it is longer",
                                {.above = 0}},
                               512.0};
constexpr double kFireSlope = 0.1;  // c at the start, as the authors have it

// With psi(x) = ln(1 + c x) and a greatest distance M: x = sign(i - j) psi(|i - j|) / psi(max(L, M)),
// logit += W2 ReLU(W1 x + b1) + b2. Learned: ln c, ln L [2]; W1 [hidden, 1], b1 [hidden], W2 [H, hidden], b2 [H].
template <class T>
struct FireTensors {
  Tensor<T> log_rates, w1, b1, w2, b2;
};

template <class T>
FireTensors<T> fire_tensors(const engine::OffsetFunction<T>& f) {
  return {f.of[0], f.of[1], f.of[2], f.of[3], f.of[4]};
}

// psi of a distance over psi of the normalizer, with the slopes by ln c and ln L.
template <class T>
class FireDistance {
 public:
  FireDistance(const T* log_rates, double greatest)
      : c_(std::exp(log_rates[0])), threshold_(std::exp(log_rates[1])), most_(static_cast<T>(greatest)) {
    const T end = std::max(threshold_, most_);
    whole_ = std::log1p(c_ * end);
    whole_by_c_ = c_ * end / (1 + c_ * end);
  }
  T operator()(T earlier) const {  // earlier = i - j
    return std::copysign(std::log1p(c_ * std::abs(earlier)) / whole_, earlier);
  }
  T by_log_c(T earlier) const {
    const T d = c_ * std::abs(earlier);
    return std::copysign((d / (1 + d) - std::log1p(d) / whole_ * whole_by_c_) / whole_, earlier);
  }
  T by_log_threshold(T earlier) const { return threshold_ < most_ ? T(0) : -(*this)(earlier) / whole_ * whole_by_c_; }

 private:
  T c_, threshold_, most_, whole_, whole_by_c_;
};

template <class T>
void add_fire(const engine::OffsetFunction<T>& f, Tape<T>&, std::size_t head, std::span<const T> offsets, T* row) {
  const auto [log_rates, w1, b1, w2, b2] = fire_tensors(f);
  const FireDistance<T> distance(log_rates.data, f.number);
  const T* out = w2.row(head);
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    const T x = distance(-offsets[j]);
    T sum = b2.data[head];
    for (std::size_t k = 0; k < w2.width(); ++k) sum += out[k] * std::max(T(0), w1.data[k] * x + b1.data[k]);
    row[j] += sum;
  }
}

template <class T>
void add_fire_gradient(const engine::OffsetFunction<T>& f, Tape<T>& tape, std::size_t head, std::span<const T> offsets,
                       const T* d) {
  const auto [log_rates, w1, b1, w2, b2] = fire_tensors(f);
  if (!tape.wants(w1)) return;
  const FireDistance<T> distance(log_rates.data, f.number);
  T *rates = tape.gradient_to_add(log_rates), *dw1 = tape.gradient_to_add(w1), *db1 = tape.gradient_to_add(b1);
  T *dw2 = tape.gradient_to_add(w2) + head * w2.width(), *db2 = tape.gradient_to_add(b2) + head;
  const T* out = w2.row(head);
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    if (d[j] == 0) continue;  // a key that is not there
    const T x = distance(-offsets[j]);
    T dx = 0;
    *db2 += d[j];
    for (std::size_t k = 0; k < w2.width(); ++k) {
      const T hidden = w1.data[k] * x + b1.data[k];
      if (!(hidden > 0)) continue;
      const T back = d[j] * out[k];
      dw2[k] += d[j] * hidden;
      dw1[k] += back * x;
      db1[k] += back;
      dx += back * w1.data[k];
    }
    rates[0] += dx * distance.by_log_c(-offsets[j]);
    rates[1] += dx * distance.by_log_threshold(-offsets[j]);
  }
}

Encoding make_fire(const EncodingOptions& options) {
  const std::size_t hidden = options.own.whole("fire_hidden"), heads = options.heads;
  const double *rates = options.parameters.data(), *w1 = rates + 2, *b1 = w1 + hidden, *w2 = b1 + hidden;
  const double* b2 = w2 + heads * hidden;
  const std::vector<double> positions = positions_of(options);
  const FireDistance<double> distance(rates, static_cast<double>(options.length - 1));
  return {.values = fill_bias(heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            const double x = distance(positions[i] - positions[j]);
            double sum = b2[h];
            for (std::size_t k = 0; k < hidden; ++k) sum += w2[h * hidden + k] * std::max(0.0, w1[k] * x + b1[k]);
            return sum;
          })};
}

std::vector<double> start_fire(const EncodingOptions& options) {
  const std::size_t hidden = options.own.whole("fire_hidden");
  checked_product({options.heads + 2, hidden}, "fire_hidden");
  Random random(options.seed, stream_of("fire"));
  std::vector<double> values = {std::log(kFireSlope), std::log(options.own.real("fire_threshold"))};
  for (std::size_t i = 0; i < 2 * hidden; ++i) values.push_back(random.uniform(-1, 1));
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  for (std::size_t i = 0; i < options.heads * (hidden + 1); ++i) values.push_back(random.uniform(-bound, bound));
  return values;
}

template <class T>
class Fire final : public InModel<T> {
 public:
  Fire(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    const std::size_t hidden = place.options.own.whole("fire_hidden"), heads = place.heads();
    for (std::size_t l = 0; l < place.layers; ++l) {
      const auto declare = [&](const char* name, engine::Shape shape, engine::Initializer start, bool decays) {
        return parameters.declare(place.layer(l) + "fire." + name, shape, start, decays);
      };
      layers_.push_back({declare("log_rates", {2}, engine::zeros(), false),
                         declare("first.weight", {hidden, 1}, uniform_of_fan(1), true),
                         declare("first.bias", {hidden}, uniform_of_fan(1), false),
                         declare("second.weight", {heads, hidden}, uniform_of_fan(hidden), true),
                         declare("second.bias", {heads}, uniform_of_fan(hidden), false)});
    }
  }

  void initialize(Parameters<T>& parameters, std::uint64_t) const override {
    const double start[] = {std::log(kFireSlope), std::log(place_.options.own.real("fire_threshold"))};
    for (const Layer& layer : layers_) write_values(parameters, layer[0], std::span<const double>(start));
  }

  void enter(Tape<T>& tape, std::size_t layer, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    engine::OffsetFunction<T> f{.add = add_fire<T>, .add_gradient = add_fire_gradient<T>};
    for (std::size_t i = 0; i < layers_[layer].size(); ++i) f.of[i] = tape[layers_[layer][i]];
    f.number = static_cast<double>(place_.rows() - 1);
    enter_function(tape, f, place_, pass, inputs);
  }

 private:
  using Layer = std::array<Parameter, 5>;  // ln c and ln L, W1, b1, W2, b2
  using InModel<T>::place_;
  std::vector<Layer> layers_;
};

}  // namespace

CatalogEntry fire_entry() {
  return {.name = "fire",
          .kind = EncodingKind::kLogitBias,
          .description = "a learned network of log distance over log window length",
          .enters = "logits",
          .citation =
              "Li et al. 2023, Functional Interpolation for Relative Positions Improves Long Context "
              "Transformers",
          .options = {kFireHidden, kFireThreshold},
          .start = "c = 0.1, weights and biases uniform by their fan-in",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_fire,
          .start_values = start_fire,
          .in_model = &kInModel<Fire>};
}

}  // namespace faithful
