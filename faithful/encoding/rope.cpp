#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/sinusoids_internal.h"

namespace faithful {

namespace {

const OwnOption kPairing{{"pairing",
                          "P",
                          "rotates neighbouring coordinates together (interleaved), or one of each half (halves)",
                          {.choices = {"interleaved", "halves"}}},
                         "interleaved",
                         /*in_table=*/false};

void check_rope(const EncodingOptions& options) {
  const std::size_t width = head_width(options);
  if (width % 2 == 0) return;
  reject(
      {{.field = "dim"},
       fmt::format("an even head width for rope ({} / {} {})", field_text("dim"), field_text("heads"), options.heads),
       fmt::format("{}", width)});
}

// Row s holds cos(s theta_i), i < d_h/2, then sin(s theta_i), theta_i = rho^(-2i/d_h). The pairing does not change the
// table, only which coordinates are rotated.
Encoding make_rope(const EncodingOptions& options) {
  const std::size_t width = head_width(options), pairs = width / 2;
  Encoding encoding;
  encoding.frequencies = sinusoid_frequencies(width, options.own.real("rho"));
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
    EncodingOptions options = place_.options;
    options.length = 1;
    rotations_ = make_rope(options).frequencies;
    if (place_.by_time) return;
    angles_.resize(place_.rows() * rotations_.size());
    for (std::size_t s = 0; s < place_.rows(); ++s) angles_into(static_cast<T>(s), &angles_[s * rotations_.size()]);
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const std::size_t steps = place_.steps(), rows = place_.rows(), pairs = rotations_.size();
    if (pass.times.empty()) {
      pass.kept[0] = tape.input(angles_.data(), {rows, pairs});
      return;
    }
    T* to = tape.arena().template take<T>(pass.batch * rows * pairs);
    pass.kept[1] = tape.input(to, {pass.batch, rows, pairs});
    const auto add_row = [&](T time) {
      angles_into(time, to);
      to += pairs;
    };
    for (std::size_t b = 0; b < pass.batch; ++b) {
      const std::span<const T> times = pass.times.subspan(b * steps, steps);
      if (place_.has_token) add_row(*std::min_element(times.begin(), times.end()) - 1);  // a step before the first
      for (const T time : times) add_row(time);
    }
  }

  void enter(Tape<T>& tape, std::size_t, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    const bool halves = place_.options.own.text("pairing") == "halves";
    inputs.pairing = halves ? engine::Pairing::kHalves : engine::Pairing::kInterleaved;
    inputs.angles = pass.kept[0];
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
          .options = {kRho, kPairing},
          .real_positions = true,
          .geometric = true,
          .make = make_rope,
          .check = check_rope,
          .in_model = &kInModel<Rope>};
}

}  // namespace faithful
