#include <bit>
#include <cmath>

#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

const OwnOption kAlibiHeads{
    {"alibi_heads",
     "H",
     "heads see both sides (symmetric), or half see earlier and half see later keys (one-sided)",
     {.choices = {"symmetric", "one-sided"}}},
    "symmetric"};
constexpr double kAlibiHidden = -1e4;  // of a key on the other side: its weight is zero

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

// logit -= m_h |i - j|. One-sided: the first half of the heads sees keys up to the query, the second half keys from it
// on, each half with the slopes of that many heads; a single head sees those before.
class AlibiBias {
 public:
  explicit AlibiBias(const EncodingOptions& options)
      : one_sided_(options.own.text("alibi_heads") == "one-sided"),
        first_half_(one_sided_ ? (options.heads + 1) / 2 : options.heads),
        slopes_(alibi_slopes(first_half_)) {
    if (first_half_ == options.heads) return;
    const std::vector<double> later = alibi_slopes(options.heads - first_half_);
    slopes_.insert(slopes_.end(), later.begin(), later.end());
  }

  double operator()(std::size_t head, double offset) const {  // offset = key - query
    const bool hidden = one_sided_ && (head < first_half_ ? offset > 0 : offset < 0);
    return hidden ? kAlibiHidden : 0 - slopes_[head] * std::abs(offset);
  }

 private:
  bool one_sided_;
  std::size_t first_half_;
  std::vector<double> slopes_;  // [H]
};

Encoding make_alibi(const EncodingOptions& options) {
  const AlibiBias bias(options);
  const std::vector<double> positions = positions_of(options);
  return {.values = fill_bias(options.heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            return bias(h, positions[j] - positions[i]);
          })};
}

template <class T>
class Alibi final : public InModel<T> {
 public:
  using InModel<T>::InModel;

  void fill_tables() override {
    const AlibiBias bias(place_.options);
    const auto last = static_cast<std::ptrdiff_t>(place_.rows()) - 1;
    for (std::size_t h = 0; h < place_.heads(); ++h) {
      for (const double side : {-1.0, 1.0}) sides_.push_back(static_cast<T>(bias(h, side)));
      for (std::ptrdiff_t o = -last; o <= last; ++o) bias_.push_back(static_cast<T>(bias(h, static_cast<double>(o))));
    }
  }
  void enter(Tape<T>& tape, std::size_t, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    if (pass.row_times.empty()) {
      inputs.offset_bias = tape.input(bias_.data(), {place_.heads(), 2 * place_.rows() - 1});
      return;
    }
    using Function = engine::OffsetFunction<T>;
    Function f;  // at distance 1, so that the slope is the value; those of earlier and of later keys
    f.of[0] = tape.input(sides_.data(), {place_.heads(), 2});
    f.add = [](const Function& of, Tape<T>&, std::size_t head, std::span<const T> offsets, T* row) {
      for (std::size_t j = 0; j < offsets.size(); ++j) {
        const T side = of.of[0].row(head)[offsets[j] > 0 ? 1 : 0];
        row[j] += offsets[j] == 0 ? 0 : side == static_cast<T>(kAlibiHidden) ? side : side * std::abs(offsets[j]);
      }
    };
    enter_function(tape, f, place_, pass, inputs);
  }

 private:
  using InModel<T>::place_;
  std::vector<T> bias_;   // [H, 2 rows - 1], of each offset
  std::vector<T> sides_;  // [H, 2], of offsets -1 and 1
};

}  // namespace

CatalogEntry alibi_entry() {
  return {.name = "alibi",
          .kind = EncodingKind::kLogitBias,
          .description = "-m_h |i - j| with one fixed slope per head",
          .enters = "logits",
          .citation = "Press, Smith, Lewis 2022, Train Short, Test Long: Attention with Linear Biases",
          .options = {kAlibiHeads},
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_alibi,
          .in_model = &kInModel<Alibi>};
}

}  // namespace faithful
