#include <algorithm>
#include <cmath>
#include <vector>

#include "faithful/engine/gemm.h"
#include "faithful/kernels/decomposition_internal.h"
#include "faithful/kernels/packed_internal.h"

namespace faithful::kernels {

namespace {

using engine::Form;
using engine::View;

constexpr std::size_t kDepth = 1'280;                       // of products that are added in float
constexpr std::size_t kTileRows = 768, kTileColumns = 128;  // of the Gram matrix
constexpr std::size_t kBlock = 96;                          // of the Cholesky decomposition

template <class T>
View<const T> part(const Matrix<T>& a, std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
  return {a.values.data() + row * a.columns + column, rows, columns, a.columns};
}

// A B or A B^T of parts of matrices into a matrix of its own.
template <class T>
Matrix<T> product(View<const T> a, View<const T> b, Form form) {
  const std::size_t columns = form == Form::kPlain ? b.columns : b.rows;
  Matrix<T> c(a.rows, columns);
  const Packed<T> scratch(engine::packed_size<T>(a.columns, columns));
  engine::gemm<T>(a, Form::kPlain, b, form, {c.values.data(), c.rows, c.columns, c.columns}, scratch.data());
  return c;
}

void gram_tile(const Matrix<float>& x, std::size_t row, std::size_t rows, std::size_t column, std::size_t columns,
               Matrix<double>& out) {
  for (std::size_t k = 0; k < x.columns; k += kDepth) {
    const std::size_t depth = std::min(kDepth, x.columns - k);
    const Matrix<float> sums =
        product(part(x, row, k, rows, depth), part(x, column, k, columns, depth), Form::kTransposed);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) out(row + i, column + j) += static_cast<double>(sums(i, j));
  }
}

// L of a block on the diagonal, in place, and its inverse; false where there is none.
bool decompose_block(std::size_t at, std::size_t size, Matrix<double>& a, Matrix<double>& inverse) {
  for (std::size_t j = at; j < at + size; ++j) {
    double pivot = a(j, j);
    for (std::size_t k = at; k < j; ++k) pivot -= a(j, k) * a(j, k);
    if (!(pivot > 0)) return false;
    a(j, j) = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < at + size; ++i) {
      double sum = a(i, j);
      for (std::size_t k = at; k < j; ++k) sum -= a(i, k) * a(j, k);
      a(i, j) = sum / a(j, j);
    }
  }
  for (std::size_t j = at; j < at + size; ++j) {
    inverse(j, j) = 1 / a(j, j);
    for (std::size_t i = j + 1; i < at + size; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum += a(i, k) * inverse(k, j);
      inverse(i, j) = -sum / a(i, i);
    }
  }
  return true;
}

// a(row.., at..) -= L(row.., 0..at) L(at.., 0..at)^T
void subtract_done(std::size_t row, std::size_t rows, std::size_t at, std::size_t size, Matrix<double>& a) {
  if (at == 0) return;
  const Matrix<double> sums = product(part(a, row, 0, rows, at), part(a, at, 0, size, at), Form::kTransposed);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < size; ++j) a(row + i, at + j) -= sums(i, j);
}

void copy_into(const Matrix<double>& from, std::size_t row, std::size_t column, double factor, Matrix<double>& to) {
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t j = 0; j < from.columns; ++j) to(row + i, column + j) = factor * from(i, j);
}

}  // namespace

Matrix<double> gram_of(const Matrix<float>& x, ThreadPool& pool) {
  const std::size_t n = x.rows;
  Matrix<double> gram(n, n);
  struct Tile {
    std::size_t row, column;
  };
  std::vector<Tile> tiles;
  for (std::size_t column = 0; column < n; column += kTileColumns)
    for (std::size_t row = column; row < n; row += kTileRows) tiles.push_back({row, column});
  pool.run(tiles.size(), [&](std::size_t i) {
    const auto [row, column] = tiles[i];
    gram_tile(x, row, std::min(kTileRows, n - row), column, std::min(kTileColumns, n - column), gram);
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) gram(i, j) = gram(j, i);
  return gram;
}

Matrix<double> inverse_factor(Matrix<double> a, ThreadPool& pool) {
  const std::size_t n = a.rows, blocks = (n + kBlock - 1) / kBlock;
  const auto size_of = [&](std::size_t block) { return std::min(kBlock, n - block * kBlock); };
  Matrix<double> inverse(n, n);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t at = b * kBlock, size = size_of(b);
    pool.run(blocks - b, [&](std::size_t i) { subtract_done((b + i) * kBlock, size_of(b + i), at, size, a); });
    if (!decompose_block(at, size, a, inverse)) return {};
    pool.run(blocks - b - 1, [&](std::size_t i) {
      const std::size_t row = (b + 1 + i) * kBlock, rows = size_of(b + 1 + i);
      copy_into(product(part(a, row, at, rows, size), part(inverse, at, at, size, size), Form::kTransposed), row, at, 1,
                a);
    });
  }
  // Column of blocks by column: V_ij = -L_ii^-1 (sum of L_ik V_kj over j <= k < i).
  pool.run(blocks, [&](std::size_t b) {
    const std::size_t column = b * kBlock, columns = size_of(b);
    for (std::size_t i = b + 1; i < blocks; ++i) {
      const std::size_t row = i * kBlock, rows = size_of(i), done = row - column;
      const Matrix<double> sums =
          product(part(a, row, column, rows, done), part(inverse, column, column, done, columns), Form::kPlain);
      copy_into(product(part(inverse, row, row, rows, rows), part(sums, 0, 0, rows, columns), Form::kPlain), row,
                column, -1, inverse);
    }
  });
  return inverse;
}

Matrix<float> transposed_product(const Matrix<float>& x, const Matrix<float>& a, ThreadPool& pool) {
  constexpr std::size_t kFeatures = 512;
  Matrix<float> found(x.columns, a.columns);
  const Packed<float> packed(engine::packed_size<float>(a.rows, a.columns));
  engine::pack<float>(part(a, 0, 0, a.rows, a.columns), Form::kPlain, packed.data());
  pool.run((x.columns + kFeatures - 1) / kFeatures, [&](std::size_t i) {
    const std::size_t first = i * kFeatures, here = std::min(kFeatures, x.columns - first);
    engine::gemm_packed<float>(part(x, 0, first, x.rows, here), Form::kTransposed, packed.data(),
                               {found.row(first).data(), here, a.columns, a.columns});
  });
  return found;
}

}  // namespace faithful::kernels
