#include "faithful/encoding/dft.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/base/cpu.h"
#include "faithful/base/error.h"
#include "faithful/base/limits.h"
#include "faithful/encoding/added_table_internal.h"
#include "faithful/encoding/dft_kernel_internal.h"
#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/period_internal.h"
#include "faithful/fourier/basis.h"
#include "faithful/fourier/transform.h"

namespace faithful {

namespace {

void check_period(const DftShape& shape) {
  if (shape.period == 0) return;
  if (shape.dim < 3)
    reject({{.field = "dim"}, fmt::format("at least 3 with {}", field_text("period")), fmt::format("{}", shape.dim)});
  if (shape.period < shape.dim) {
    reject({{.field = "period"},
            fmt::format("at least {} {}", field_text("dim"), shape.dim),
            fmt::format("{}", shape.period)});
  }
  checked_product({2, shape.period}, "period");  // the roots of unity
  if (shape.period > limits().period) {
    reject({{.field = "period"},
            fmt::format("at most {}", limits().period),
            fmt::format("{}", shape.period),
            limits_hint()});
  }
}

}  // namespace

void check_dft_shape(const DftShape& shape) {
  if (shape.length == 0) reject({{.field = "length"}, "at least 1", "none"});
  if (shape.dim == 0) reject({{.field = "dim"}, "at least 1", "none"});
  check_period(shape);
  if (shape.period != 0 && shape.period < shape.length) {
    reject({{.field = "period"},
            fmt::format("at least {} {}", field_text("length"), shape.length),
            fmt::format("{}", shape.period)});
  }
  if (shape.length > shape.repeats_after()) {
    const std::string needed = fmt::format("{}", shape.length);
    std::string remedy = field_text("dim", needed);
    if (shape.dim >= 3) remedy += " or " + field_text("period", needed);
    reject({{.field = "length"},
            fmt::format("at most {} {} positions for dft", field_text("dim"), shape.dim),
            needed,
            fmt::format("positions 0 and {} have the same code; use {}", shape.dim, remedy)});
  }
  checked_product({shape.length, shape.dim}, "length");
}

template <class T>
void fill_dft_into(std::span<T> table, const DftShape& shape, ThreadPool& pool) {
  check_dft_shape(shape);
  assert(table.size() == shape.length * shape.dim);
  instruction_set();  // FAITHFUL_ISA counts here too
  const RootTable roots(shape.repeats_after());
  constexpr std::size_t kStreamedBytes = std::size_t{8} << 20;  // what is smaller may stay in the caches for its reader
  constexpr std::size_t kGrainValues = 16384;                   // worth waking a thread for
  const bool stream = table.size_bytes() >= kStreamedBytes;
  parallel_for(pool, shape.length, kGrainValues / shape.dim + 1, [&](std::size_t begin, std::size_t end) {
    fill_dft_rows(table.data() + begin * shape.dim, shape, roots, begin, end, stream);
  });
}

template void fill_dft_into<float>(std::span<float>, const DftShape&, ThreadPool&);
template void fill_dft_into<double>(std::span<double>, const DftShape&, ThreadPool&);

// The nearest code maximises <c, e_t> - |e_t|^2 / 2. Up to factors, the inner products with all N codes are the inverse
// transform of c, padded to N coefficients.
struct DftDecoder::Plan {
  explicit Plan(const DftShape& of) : shape(of), transform(of.repeats_after()) {
    const std::size_t n = shape.repeats_after(), d = shape.dim;
    if (d % 2 != 0 || d == n) return;  // all codes have the same norm
    const RootTable roots(n);
    const DftFactors factors = dft_factors(shape);
    half_squares.resize(n);
    for (std::size_t t = 0; t < n; ++t) {
      const double last = factors.last * roots.cos(static_cast<std::uint64_t>(d / 2) * t);
      half_squares[t] = last * last / 2;  // the rest is the same for all
    }
  }

  DftShape shape;
  RealTransform transform;
  std::vector<double> half_squares;  // [N], up to a constant; empty where it is constant
};

DftDecoder::DftDecoder(const DftShape& shape) {
  if (shape.dim == 0) reject({{.field = "dim"}, "at least 1", "none"});
  check_period(shape);
  if (!(shape.factor > 0)) reject({{.field = "scale"}, "a positive number", fmt::format("{}", shape.factor)});
  plan_ = std::make_unique<const Plan>(shape);
}
DftDecoder::~DftDecoder() = default;

std::size_t DftDecoder::nearest(std::span<const double> code) const {
  const DftShape& shape = plan_->shape;
  const std::size_t d = shape.dim, n = shape.repeats_after(), pairs = pair_count(d);
  assert(code.size() == d);
  std::vector<double> values(n);
  if (d == n) {
    std::copy(code.begin(), code.end(), values.begin());
  } else {
    std::copy_n(code.begin(), pairs + 1, values.begin());
    std::copy_n(code.begin() + static_cast<std::ptrdiff_t>(pairs) + 1, pairs,
                values.begin() + static_cast<std::ptrdiff_t>(pair_count(n)) + 1);
    // cos(w_{d/2} s) has coefficient d/2 of the N-point basis: a cosine of a pair, as d/2 < N/2.
    if (d % 2 == 0) values[d / 2] = code[d - 1];
  }
  plan_->transform.inverse(values, values);
  if (!plan_->half_squares.empty()) {
    const double to_inner = shape.factor * std::sqrt(static_cast<double>(n) / static_cast<double>(d));
    for (std::size_t t = 0; t < n; ++t) values[t] = to_inner * values[t] - plan_->half_squares[t];
  }
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::vector<std::size_t> decode_dft(const Matrix<double>& codes, std::size_t period, double factor,
                                    const std::string& place) {
  const DftDecoder decoder({.dim = codes.columns, .period = period, .factor = factor});
  std::vector<std::size_t> positions;
  positions.reserve(codes.rows);
  for (std::size_t r = 0; r < codes.rows; ++r) {
    for (std::size_t c = 0; c < codes.columns; ++c) {
      if (!std::isfinite(codes(r, c))) {
        reject({{place, r + 1, c + 1}, "a finite number", fmt::format("{}", codes(r, c))});
      }
    }
    positions.push_back(decoder.nearest(codes.row(r)));
  }
  return positions;
}

void fill_dft_row(std::span<double> row, double position, const DftShape& shape, const RootTable& roots) {
  const std::size_t d = shape.dim, pairs = pair_count(d), n = roots.size();
  const DftFactors factors = dft_factors(shape);
  const double period = static_cast<double>(n), reduced = std::fmod(position, period);  // exact
  const double nearest = std::nearbyint(reduced), fraction = reduced - nearest;
  const auto whole = static_cast<std::uint64_t>(nearest < 0 ? nearest + period : nearest);
  const auto at = [&](std::size_t k) -> Root {
    const Root root = roots.at(k * (whole % n));
    const double angle = 2 * std::numbers::pi * (static_cast<double>(k) * fraction / period);
    const double c = std::cos(angle), s = std::sin(angle);
    return {root.cos * c - root.sin * s, root.sin * c + root.cos * s};
  };
  row[0] = factors.first;
  for (std::size_t k = 1; k <= pairs; ++k) {
    const Root root = at(k);
    row[k] = factors.pair * root.cos;
    row[pairs + k] = factors.pair * root.sin;
  }
  if (d % 2 == 0) row[d - 1] = factors.last * at(d / 2).cos;
}

CodeDistances dft_distances(const Matrix<double>& codes, std::span<const std::size_t> positions, std::size_t period,
                            double factor) {
  const DftShape shape{.length = 1, .dim = codes.columns, .period = period, .factor = factor};
  const RootTable roots(shape.repeats_after());
  std::vector<double> here(codes.columns), next(codes.columns);
  CodeDistances found;
  for (std::size_t r = 0; r < codes.rows; ++r) {
    const auto position = static_cast<double>(positions[r]);
    fill_dft_row(here, position, shape, roots);
    fill_dft_row(next, position + 1, shape, roots);
    const double apart = roots.size() == 1 ? 2 * factor * factor : squared_distance(here, next);
    found.add(squared_distance(codes.row(r), here), apart);
  }
  return found;
}

namespace {

// Positions a period or more apart would be taken for others.
void check_real_positions(const std::vector<double>& positions, const DftShape& shape) {
  const auto [low, high] = std::minmax_element(positions.begin(), positions.end());
  const double span = *high - *low;
  if (span < static_cast<double>(shape.repeats_after())) return;
  reject({{.field = "positions"},
          fmt::format("positions less than {} apart for dft", shape.repeats_after()),
          fmt::format("{} and {}", *low, *high),
          "use " + field_text("period", fmt::format("{}", std::floor(span) + 1))});
}

DftShape shape_of(const EncodingOptions& options) {
  return {options.length, options.dim, options.own.whole("period"), 1};
}

void check_dft(const EncodingOptions& options) {
  const DftShape shape = shape_of(options);
  if (options.positions.empty()) return check_dft_shape(shape);
  check_period(shape);
  check_real_positions(options.positions, shape);
}

Encoding make_dft(const EncodingOptions& options) {
  const DftShape shape = shape_of(options);
  Encoding encoding;
  encoding.values.resize(shape.length * shape.dim);
  if (options.positions.empty()) {
    ThreadPool pool(encoding.values.size() < (std::size_t{1} << 20) ? 1 : default_threads());
    fill_dft_into(std::span(encoding.values), shape, pool);
  } else {
    const RootTable roots(shape.repeats_after());
    for (std::size_t s = 0; s < shape.length; ++s) {
      fill_dft_row(std::span(encoding.values).subspan(s * shape.dim, shape.dim), options.positions[s], shape, roots);
    }
  }
  for (std::size_t k = 0; k < frequency_count(shape.dim); ++k) {
    encoding.frequencies.push_back(basis_frequency(k, shape.repeats_after()));
  }
  return encoding;
}

// More steps than dimensions, or windows that last longer, need a period.
std::string settle_in_model(EncodingOptions& options, std::optional<double> longest) {
  const DftShape shape = shape_of(options);
  if (!longest && (shape.period != 0 || shape.length <= shape.dim)) return "";
  const std::size_t needed = longest ? static_cast<std::size_t>(std::ceil(std::min(*longest, 1e15))) + 1 : shape.length;
  if (needed <= shape.repeats_after()) return "";
  options.own.set("period", needed);
  const std::string because = longest ? fmt::format("the longest training window lasts {:g} steps", *longest)
                                      : fmt::format("{} positions are more than the width {}", needed, shape.dim);
  return fmt::format("{}: the DFT encoding takes the period {}", because, needed);
}

}  // namespace

CatalogEntry dft_entry() {
  return {.name = "dft",
          .kind = EncodingKind::kAdditive,
          .description = "the real Fourier basis of d points at s: a rotated one-hot code",
          .enters = kAddedToInput,
          .citation = "Ide, Labaien, Chen 2024, Improving Transformers using Faithful Positional Encoding",
          .options = {kPeriod},
          .real_positions = true,
          .repeats = true,
          .make = make_dft,
          .check = check_dft,
          .most_positions = [](const EncodingOptions& options) { return shape_of(options).repeats_after(); },
          .in_model = &kInModel<AddedTable>,
          .settle_in_model = settle_in_model};
}

}  // namespace faithful
