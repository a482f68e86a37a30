#include "saltus/statics/stability.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

constexpr int kVectors = 4, kMostRounds = 12;
// Relative change of the lowest eigenvalue at which the iteration ends; its sign is what counts.
constexpr double kSettledValue = 1e-3;

void apply(const Dynamics& body, Combination s, double t, View q, const Vector& none,
           const Matrix& X, Matrix& Y) {
  Vector y(X.rows());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    body.multiply(s, t, q, none, X.col(j), y);
    Y.col(j) = y;
  }
}

}  // namespace

// X <- A^-1 M X, then the eigenvalues theta of  X^T K X y = theta X^T M X y.
Stability stability_of(const Dynamics& body, double t, View q, const Factor& A, double scale) {
  const Eigen::Index n = body.velocities(), k = std::min<Eigen::Index>(kVectors, n);
  Stability found;
  if (n == 0) return found;
  const Vector none = Vector::Zero(n);
  Matrix X(n, k), MX(n, k), KX(n, k);
  for (Eigen::Index j = 0; j < k; ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      X(i, j) =
          std::sin(1.0 + static_cast<double>(j) + 2.399963 * static_cast<double>(i * (j + 1)));
  for (int round = 0; round < kMostRounds; ++round) {
    apply(body, {1.0, 0.0, 0.0}, t, q, none, X, MX);
    X = scale * MX;
    solve(A, X);
    if (!X.allFinite()) return found;
    for (Eigen::Index j = 0; j < k; ++j) X.col(j).normalize();
    apply(body, {1.0, 0.0, 0.0}, t, q, none, X, MX);
    apply(body, {0.0, 0.0, 1.0}, t, q, none, X, KX);
    Matrix K = X.transpose() * KX;
    K = (0.5 * (K + K.transpose())).eval();
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> of(K, X.transpose() * MX);
    if (of.info() != Eigen::Success) return found;
    const double before = found.lowest;
    found.lowest = of.eigenvalues()[0];
    found.negative = static_cast<int>((of.eigenvalues().array() < 0.0).count());
    if (round > 0 && std::abs(found.lowest - before) <= kSettledValue * std::abs(found.lowest))
      break;
    X = (X * of.eigenvectors()).eval();
  }
  return found;
}

}  // namespace saltus
