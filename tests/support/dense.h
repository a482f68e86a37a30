// Decompositions of dense matrices of any size for tests, beside those of saltus/math/dense.h. Each is compiled once: in the
// files that use them Eigen's templates cost 3 to 10 seconds each.
#pragma once
#include <functional>

#include "saltus/base/base.h"

namespace saltus::test {

/// Of any square A.
Eigen::VectorXcd eigenvalues(const Matrix& A);
/// The largest |eigenvalue|.
double spectral_radius(const Matrix& A);
/// The lambda of A x = lambda B x, increasing; A symmetric (the lower triangle is read), B positive definite too.
Vector generalized_values(const Matrix& A, const Matrix& B);
/// Decreasing.
Vector singular_values(const Matrix& A);

double determinant_of(const Matrix& A);
Matrix inverse_of(const Matrix& A);
/// A^-1 b by LU with row exchanges.
Vector solve_by_lu(const Matrix& A, const Vector& b);

/// A^-1 b by A = L L^T, A symmetric positive definite. As b pass a Vector or a Matrix: an expression fits both forms.
Vector solve_by_cholesky(const Matrix& A, const Vector& b);
Matrix solve_by_cholesky(const Matrix& A, const Matrix& B);
/// b -> A^-1 b with one factorisation for all b.
std::function<Vector(const Vector&)> cholesky_solver(const Matrix& A);
/// A^-1 b by A = L D L^T with exchanges, A symmetric semidefinite.
Vector solve_by_ldlt(const Matrix& A, const Vector& b);
Matrix solve_by_ldlt(const Matrix& A, const Matrix& B);

/// By LU with row and column exchanges; pivots below `threshold` of the largest are none.
int rank_of(const Matrix& A, double threshold);
/// Columns that span the x with A x = 0, by the same LU.
Matrix kernel_of(const Matrix& A, double threshold);
Matrix kernel_of(const Matrix& A);  ///< by Eigen's threshold, a little above round-off

Eigen::Matrix4d exponential(const Eigen::Matrix4d& A);

}  // namespace saltus::test
