#include "faithful/analysis/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <Eigen/Cholesky>
#include <Eigen/Jacobi>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace faithful {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;
using Eigen::MatrixXd;

Eigen::Map<const RowMajor> view(const Matrix<double>& matrix) {
  return {matrix.values.data(), static_cast<Index>(matrix.rows), static_cast<Index>(matrix.columns)};
}

Matrix<double> copy_of(const MatrixXd& from) {
  Matrix<double> to(static_cast<std::size_t>(from.rows()), static_cast<std::size_t>(from.cols()));
  Eigen::Map<RowMajor>(to.values.data(), from.rows(), from.cols()) = from;
  return to;
}

// R of a QR factorisation: [min(n, S), S].
MatrixXd upper_factor(MatrixXd block) {
  const Index height = std::min(block.rows(), block.cols());
  const Eigen::HouseholderQR<MatrixXd> qr(std::move(block));
  return qr.matrixQR().topRows(height).triangularView<Eigen::Upper>();
}

// R of a tall [n, S] matrix, n > S: R of each block of rows, then R of what they stacked up to, until one is left.
MatrixXd tall_upper_factor(const Eigen::Ref<const MatrixXd>& tall, ThreadPool& pool) {
  const Index width = tall.cols();
  const Index block = std::max<Index>(8 * width, 512);
  const Index blocks = (tall.rows() + block - 1) / block;
  if (blocks == 1) return upper_factor(tall);
  std::vector<MatrixXd> factors(static_cast<std::size_t>(blocks));
  pool.run(factors.size(), [&](std::size_t i) {
    const Index begin = static_cast<Index>(i) * block;
    factors[i] = upper_factor(tall.middleRows(begin, std::min(block, tall.rows() - begin)));
  });
  Index height = 0;
  for (const MatrixXd& factor : factors) height += factor.rows();
  MatrixXd stacked(height, width);
  height = 0;
  for (const MatrixXd& factor : factors) {
    stacked.middleRows(height, factor.rows()) = factor;
    height += factor.rows();
  }
  factors.clear();
  return tall_upper_factor(stacked, pool);
}

// Above this size the cubic cost of the rotations, with its large factor, outweighs their accuracy.
constexpr Index kMostRotated = 384;

// One-sided Jacobi (Hestenes; Drmac and Veselic 2008): rotates pairs of columns until all are orthogonal; their norms
// are the singular values. Unlike methods by way of a bidiagonal matrix it keeps small ones right: the rank in fp64
// counts values three times the rounding error. Pivoted QR first, then the transposed R: few sweeps are left to do.
std::vector<double> rotated_singular_values(const MatrixXd& matrix) {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(matrix);
  const Index n = std::min(matrix.rows(), matrix.cols());
  MatrixXd x = MatrixXd(qr.matrixQR().topRows(n).triangularView<Eigen::Upper>()).transpose();
  Eigen::VectorXd squares = x.colwise().squaredNorm();
  constexpr double kOrthogonal = 1e-15;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < 40; ++sweep) {
    rotated = false;
    for (Index p = 0; p + 1 < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        const double product = x.col(p).dot(x.col(q));
        if (std::abs(product) <= kOrthogonal * std::sqrt(squares(p) * squares(q)) || product == 0) continue;
        rotated = true;
        const double zeta = (squares(q) - squares(p)) / (2 * product);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t);
        x.applyOnTheRight(p, q, Eigen::JacobiRotation<double>(c, c * t));
        squares(p) = x.col(p).squaredNorm();
        squares(q) = x.col(q).squaredNorm();
      }
    }
  }
  std::vector<double> values(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = x.col(i).norm();
  std::ranges::sort(values, std::greater<>());
  return values;
}

}  // namespace

Matrix<double> reduced_rows(Matrix<double> rows, ThreadPool& pool) {
  if (rows.columns <= rows.rows) return rows;
  // A row-major [S, d] table is its transpose, column-major.
  const Eigen::Map<const MatrixXd> transposed(rows.values.data(), static_cast<Index>(rows.columns),
                                              static_cast<Index>(rows.rows));
  return copy_of(tall_upper_factor(transposed, pool).transpose());
}

std::vector<double> singular_values(const Matrix<double>& matrix) {
  if (matrix.rows == 0 || matrix.columns == 0) return {};
  MatrixXd factor = view(matrix);
  if (factor.rows() < factor.cols()) factor.transposeInPlace();
  if (factor.rows() > 2 * factor.cols()) factor = upper_factor(std::move(factor));
  if (factor.cols() <= kMostRotated) return rotated_singular_values(factor);
  const Eigen::BDCSVD<MatrixXd> svd(factor);
  return {svd.singularValues().data(), svd.singularValues().data() + svd.singularValues().size()};
}

Matrix<double> gram_matrix(const Matrix<double>& rows) {
  MatrixXd gram = MatrixXd::Zero(static_cast<Index>(rows.rows), static_cast<Index>(rows.rows));
  gram.selfadjointView<Eigen::Lower>().rankUpdate(view(rows));
  const MatrixXd full = gram.selfadjointView<Eigen::Lower>();
  return copy_of(full);
}

Matrix<double> pair_distances(const Matrix<double>& rows) {
  Matrix<double> distances(rows.rows, rows.rows);
  const auto x = view(rows);
  for (Index s = 0; s < x.rows(); ++s) {
    for (Index t = 0; t < s; ++t) {
      const double distance = (x.row(s) - x.row(t)).norm();
      distances(static_cast<std::size_t>(s), static_cast<std::size_t>(t)) = distance;
      distances(static_cast<std::size_t>(t), static_cast<std::size_t>(s)) = distance;
    }
  }
  return distances;
}

Matrix<double> ridge_inverse(const Matrix<double>& gram, double lambda) {
  const MatrixXd g = view(gram);
  MatrixXd shifted = g;
  shifted.diagonal().array() += lambda;
  // (G + lambda I)^-1 G is symmetric, so its columns are its rows.
  return copy_of(shifted.llt().solve(g));
}

}  // namespace faithful
