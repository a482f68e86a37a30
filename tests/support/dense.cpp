#include "support/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <memory>
#include <unsupported/Eigen/MatrixFunctions>

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

Vector singular_values(const Matrix& A) { return Eigen::JacobiSVD<Matrix>(A).singularValues(); }

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

Eigen::Matrix4d exponential(const Eigen::Matrix4d& A) { return A.exp(); }

}  // namespace saltus::test
