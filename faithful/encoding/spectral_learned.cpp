// The spectral encoding with a learned length scale, or a learned weight for each frequency.
#include <cmath>

#include <fmt/format.h>

#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/spectral_internal.h"

namespace faithful {

namespace {

const OwnOption kLearnedSpectrum{{"learned_spectrum",
                                  "W",
                                  "what is learned: the length scale, or the weight of each frequency",
                                  {.choices = {"length-scale", "frequencies"}}},
                                 "length-scale"};

bool learns_frequencies(const EncodingOptions& options) {
  return options.own.text("learned_spectrum") == "frequencies";
}

void check_spectral_learned(const EncodingOptions& options) {
  check_spectral(options);
  if (options.own.text("spectrum") == "flat" && !learns_frequencies(options))
    reject({{.field = "spectrum"},
            "a spectrum with a length scale to learn",
            "flat",
            "use " + field_text("learned_spectrum", "frequencies")});
}

// ln L, or ln g of each frequency.
std::vector<double> start_spectral_learned(const EncodingOptions& options) {
  const SpectralShape shape = spectral_shape(options);
  return learns_frequencies(options) ? log_spectrum(shape) : std::vector<double>{std::log(shape.length_scale)};
}

Encoding make_spectral_learned(const EncodingOptions& options) {
  SpectralShape shape = spectral_shape(options);
  std::vector<double> log_g = options.parameters;
  if (!learns_frequencies(options)) {
    shape.length_scale = std::exp(options.parameters[0]);
    log_g = log_spectrum(shape);
  }
  const SpectralRows rows(shape);
  std::vector<double> column(shape.dim);
  column_weights_into<double>(column, shape, log_g);
  Encoding encoding;
  encoding.note = to_string(shape);
  encoding.values.resize(shape.length * shape.dim);
  for (std::size_t s = 0; s < shape.length; ++s) {
    const auto row = std::span(encoding.values).subspan(s * shape.dim, shape.dim);
    if (options.positions.empty()) {
      rows.row_into(row, s);
    } else {
      rows.row_into(row, options.positions[s]);
    }
    weigh_row(row.data(), column.data(), shape, row.data());
  }
  return encoding;
}

template <class T>
class SpectralLearned final : public InModel<T> {
 public:
  SpectralLearned(const ModelPlace& place, Parameters<T>& parameters)
      : InModel<T>(settled_spectral_place(place), parameters), shape_(spectral_shape(place_.options)) {
    parameter_ = learns_frequencies(place_.options)
                     ? parameters.declare("encoding.log_spectrum", {shape_.frequencies()}, engine::zeros(), false)
                     : parameters.declare("encoding.log_length_scale", {1}, engine::zeros(), false);
  }

  void fill_tables() override {
    shape_.factor = scale_factor_in_model(place_);
    if (place_.by_time) return;
    const SpectralRows rows(shape_);
    std::vector<double> row(shape_.dim);
    for (std::size_t s = 0; s < place_.steps(); ++s) {
      rows.row_into(row, s);
      for (const double value : row) basis_.push_back(static_cast<T>(value));
    }
  }

  void initialize(Parameters<T>& parameters, std::uint64_t) const override {
    write_values(parameters, parameter_, start_spectral_learned(place_.options));
  }

  void begin(Tape<T>& tape, PositionPass<T>& pass) const override {
    const Tensor<T> log_g =
        learns_frequencies(place_.options) ? tape[parameter_] : learned_log_spectrum(tape, tape[parameter_], shape_);
    pass.added = learned_codes(tape, basis_of(tape, pass), log_g, shape_);
  }

 private:
  using InModel<T>::place_;

  // [S, d], or [B, S, d] at the times of each sample.
  Tensor<T> basis_of(Tape<T>& tape, const PositionPass<T>& pass) const {
    const std::size_t steps = place_.steps(), d = shape_.dim;
    if (pass.times.empty()) return tape.input(basis_.data(), {steps, d});
    T* all = tape.arena().template take<T>(pass.times.size() * d);
    const SpectralRows rows(shape_);
    std::vector<double> row(d);
    EncodingOptions options = place_.options;
    for (std::size_t b = 0; b < pass.batch; ++b) {
      const std::span<const T> times = pass.times.subspan(b * steps, steps);
      options.positions.assign(times.begin(), times.end());
      check_spectral(options);
      for (std::size_t s = 0; s < steps; ++s) {
        rows.row_into(row, static_cast<double>(times[s]));
        for (std::size_t c = 0; c < d; ++c) all[(b * steps + s) * d + c] = static_cast<T>(row[c]);
      }
    }
    return tape.input(all, {pass.batch, steps, d});
  }

  SpectralShape shape_;
  Parameter parameter_;   // ln L [1], or ln g [frequencies]
  std::vector<T> basis_;  // [S, d], where positions are 0, 1, 2, ..
};

}  // namespace

template <class T>
Tensor<T> learned_log_spectrum(Tape<T>& tape, Tensor<T> log_length_scale, const SpectralShape& shape) {
  const auto timing = tape.time("log_spectrum");
  const Tensor<T> y = tape.make({shape.frequencies()});
  const double at = static_cast<double>(log_length_scale.data[0]);
  for (std::size_t k = 0; k < y.shape.count(); ++k) y.data[k] = static_cast<T>(log_weight(shape, at, k).value);
  tape.record("log_spectrum", y, [&tape, log_length_scale, shape, y, at] {
    if (!tape.wants(log_length_scale)) return;
    const T* dy = tape.gradient_of(y);
    T sum = 0;
    for (std::size_t k = 0; k < y.shape.count(); ++k) sum += dy[k] * static_cast<T>(log_weight(shape, at, k).slope);
    tape.gradient_to_add(log_length_scale)[0] += sum;
  });
  return y;
}

// For a code e of norm f with weights exp(u_k / 2):
//   de_c / du_j = e_c ([c has frequency j] - p_j) / 2,
// p_j the share of frequency j in the squared norm: of the mean code (periodic), or of this one (cosine).
template <class T>
Tensor<T> learned_codes(Tape<T>& tape, Tensor<T> basis, Tensor<T> log_g, const SpectralShape& shape) {
  const auto timing = tape.time("spectral_codes");
  const std::size_t d = shape.dim;
  const Tensor<T> y = tape.make(basis.shape);
  T* column = tape.arena().template take<T>(d);
  column_weights_into<T>({column, d}, shape, {log_g.data, log_g.shape.count()});
  for (std::size_t r = 0; r < basis.rows(); ++r) weigh_row(basis.row(r), column, shape, y.row(r));
  tape.record("spectral_codes", y, [&tape, log_g, shape, y, column, d] {
    if (!tape.wants(log_g)) return;
    const T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(log_g);
    const T square = static_cast<T>(shape.factor * shape.factor);
    T total = 0;  // of dy . y over all rows
    for (std::size_t r = 0; r < y.rows(); ++r) {
      const T* e = y.row(r);
      T along = 0;
      for (std::size_t c = 0; c < d; ++c) along += dy[r * d + c] * e[c];
      total += along;
      for (std::size_t c = 0; c < d; ++c) {
        const std::size_t k = column_frequency(shape, c);
        if (k == kNoFrequency) continue;
        to[k] += dy[r * d + c] * e[c] / 2;
        if (shape.basis == SpectralBasis::kCosine) to[k] -= along * e[c] * e[c] / square / 2;
      }
    }
    if (shape.basis == SpectralBasis::kCosine) return;
    for (std::size_t c = 0; c < d; ++c) {
      const T share = column[c] * column[c] / square / static_cast<T>(d);
      to[column_frequency(shape, c)] -= total * share / 2;
    }
  });
  return y;
}

template Tensor<float> learned_log_spectrum(Tape<float>&, Tensor<float>, const SpectralShape&);
template Tensor<double> learned_log_spectrum(Tape<double>&, Tensor<double>, const SpectralShape&);
template Tensor<float> learned_codes(Tape<float>&, Tensor<float>, Tensor<float>, const SpectralShape&);
template Tensor<double> learned_codes(Tape<double>&, Tensor<double>, Tensor<double>, const SpectralShape&);

CatalogEntry spectral_learned_entry() {
  std::vector<OwnOption> options = spectral_options();
  options.push_back(kLearnedSpectrum);
  return {.name = "spectral-learned",
          .kind = EncodingKind::kAdditive,
          .description = "spectral with a learned length scale or learned weights",
          .enters = kAddedToInput,
          .citation = "Faithful's own: docs/spectral.md",
          .options = std::move(options),
          .start = "spectral",
          .real_positions = true,
          .rows_depend_on_length = true,
          .fixed_length = true,
          .make = make_spectral_learned,
          .start_values = start_spectral_learned,
          .check = check_spectral_learned,
          .most_positions = most_spectral_positions,
          .in_model = &kInModel<SpectralLearned>,
          .parameters_in_model = {"encoding.log_length_scale", "encoding.log_spectrum"},
          .settle_in_model = settle_spectral};
}

}  // namespace faithful
