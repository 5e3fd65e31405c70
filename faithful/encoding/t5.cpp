#include <array>
#include <cmath>

#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/t5_internal.h"

namespace faithful {

std::size_t t5_bucket(double offset) {
  // The integers from where on 8 + floor(8 ln(n/8) / ln(128/8)) grows: exact where logarithms would round.
  constexpr std::array<double, 7> kFurtherStarts = {12, 16, 23, 32, 46, 64, 91};
  const std::size_t direction = offset > 0 ? kT5Buckets / 2 : 0;
  const double distance = std::abs(offset);
  if (distance < 8) return direction + static_cast<std::size_t>(distance);
  std::size_t bucket = 8;
  for (const double start : kFurtherStarts) bucket += distance >= start ? 1 : 0;
  return direction + bucket;
}

std::vector<double> start_t5(const EncodingOptions& options) {
  return normal_values(kT5Buckets * options.heads, options.seed, "t5");
}

std::vector<double> t5_values(std::span<const double> table, std::size_t heads, std::span<const double> positions) {
  return fill_bias(heads, positions.size(), [&](std::size_t h, std::size_t i, std::size_t j) {
    return table[t5_bucket(positions[j] - positions[i]) * heads + h];
  });
}

template <class T>
void T5Buckets<T>::declare(const ModelPlace& place, Parameters<T>& parameters) {
  table_ = parameters.declare("encoding.buckets", {kT5Buckets, place.heads()}, engine::normal(kSmallDeviation), false);
}

template <class T>
void T5Buckets<T>::fill_tables(const ModelPlace& place) {
  const auto last = static_cast<std::ptrdiff_t>(place.rows()) - 1;
  for (std::ptrdiff_t o = -last; o <= last; ++o)
    bucket_.push_back(static_cast<std::uint32_t>(t5_bucket(static_cast<double>(o))));
}

template <class T>
Tensor<T> T5Buckets<T>::bias(Tape<T>& tape) const {
  return gather_columns(tape, tape[table_], std::span(bucket_));
}

template <class T>
engine::OffsetFunction<T> T5Buckets<T>::function(Tape<T>& tape) const {
  using Function = engine::OffsetFunction<T>;
  Function f;
  f.of[0] = tape[table_];
  f.add = [](const Function& of, Tape<T>&, std::size_t head, std::span<const T> offsets, T* row) {
    for (std::size_t j = 0; j < offsets.size(); ++j) {
      row[j] += of.of[0].row(t5_bucket(static_cast<double>(offsets[j])))[head];
    }
  };
  f.add_gradient = [](const Function& of, Tape<T>& on, std::size_t head, std::span<const T> offsets, const T* d) {
    if (!on.wants(of.of[0])) return;
    T* to = on.gradient_to_add(of.of[0]) + head;  // [32, H]
    for (std::size_t j = 0; j < offsets.size(); ++j) {
      to[t5_bucket(static_cast<double>(offsets[j])) * of.of[0].width()] += d[j];
    }
  };
  return f;
}

template class T5Buckets<float>;
template class T5Buckets<double>;

namespace {

template <class T>
class T5 final : public InModel<T> {
 public:
  T5(const ModelPlace& place, Parameters<T>& parameters) : InModel<T>(place, parameters) {
    buckets_.declare(place, parameters);
  }
  void fill_tables() override { buckets_.fill_tables(this->place_); }
  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    if (pass.times.empty()) pass.kept[0] = buckets_.bias(tape);
  }
  void enter(Tape<T>& tape, std::size_t, const PositionPass<T>& pass,
             engine::AttentionInputs<T>& inputs) const override {
    inputs.offset_bias = pass.kept[0];
    if (!pass.times.empty()) enter_function(tape, buckets_.function(tape), this->place_, pass, inputs);
  }

 private:
  T5Buckets<T> buckets_;
};

}  // namespace

CatalogEntry t5_entry() {
  return {.name = "t5",
          .kind = EncodingKind::kLogitBias,
          .description = "a learned bias for each of 32 buckets of offsets",
          .enters = "logits",
          .citation =
              "Raffel et al. 2020, Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
          .start = "N(0, .02)",
          .seeded = true,
          .real_positions = true,
          .rows_depend_on_length = true,
          .make =
              [](const EncodingOptions& options) {
                return Encoding{.values = t5_values(options.parameters, options.heads, positions_of(options))};
              },
          .start_values = start_t5,
          .in_model = &kInModel<T5>};
}

}  // namespace faithful
