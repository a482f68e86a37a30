// Pendulums that hit stops, and their motion by an independent method in long double.
#pragma once
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "contacts.h"
#include "saltus/bodies/auto_model.h"

namespace saltus::test {

/// A bob on a rod without mass: angle from the vertical, its point in the plane y = 0.
struct Pendulum {
  static constexpr int size = 1, points = 1;
  static constexpr bool constant_mass = true, symmetric = true;
  double m = 1.0, l = 1.0, g = 9.81;

  auto kinetic(const auto&, const auto& v) const { return 0.5 * m * l * l * v[0] * v[0]; }
  auto potential(const auto& q) const {
    using std::cos;
    return -m * g * l * cos(q[0]);
  }
  void point(int, const auto& q, auto& x) const {
    using std::cos, std::sin;
    x[0] = l * sin(q[0]);
    x[1] = 0.0 * q[0];
    x[2] = -l * cos(q[0]);
  }
};

/// Two of them, angles from the vertical; the points are the bobs.
struct DoublePendulum {
  static constexpr int size = 2, points = 2;
  static constexpr bool constant_mass = false, symmetric = true;
  double m1 = 1.0, m2 = 0.2, l1 = 1.0, l2 = 0.5, g = 9.81;

  auto kinetic(const auto& q, const auto& v) const {
    using std::cos;
    return 0.5 * (m1 + m2) * l1 * l1 * v[0] * v[0] + 0.5 * m2 * l2 * l2 * v[1] * v[1] +
           m2 * l1 * l2 * cos(q[0] - q[1]) * v[0] * v[1];
  }
  auto potential(const auto& q) const {
    using std::cos;
    return -(m1 + m2) * g * l1 * cos(q[0]) - m2 * g * l2 * cos(q[1]);
  }
  void point(int i, const auto& q, auto& x) const {
    using std::cos, std::sin;
    x[0] = l1 * sin(q[0]);
    x[1] = 0.0 * q[0];
    x[2] = -l1 * cos(q[0]);
    if (i == 1) {
      x[0] = x[0] + l2 * sin(q[1]);
      x[2] = x[2] - l2 * cos(q[1]);
    }
  }
};

/// Motion with one frictionless stop: n coordinates, then n rates. Runge-Kutta's method of order 4 in steps that see every
/// dip of the gap, impacts by bisection.
template <std::size_t N>
struct StoppedMotion {
  using Real = long double;
  using Pair = std::array<Real, 2 * N>;
  struct Impact {
    Real t, rate;  ///< [s], of the gap before it [m/s]
    Real behind;   ///< how long the motion would have stayed behind the stop [s]
  };
  std::function<Pair(const Pair&)> rates;
  std::function<Real(const Pair&)> gap, gap_rate;
  std::function<void(Pair&)> strike;
  Real step = 1e-3L;

  Real t = 0.0L;
  Pair y{};
  std::vector<Impact> impacts;
  Real nearest = 1e9L;  ///< least gap at which it turned back without touching [m]

  Pair moved(const Pair& from, Real h) const {
    const auto ahead = [&](Real a, const Pair& k) {
      Pair z = from;
      for (std::size_t i = 0; i < 2 * N; ++i) z[i] += a * k[i];
      return z;
    };
    const Pair k1 = rates(from), k2 = rates(ahead(0.5L * h, k1)), k3 = rates(ahead(0.5L * h, k2)),
               k4 = rates(ahead(h, k3));
    Pair z = from;
    for (std::size_t i = 0; i < 2 * N; ++i)
      z[i] += h / 6.0L * (k1[i] + 2.0L * (k2[i] + k3[i]) + k4[i]);
    return z;
  }
  void to(Real end) {
    const auto behind = [this](const Pair& z) { return gap(z) < 0.0L && gap_rate(z) < 0.0L; };
    while (t < end) {
      const Real h = std::min(step, end - t);
      const Pair z = moved(y, h);
      if (!behind(z)) {
        if (gap_rate(y) < 0.0L && gap_rate(z) >= 0.0L) nearest = std::min(nearest, gap(z));
        y = z;
        t += h;
        continue;
      }
      Real low = 0.0L, high = h;
      for (int i = 0; i < 80; ++i) {
        const Real middle = 0.5L * (low + high);
        (behind(moved(y, middle)) ? high : low) = middle;
      }
      y = moved(y, high);
      t += high;
      Pair free = moved(y, step);
      Real stay = step;
      for (; gap(free) < 0.0L && stay < 5.0L; stay += step) free = moved(free, step);
      impacts.push_back({t, gap_rate(y), stay});
      strike(y);
    }
  }
};

/// From rest at angle `start`, its angle at most `stop`.
inline StoppedMotion<1> stopped_pendulum(long double start, long double stop, long double e,
                                         const Pendulum& p = {}) {
  using Motion = StoppedMotion<1>;
  const long double k = static_cast<long double>(p.g) / p.l;
  Motion motion;
  motion.rates = [k](const Motion::Pair& y) { return Motion::Pair{y[1], -k * std::sin(y[0])}; };
  motion.gap = [stop](const Motion::Pair& y) { return stop - y[0]; };
  motion.gap_rate = [](const Motion::Pair& y) { return -y[1]; };
  motion.strike = [e](Motion::Pair& y) { y[1] *= -e; };
  motion.y = {start, 0.0L};
  return motion;
}

/// From rest at these angles, the lower bob at most at x = wall.
inline StoppedMotion<2> stopped_double_pendulum(long double a, long double b, long double wall,
                                                long double e, const DoublePendulum& p = {}) {
  using Motion = StoppedMotion<2>;
  using Real = long double;
  const Real m1 = p.m1, m2 = p.m2, l1 = p.l1, l2 = p.l2, g = static_cast<Real>(p.g);
  /// M^-1 f
  const auto solve = [=](Real a_b, Real f1, Real f2) {
    const Real M11 = (m1 + m2) * l1 * l1, M12 = m2 * l1 * l2 * std::cos(a_b), M22 = m2 * l2 * l2,
               D = M11 * M22 - M12 * M12;
    return std::array{(M22 * f1 - M12 * f2) / D, (M11 * f2 - M12 * f1) / D};
  };
  Motion motion;
  motion.rates = [=](const Motion::Pair& y) {
    const Real s = m2 * l1 * l2 * std::sin(y[0] - y[1]);
    const auto [x1, x2] = solve(y[0] - y[1], -s * y[3] * y[3] - (m1 + m2) * g * l1 * std::sin(y[0]),
                                s * y[2] * y[2] - m2 * g * l2 * std::sin(y[1]));
    return Motion::Pair{y[2], y[3], x1, x2};
  };
  motion.gap = [=](const Motion::Pair& y) {
    return wall - l1 * std::sin(y[0]) - l2 * std::sin(y[1]);
  };
  motion.gap_rate = [=](const Motion::Pair& y) {
    return -l1 * std::cos(y[0]) * y[2] - l2 * std::cos(y[1]) * y[3];
  };
  motion.strike = [=](Motion::Pair& y) {
    const Real n1 = -l1 * std::cos(y[0]), n2 = -l2 * std::cos(y[1]);
    const auto [i1, i2] = solve(y[0] - y[1], n1, n2);
    const Real P = -(1.0L + e) * (n1 * y[2] + n2 * y[3]) / (n1 * i1 + n2 * i2);
    y[2] += i1 * P;
    y[3] += i2 * P;
  };
  motion.y = {a, b, 0.0L, 0.0L};
  return motion;
}

}  // namespace saltus::test
