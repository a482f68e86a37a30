#include "support/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <memory>

#include "saltus/math/dense.h"

namespace saltus::test {

Eigen::VectorXcd eigenvalues(const Matrix& A) {
  return Eigen::EigenSolver<Matrix>(A, false).eigenvalues();
}

double spectral_radius(const Matrix& A) { return eigenvalues(A).cwiseAbs().maxCoeff(); }

Vector generalized_values(const Matrix& A, const Matrix& B) {
  Matrix L = B, C = A.selfadjointView<Eigen::Lower>();
  cholesky_lower(L);
  solve_lower(L, C);
  C.transposeInPlace();
  solve_lower(L, C);
  return symmetric_values(C);
}

// [0 A; A^T 0] has plus and minus the singular values, and zeros; they come increasing
Vector singular_values(const Matrix& A) {
  const Eigen::Index m = A.rows(), n = A.cols();
  Matrix both = Matrix::Zero(m + n, m + n);
  both.bottomLeftCorner(n, m) = A.transpose();
  return symmetric_values(both).tail(std::min(m, n)).reverse().cwiseMax(0.0);
}

double determinant_of(const Matrix& A) { return A.determinant(); }

Matrix inverse_of(const Matrix& A) { return A.inverse(); }

Vector solve_by_lu(const Matrix& A, const Vector& b) { return A.partialPivLu().solve(b); }

Vector solve_by_cholesky(const Matrix& A, const Vector& b) { return A.llt().solve(b); }

Matrix solve_by_cholesky(const Matrix& A, const Matrix& B) { return A.llt().solve(B); }

std::function<Vector(const Vector&)> cholesky_solver(const Matrix& A) {
  const auto factor = std::make_shared<const Eigen::LLT<Matrix>>(A);
  return [factor](const Vector& b) -> Vector { return factor->solve(b); };
}

Vector solve_by_ldlt(const Matrix& A, const Vector& b) { return A.ldlt().solve(b); }

Matrix solve_by_ldlt(const Matrix& A, const Matrix& B) { return A.ldlt().solve(B); }

int rank_of(const Matrix& A, double threshold) {
  return static_cast<int>(Eigen::FullPivLU<Matrix>(A).setThreshold(threshold).rank());
}

Matrix kernel_of(const Matrix& A, double threshold) {
  return Eigen::FullPivLU<Matrix>(A).setThreshold(threshold).kernel();
}

Matrix kernel_of(const Matrix& A) { return A.fullPivLu().kernel(); }

// (exp(A / 2^k))^(2^k) with the series to its 20th term, at |A / 2^k| <= 1/2 far below round-off
Eigen::Matrix4d exponential(const Eigen::Matrix4d& A) {
  const int k = std::max(0, std::ilogb(A.norm()) + 2);
  Eigen::Matrix4d E = Eigen::Matrix4d::Identity();
  for (int n = 20; n >= 1; --n)
    E = Eigen::Matrix4d::Identity() + (A * E).eval() / (n * std::ldexp(1.0, k));
  for (int i = 0; i < k; ++i) E = (E * E).eval();
  return E;
}

}  // namespace saltus::test
