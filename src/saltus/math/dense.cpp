#include "saltus/math/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace saltus {

SymmetricPairs symmetric_pairs(const Matrix& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricPairs symmetric_pairs(const Matrix& A, const Matrix& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(A, B);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector symmetric_values(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Vector3 symmetric_values(const Matrix3& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

bool cholesky_lower(Matrix& A) {
  return Eigen::LLT<Eigen::Ref<Matrix>>(A).info() == Eigen::Success;
}

void solve_lower(const Matrix& L, Eigen::Ref<Matrix> X) {
  L.triangularView<Eigen::Lower>().solveInPlace(X);
}

Matrix least_squares(const Matrix& A, const Matrix& B) { return A.colPivHouseholderQr().solve(B); }

Vector shortest_solution(const Matrix& A, const Vector& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
  solver.setThreshold(threshold);
  return solver.compute(A).solve(b);
}

Quaternion turn_between(const Vector3& from, const Vector3& to) {
  return Quaternion::FromTwoVectors(from, to);
}

}  // namespace saltus
