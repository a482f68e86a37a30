// The motion of a body without contact to almost all digits, by a method that no scheme of the program uses.
//
// Gragg, Bulirsch and Stoer on y = (q, v): the modified midpoint rule with 2, 4, ..., 2 k substeps of a large step H,
// extrapolated in the square of the substep; order 2 k.
#pragma once
#include <array>

#include "one_group.h"

namespace saltus::test {

class ReferenceMotion {
 public:
  explicit ReferenceMotion(std::shared_ptr<const Dynamics> body) : body_(std::move(body)) {}

  /// (q, v) carried from t0 to t1 in `steps` large steps. Vector spaces only.
  void carry(Vector& q, Vector& v, double t0, double t1, int steps) const {
    const Eigen::Index n = q.size();
    Vector y(2 * n);
    y << q, v;
    const double H = (t1 - t0) / steps;
    for (int i = 0; i < steps; ++i) y = large_step(t0 + i * H, y, H);
    q = y.head(n);
    v = y.tail(n);
  }

 private:
  static constexpr int kColumns = 5;  ///< more of them amplify round-off

  Vector rate(double t, const Vector& y) const {
    const Eigen::Index n = y.size() / 2;
    const Vector q = y.head(n), v = y.tail(n);
    Vector a(n), out(2 * n);
    body_->force(t, q, v, a);
    Factor M;
    body_->factorise({1.0, 0.0, 0.0}, 0.0, q, v, M);
    solve(M, a);
    out << v, a;
    return out;
  }

  Vector modified_midpoint(double t, const Vector& y, double H, int substeps) const {
    const double h = H / substeps;
    Vector before = y, now = y + h * rate(t, y);
    for (int i = 1; i < substeps; ++i) {
      Vector next = before + 2.0 * h * rate(t + i * h, now);
      before.swap(now);
      now.swap(next);
    }
    return 0.5 * (before + now + h * rate(t + H, now));
  }

  // T_jk = T_j,k-1 + (T_j,k-1 - T_j-1,k-1) / ((n_j/n_j-k)^2 - 1); row[k] holds the newest T_.k
  Vector large_step(double t, const Vector& y, double H) const {
    std::array<Vector, kColumns> row;
    for (int j = 0; j < kColumns; ++j) {
      Vector value = modified_midpoint(t, y, H, 2 * (j + 1));
      for (int k = 1; k <= j; ++k) {
        Vector& coarse = row[static_cast<std::size_t>(k - 1)];
        const double ratio = (j + 1.0) / (j - k + 1.0);
        Vector better = value + (value - coarse) / (ratio * ratio - 1.0);
        coarse.swap(value);
        value.swap(better);
      }
      row[static_cast<std::size_t>(j)] = value;
    }
    return row.back();
  }

  std::shared_ptr<const Dynamics> body_;
};

}  // namespace saltus::test
