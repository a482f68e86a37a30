#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "saltus/math/free_rotation.h"

using namespace saltus;

namespace {

Matrix3 inertia(const Vector3& principal, const Vector3& turned = Vector3::Zero()) {
  const Matrix3 R = exp_rotation(turned).toRotationMatrix();
  return R * principal.asDiagonal() * R.transpose();
}

const Quaternion kStart = Quaternion(0.5, 0.1, -0.3, 0.2).normalized();

struct Turn {
  Quaternion Q;
  Vector3 Omega;
};

Turn after(const Matrix3& J, const Vector3& Omega, double h) {
  Turn at{kStart, Omega};
  FreeRotation(J).advance(h, at.Q, at.Omega);
  return at;
}

/// The classical Runge-Kutta method with 80-bit numbers and steps so short that its error is round-off of 64.
Turn integrated(const Matrix3& J, const Vector3& Omega, double h) {
  using Real = long double;
  using Three = Eigen::Matrix<Real, 3, 1>;
  using State = Eigen::Matrix<Real, 7, 1>;
  const Eigen::Matrix<Real, 3, 3> Jl = J.cast<Real>(), inverse = Jl.inverse();
  const auto rate = [&](const State& y) {
    const Three w = y.tail<3>();
    State f;
    f << (-y[1] * w[0] - y[2] * w[1] - y[3] * w[2]) / 2,
        (y[0] * w[0] + y[2] * w[2] - y[3] * w[1]) / 2,
        (y[0] * w[1] + y[3] * w[0] - y[1] * w[2]) / 2,
        (y[0] * w[2] + y[1] * w[1] - y[2] * w[0]) / 2, -inverse * w.cross(Three(Jl * w));
    return f;
  };
  State y;
  y << kStart.w(), kStart.x(), kStart.y(), kStart.z(), Omega[0], Omega[1], Omega[2];
  const int steps = 200 + static_cast<int>(std::ceil(1500.0 * std::abs(h) * Omega.norm()));
  const Real s = static_cast<Real>(h) / steps;
  for (int i = 0; i < steps; ++i) {
    const State a = rate(y), b = rate(y + s / 2 * a), c = rate(y + s / 2 * b), d = rate(y + s * c);
    y += s / 6 * (a + 2 * b + 2 * c + d);
  }
  const auto n = [&](int i) { return static_cast<double>(y[i]); };
  return {Quaternion(n(0), n(1), n(2), n(3)), Vector3(n(4), n(5), n(6))};
}

/// |Q - Q'| of the nearer of two signs.
double apart(const Quaternion& a, const Quaternion& b) {
  return std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm());
}

struct Body {
  const char* name;
  Matrix3 J;
  Vector3 Omega;
};

const Body kBodies[] = {
    {"ball", inertia({2, 2, 2}), {0.3, 1, 0.2}},
    {"long top", inertia({5, 5, 1}), {0.3, 1, 0.2}},
    {"flat top, turned", inertia({1, 1, 1.9}, {0.4, -0.9, 0.3}), {0.3, 1, -0.2}},
    {"about the long axis", inertia({1, 2, 2.5}), {-1, 0.2, 0.1}},
    {"about the short axis", inertia({1, 2, 2.5}), {0.1, 0.2, -1.3}},
    {"beside the middle axis", inertia({1, 2, 3}), {0.01, 1, 0.01}},
    {"close beside the middle axis", inertia({1, 2, 3}), {1e-9, 1, 1e-9}},
    {"about the middle axis", inertia({1, 2, 3}), {0, 2, 0}},
    {"axes in another order", inertia({3, 1.2, 2}), {0.3, -1, -0.2}},
    {"axes turned", inertia({2, 2.1, 3}, {0.5, 0.2, -0.7}), {0.3, 1, 0.2}},
    {"moments that hardly differ", inertia({1, 1 + 1e-9, 1.5}), {0.3, 1, -0.2}},
};

}  // namespace

TEST_CASE("a body without moments is where its equations lead, after any time and backwards") {
  for (const Body& body : kBodies)
    for (const double h : {1e-3, 0.02, 0.3, 2.0, 9.0, -4.0}) {
      CAPTURE(body.name);
      CAPTURE(h);
      const Turn exact = integrated(body.J, body.Omega, h), at = after(body.J, body.Omega, h);
      // beside the middle axis motions part by exp(0.6 |Omega| t), round-off of the start with them
      const double parting = std::exp(0.6 * std::abs(h) * body.Omega.norm());
      CHECK(apart(at.Q, exact.Q) <= 4e-15 * parting);
      CHECK((at.Omega - exact.Omega).norm() <= 4e-15 * parting * body.Omega.norm());
    }
}

TEST_CASE("energy and momentum of a free body stay to round-off over 100 000 turns of any length") {
  for (const Body& body : kBodies)
    for (const double h : {1e-3, 0.1, 1.0}) {
      CAPTURE(body.name);
      CAPTURE(h);
      const FreeRotation free(body.J);
      Turn at{kStart, body.Omega};
      for (int k = 0; k < 100'000; ++k) free.advance(h, at.Q, at.Omega);
      const Vector3 L0 = kStart * (body.J * body.Omega), L = at.Q * (body.J * at.Omega);
      const double T0 = body.Omega.dot(body.J * body.Omega), T = at.Omega.dot(body.J * at.Omega);
      CHECK(std::abs(T / T0 - 1.0) <= 5e-11);
      CHECK((L - L0).norm() <= 5e-11 * L0.norm());
      CHECK(std::abs(at.Q.norm() - 1.0) <= 1e-15);
    }
}

TEST_CASE("a body near its middle axis flips with the period of Jacobi's functions") {
  // 4 K(k)/rate of J = (1, 2, 3), Omega = (0.01, 1, 0.01), K by arithmetic-geometric means
  const Matrix3 J = inertia({1, 2, 3});
  const Vector3 Omega(0.01, 1.0, 0.01), L = J * Omega;
  const double p = 0.5, r = 1.0 / 6.0, s = p + r;
  const double A1 = std::sqrt(L[0] * L[0] + r / s * L[1] * L[1]),
               A3 = std::sqrt(L[2] * L[2] + p / s * L[1] * L[1]);
  const bool about_3 = p * A1 * A1 <= r * A3 * A3;
  const double k2 = about_3 ? p * A1 * A1 / (r * A3 * A3) : r * A3 * A3 / (p * A1 * A1);
  double a = 1.0, b = std::sqrt(1.0 - k2);
  for (int i = 0; i < 20; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  const double rate = about_3 ? A3 * std::sqrt(r * s) : A1 * std::sqrt(p * s);
  const double period = 2.0 * std::numbers::pi / (a * rate);
  CHECK(period == doctest::Approx(39.1057).epsilon(1e-5));
  CHECK((after(J, Omega, period).Omega - Omega).norm() <= 1e-11);
  CHECK((after(J, Omega, 0.5 * period).Omega + Omega - 2.0 * Vector3(0, 0, Omega[2])).norm() <=
        1e-2);
}

TEST_CASE("a body at rest stays at rest, and one that turns too far says so by not a number") {
  const Matrix3 J = inertia({1, 2, 3});
  for (const Vector3& Omega : {Vector3(0, 0, 0), Vector3(1e-200, -1e-200, 1e-180)}) {
    const Turn at = after(J, Omega, 10.0);
    CHECK(at.Q.coeffs() == kStart.coeffs());
    CHECK(at.Omega == Omega);
  }
  CHECK(std::isnan(after(J, {1e3, 2e3, 1e3}, 1e7).Omega.norm()));
  CHECK(std::isnan(after(J, {1, NAN, 1}, 1.0).Omega.norm()));
}
