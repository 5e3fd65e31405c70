#include "faithful/encoding/spectral.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/limits.h"
#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/dft.h"
#include "faithful/encoding/period_internal.h"
#include "faithful/encoding/spectral_internal.h"

namespace faithful {

namespace {

const OwnOption kLengthScale{{"length_scale",
                              "L",
                              "distance, in positions, over which codes stay alike; 0: a sixth of the positions",
                              {.least = 0, .most = 1e9, .shown_default = "S/6"}},
                             0.0};
const OwnOption kSpectrum{{"spectrum",
                           "G",
                           "how the weights of frequencies fall: as a power (exponential, matern), as a Gaussian, or "
                           "not at all (flat, the DFT encoding)",
                           {.choices = {"exponential", "matern", "gaussian", "flat"}}},
                          "exponential"};
const OwnOption kSmoothness{{"smoothness", "NU", "smoothness of the matern spectrum", {.above = 0, .most = 1000}}, 1.5};
const OwnOption kBasis{{"basis",
                        "B",
                        "sines and cosines (periodic), or cosines alone",
                        {.choices = {"auto", "periodic", "cosine"},
                         .shown_default = "auto: periodic if the width is at least 2S, else cosine"}},
                       "auto"};

constexpr const char* kSpectra[] = {"exponential", "matern", "gaussian", "flat"};

SpectrumKind spectrum_of(const OwnOptions& own) {
  const auto* found = std::ranges::find(kSpectra, own.text("spectrum"));
  return static_cast<SpectrumKind>(found - kSpectra);
}

// N: how many positions the basis is made for.
std::size_t extent_of(const EncodingOptions& options) {
  if (options.positions.empty()) return options.length;
  const double last = std::min(std::ranges::max(options.positions), 1e15);
  return std::max(options.length, static_cast<std::size_t>(std::max(0.0, std::floor(last))) + 1);
}

void check_periodic(const SpectralShape& shape, const std::vector<double>& positions) {
  check_dft_shape({.length = positions.empty() ? shape.length : 1,
                   .dim = shape.dim,
                   .period = shape.period == shape.dim && shape.length <= shape.dim ? 0 : shape.period});
  if (positions.empty()) return;
  const auto [low, high] = std::ranges::minmax(positions);
  if (high - low < static_cast<double>(shape.period)) return;
  reject({{.field = "positions"},
          fmt::format("positions less than {} apart for this period", shape.period),
          fmt::format("{} and {}", low, high),
          "use " + field_text("period", fmt::format("{}", 2 * (std::floor(high - low) + 1)))});
}

// The cosine basis is even around -1/2 and around P/2 - 1/2: beyond them codes come again.
void check_cosine(const SpectralShape& shape, const std::vector<double>& positions) {
  checked_product({4, shape.period}, "period");  // the roots of unity
  if (shape.period > limits().period)
    reject({{.field = "period"},
            fmt::format("at most {}", limits().period),
            fmt::format("{}", shape.period),
            limits_hint()});
  const std::size_t needed = 2 * (positions.empty() ? shape.length : 1);
  if (shape.period % 2 != 0 || shape.period < needed)
    reject({{.field = "period"},
            fmt::format("an even number of at least {} for the cosine basis", needed),
            fmt::format("{}", shape.period)});
  if (shape.dim == 1 && shape.length > 1)
    reject({{.field = "dim"}, "at least 2 for the cosine basis of several positions", "1"});
  if (positions.empty()) return;
  const auto [low, high] = std::ranges::minmax(positions);
  const double end = static_cast<double>(shape.period) / 2 - 0.5;
  if (low >= -0.5 && high <= end) return;
  reject({{.field = "positions"},
          fmt::format("positions from -0.5 to {} for the cosine basis of this period", end),
          fmt::format("{} and {}", low, high),
          low < -0.5 ? "" : "use " + field_text("period", fmt::format("{}", 2 * (std::floor(high) + 1)))});
}

Encoding make_spectral(const EncodingOptions& options) {
  const SpectralShape shape = spectral_shape(options);
  Encoding encoding;
  encoding.note = to_string(shape);
  encoding.values.resize(shape.length * shape.dim);
  if (options.positions.empty()) {
    ThreadPool pool(encoding.values.size() < (std::size_t{1} << 20) ? 1 : default_threads());
    fill_spectral_into(std::span(encoding.values), shape, pool);
    return encoding;
  }
  const SpectralRows rows(shape);
  std::vector<double> column(shape.dim);
  column_weights_into<double>(column, shape, log_spectrum(shape));
  for (std::size_t s = 0; s < shape.length; ++s) {
    const auto row = std::span(encoding.values).subspan(s * shape.dim, shape.dim);
    rows.row_into(row, options.positions[s]);
    weigh_row(row.data(), column.data(), shape, row.data());
  }
  return encoding;
}

// A fixed table whose basis and length scale do not change with the times of a sample.
template <class T>
class SpectralTable final : public AddedTable<T> {
 public:
  SpectralTable(const ModelPlace& place, Parameters<T>& parameters)
      : AddedTable<T>(settled_spectral_place(place), parameters) {}
};

}  // namespace

std::size_t SpectralShape::frequencies() const {
  return basis == SpectralBasis::kPeriodic ? frequency_count(dim) : std::min(dim, period / 2);
}

bool SpectralShape::has_inverse() const {
  return basis == SpectralBasis::kPeriodic ? dim == period : dim >= period / 2;
}

SpectralShape spectral_shape(const EncodingOptions& options) {
  const OwnOptions& own = options.own;
  const std::size_t extent = extent_of(options), given = own.whole("period");
  SpectralShape shape{.length = options.length, .dim = options.dim, .period = given == 0 ? 2 * extent : given};
  const std::string& basis = own.text("basis");
  const bool periodic = basis == "periodic" || (basis == "auto" && shape.dim >= shape.period);
  shape.basis = periodic ? SpectralBasis::kPeriodic : SpectralBasis::kCosine;
  if (periodic && given == 0) shape.period = std::max(shape.period, shape.dim);
  shape.spectrum = spectrum_of(own);
  shape.length_scale = own.real("length_scale") == 0 ? static_cast<double>(extent) / 6 : own.real("length_scale");
  shape.smoothness = own.real("smoothness");
  if (shape.spectrum == SpectrumKind::kFlat && own.real("length_scale") != 0)
    throw InputError(fmt::format("{} does not apply to {}: it weighs all frequencies alike", field_text("length_scale"),
                                 field_text("spectrum", "flat")));
  if (shape.spectrum != SpectrumKind::kMatern && shape.smoothness != std::get<double>(kSmoothness.standard))
    throw InputError(fmt::format("{} applies only to {}", field_text("smoothness"), field_text("spectrum", "matern")));
  if (periodic) {
    check_periodic(shape, options.positions);
  } else {
    check_cosine(shape, options.positions);
  }
  return shape;
}

std::string to_string(const SpectralShape& shape) {
  const char* basis = shape.basis == SpectralBasis::kPeriodic ? "periodic" : "cosine";
  std::string text = fmt::format("{} basis, period {}, {} spectrum", basis, shape.period,
                                 kSpectra[static_cast<std::size_t>(shape.spectrum)]);
  if (shape.spectrum != SpectrumKind::kFlat) text += fmt::format(", length scale {:.3g}", shape.length_scale);
  if (shape.spectrum == SpectrumKind::kMatern) text += fmt::format(", smoothness {:g}", shape.smoothness);
  return text;
}

std::vector<OwnOption> spectral_options() {
  return {kPeriod, kLengthScale, kSpectrum, kSmoothness, kBasis};
}

void check_spectral(const EncodingOptions& options) {
  spectral_shape(options);
}

// Codes stretch with S. Only a period that is given bounds the number of positions.
std::size_t most_spectral_positions(const EncodingOptions& options) {
  const std::size_t period = options.own.whole("period");
  if (period == 0) return static_cast<std::size_t>(-1);
  return spectral_shape(options).basis == SpectralBasis::kPeriodic ? period : period / 2;
}

ModelPlace settled_spectral_place(ModelPlace place) {
  const SpectralShape shape = spectral_shape(place.options);
  OwnOptions& own = place.options.own;
  own.set("period", shape.period);
  own.set("basis", shape.basis == SpectralBasis::kPeriodic ? "periodic" : "cosine");
  if (shape.spectrum != SpectrumKind::kFlat) own.set("length_scale", shape.length_scale);
  return place;
}

// Times may last longer than there are steps, and those of new windows longer than those of training: a quarter more
// has codes of its own.
std::string settle_spectral(EncodingOptions& options, std::optional<double> longest) {
  if (!longest) return "";
  const double span = std::min(*longest, 1e15);
  const std::size_t needed = static_cast<std::size_t>(std::ceil(1.25 * span)) + 1;
  if (options.own.whole("period") != 0 || needed <= options.length) return "";
  std::string taken;
  if (options.dim < 2 * needed || options.own.text("basis") == "cosine") {
    options.own.set("period", 2 * needed);
    taken = fmt::format("the period {}", 2 * needed);
  }
  if (options.own.real("length_scale") == 0 && spectrum_of(options.own) != SpectrumKind::kFlat) {
    options.own.set("length_scale", (span + 1) / 6);
    taken += fmt::format("{}the length scale {:.3g}", taken.empty() ? "" : " and ", (span + 1) / 6);
  }
  if (taken.empty()) return "";
  return fmt::format("the longest training window lasts {:g} steps: the spectral encoding takes {}", *longest, taken);
}

CatalogEntry spectral_entry() {
  return {.name = "spectral",
          .kind = EncodingKind::kAdditive,
          .description = "a Fourier basis with falling weights: faithful and smooth",
          .enters = kAddedToInput,
          .citation = "Faithful's own: docs/spectral.md",
          .options = spectral_options(),
          .real_positions = true,
          .rows_depend_on_length = true,
          .make = make_spectral,
          .check = check_spectral,
          .most_positions = most_spectral_positions,
          .in_model = &kInModel<SpectralTable>,
          .settle_in_model = settle_spectral};
}

}  // namespace faithful
