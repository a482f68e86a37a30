// Cholesky factorisation of the upper left corner of a matrix, in place and without allocation.
#pragma once
#include <cmath>

#include "saltus/base/base.h"

namespace saltus {

/// Replaces the n x n corner of A by its upper triangular factor R with R^T R = A. False if A is
/// not positive definite to working precision.
inline bool factor_corner(Matrix& A, Eigen::Index n) {
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < j; ++i)
      A(i, j) = (A(i, j) - A.col(i).head(i).dot(A.col(j).head(i))) / A(i, i);
    const double pivot = A(j, j) - A.col(j).head(j).squaredNorm();
    if (!(pivot > 0.0)) return false;
    A(j, j) = std::sqrt(pivot);
  }
  return true;
}

/// y <- (R^T R)^-1 y
inline void solve_corner(const Matrix& R, Eigen::Index n, Out y) {
  for (Eigen::Index i = 0; i < n; ++i) y[i] = (y[i] - R.col(i).head(i).dot(y.head(i))) / R(i, i);
  for (Eigen::Index i = n; i-- > 0;) {
    y[i] /= R(i, i);
    y.head(i) -= y[i] * R.col(i).head(i);
  }
}

}  // namespace saltus
