// What tests of bodies share: differences, and a Runge-Kutta motion that owes nothing to the schemes.
#pragma once
#include <cmath>
#include <functional>

#include "saltus/dynamics/dynamics.h"

namespace saltus::test {

/// df/dx at x by central differences, column by column.
inline Matrix slope(const std::function<Vector(const Vector&)>& f, Vector x, double step = 1e-5) {
  Matrix D(f(x).size(), x.size());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double at = x[j];
    x[j] = at + step;
    const Vector up = f(x);
    x[j] = at - step;
    D.col(j) = (up - f(x)) / (2.0 * step);
    x[j] = at;
  }
  return D;
}

inline double largest(const Matrix& A) { return A.size() == 0 ? 0.0 : A.cwiseAbs().maxCoeff(); }

inline Vector force(const Dynamics& body, double t, const Vector& q, const Vector& v) {
  Vector f(body.velocities());
  body.force(t, q, v, f);
  return f;
}

/// m M + c C + k K, through multiply.
inline Matrix matrix(const Dynamics& body, Combination s, const Vector& q, const Vector& v,
                     double t = 0.0) {
  const int n = body.velocities();
  Matrix A(n, n);
  for (int j = 0; j < n; ++j) {
    const Vector x = Vector::Unit(n, j);
    Vector y(n);
    body.multiply(s, t, q, v, x, y);
    A.col(j) = y;
  }
  return A;
}

inline Vector acceleration(const Dynamics& body, double t, const Vector& q, const Vector& v) {
  Vector a = force(body, t, q, v);
  Factor M;
  body.factorise({1.0, 0.0, 0.0}, t, q, v, M);
  solve(M, a);
  return a;
}

/// (q, v) carried from t0 to t1 by the classical Runge-Kutta method of order four.
inline void carry(const Dynamics& body, Vector& q, Vector& v, double t0, double t1, int steps) {
  const double h = (t1 - t0) / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = t0 + i * h;
    const Vector a1 = acceleration(body, t, q, v);
    const Vector v2 = v + 0.5 * h * a1;
    const Vector a2 = acceleration(body, t + 0.5 * h, q + 0.5 * h * v, v2);
    const Vector v3 = v + 0.5 * h * a2;
    const Vector a3 = acceleration(body, t + 0.5 * h, q + 0.5 * h * v2, v3);
    const Vector v4 = v + h * a3;
    const Vector a4 = acceleration(body, t + h, q + h * v3, v4);
    q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
}

inline Vector powers(const Dynamics& body, double t, const Vector& q, const Vector& v,
                     const Vector& w, std::optional<double> held = 0.0) {
  Vector p(static_cast<Eigen::Index>(body.sources().size()));
  body.power(t, held, q, v, w, {p.data(), body.sources().size()});
  return p;
}

/// Power of the sources without a potential along the motion: what changes the energy.
inline double input(const Dynamics& body, double t, const Vector& q, const Vector& v) {
  const Vector p = powers(body, t, q, v, v, {});
  double sum = 0.0;
  for (std::size_t s = 0; s < body.sources().size(); ++s)
    if (!body.sources()[s].potential) sum += p[static_cast<Eigen::Index>(s)];
  return sum;
}

/// dE/dt along the motion, by differences of energy().
inline double energy_rate(const Dynamics& body, double t, const Vector& q, const Vector& v,
                          double step = 1e-5) {
  double E[2];
  for (int side : {0, 1}) {
    const double to = side == 0 ? -step : step;
    Vector x = q, u = v;
    carry(body, x, u, t, t + to, 1);
    E[side] = body.energy(t + to, x, u).total();
  }
  return (E[1] - E[0]) / (2.0 * step);
}

}  // namespace saltus::test
