#include <bit>
#include <cmath>

#include "faithful/encoding/entry_internal.h"

namespace faithful {

namespace {

std::vector<double> power_of_two_slopes(std::size_t heads) {
  std::vector<double> slopes(heads);
  for (std::size_t h = 0; h < heads; ++h) {
    slopes[h] = std::exp2(-8 * static_cast<double>(h + 1) / static_cast<double>(heads));
  }
  return slopes;
}

// m_h = 2^(-8h/H), h = 1..H. H no power of two: the slopes of the largest power of two P below, then every second slope
// of 2P.
std::vector<double> alibi_slopes(std::size_t heads) {  // [H]
  const std::size_t power = std::bit_floor(heads);
  std::vector<double> slopes = power_of_two_slopes(power);
  if (power == heads) return slopes;
  const std::vector<double> twice = power_of_two_slopes(2 * power);
  for (std::size_t h = 0; slopes.size() < heads; h += 2) slopes.push_back(twice[h]);
  return slopes;
}

// logit -= m_h |i - j|
Encoding make_alibi(const EncodingOptions& options) {
  const std::vector<double> slopes = alibi_slopes(options.heads), positions = positions_of(options);
  return {.values = fill_bias(options.heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            return 0 - slopes[h] * std::abs(positions[i] - positions[j]);
          })};
}

template <class T>
class Alibi final : public InModel<T> {
 public:
  using InModel<T>::InModel;

  void fill_tables() override {
    const auto last = static_cast<std::ptrdiff_t>(place_.rows()) - 1;
    for (const double slope : alibi_slopes(place_.heads())) {
      for (std::ptrdiff_t o = -last; o <= last; ++o) {
        bias_.push_back(static_cast<T>(-slope * static_cast<double>(std::abs(o))));
      }
    }
  }
  void enter(Tape<T>& tape, std::size_t, const PositionPass<T>&, engine::AttentionInputs<T>& inputs) const override {
    inputs.offset_bias = tape.input(bias_.data(), {place_.heads(), 2 * place_.rows() - 1});
  }

 private:
  using InModel<T>::place_;
  std::vector<T> bias_;  // [H, 2 rows - 1], of each offset
};

}  // namespace

CatalogEntry alibi_entry() {
  return {.name = "alibi",
          .kind = EncodingKind::kLogitBias,
          .description = "-m_h |i - j| with one fixed slope per head",
          .enters = "logits",
          .citation = "Press, Smith, Lewis 2022, Train Short, Test Long: Attention with Linear Biases",
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_alibi,
          .in_model = &kInModel<Alibi>};
}

}  // namespace faithful
