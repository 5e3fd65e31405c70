#include <algorithm>
#include <cmath>
#include <numbers>

#include "faithful/base/random.h"
#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/rotary_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

namespace {

const OwnOption kFopeGain{
    {"fope_gain", "G", "coefficients start as N(0, G^2/n), with 1 added for the own frequency", {.least = 0}}, 0.3};

// The frequencies rho^(-2i/d_h) that turn at least once in a window; the first one in any case. The others become 0.
std::vector<double> fope_frequencies(const EncodingOptions& options) {
  std::vector<double> all = sinusoid_frequencies(head_width(options), options.own.real("rho"));
  const double floor = 2 * std::numbers::pi / static_cast<double>(std::max<std::size_t>(1, options.length));
  while (all.size() > 1 && all.back() < floor) all.pop_back();
  return all;
}

// Pair m of a head's query or key at position s, as a complex number, is multiplied by h_m(s) = Σ_k C_mk exp(i w_k s),
// for the n frequencies w above; further pairs by 1. Row s holds the real parts of h_m(s), m < d_h/2, then the imaginary
// ones. Parameters: C [n, n].
Encoding make_fope(const EncodingOptions& options) {
  const std::size_t pairs = head_width(options) / 2;
  Encoding encoding;
  encoding.frequencies = fope_frequencies(options);
  const std::size_t n = encoding.frequencies.size();
  for (const double position : positions_of(options)) {
    for (const bool imaginary : {false, true}) {
      for (std::size_t m = 0; m < pairs; ++m) {
        double sum = m < n || imaginary ? 0 : 1;
        for (std::size_t k = 0; m < n && k < n; ++k) {
          const double angle = position * encoding.frequencies[k];
          sum += options.parameters[m * n + k] * (imaginary ? std::sin(angle) : std::cos(angle));
        }
        encoding.values.push_back(sum);
      }
    }
  }
  return encoding;
}

std::vector<double> start_fope(const EncodingOptions& options) {
  const std::size_t n = fope_frequencies(options).size();
  Random random(options.seed, stream_of("fope"));
  const double deviation = options.own.real("fope_gain") / std::sqrt(static_cast<double>(n));
  std::vector<double> values(n * n);
  for (std::size_t i = 0; i < n * n; ++i) values[i] = deviation * random.normal() + (i % (n + 1) == 0 ? 1 : 0);
  return values;
}

template <class T>
class Fope final : public InModel<T> {
 public:
  Fope(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(place, parameters), frequencies_(fope_frequencies(place.options)) {
    const std::size_t n = frequencies_.size();
    coefficients_ = parameters.declare("encoding.coefficients", {n, n}, engine::zeros(), false);
  }

  void initialize(Parameters<T>& parameters, std::uint64_t seed) const override {
    EncodingOptions options = place_.options;
    options.seed = seed;
    write_values(parameters, coefficients_, std::span<const double>(start_fope(options)));
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const std::span<const T> at = rotary_positions(tape, place_, pass);
    const std::size_t n = frequencies_.size();
    T *cosines = tape.arena().template take<T>(at.size() * n), *sines = tape.arena().template take<T>(at.size() * n);
    for (std::size_t i = 0; i < at.size() * n; ++i) {
      const double angle = frequencies_[i % n] * static_cast<double>(at[i / n]);
      cosines[i] = static_cast<T>(std::cos(angle));
      sines[i] = static_cast<T>(std::sin(angle));
    }
    pass.kept[0] = linear(tape, tape.input(cosines, {at.size(), n}), tape[coefficients_]);
    pass.kept[1] = linear(tape, tape.input(sines, {at.size(), n}), tape[coefficients_]);
  }

  void enter(Tape<T>& tape, std::size_t, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    const engine::Pairing pairing = pairing_of(place_.options);
    inputs.query = modulate(tape, inputs.query, pass.kept[0], pass.kept[1], place_.heads(), pairing);
    inputs.key = modulate(tape, inputs.key, pass.kept[0], pass.kept[1], place_.heads(), pairing);
  }

 private:
  using InModel<T>::place_;
  std::vector<double> frequencies_;  // [n]: radians per position
  Parameter coefficients_;           // C [n, n], for all heads and layers
};

}  // namespace

CatalogEntry fope_entry() {
  return {.name = "fope",
          .kind = EncodingKind::kRotary,
          .description = "multiplies pairs of coordinates by learned Fourier series of s",
          .enters = "queries and keys",
          .citation =
              "Hua et al. 2024, Fourier Position Embedding: Enhancing Attention's Periodic Extension for Length "
              "Generalization",
          .options = {kRho, kPairing, kFopeGain},
          .start = "the identity plus N(0, gain^2/n)",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_fope,
          .start_values = start_fope,
          .check = [](const EncodingOptions& options) { check_pairs(options, "fope"); },
          .in_model = &kInModel<Fope>,
          .parameters_in_model = {"encoding.coefficients"}};
}

}  // namespace faithful
