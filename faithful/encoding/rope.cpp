#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/rotary_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

namespace {

// Beyond the trained length L by a factor s (Chen et al. 2023, Peng et al. 2023):
//   linear  theta / s
//   ntk     rho s^(d_h/(d_h-2)) in place of rho: the highest frequency stays, the lowest is divided by s
//   yarn    (1 - g) theta / s + g theta, where g rises from 0 to 1 as the turns L theta / 2pi rise from 1 to 32;
//           and logits times (0.1 ln s + 1)^2
const OwnOption kRopeScaling{
    {"rope_scaling", "S", "how rope reaches beyond its trained length", {.choices = {"none", "linear", "ntk", "yarn"}}},
    "none"};
const OwnOption kRopeFactor{{"rope_factor", "F", "windows are F times the trained length", {.least = 1}}, 1.0};
const OwnOption kRopeTrained{
    {"rope_trained", "L", "length of the windows it was trained on, in positions; for yarn", {.least = 0}}, 0.0};

std::vector<double> rope_frequencies(const EncodingOptions& options) {
  const std::size_t width = head_width(options);
  const std::string& scaling = options.own.text("rope_scaling");
  const double rho = options.own.real("rho"), factor = options.own.real("rope_factor");
  if (scaling == "ntk" && width > 2) {  // one frequency is the highest, and stays
    const double exponent = static_cast<double>(width) / static_cast<double>(width - 2);
    return sinusoid_frequencies(width, rho * std::pow(factor, exponent));
  }
  std::vector<double> frequencies = sinusoid_frequencies(width, rho);
  const double trained = options.own.real("rope_trained");
  for (double& theta : frequencies) {
    const double turns = trained * theta / (2 * std::numbers::pi);
    const double kept = scaling == "yarn" ? std::clamp((turns - 1) / 31, 0.0, 1.0) : 0.0;
    if (scaling == "linear" || scaling == "yarn") theta *= (1 - kept) / factor + kept;
  }
  return frequencies;
}

// What logits are multiplied by.
double rope_temperature(const EncodingOptions& options) {
  const bool yarn = options.own.text("rope_scaling") == "yarn";
  return yarn ? std::pow(0.1 * std::log(options.own.real("rope_factor")) + 1, 2) : 1;
}

void check_rope_scaling(const EncodingOptions& options) {
  const std::string& scaling = options.own.text("rope_scaling");
  if (scaling == "none" && options.own.real("rope_factor") != 1) {
    throw InputError(fmt::format("{} applies only with {}", field_text("rope_factor"), field_text("rope_scaling")));
  }
  const double trained = options.own.real("rope_trained");
  if (scaling == "yarn" && trained == 0) {
    reject({{.field = "rope_trained"}, "a length above 0 for yarn", "0"});
  }
  if (scaling != "yarn" && trained != 0) {
    throw InputError(
        fmt::format("{} applies only to {}", field_text("rope_trained"), field_text("rope_scaling", "yarn")));
  }
}

void check_rope(const EncodingOptions& options) {
  check_rope_scaling(options);
  check_pairs(options, "rope");
}

// Row s holds cos(s theta_i), i < d_h/2, then sin(s theta_i), theta_i = rho^(-2i/d_h), or scaled. The pairing does
// not change the table, only which coordinates are rotated; nor does the temperature of yarn.
Encoding make_rope(const EncodingOptions& options) {
  const std::size_t width = head_width(options), pairs = width / 2;
  Encoding encoding;
  encoding.frequencies = rope_frequencies(options);
  encoding.values.reserve(options.length * width);
  for (const double position : positions_of(options)) {
    for (std::size_t i = 0; i < pairs; ++i) encoding.values.push_back(std::cos(position * encoding.frequencies[i]));
    for (std::size_t i = 0; i < pairs; ++i) encoding.values.push_back(std::sin(position * encoding.frequencies[i]));
  }
  return encoding;
}

template <class T>
class Rope final : public InModel<T> {
 public:
  using InModel<T>::InModel;

  void fill_tables() override {
    rotations_ = rope_frequencies(place_.options);
    if (place_.by_time) return;
    angles_.resize(place_.rows() * rotations_.size());
    for (std::size_t s = 0; s < place_.rows(); ++s) angles_into(static_cast<T>(s), &angles_[s * rotations_.size()]);
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const std::size_t rows = place_.rows(), pairs = rotations_.size();
    if (pass.times.empty()) {
      pass.kept[0] = tape.input(angles_.data(), {rows, pairs});
      return;
    }
    const std::span<const T> at = pass.row_times;
    T* to = tape.arena().template take<T>(at.size() * pairs);
    for (std::size_t r = 0; r < at.size(); ++r) angles_into(at[r], to + r * pairs);
    pass.kept[1] = tape.input(to, {pass.batch, rows, pairs});
  }

  void enter(Tape<T>& tape, std::size_t, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.pairing = pairing_of(place_.options);
    inputs.angles = pass.kept[0];
    const double temperature = rope_temperature(place_.options);
    if (temperature != 1) inputs.scale = temperature / std::sqrt(static_cast<double>(place_.head_width));
    if (!pass.kept[1]) return;
    inputs.query = rotate(tape, inputs.query, pass.kept[1], place_.heads(), inputs.pairing);
    inputs.key = rotate(tape, inputs.key, pass.kept[1], place_.heads(), inputs.pairing);
  }

 private:
  // Brought to [-pi, pi] in double: a float of many turns has no digits left for the angle.
  void angles_into(T time, T* out) const {
    for (std::size_t i = 0; i < rotations_.size(); ++i) {
      out[i] = static_cast<T>(std::remainder(rotations_[i] * static_cast<double>(time), 2 * std::numbers::pi));
    }
  }

  using InModel<T>::place_;
  std::vector<double> rotations_;  // [d_h / 2]: radians per position
  std::vector<T> angles_;          // [rows, d_h / 2], where positions are 0, 1, 2, ..
};

}  // namespace

CatalogEntry rope_entry() {
  return {.name = "rope",
          .kind = EncodingKind::kRotary,
          .description = "rotates pairs of coordinates by s * rho^(-2i/d_h)",
          .enters = "queries and keys",
          .citation = "Su et al. 2021, RoFormer: Enhanced Transformer with Rotary Position Embedding",
          .options = {kRho, kPairing, kRopeScaling, kRopeFactor, kRopeTrained},
          .real_positions = true,
          .geometric = true,
          .make = make_rope,
          .check = check_rope,
          .in_model = &kInModel<Rope>};
}

}  // namespace faithful
