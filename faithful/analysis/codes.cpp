#include "faithful/analysis/codes.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "faithful/analysis/linear_algebra.h"

namespace faithful {

namespace {

// [H, S, S] -> [S, H * S]
Matrix<double> bias_rows(const Encoding& encoding, std::size_t length, Precision precision, bool centred) {
  const std::size_t heads = encoding.shape[0];
  Matrix<double> codes(length, heads * length);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t s = 0; s < length; ++s) {
      const auto from = std::span(encoding.values).subspan((h * length + s) * length, length);
      const auto to = codes.row(s).subspan(h * length, length);
      std::ranges::copy(from, to.begin());
      round_in_place(to, precision);
      if (!centred) continue;
      const double mean = std::accumulate(to.begin(), to.end(), 0.0) / static_cast<double>(length);
      for (double& value : to) value -= mean;
    }
  }
  return codes;
}

// The rounded vectors of keys and values, side by side: [2, 2 clip + 1, d_h] -> [2 clip + 1, 2 d_h]
Matrix<double> offset_vectors(const Encoding& encoding, Precision precision) {
  const std::size_t count = encoding.shape[1], width = encoding.shape[2];
  Matrix<double> vectors(count, 2 * width);
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t o = 0; o < count; ++o) {
      const auto from = std::span(encoding.values).subspan((half * count + o) * width, width);
      std::ranges::copy(from, vectors.row(o).subspan(half * width, width).begin());
    }
  }
  round_in_place(vectors.values, precision);
  return vectors;
}

// c(j - s) + clip: which of the 2 clip + 1 vectors is at offset j - s.
std::size_t clipped_offset(std::size_t s, std::size_t j, std::size_t count) {
  const auto clip = static_cast<std::ptrdiff_t>(count / 2);
  const auto offset = static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(s);
  return static_cast<std::size_t>(std::clamp(offset, -clip, clip) + clip);
}

Matrix<double> rows_of_offsets(const Matrix<double>& vectors, std::size_t length) {
  Matrix<double> codes(length, length * vectors.columns);
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t j = 0; j < length; ++j) {
      const auto from = vectors.row(clipped_offset(s, j, vectors.rows));
      std::ranges::copy(from, codes.row(s).subspan(j * vectors.columns, vectors.columns).begin());
    }
  }
  return codes;
}

// A number for each vector, the same for equal ones: [count, 1]
Matrix<double> numbers_of_distinct(const Matrix<double>& vectors) {
  std::map<std::vector<double>, double> numbers;
  Matrix<double> result(vectors.rows, 1);
  for (std::size_t o = 0; o < vectors.rows; ++o) {
    std::vector<double> key(vectors.row(o).begin(), vectors.row(o).end());
    result(o, 0) = numbers.emplace(std::move(key), static_cast<double>(numbers.size())).first->second;
  }
  return result;
}

Matrix<double> table_rows(const Encoding& encoding, Precision precision) {
  Matrix<double> codes(encoding.shape[0], encoding.shape[1], encoding.values);
  round_in_place(codes.values, precision);
  return codes;
}

}  // namespace

Matrix<double> make_codes(const Encoding& encoding, std::size_t length, Precision precision) {
  switch (encoding.kind) {
    case EncodingKind::kNone:
    case EncodingKind::kFromSignal:
    case EncodingKind::kStochastic:
      return Matrix<double>(length, 1);
    case EncodingKind::kAdditive:
    case EncodingKind::kConcatenated:
    case EncodingKind::kRotary:
      return table_rows(encoding, precision);
    case EncodingKind::kLogitBias:
      return bias_rows(encoding, length, precision, true);
    case EncodingKind::kWeightBias:
      return bias_rows(encoding, length, precision, false);
    case EncodingKind::kRelativeVectors: {
      ThreadPool alone(1);
      return rows_of_offsets(reduced_rows(offset_vectors(encoding, precision), alone), length);
    }
  }
  return {};
}

Matrix<double> make_collision_rows(const Encoding& encoding, std::size_t length, Precision precision) {
  if (encoding.kind != EncodingKind::kRelativeVectors) return make_codes(encoding, length, precision);
  return rows_of_offsets(numbers_of_distinct(offset_vectors(encoding, precision)), length);
}

}  // namespace faithful
