#include "saltus/bodies/moving.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/base/error.h"

using namespace saltus;

namespace {

/// One that shakes, tilts, glides and spins, one at rest.
std::vector<PrescribedMotion> motions() {
  PrescribedMotion m;
  m.position = {Signal::harmonic(0.2, 3.0), Signal::constant(1.0),
                Signal::harmonic(0.1, 5.0, 0.3, 2.0)};
  m.velocity = Vector3(0.3, 0.0, -0.1);
  m.rotation = exp_rotation(Vector3(0.2, 0.5, -1.0));
  m.axis = Vector3(0.0, 3.0, 4.0);
  m.angle = Signal::harmonic(0.4, 2.0);
  m.spin = 1.5;
  return {m, PrescribedMotion{}};
}

const std::vector<PointRef> kPoints{{0, 0, Vector3(0.3, -0.7, 0.2)},
                                    {1, 0, Vector3(1.0, 2.0, 3.0)}};
const Vector kNone;

Vector points_at(const Moving& body, double t) {
  Vector x(6);
  body.points(t, kNone, kPoints, x);
  return x;
}

}  // namespace

TEST_CASE("points of a prescribed motion move with their drift") {
  const Moving body(motions());
  const double t = 0.7, e = 1e-6;
  Vector drift(6), spin(6);
  body.point_drift(t, kNone, kPoints, drift);
  CHECK(((points_at(body, t + e) - points_at(body, t - e)) / (2.0 * e) - drift).norm() <= 1e-8);
  CHECK(drift.tail<3>().isZero(0.0));
  body.spin_drift(t, kNone, kPoints, spin);
  CHECK(spin.tail<3>().isZero(0.0));
  Pose now[2], next[2];
  body.frames(t, kNone, now);
  body.frames(t + e, kNone, next);
  const Matrix3 turn = (next[0].R - now[0].R) / e * now[0].R.transpose();
  CHECK((turn - skew(spin.head<3>())).norm() <= 1e-5);
  CHECK((now[0] * kPoints[0].local - points_at(body, t).head<3>()).norm() <= 1e-15);
  CHECK((now[1] * kPoints[1].local - kPoints[1].local).norm() == 0.0);
}

TEST_CASE("no point within reach of a moved frame is faster than the bound of its drift") {
  const Moving body(motions());
  const double reach = kPoints[0].local.norm();
  Vector drift(6);
  for (const double from : {0.0, 0.4, 1.1})
    for (const double length : {1e-3, 0.1, 1.0}) {
      const double bound = body.fastest_drift(from, from + length, reach);
      double most = 0.0;
      for (int i = 0; i <= 100; ++i) {
        body.point_drift(from + length * i / 100.0, kNone, kPoints, drift);
        most = std::max(most, drift.head<3>().norm());
      }
      CHECK(most <= bound);
      CHECK(bound <= 4.0 * most);
    }
  CHECK(Moving({PrescribedMotion{}}).fastest_drift(0.0, 1.0, reach) == 0.0);
}

TEST_CASE("a prescribed body has no degrees of freedom, no rows and no energy") {
  const Moving body(motions());
  CHECK(body.bodies() == 2);
  CHECK(body.positions() == 0);
  CHECK(body.velocities() == 0);
  PointRows J;
  body.point_rows(kNone, kNone, kPoints, J);
  CHECK(J.offset == std::vector<int>{0, 0, 0});
  CHECK(J.value.empty());
  CHECK(body.energy(0.0, kNone, kNone).total() == 0.0);
  REQUIRE(body.sources().size() == 1);
  CHECK(body.sources()[0].name == "prescribed");
}

TEST_CASE("a motion whose signals are constant is at rest, and no drive does work") {
  CHECK(PrescribedMotion{}.rests());
  for (const auto change : std::vector<void (*)(PrescribedMotion&)>{
           [](PrescribedMotion& m) { m.position[1] = Signal::harmonic(0.1, 2.0); },
           [](PrescribedMotion& m) { m.angle = Signal::harmonic(0.1, 2.0); },
           [](PrescribedMotion& m) { m.spin = 0.1; },
           [](PrescribedMotion& m) { m.velocity.x() = 0.1; }}) {
    PrescribedMotion m;
    change(m);
    CHECK_FALSE(m.rests());
  }
  CHECK(Moving({PrescribedMotion{}}).sources().empty());
}

TEST_CASE("a prescribed motion without an axis or a rotation is refused with its number") {
  const auto says = [](PrescribedMotion m) {
    try {
      const Moving body({PrescribedMotion{}, m});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  PrescribedMotion m;
  m.axis.setZero();
  CHECK(says(m).find("body 1: the axis") != std::string::npos);
  m = {};
  m.rotation.coeffs().setZero();
  CHECK(says(m).find("body 1: the rotation") != std::string::npos);
  m = {};
  m.spin = std::nan("");
  CHECK(says(m).find("body 1: velocity and spin") != std::string::npos);
  CHECK_THROWS_AS(Moving({}), UsageError);
}
