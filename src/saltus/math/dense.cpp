#include "saltus/math/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

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
  return ranked_solution(A, b, threshold).x;
}

RankedSolution ranked_solution(const Matrix& A, const Vector& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
  solver.setThreshold(threshold);
  solver.compute(A);
  return {solver.solve(b), static_cast<int>(solver.rank()), solver.maxPivot()};
}

bool solve_few(const FewByFew& A, const Few& b, double least, Vector& x) {
  const Eigen::PartialPivLU<FewByFew> lu(A);
  if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > least)) return false;
  x = lu.solve(b);
  return true;
}

Matrix solve_definite(const Matrix& A, const Matrix& B) { return A.ldlt().solve(B); }

Matrix kernel(const Matrix& A, double threshold) {
  Eigen::FullPivLU<Matrix> lu;
  lu.setThreshold(threshold);
  lu.compute(A);
  if (lu.dimensionOfKernel() == 0) return Matrix(A.cols(), 0);
  return lu.kernel();
}

Matrix orthonormal(const Matrix& A) {
  const Eigen::ColPivHouseholderQR<Matrix> qr(A);
  return qr.householderQ() * Matrix::Identity(A.rows(), A.cols());
}

Quaternion turn_between(const Vector3& from, const Vector3& to) {
  const Vector3 a = from.normalized(), b = to.normalized();
  Vector3 axis = a.cross(b);
  if (axis.norm() < 3e-16 && a.dot(b) < 0.0) axis = a.unitOrthogonal();  // any perpendicular axis
  axis.normalize();
  // if a and b are nearly opposite, the product has lost digits
  axis = (axis - a.dot(axis) * a).normalized();
  // cosine and sine of half the angle, each exact to round-off at any angle
  const Vector3 sine = axis * (0.5 * (b - a).norm());
  return {0.5 * (a + b).norm(), sine.x(), sine.y(), sine.z()};
}

}  // namespace saltus
