#include <cmath>

#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

// e(s) = sqrt(1/d) cos(w s + b)
Encoding make_learned_frequency(const EncodingOptions& options) {
  const std::size_t d = options.dim;
  const std::span w = std::span(options.parameters).first(d), b = std::span(options.parameters).last(d);
  const double scale = std::sqrt(1 / static_cast<double>(d));
  Encoding encoding;
  encoding.frequencies.assign(w.begin(), w.end());
  encoding.values.reserve(options.length * d);
  for (const double t : positions_of(options)) {
    for (std::size_t i = 0; i < d; ++i) encoding.values.push_back(scale * std::cos(w[i] * t + b[i]));
  }
  return encoding;
}

std::vector<double> start_learned_frequency(const EncodingOptions& options) {  // [2, d], w then b
  const std::size_t d = options.dim;
  std::vector<double> w_and_b(2 * d, 0.0);
  w_and_b[0] = 1;
  for (std::size_t i = 1; i < d; ++i) {
    w_and_b[i] = std::pow(10.0, -9 * static_cast<double>(i) / static_cast<double>(d - 1));
  }
  return w_and_b;
}

template <class T>
class LearnedFrequency final : public InModel<T> {
 public:
  LearnedFrequency(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(place, parameters),
        frequencies_(parameters.declare("encoding.frequencies", {place.width}, engine::zeros(), false)),
        phases_(parameters.declare("encoding.phases", {place.width}, engine::zeros(), false)) {}

  void fill_tables() override {
    index_.resize(place_.steps());
    for (std::size_t s = 0; s < index_.size(); ++s) index_[s] = static_cast<T>(s);
    amplitude_ = scale_factor_in_model(place_) / std::sqrt(static_cast<double>(place_.width));
  }
  void initialize(Parameters<T>& parameters, std::uint64_t) const override {
    const std::vector<double> start = start_learned_frequency(place_.options);
    write_values(parameters, frequencies_, std::span(start).first(place_.width));
    write_values(parameters, phases_, std::span(start).last(place_.width));
  }
  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const std::span<const T> at = pass.times.empty() ? std::span<const T>(index_) : pass.times;
    pass.added = cosine_features(tape, at, tape[frequencies_], tape[phases_], amplitude_);
  }

 private:
  using InModel<T>::place_;
  Parameter frequencies_, phases_;  // [d]
  std::vector<T> index_;            // [S]: 0, 1, 2, ..
  double amplitude_ = 1;
};

}  // namespace

CatalogEntry learned_frequency_entry() {
  return {.name = "learned-frequency",
          .kind = EncodingKind::kAdditive,
          .description = "sqrt(1/d) cos(w s + b) with learned frequencies and phases",
          .enters = kAddedToInput,
          .citation = "Lin et al. 2021, Pre-training Context and Time Aware Location Embeddings",
          .start = "w_i = 10^(-9i/(d-1)), b = 0",
          .real_positions = true,
          .make = make_learned_frequency,
          .start_values = start_learned_frequency,
          .in_model = &kInModel<LearnedFrequency>,
          .parameters_in_model = {"encoding.frequencies", "encoding.phases"}};
}

}  // namespace faithful
