// Families of contact problems with known properties, for the tests and benchmarks of the solvers.
#pragma once
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "saltus/contact/residual.h"

namespace saltus::testing {

/// A W that is the same in every step, held as a matrix [1/kg].
class ConstantDelassus final : public Delassus {
 public:
  explicit ConstantDelassus(Matrix W) : W_(std::move(W)) {}
  int rows() const override { return static_cast<int>(W_.rows()); }
  bool symmetric() const override { return true; }
  bool constant() const override { return true; }
  double entry(int i, int j) const override { return W_(i, j); }
  void column(int j, double p, Out u) const override { u += p * W_.col(j); }
  void apply(View p, Out u) const override {
    u.setZero();
    for (int j = 0; j < rows(); ++j)
      if (p[j] != 0.0) u += p[j] * W_.col(j);
  }
  const Matrix& matrix() const { return W_; }

 private:
  Matrix W_;
};

/// Laws and ids of n unilateral rows, the first `equalities` of them made equality rows.
struct Rows {
  explicit Rows(int n, int equalities = 0) : laws(static_cast<std::size_t>(n)), ids(laws.size()) {
    std::iota(ids.begin(), ids.end(), 0);
    for (int i = 0; i < n; ++i)
      laws[static_cast<std::size_t>(i)] = {
          .kind = i < equalities ? LawKind::equality : LawKind::unilateral, .first = i};
  }
  std::vector<Law> laws;
  std::vector<int> ids;
};

/// Points of a string, held at both ends, along which neighbouring rows are nearly parallel:
///     W = S B S^T,  S_ij = sqrt(2/(n + 1)) sin(pi i j/(n + 1)),  B_j = 1/(1 + (j/stiff)^2) [1/kg]
/// Small `stiff`: every point reacts as the whole string. Fewer modes than points: semidefinite.
inline Matrix string_delassus(int points, int modes, double stiff) {
  Matrix S(points, modes);
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < modes; ++j) {
      const double angle = std::numbers::pi * (i + 1) * (j + 1) / (points + 1);
      S(i, j) =
          std::sqrt(2.0 / (points + 1) / (1.0 + std::pow((j + 1) / stiff, 2))) * std::sin(angle);
    }
  Matrix W = S * S.transpose();
  return 0.5 * (W + W.transpose());
}

/// W = G G^T/n + shift, G normal n x rank.
inline Matrix random_delassus(int n, int rank, double shift, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix G(n, rank);
  for (int j = 0; j < rank; ++j)
    for (int i = 0; i < n; ++i) G(i, j) = normal(random);
  Matrix W = G * G.transpose() / n;
  W.diagonal().array() += shift;
  return 0.5 * (W + W.transpose());
}

/// The solution (p, u) pushes on the points closer than `half` to `centre` and lifts off elsewhere:
///     p = 1 - s^2/half^2,   u = 1e-3 (s^2/half^2 - 1)   with s = |i - centre|  [N s, m/s]
/// b = u - W p hands it to the solver as a problem.
struct Region {
  Vector p, u, b;
};
inline Region region(const Matrix& W, double centre, double half) {
  const auto n = W.rows();
  Region r{Vector::Zero(n), Vector::Zero(n), Vector::Zero(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const double s = (static_cast<double>(i) - centre) / half, rest = 1.0 - s * s;
    if (rest > 0.0)
      r.p[i] = rest;
    else
      r.u[i] = -1e-3 * rest;
  }
  r.b = r.u - W * r.p;
  return r;
}

}  // namespace saltus::testing
