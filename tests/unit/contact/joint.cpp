// Rows and coordinates of every kind of joint against the motion of its two sides.
#include "saltus/contact/joint.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "support/dense.h"

using namespace saltus;

namespace {

constexpr double kLength = 0.7;
constexpr JointKind kKinds[] = {JointKind::fixed,    JointKind::ball,      JointKind::socket,
                                JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
                                JointKind::planar,   JointKind::universal, JointKind::distance,
                                JointKind::along,    JointKind::line};

struct Random {
  std::mt19937 engine{7};
  double operator()() { return static_cast<double>(engine()) / 2147483648.0 - 1.0; }
  Vector3 vector() {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, z};
  }
  Matrix3 rotation() { return exp_rotation(3.0 * vector()).toRotationMatrix(); }
  JointFrame frame() {
    const Vector3 x = vector();
    return {x, rotation()};
  }
};

Matrix3 turn(const Vector3& axis, double angle) {
  return exp_rotation(angle * axis).toRotationMatrix();
}

/// Velocity of a side: of its point, and in space.
struct Motion {
  Vector3 v, omega;
};
JointFrame moved(const JointFrame& f, const Motion& m, double dt) {
  return {f.x + dt * m.v, exp_rotation(dt * m.omega).toRotationMatrix() * f.R};
}

double rate(const JointRow& row, JointKind kind, const JointFrame& a, const JointFrame& b,
            const Motion& of_a, const Motion& of_b) {
  if (row.spin) return row.direction.dot(of_b.omega - of_a.omega);
  Vector3 v = of_a.v;
  if (under_b(kind)) v += of_a.omega.cross(b.x - a.x);
  return row.direction.dot(of_b.v - v);
}

/// b of a joint that is closed, its coordinates at c; what the kind leaves free beside them is random.
JointFrame closed(JointKind kind, const JointFrame& a, const double* c, Random& random) {
  const Vector3 z = Vector3::UnitZ();
  switch (kind) {
    case JointKind::fixed:
      return a;
    case JointKind::ball:
      return {a.x, random.rotation()};
    case JointKind::socket: {
      const Vector3 swing(c[1], c[2], 0.0);
      return {a.x, a.R * turn(swing.normalized(), swing.norm()) * turn(z, c[0])};
    }
    case JointKind::revolute:
      return {a.x, a.R * turn(z, c[0])};
    case JointKind::prismatic:
      return {a * Vector3(0.0, 0.0, c[0]), a.R};
    case JointKind::cylindrical:
      return {a * Vector3(0.0, 0.0, c[1]), a.R * turn(z, c[0])};
    case JointKind::planar:
      return {a * Vector3(c[0], c[1], 0.0), a.R * turn(z, c[2])};
    case JointKind::universal:
      return {a.x, a.R * turn(z, c[0]) * turn(Vector3::UnitX(), c[1])};
    case JointKind::distance:
      return {a.x + kLength * random.vector().normalized(), random.rotation()};
    case JointKind::along: {
      const Vector3 across(random(), random(), 0.0);
      return {a * across, random.rotation()};
    }
    case JointKind::line:
      return {a.x + c[0] * random.vector().normalized(), random.rotation()};
  }
  return a;
}

}  // namespace

TEST_CASE("rows and coordinates of a joint are the rates of its gaps, wherever its sides are") {
  Random random;
  const double e = 1e-5;
  for (const JointKind kind : kKinds) {
    CAPTURE(std::string(name_of(kind)));
    for (int sample = 0; sample < 40; ++sample) {
      const double away = sample % 2 == 0 ? 1e-3 : 0.5;
      const double c[3] = {1.0 + 0.3 * random(), 1.2 * random(), 1.4 * random()};
      const JointFrame a = random.frame();
      const JointFrame b =
          moved(closed(kind, a, c, random), {random.vector(), random.vector()}, away);
      const Motion of_a{random.vector(), random.vector()}, of_b{random.vector(), random.vector()};
      JointRows rows, next, last;
      joint_rows(kind, kLength, a, b, rows);
      joint_rows(kind, kLength, moved(a, of_a, e), moved(b, of_b, e), next);
      joint_rows(kind, kLength, moved(a, of_a, -e), moved(b, of_b, -e), last);
      REQUIRE(rows.size == row_count(kind));
      for (int i = 0; i < rows.size; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double change = (next.row[k].gap - last.row[k].gap) / (2.0 * e);
        CHECK(std::abs(rate(rows.row[k], kind, a, b, of_a, of_b) - change) <= 1e-8);
      }
      for (int i = 0; i < coordinate_count(kind); ++i) {
        const JointRow row = joint_coordinate(kind, i, a, b);
        CHECK(row.spin == is_angle(kind, i));
        const double change =
            (joint_coordinate(kind, i, moved(a, of_a, e), moved(b, of_b, e)).gap -
             joint_coordinate(kind, i, moved(a, of_a, -e), moved(b, of_b, -e)).gap) /
            (2.0 * e);
        CHECK(std::abs(rate(row, kind, a, b, of_a, of_b) - change) <= 1e-7);
      }
    }
  }
}

TEST_CASE("a closed joint has no gap, unit directions, and its coordinates") {
  Random random;
  for (const JointKind kind : kKinds) {
    CAPTURE(std::string(name_of(kind)));
    for (int sample = 0; sample < 20; ++sample) {
      double c[3] = {3.0 * random(), 3.0 * random(), 3.0 * random()};
      if (kind == JointKind::line) c[0] = 0.1 + std::abs(c[0]);
      if (kind == JointKind::socket) c[1] *= 0.7, c[2] *= 0.7;  // a swing below half a turn
      const JointFrame a = random.frame(), b = closed(kind, a, c, random);
      JointRows rows;
      joint_rows(kind, kLength, a, b, rows);
      for (int i = 0; i < rows.size; ++i) {
        const JointRow& row = rows.row[static_cast<std::size_t>(i)];
        CHECK(std::abs(row.gap) <= 4e-15);
        CHECK(std::abs(row.direction.norm() - 1.0) <= 4e-15);
      }
      for (int i = 0; i < independent_count(kind); ++i) {
        const JointRow row = joint_coordinate(kind, i, a, b);
        CHECK(std::abs(row.gap - c[i]) <= 1e-14);
        if (kind != JointKind::socket) CHECK(std::abs(row.direction.norm() - 1.0) <= 4e-15);
      }
      if (kind == JointKind::socket) {
        const JointRow swing = joint_coordinate(kind, kSwing, a, b);
        CHECK(std::abs(swing.gap - std::hypot(c[1], c[2])) <= 1e-14);
        CHECK(std::abs(swing.direction.norm() - 1.0) <= 4e-15);
      }
    }
  }
}

TEST_CASE("rows and coordinates of a closed joint are independent and with axes fill all six") {
  Random random;
  for (const JointKind kind : kKinds) {
    CAPTURE(std::string(name_of(kind)));
    const double c[3] = {1.1, 0.4, -0.6};
    const JointFrame a = random.frame(), b = closed(kind, a, c, random);
    JointRows rows;
    joint_rows(kind, kLength, a, b, rows);
    const int count = row_count(kind) + independent_count(kind);
    Matrix twist = Matrix::Zero(count, 6);  // of b, a at rest
    for (int i = 0; i < count; ++i) {
      const JointRow row = i < rows.size ? rows.row[static_cast<std::size_t>(i)]
                                         : joint_coordinate(kind, i - rows.size, a, b);
      twist.block<1, 3>(i, row.spin ? 3 : 0) = row.direction.transpose();
    }
    CHECK(test::singular_values(twist).minCoeff() >= 0.3);
    if (needs_axes(kind)) CHECK(count == 6);
  }
}

TEST_CASE("an angle of half a turn is pi and not -pi") {
  const JointFrame a;
  for (const double sign : {1.0, -1.0}) {
    JointFrame b;
    b.R << -1.0, sign * 0.0, 0.0, sign * 0.0, -1.0, 0.0, 0.0, 0.0, 1.0;
    CHECK(joint_coordinate(JointKind::revolute, 0, a, b).gap == std::numbers::pi);
  }
}

TEST_CASE("a link between coincident points has the direction z of a, and a line the length 0") {
  Random random;
  const JointFrame a = random.frame();
  JointRows rows;
  joint_rows(JointKind::distance, kLength, a, {a.x, random.rotation()}, rows);
  CHECK(rows.row[0].direction == Vector3(a.R.col(2)));
  CHECK(rows.row[0].gap == -kLength);
  CHECK(joint_coordinate(JointKind::line, 0, a, {a.x, random.rotation()}).gap == 0.0);
}

TEST_CASE(
    "theta/sin(theta) and its derivatives are exact near 0, where their closed forms meet, and "
    "beyond") {
  for (const double theta : {1e-9, 1e-4, 0.1, 0.49, 0.5053, 0.506, 0.6, 1.5, 2.9, 3.1}) {
    CAPTURE(theta);
    const double c = std::cos(theta), s = std::sin(theta);
    const auto f = swing_ratio(c);
    CHECK(f[0] == doctest::Approx(theta / s).epsilon(1e-12));
    if (theta < 1e-3) {  // f = 1 + e/3 + 2 e^2/15 + ..., e = 1 - c
      CHECK(f[1] == doctest::Approx(-1.0 / 3.0).epsilon(1e-7));
      CHECK(f[2] == doctest::Approx(4.0 / 15.0).epsilon(1e-7));
      continue;
    }
    if (theta < 0.1) continue;
    CHECK(f[1] == doctest::Approx((c * theta / s - 1.0) / (s * s)).epsilon(1e-11));
    const double e = 1e-6;
    const double second = (swing_ratio(c + e)[1] - swing_ratio(c - e)[1]) / (2.0 * e);
    CHECK(f[2] == doctest::Approx(second).epsilon(theta > 3.0 ? 1e-4 : 1e-7));
  }
  CHECK(swing_ratio(-1.0) == std::array<double, 3>{});
}

TEST_CASE("the coordinates of a socket are finite where its axes coincide or are opposite") {
  Random random;
  const JointFrame a = random.frame();
  for (const double angle : {0.0, std::numbers::pi}) {
    const JointFrame b{a.x, a.R * turn(Vector3::UnitX(), angle)};
    for (int i = 0; i < coordinate_count(JointKind::socket); ++i) {
      const JointRow row = joint_coordinate(JointKind::socket, i, a, b);
      CHECK(std::isfinite(row.gap));
      CHECK(row.direction.allFinite());
    }
    CHECK(joint_coordinate(JointKind::socket, kSwing, a, b).gap == doctest::Approx(angle));
  }
}
