#pragma once

// The few dense decompositions that the measures need, on Eigen, which only linear_algebra.cpp includes.

#include <vector>

#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

namespace faithful {

// Rows with the same inner products in as few coordinates as possible: `rows` [S, d] -> [S, min(S, d)]. Where d > S
// this is the transposed R of a QR factorisation of the transposed table, made in blocks of fixed size: accurate to
// rounding (no Gram matrix is formed), and the same bits whatever the number of threads.
Matrix<double> reduced_rows(Matrix<double> rows, ThreadPool& pool);

// Singular values, largest first: min(rows, columns) of them.
std::vector<double> singular_values(const Matrix<double>& matrix);

// G = X X^T: [S, S].
Matrix<double> gram_matrix(const Matrix<double>& rows);

// The same for d >> S, in blocks of columns of fixed size, on all threads; the same bits whatever their number.
Matrix<double> wide_gram_matrix(const Matrix<double>& rows, ThreadPool& pool);

// Euclidean distances of all pairs of rows, each from the difference itself: [S, S].
Matrix<double> pair_distances(const Matrix<double>& rows);

// G (G + lambda I)^-1 for a symmetric positive semidefinite G, lambda > 0: column s is the ridge inversion of a delta
// at s.
Matrix<double> ridge_inverse(const Matrix<double>& gram, double lambda);

}  // namespace faithful
