// Rotations against their series in 113 bits, from angle 0 to 2 pi.
#include "saltus/math/rotation.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "saltus/math/dense.h"

using namespace saltus;

namespace {

#ifdef __SIZEOF_FLOAT128__
using Wide = __float128;
#else
using Wide = long double;
#endif
using Wide3 = std::array<Wide, 3>;

const Wide kPi =
    Wide(3.141592653589793116) + Wide(1.2246467991473532e-16) + Wide(-2.9947698097183397e-33);

double narrow(Wide x) { return static_cast<double>(x); }
Wide3 wide(const Vector3& a) { return {a.x(), a.y(), a.z()}; }

Wide root(Wide a) {
  Wide x = std::sqrt(narrow(a));
  for (int k = 0; k < 4 && x > 0; ++k) x = (x + a / x) / 2;
  return x;
}
Wide dot(const Wide3& a, const Wide3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Wide length(const Wide3& a) {
  Wide largest = 0;
  for (Wide c : a) largest = std::max(largest, c < 0 ? -c : c);
  if (largest == 0) return 0;
  return largest * root(dot({a[0] / largest, a[1] / largest, a[2] / largest},
                            {a[0] / largest, a[1] / largest, a[2] / largest}));
}
Wide3 cross(const Wide3& a, const Wide3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// sum_k (-1)^k a^(2k) / (2k + m)!
Wide series(Wide a, int m) {
  Wide term = 1;
  for (int i = 2; i <= m; ++i) term /= i;
  Wide sum = term;
  for (int k = 1; k < 60; ++k) {
    term *= -a * a / ((2 * k + m) * (2 * k + m - 1));
    sum += term;
  }
  return sum;
}
Wide cosine(Wide a) { return series(a, 0); }
Wide sinc(Wide a) { return series(a, 1); }

/// (1 - x cot x)/(4 x^2) with x = a/2; near x = pi by the distance to it, which the series of the sine does not know.
Wide inverse_second(Wide a) {
  const Wide x = a / 2;
  // (sin x - x cos x)/x^3 = 2 sum (-1)^k (k + 1) x^(2k)/(2k + 3)!
  Wide term = Wide(1) / 6, sum = term;
  for (int k = 1; k < 60; ++k) {
    term *= -x * x / ((2 * k + 2) * (2 * k + 3));
    sum += (k + 1) * term;
  }
  const Wide y = kPi - x, x_over_sine = x < 2 ? 1 / sinc(x) : x / (y * sinc(y));
  return sum * x_over_sine / 2;
}

std::array<Wide, 4> exp_wide(const Vector3& w) {  // w, x, y, z
  const Wide3 v = wide(w);
  const Wide a = length(v), s = sinc(a / 2) / 2;
  return {cosine(a / 2), s * v[0], s * v[1], s * v[2]};
}

const std::vector<Vector3> kDirections{
    Vector3(1.0, 0.0, 0.0), Vector3(0.6, 0.0, -0.8), Vector3(1.0, -2.0, 3.0).normalized(),
    Vector3(-0.3, 1.0, 0.2).normalized(), Vector3(1e-9, 1.0, -1e-5).normalized()};

/// Angles up to a hair below 2 pi.
std::vector<double> angles() {
  const double turn = 2.0 * std::numbers::pi;
  std::vector<double> a{0.0,  1e-300, 1e-155, 1e-40, 1e-12,
                        1e-8, 1e-6,   1e-4,   1e-3,  0.01,
                        0.1,  0.5,    0.99,   1.0,   1.01,
                        1.5,  1.99,   2.0,    2.01,  2.5,
                        2.99, 3.0,    3.01,   3.1,   std::numbers::pi};
  for (double less : {3.0, 2.0, 1.0, 0.3, 0.1, 1e-2, 1e-3, 1e-5, 1e-8}) a.push_back(turn - less);
  return a;
}

template <class Check>
void for_all(double most, Check check) {
  for (double a : angles())
    for (const Vector3& n : kDirections) {
      if (a > most) continue;
      CAPTURE(a);
      CAPTURE(n.transpose());
      check(Vector3(a * n));
    }
}

double relative(double error, double size) { return error == 0.0 ? 0.0 : error / size; }

}  // namespace

TEST_CASE("exp is a rotation to round-off, and its vector part too where it is small") {
  for_all(7.0, [](const Vector3& w) {
    const Quaternion Q = exp_rotation(w);
    const std::array<Wide, 4> exact = exp_wide(w);
    CHECK(std::abs(narrow(Wide(Q.w()) - exact[0])) <= 3e-16);
    Vector3 off;
    for (int i = 0; i < 3; ++i)
      off[i] = narrow(Wide(Q.vec()[i]) - exact[static_cast<std::size_t>(i) + 1]);
    CHECK(relative(off.norm(), w.norm() < 3.2 ? Q.vec().norm() : 1.0) <= 5e-16);
    CHECK(std::abs(Q.norm() - 1.0) <= 4e-16);
  });
}

TEST_CASE("log undoes exp to round-off, on the short way, whatever the length of the quaternion") {
  for_all(3.1, [](const Vector3& w) {
    for (double length : {1.0, -1.0, 0.3, 1.0 + 1e-9})
      CHECK(relative((log_rotation(Quaternion(length * exp_rotation(w).coeffs())) - w).norm(),
                     w.norm()) <= 1e-15);
  });
  for_all(7.0, [](const Vector3& w) {
    if (w.norm() < 3.2) return;
    const Wide a = length(wide(w));
    const Vector3 rest = narrow((a - 2 * kPi) / a) * w;  // the same rotation the other way round
    CHECK((log_rotation(exp_rotation(w)) - rest).norm() <= 2e-15);
  });
}

TEST_CASE("rotate turns like the quaternion, and a vector on the axis stays") {
  const Vector3 X(0.7, -0.2, 1.3);
  for_all(7.0, [&](const Vector3& w) {
    const std::array<Wide, 4> Q = exp_wide(w);
    const Wide3 v{Q[1], Q[2], Q[3]}, x = wide(X), once = cross(v, x), twice = cross(v, once);
    Vector3 off;
    for (std::size_t i = 0; i < 3; ++i)
      off[static_cast<int>(i)] = narrow(Wide(rotate(w, X)[static_cast<int>(i)]) -
                                        (x[i] + 2 * (Q[0] * once[i] + twice[i])));
    CHECK(off.norm() <= 1e-15 * X.norm());
    CHECK((rotate(w, w) - w).norm() <= 1e-15 * w.norm());
  });
}

TEST_CASE("dexp^-1 is right to round-off of its size up to 2 pi, where it is singular") {
  for (const Vector3& Omega : {Vector3(0.3, -1.1, 0.8), Vector3(2.0, 0.1, 0.0)})
    for_all(7.0, [&](const Vector3& w) {
      const Wide3 v = wide(w), O = wide(Omega), once = cross(v, O), twice = cross(v, once);
      const Wide c = inverse_second(length(v));
      Vector3 off, exact;
      for (std::size_t i = 0; i < 3; ++i) {
        const Wide value = O[i] + once[i] / 2 + c * twice[i];
        exact[static_cast<int>(i)] = narrow(value);
        off[static_cast<int>(i)] =
            narrow(Wide(dexp_inverse(w, Omega)[static_cast<int>(i)]) - value);
      }
      const double size = (1.0 + w.norm() + narrow(c) * w.squaredNorm()) * Omega.norm();
      CHECK(off.norm() <= 6e-16 * size);
      if (w.norm() < 3.2) CHECK(off.norm() <= 1e-15 * exact.norm());
    });
}

TEST_CASE("dexp is right to round-off, and dexp^-1 undoes it") {
  const Vector3 d(0.4, 0.9, -0.7);
  for_all(7.0, [&](const Vector3& w) {
    const Wide3 v = wide(w), x = wide(d), once = cross(v, x), twice = cross(v, once);
    const Wide a = length(v), half = sinc(a / 2);
    Vector3 off;
    for (std::size_t i = 0; i < 3; ++i)
      off[static_cast<int>(i)] =
          narrow(Wide((dexp(w) * d)[static_cast<int>(i)]) -
                 (x[i] - half * half / 2 * once[i] + series(a, 3) * twice[i]));
    CHECK(off.norm() <= 1.5e-15 * d.norm());
    // the way back multiplies round-off by the size of dexp^-1
    const double size = 1.0 + narrow(inverse_second(a)) * w.squaredNorm();
    CHECK((dexp_inverse(w, dexp(w) * d) - d).norm() <= 4e-15 * size * d.norm());
  });
}

TEST_CASE("dexp is the slope of exp: exp(w + e d) = exp(w) exp(e dexp(w) d)") {
  const Vector3 d = Vector3(0.4, 0.9, -0.7).normalized();
  for (double a : {1e-3, 0.4, 1.7, 3.0, 4.5, 6.0})
    for (const Vector3& n : kDirections) {
      const double e = 1e-5;
      const Vector3 w = a * n;
      const Vector3 up = log_rotation(exp_rotation(w).conjugate() * exp_rotation(w + e * d)),
                    down = log_rotation(exp_rotation(w).conjugate() * exp_rotation(w - e * d));
      CHECK(((up - down) / (2.0 * e) - dexp(w) * d).norm() <= 1e-9);
    }
}

TEST_CASE("Cayley's map C is the rotation with (I - w^/2) C = I + w^/2") {
  for (double a : {0.0, 1e-12, 1e-3, 0.5, 2.0, 10.0, 1e4})
    for (const Vector3& n : kDirections) {
      const Matrix3 half = 0.5 * skew(a * n), I = Matrix3::Identity();
      const Quaternion Q = cay_rotation(a * n);
      CHECK(((I - half) * Q.toRotationMatrix() - (I + half)).norm() <= 2e-15 * (1.0 + a));
      CHECK(std::abs(Q.norm() - 1.0) <= 3e-16);
    }
}

TEST_CASE("a pose carries points, and its inverse brings them back") {
  const Pose A{Vector3(1.0, -2.0, 0.5), exp_rotation(Vector3(0.3, 1.0, -0.4)).toRotationMatrix()},
      B{Vector3(0.2, 0.1, -3.0), exp_rotation(Vector3(-2.0, 0.1, 0.7)).toRotationMatrix()};
  const Vector3 X(0.3, 0.7, -1.2);
  CHECK(((A * B) * X - A * (B * X)).norm() <= 1e-14);
  CHECK((A.inverse() * (A * X) - X).norm() <= 1e-14);
  CHECK((skew(X) * Vector3(1.0, 2.0, 3.0) - X.cross(Vector3(1.0, 2.0, 3.0))).norm() <= 1e-15);
}

TEST_CASE("the turn between two directions is the shortest one, to round-off up to half a turn") {
  for (double a : {0.0, 1e-16, 1e-15, 1e-12, 1e-7, 0.3, 1.5})
    for (const double angle : {a, std::numbers::pi - a})
      for (const Vector3& n : kDirections) {
        CAPTURE(angle);
        const Vector3 from = n.unitOrthogonal(), side = n.cross(from),
                      to = std::cos(angle) * from + std::sin(angle) * side;
        const Quaternion Q = turn_between(2.0 * from, 0.5 * to);
        CHECK((Q * from - to).norm() <= 1e-15);
        CHECK(std::abs(Q.norm() - 1.0) <= 4e-16);
        CHECK(std::abs(Q.vec().dot(from)) <= 3e-16);  // the axis is at right angles to both
        CHECK(std::abs(Q.vec().dot(to)) <= 3e-16);
        CHECK(std::abs(2.0 * std::atan2(Q.vec().norm(), Q.w()) - angle) <= 1e-15);
      }
  // what is not along an axis of coordinates has no exact opposite of its length
  CHECK((turn_between(Vector3(1.0, 2.0, 3.0), Vector3(-1.0, -2.0, -3.0)) * Vector3(1.0, 2.0, 3.0) +
         Vector3(1.0, 2.0, 3.0))
            .norm() <= 4e-15);
}
