#pragma once

// Linear algebra of the ridge classifier, on the engine's matrix multiply. All results have the same bits for any
// number of threads.

#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

namespace faithful::kernels {

// X X^T [n, n] of X [n, p]; sums of a thousand products in float, the rest in double.
Matrix<double> gram_of(const Matrix<float>& x, ThreadPool& pool);

// The lower triangle V of the inverse of L, where `a` = L L^T [n, n] is symmetric (the lower triangle is read), so that
// the inverse of `a` is V^T V. Empty where `a` is not positive definite. The upper triangle is 0.
Matrix<double> inverse_factor(Matrix<double> a, ThreadPool& pool);

// X^T A [p, k] of X [n, p] and A [n, k].
Matrix<float> transposed_product(const Matrix<float>& x, const Matrix<float>& a, ThreadPool& pool);

}  // namespace faithful::kernels
