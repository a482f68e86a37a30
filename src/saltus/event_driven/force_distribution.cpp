#include "saltus/event_driven/force_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "saltus/event_driven/constraint_rows.h"
#include "saltus/math/dense.h"

namespace saltus {
namespace {

/// Pivot threshold for directions in which forces are free, and the smallest component that makes a
/// contact a part of one.
constexpr double kNull = 1e-10, kIn = 1e-6;

/// Last tau. Its remaining effect is extrapolated along the path.
constexpr double kLastTau = 1e-9, kNextTau = 0.1;
constexpr int kMostNewton = 60;
/// Newton decrements at which a point is close enough for the next tau, and at which only round-off
/// remains.
constexpr double kFollows = 1e-2, kCentred = 1e-22;

/// Margin of one law at z = (y, phi): a = a_0 + A z, and for cones T = T_0 + B z. Its logarithm is
/// log(a - |T|)(a + |T|).
struct LawBarrier {
  double a = 0.0;
  Vector A, T;
  Matrix B;

  double left(const Vector& z) const { return a + A.dot(z) - (T + B * z).norm(); }
  double value(const Vector& z) const {
    const double x = a + A.dot(z), t = (T + B * z).norm();
    if (!(x > t)) return -std::numeric_limits<double>::infinity();
    return T.size() > 0 ? std::log(x - t) + std::log(x + t) : std::log(x);
  }
  void add(const Vector& z, Vector& slope, Matrix& bend) const {
    const double x = a + A.dot(z);
    if (T.size() == 0) {
      slope += A / x;
      bend.noalias() -= A * A.transpose() / (x * x);
      return;
    }
    const Vector at = T + B * z;
    const double b = (x - at.norm()) * (x + at.norm());
    const Vector rise = x * A - B.transpose() * at;  // half of grad b
    slope += 2.0 / b * rise;
    bend.noalias() +=
        2.0 / b * (A * A.transpose() - B.transpose() * B) - 4.0 / (b * b) * rise * rise.transpose();
  }
};

/// F(z) = phi/tau + sum of log - |lambda|^2/2, with forces relative to their magnitude. phi is the
/// last component of z, or is fixed.
class RoomPath {
 public:
  RoomPath(const Vector& lambda_0, const Matrix& K, std::span<const ForceLimit> laws)
      : lambda_(lambda_0), K_(K) {
    const auto k = K.cols();
    for (const ForceLimit& law : laws) {
      LawBarrier one;
      one.A.setZero(k + 1);
      const bool cone = law.kind == ForceLimit::Kind::cone;
      const int first = law.first + (cone ? 1 : 0), tangents = law.size - (cone ? 1 : 0);
      if (law.kind == ForceLimit::Kind::bounded) {
        one.a = law.bound;
      } else {
        const double mu = cone ? law.bound : 1.0;
        one.a = mu * lambda_0[law.first];
        one.A.head(k) = mu * K.row(law.first).transpose();
      }
      one.A[k] = -1.0;
      if (law.kind != ForceLimit::Kind::unilateral) {
        one.T = lambda_0.segment(first, tangents);
        one.B.setZero(tangents, k + 1);
        one.B.leftCols(k) = K.middleRows(first, tangents);
      } else {
        one.B.setZero(0, k + 1);
      }
      laws_.push_back(std::move(one));
    }
    z_.setZero(k + 1);
    double left = std::numeric_limits<double>::infinity();
    for (const LawBarrier& law : laws_) left = std::min(left, law.left(z_));
    z_[k] = std::min(left, 0.0) - 1.0;
    LawBarrier most;  // phi <= 1; otherwise forces that cancel each other are unbounded
    most.a = 1.0;
    most.A = -Vector::Unit(k + 1, k);
    most.B.setZero(0, k + 1);
    laws_.push_back(std::move(most));
  }

  double phi() const { return z_[K_.cols()]; }
  Vector lambda() const { return lambda_ + K_ * z_.head(K_.cols()); }

  /// Moves to the largest F by Newton's method.
  void climb(double tau, double decrement, bool held) {
    const auto n = z_.size(), free = held ? n - 1 : n;
    double last = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kMostNewton; ++round) {
      slope_.setZero(n);
      bend_.setZero(n, n);
      for (const LawBarrier& law : laws_) law.add(z_, slope_, bend_);
      slope_[n - 1] += 1.0 / tau;
      slope_.head(n - 1) -= K_.transpose() * lambda();
      bend_.topLeftCorner(n - 1, n - 1) -= K_.transpose() * K_;
      const Vector step = solve_definite(-bend_.topLeftCorner(free, free), slope_.head(free));
      const double size = slope_.head(free).dot(step);
      // A step that is only round-off no longer shrinks.
      if (!(size > decrement) || (size < kFollows && size > 0.5 * last)) return;
      last = size;
      const double here = value(z_, tau);
      double length = 1.0;
      Vector next = z_;
      for (;; length *= 0.5) {
        if (length < 1e-12) return;
        next.head(free) = z_.head(free) + length * step;
        if (value(next, tau) >= here + 0.1 * length * size - 1e-12 * std::abs(here)) break;
      }
      z_ = next;
    }
  }
  /// Fixes phi at 0.
  void hold() { z_[K_.cols()] = 0.0; }

 private:
  double value(const Vector& z, double tau) const {
    const auto k = K_.cols();
    double sum = z[k] / tau - 0.5 * (lambda_ + K_ * z.head(k)).squaredNorm();
    for (const LawBarrier& law : laws_) sum += law.value(z);
    return sum;
  }

  const Vector lambda_;
  const Matrix K_;
  std::vector<LawBarrier> laws_;
  Vector z_, slope_;
  Matrix bend_;
};

}  // namespace

// K of A K = 0, with A scaled to ones on its diagonal. Columns that have a mode in common form one
// group.
std::vector<RedundantGroup> redundant_groups(Matrix A, std::span<const std::size_t> mode_of_row) {
  std::vector<RedundantGroup> found;
  const Vector scale = diagonal_scale(A);
  A = scale.asDiagonal() * A * scale.asDiagonal();
  const Matrix free = scale.asDiagonal() * kernel(A, kNull);
  if (free.cols() == 0) return found;
  // 1 more than the group of each mode, 0: none; the columns of each group
  std::vector<std::size_t> group_of(mode_of_row.back() + 1);
  std::vector<std::vector<Eigen::Index>> columns;
  for (Eigen::Index j = 0; j < free.cols(); ++j) {
    const double least = kIn * free.col(j).cwiseAbs().maxCoeff();
    columns.push_back({j});
    const std::size_t now = columns.size();
    for (std::size_t r = 0; r < mode_of_row.size(); ++r) {
      std::size_t& group = group_of[mode_of_row[r]];
      if (std::abs(free(static_cast<Eigen::Index>(r), j)) < least || group == now) continue;
      if (const std::size_t other = group; other != 0) {
        auto& mine = columns[now - 1];
        mine.insert(mine.end(), columns[other - 1].begin(), columns[other - 1].end());
        columns[other - 1].clear();
        std::ranges::replace(group_of, other, now);
      }
      group = now;
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].empty()) continue;
    RedundantGroup group;
    std::ranges::sort(columns[c]);
    for (std::size_t r = 0; r < mode_of_row.size(); ++r) {
      const std::size_t k = mode_of_row[r];
      if (group_of[k] != c + 1) continue;
      if (group.modes.empty() || group.modes.back() != k) group.modes.push_back(k);
      group.rows.push_back(static_cast<Eigen::Index>(r));
    }
    group.K = orthonormal(free(group.rows, columns[c]));
    found.push_back(std::move(group));
  }
  return found;
}

double least_margin(const Vector& lambda, std::span<const ForceLimit> laws) {
  double least = std::numeric_limits<double>::infinity();
  for (const ForceLimit& law : laws) {
    const double a = law.kind == ForceLimit::Kind::bounded ? law.bound : lambda[law.first];
    switch (law.kind) {
      case ForceLimit::Kind::unilateral:
        least = std::min(least, a);
        break;
      case ForceLimit::Kind::cone:
        least = std::min(
            {least, a, law.bound * a - lambda.segment(law.first + 1, law.size - 1).norm()});
        break;
      case ForceLimit::Kind::bounded:
        least = std::min(least, a - lambda.segment(law.first, law.size).norm());
        break;
    }
  }
  return least;
}

DistributedForces distribute_forces(const Vector& lambda_0, const Matrix& K,
                                    std::span<const ForceLimit> laws, bool exact) {
  const double size = lambda_0.cwiseAbs().maxCoeff();
  if (!(size > 0.0)) return {0.0, lambda_0};
  std::vector<ForceLimit> scaled(laws.begin(), laws.end());
  for (ForceLimit& law : scaled)
    if (law.kind == ForceLimit::Kind::bounded) law.bound /= size;
  RoomPath room(lambda_0 / size, K, scaled);
  double last = room.phi();
  for (double tau = 1.0; tau >= 0.99 * kLastTau; tau *= kNextTau) {
    last = room.phi();
    room.climb(tau, kFollows * kFollows, false);
    if (!exact && room.phi() > 0.0) break;
  }
  // phi(tau) = phi - c tau + O(tau^2)
  double phi = room.phi();
  if (exact || !(phi > 0.0)) phi += (phi - last) * kNextTau / (1.0 - kNextTau);
  if (room.phi() > 0.0) {
    room.hold();
    room.climb(1.0, kCentred, true);
  }
  return {phi, size * room.lambda()};
}

}  // namespace saltus
