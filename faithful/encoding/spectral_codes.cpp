// Tables of the spectral encoding: the weights of frequencies, rows of the basis, and rows times weights.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "faithful/base/cpu.h"
#include "faithful/encoding/dft_kernel_internal.h"
#include "faithful/encoding/spectral_internal.h"

namespace faithful {

namespace {

double angular_frequency(const SpectralShape& shape, std::size_t k) {
  return 2 * std::numbers::pi * (static_cast<double>(k) / static_cast<double>(shape.period));
}

DftShape dft_shape(const SpectralShape& shape) {
  return {.length = shape.length, .dim = shape.dim, .period = shape.period == shape.dim ? 0 : shape.period};
}

}  // namespace

LogWeight log_weight(const SpectralShape& shape, double log_length_scale, std::size_t k) {
  const double length = std::exp(log_length_scale), w = angular_frequency(shape, k);
  switch (shape.spectrum) {
    case SpectrumKind::kExponential: {
      // 1 - 2 r cos w + r^2 = (1 - r)^2 + 4 r sin^2(w/2), which loses no digits near w = 0.
      const double r = std::exp(-1 / length), rest = -std::expm1(-1 / length), sine = std::sin(w / 2);
      const double below = rest * rest + 4 * r * sine * sine;
      return {-std::log(below), 2 * (rest - 2 * sine * sine) * r / length / below};
    }
    case SpectrumKind::kMatern: {
      const double x = w * length * w * length / (2 * shape.smoothness), power = shape.smoothness + 0.5;
      return {-power * std::log1p(x), -power * 2 * x / (1 + x)};
    }
    case SpectrumKind::kGaussian:
      return {-(w * length) * (w * length) / 2, -(w * length) * (w * length)};
    case SpectrumKind::kFlat:
      break;
  }
  return {0, 0};
}

std::vector<double> log_spectrum(const SpectralShape& shape) {
  std::vector<double> log_g(shape.frequencies());
  for (std::size_t k = 0; k < log_g.size(); ++k) log_g[k] = log_weight(shape, std::log(shape.length_scale), k).value;
  return log_g;
}

std::size_t column_frequency(const SpectralShape& shape, std::size_t column) {
  if (shape.basis == SpectralBasis::kPeriodic) return frequency_index(column, shape.dim);
  return column < shape.frequencies() ? column : kNoFrequency;
}

// Of the cosine basis: cos(2 pi k (s + 1/2) / P) is the root k (2s + 1) of 2P.
SpectralRows::SpectralRows(const SpectralShape& shape)
    : shape_(shape), roots_(shape.basis == SpectralBasis::kPeriodic ? shape.period : 2 * shape.period) {}

void SpectralRows::row_into(std::span<double> row, std::size_t position) const {
  if (shape_.basis == SpectralBasis::kPeriodic) {
    fill_dft_rows(row.data(), dft_shape(shape_), roots_, position, position + 1, false);
    return;
  }
  std::fill(row.begin(), row.end(), 0.0);
  row[0] = std::numbers::sqrt2 / 2;
  const std::uint64_t step = (2 * static_cast<std::uint64_t>(position) + 1) % roots_.size();
  std::uint64_t at = 0;
  for (std::size_t k = 1; k < shape_.frequencies(); ++k) {
    at += step;
    if (at >= roots_.size()) at -= roots_.size();
    row[k] = roots_.reduced(at).cos;
  }
}

// The whole part goes through the table of roots, the fraction adds an angle below a quarter turn.
void SpectralRows::row_into(std::span<double> row, double position) const {
  if (shape_.basis == SpectralBasis::kPeriodic) {
    fill_dft_row(row, position, dft_shape(shape_), roots_);
    return;
  }
  std::fill(row.begin(), row.end(), 0.0);
  row[0] = std::numbers::sqrt2 / 2;
  const double nearest = std::max(0.0, std::nearbyint(position)), fraction = position - nearest;
  const std::uint64_t odd = 2 * static_cast<std::uint64_t>(nearest) + 1;
  for (std::size_t k = 1; k < shape_.frequencies(); ++k) {
    const Root root = roots_.at(k * odd);
    const double angle =
        2 * std::numbers::pi * (static_cast<double>(k) * fraction / static_cast<double>(shape_.period));
    row[k] = root.cos * std::cos(angle) - root.sin * std::sin(angle);
  }
}

template <class T>
void column_weights_into(std::span<T> column, const SpectralShape& shape, std::span<const T> log_g) {
  const T largest = *std::max_element(log_g.begin(), log_g.end());
  T middle = largest;  // what is taken from ln g, so that nothing overflows
  if (shape.basis == SpectralBasis::kPeriodic) {
    T sum = 0;
    for (std::size_t c = 0; c < shape.dim; ++c) sum += std::exp(log_g[column_frequency(shape, c)] - largest);
    middle += std::log(sum) - std::log(static_cast<T>(shape.dim));
  }
  for (std::size_t c = 0; c < shape.dim; ++c) {
    const std::size_t k = column_frequency(shape, c);
    column[c] = k == kNoFrequency ? T(0) : std::exp((log_g[k] - middle) / 2);
    if (shape.basis == SpectralBasis::kPeriodic) column[c] *= static_cast<T>(shape.factor);
  }
}

template <class T>
void weigh_row(const T* basis, const T* column, const SpectralShape& shape, T* code) {
  for (std::size_t c = 0; c < shape.dim; ++c) code[c] = basis[c] * column[c];
  if (shape.basis == SpectralBasis::kPeriodic) return;
  T square = 0;
  for (std::size_t c = 0; c < shape.dim; ++c) square += code[c] * code[c];
  const T by = static_cast<T>(shape.factor) / std::sqrt(square);
  for (std::size_t c = 0; c < shape.dim; ++c) code[c] *= by;
}

template <class T>
void fill_spectral_into(std::span<T> table, const SpectralShape& shape, ThreadPool& pool) {
  assert(table.size() == shape.length * shape.dim);
  instruction_set();  // FAITHFUL_ISA counts here too
  const SpectralRows rows(shape);
  std::vector<double> column(shape.dim);
  column_weights_into<double>(column, shape, log_spectrum(shape));
  constexpr std::size_t kGrain = 16384;  // values that are worth waking a thread for
  parallel_for(pool, shape.length, kGrain / shape.dim + 1, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(shape.dim);
    for (std::size_t s = begin; s < end; ++s) {
      rows.row_into(row, s);
      weigh_row(row.data(), column.data(), shape, row.data());
      std::transform(row.begin(), row.end(), table.begin() + static_cast<std::ptrdiff_t>(s * shape.dim),
                     [](double value) { return static_cast<T>(value); });
    }
  });
}

template void column_weights_into<float>(std::span<float>, const SpectralShape&, std::span<const float>);
template void column_weights_into<double>(std::span<double>, const SpectralShape&, std::span<const double>);
template void weigh_row<float>(const float*, const float*, const SpectralShape&, float*);
template void weigh_row<double>(const double*, const double*, const SpectralShape&, double*);
template void fill_spectral_into<float>(std::span<float>, const SpectralShape&, ThreadPool&);
template void fill_spectral_into<double>(std::span<double>, const SpectralShape&, ThreadPool&);

}  // namespace faithful
