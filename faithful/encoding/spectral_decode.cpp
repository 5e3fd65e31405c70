#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/spectral_internal.h"
#include "faithful/fourier/transform.h"

namespace faithful {

// Inner products of a vector with all codes are an inverse transform of its values times the weights of the columns: of
// P points, or, in the cosine basis, of 2P points of which every second is a position.
struct SpectralDecoder::Plan {
  explicit Plan(const SpectralShape& of)
      : shape(of), points(of.basis == SpectralBasis::kPeriodic ? of.period : 2 * of.period), transform(points) {
    column.resize(shape.dim);
    column_weights_into<double>(column, shape, log_spectrum(shape));
    const std::size_t positions = shape.basis == SpectralBasis::kPeriodic ? shape.period : shape.period / 2;
    const SpectralRows rows(shape);
    std::vector<double> row(shape.dim);
    for (std::size_t s = 0; s < positions; ++s) {
      rows.row_into(row, s);
      double square = 0;
      for (std::size_t c = 0; c < shape.dim; ++c) square += row[c] * column[c] * row[c] * column[c];
      squares.push_back(square);
    }
  }

  // sum_c coefficients[c] basis[c](s) for every position s of the basis.
  std::vector<double> sums(std::span<const double> coefficients) const {
    const std::size_t d = shape.dim;
    std::vector<double> values(points, 0.0), out(squares.size());
    if (shape.basis == SpectralBasis::kCosine) {
      const double to_basis = std::sqrt(static_cast<double>(points) / 2);  // of cos, which has norm 1 there
      for (std::size_t k = 0; k < shape.frequencies(); ++k) values[k] = to_basis * coefficients[k];
      transform.inverse(values, values);
      for (std::size_t s = 0; s < out.size(); ++s) out[s] = values[2 * s + 1];
      return out;
    }
    const std::size_t pairs = pair_count(d), all_pairs = pair_count(points);
    const double to_basis = std::sqrt(static_cast<double>(points) / static_cast<double>(d));
    for (std::size_t k = 0; k <= pairs; ++k) values[k] = to_basis * coefficients[k];
    for (std::size_t k = 1; k <= pairs; ++k) values[all_pairs + k] = to_basis * coefficients[pairs + k];
    if (d % 2 == 0) values[d == points ? d - 1 : d / 2] = to_basis * coefficients[d - 1];
    transform.inverse(values, values);
    return values;
  }

  SpectralShape shape;
  std::size_t points;
  RealTransform transform;
  std::vector<double> column;   // [d]
  std::vector<double> squares;  // [positions of the basis]: of the weighted rows
};

SpectralDecoder::SpectralDecoder(const SpectralShape& shape) : plan_(std::make_unique<const Plan>(shape)) {}
SpectralDecoder::~SpectralDecoder() = default;

// The nearest code maximises <c, e_t> - |e_t|^2 / 2.
std::size_t SpectralDecoder::nearest(std::span<const double> code) const {
  const SpectralShape& shape = plan_->shape;
  assert(code.size() == shape.dim);
  std::vector<double> coefficients(shape.dim);
  for (std::size_t c = 0; c < shape.dim; ++c) coefficients[c] = code[c] * plan_->column[c];
  std::vector<double> score = plan_->sums(coefficients);
  for (std::size_t t = 0; t < shape.length; ++t) {
    if (shape.basis == SpectralBasis::kCosine) {
      score[t] /= std::sqrt(plan_->squares[t]);  // every code has norm `factor`
    } else {
      score[t] -= plan_->squares[t] / 2;
    }
  }
  const auto end = score.begin() + static_cast<std::ptrdiff_t>(shape.length);
  return static_cast<std::size_t>(std::max_element(score.begin(), end) - score.begin());
}

// The table of all positions is E = N B W: norms N and weights W are diagonal, and the columns of the basis B are
// orthogonal. So f = c E^-1 = c W^-1 B^-1 N^-1, and B^-1 is the transpose of B up to a factor.
std::vector<double> SpectralDecoder::inverse(std::span<const double> code) const {
  const SpectralShape& shape = plan_->shape;
  assert(code.size() == shape.dim);
  if (!shape.has_inverse())
    reject({{.field = "dim"},
            fmt::format("at least {} for the exact inverse",
                        shape.basis == SpectralBasis::kPeriodic ? shape.period : shape.period / 2),
            fmt::format("{}", shape.dim)});
  std::vector<double> coefficients(shape.dim, 0.0);
  for (std::size_t c = 0; c < shape.dim; ++c) {
    if (column_frequency(shape, c) != kNoFrequency) coefficients[c] = code[c] / plan_->column[c];
  }
  std::vector<double> weights = plan_->sums(coefficients);
  if (shape.basis == SpectralBasis::kCosine) {
    const double count = static_cast<double>(shape.period) / 2;
    for (std::size_t t = 0; t < weights.size(); ++t)
      weights[t] *= std::sqrt(plan_->squares[t]) * 2 / (count * shape.factor);
  }
  return weights;
}

DecodedPositions decode_spectral(const Matrix<double>& codes, const SpectralShape& shape, const std::string& place) {
  if (codes.columns != shape.dim)
    reject({{place}, fmt::format("{} columns", shape.dim), fmt::format("{}", codes.columns)});
  const SpectralDecoder decoder(shape);
  const SpectralRows rows(shape);
  std::vector<double> column(shape.dim), here(shape.dim), other(shape.dim);
  column_weights_into<double>(column, shape, log_spectrum(shape));
  const auto code_into = [&](std::vector<double>& code, std::size_t position) {
    rows.row_into(code, position);
    weigh_row(code.data(), column.data(), shape, code.data());
  };
  DecodedPositions found;
  for (std::size_t r = 0; r < codes.rows; ++r) {
    for (std::size_t c = 0; c < codes.columns; ++c) {
      if (!std::isfinite(codes(r, c)))
        reject({{place, r + 1, c + 1}, "a finite number", fmt::format("{}", codes(r, c))});
    }
    const std::size_t at = decoder.nearest(codes.row(r));
    found.positions.push_back(at);
    code_into(here, at);
    double nearest = 4 * shape.factor * shape.factor;  // no two codes are further apart
    for (const std::size_t next : {at - 1, at + 1}) {
      if (next >= shape.length) continue;  // also -1
      code_into(other, next);
      nearest = std::min(nearest, squared_distance(here, other));
    }
    found.distances.add(squared_distance(codes.row(r), here), nearest);
  }
  return found;
}

}  // namespace faithful
