// Rigid bodies in contact against independent values (tests/golden/benchmarks: B04, B05, B07, B23) and exact laws: the
// effective coefficient of friction in every direction, the same motion in the plane and in space.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "../support/golden.h"
#include "../support/rigid_scene.h"
#include "saltus/schemes/options.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi, kG = 9.81;

/// Every scheme that moves rigid bodies with a gain of 1/2.
std::vector<std::pair<std::string, std::shared_ptr<const Scheme>>> middle_schemes() {
  return {{"rig-mid", rig_mid()}, {"moreau-jean", make_scheme(MoreauJeanOptions{})}};
}

/// A plane through the origin tilted by `slope` about an axis that no coordinate plane holds, and its directions.
struct Slope {
  Pose plane;
  Vector3 up, across, normal;
};
Slope slope_of(double slope) {
  const double heading = 0.7;
  const Vector3 axis(std::sin(heading), -std::cos(heading), 0.0);
  Slope s;
  s.plane.R = Eigen::AngleAxisd(slope, axis).toRotationMatrix();
  s.normal = s.plane.R.col(2);
  s.across = axis;
  s.up = s.normal.cross(axis).normalized();
  if (s.up.z() < 0.0) s.up = -s.up;
  return s;
}

}  // namespace

TEST_CASE("B04: a block launched up a slope stops where it must and does not creep") {
  const double slope = 20.0 * kPi / 180.0, v0 = 3.0, h = 1e-3;
  const Slope s = slope_of(slope);
  for (const auto& [name, scheme] : middle_schemes()) {
    CAPTURE(name);
    RigidScene scene;
    RigidThing block{Box{Vector3(0.15, 0.15, 0.05)}};
    block.x = 0.05 * s.normal;
    block.Q = Quaternion(s.plane.R);
    block.v = v0 * s.up;
    scene.add(block);
    scene.fix(Plane{}, s.plane);
    Simulation sim(scene.model(scheme, h, newton_law(0.0, 0.5)));
    double stop = 0.0;
    while (sim.state().t < 1.0) {
      const double before = speed_of(sim, 0).dot(s.up);
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      const double now = speed_of(sim, 0).dot(s.up);
      if (before > 1e-9) stop = sim.state().t - h + h * before / std::max(before - now, 1e-300);
    }
    const double way = (place_of(sim, 0) - block.x).dot(s.up);
    CHECK(std::abs(stop - benchmark("B04", "stop time (apex)")) <= h);
    CHECK(std::abs(way / benchmark("B04", "distance up-slope") - 1.0) <= 1e-3);
    const double creep = speed_of(sim, 0).norm();
    CHECK(creep <= 1e-12);
    Vector3 P = Vector3::Zero();  // of all contacts: normal, and what is left along the plane
    double normal = 0.0;
    for (const ContactMemory& c : sim.state().contacts) {
      normal += c.impulse[0];
      P += Vector3(0.0, c.impulse[1], c.impulse[2]);
    }
    const double ratio = P.norm() / normal;
    CHECK(std::abs(ratio - benchmark("B04", "friction force/normal force at rest")) <= 1e-8);
    MESSAGE(
        fmt::format("{}: stop {:.2e} s off, way {:.2e} relative, creep {:.1e} m/s, ratio {:.1e}",
                    name, stop - benchmark("B04", "stop time (apex)"),
                    way / benchmark("B04", "distance up-slope") - 1.0, creep,
                    ratio - benchmark("B04", "friction force/normal force at rest")));
  }
}

TEST_CASE("a block slides at the coefficient asked for in every direction, and not below it") {
  const double mu = 0.5, h = 1e-3, steep = 35.0 * kPi / 180.0;
  double worst = 0.0, creep = 0.0;
  for (int k = 0; k <= 36; ++k) {
    const double direction = 2.5 * k * kPi / 180.0;
    // gravity tilted against the plane z = 0, along the direction
    const Vector3 along(std::cos(direction), std::sin(direction), 0.0);
    for (const bool slides : {true, false}) {
      const double tilt = slides ? steep : std::atan(0.999 * mu);
      RigidScene scene;
      scene.gravity = kG * (std::sin(tilt) * along - std::cos(tilt) * Vector3::UnitZ());
      RigidThing block{Box{Vector3(0.15, 0.1, 0.05)}};
      block.x = Vector3(0.0, 0.0, 0.05);
      if (slides) block.v = 0.5 * along;
      scene.add(block);
      scene.fix(Plane{});
      Simulation sim(scene.model(rig_mid(), h, newton_law(0.0, mu)));
      for (int n = 0; n < 200; ++n) {
        const Vector3 before = speed_of(sim, 0);
        REQUIRE(sim.advance().converged);
        const Vector3 change = (speed_of(sim, 0) - before) / h;
        if (slides) {
          const double found = (kG * std::sin(tilt) - change.dot(along)) / (kG * std::cos(tilt));
          worst = std::max(worst, std::abs(found - mu));
        } else {
          creep = std::max(creep, speed_of(sim, 0).norm());
        }
      }
    }
  }
  MESSAGE(fmt::format("37 directions: mu off by {:.1e}, creep {:.1e} m/s", worst, creep));
  CHECK(worst <= 1e-9);
  CHECK(creep <= 1e-12);
}

TEST_CASE("B05: a sliding sphere begins to roll at the right time, place and speed") {
  const double r = 0.108, h = 1e-3;
  RigidScene scene;
  RigidThing ball{Sphere{r}};
  ball.x = Vector3(0.0, 0.0, r);
  ball.v = Vector3(5.0, 0.0, 0.0);
  scene.add(ball);
  scene.fix(Plane{});
  Simulation sim(scene.model(rig_mid(), h, newton_law(0.0, 0.3)));
  const double energy = sim.state().energy.total();
  double rolls = 0.0, slid = 0.0, worst = 0.0;
  while (sim.state().t < 0.7) {
    const auto spin = [&] { return (turn_of(sim, 0) * spin_of(sim, 0)).y(); };
    const double slip0 = speed_of(sim, 0).x() - r * spin(), x0 = place_of(sim, 0).x();
    REQUIRE(sim.advance().converged);
    const double slip1 = speed_of(sim, 0).x() - r * spin();
    if (slip0 > 1e-9) {
      const double share = slip1 > 1e-9 ? 1.0 : slip0 / (3.5 * 0.3 * kG * h);  // of the step
      rolls = sim.state().t - h + h * std::min(1.0, share);
      slid = x0 + (place_of(sim, 0).x() - x0) * std::min(1.0, share);
    }
    // about the line of contact: m r v + J omega
    worst = std::max(worst, std::abs(r * speed_of(sim, 0).x() + 0.4 * r * r * spin() - r * 5.0));
  }
  CHECK(std::abs(rolls / benchmark("B05", "time at which pure rolling starts") - 1.0) <= 1e-3);
  CHECK(std::abs(speed_of(sim, 0).x() / benchmark("B05", "final speed") - 1.0) <= 1e-6);
  CHECK(std::abs(slid / benchmark("B05", "distance slid") - 1.0) <= 1e-3);
  CHECK(std::abs((energy - sim.state().energy.total()) / benchmark("B05", "energy lost per mass") -
                 1.0) <= 1e-6);
  CHECK(worst <= 1e-12 * 0.54);
  MESSAGE(fmt::format("rolls at {:.2e}, slid {:.2e} relative; speed {:.1e}; momentum {:.1e}",
                      rolls / benchmark("B05", "time at which pure rolling starts") - 1.0,
                      slid / benchmark("B05", "distance slid") - 1.0,
                      speed_of(sim, 0).x() / benchmark("B05", "final speed") - 1.0, worst / 0.54));
}

TEST_CASE("B05: on a slope below tan 1.05 at mu 0.3 a sphere rolls, above it slips") {
  const double limit = benchmark("B05", "critical tan(slope) for rolling from rest");
  for (const double share : {1.0 - 1e-4, 1.0 + 1e-4}) {
    const double tilt = std::atan(share * limit);
    RigidScene scene;
    scene.gravity = kG * Vector3(std::sin(tilt), 0.0, -std::cos(tilt));
    RigidThing ball{Sphere{0.108}};
    ball.x = Vector3(0.0, 0.0, 0.108);
    scene.add(ball);
    scene.fix(Plane{});
    Simulation sim(scene.model(rig_mid(), 1e-3, newton_law(0.0, 0.3)));
    for (int n = 0; n < 200; ++n) REQUIRE(sim.advance().converged);
    const double slip = speed_of(sim, 0).x() - 0.108 * (turn_of(sim, 0) * spin_of(sim, 0)).y();
    CAPTURE(slip);
    CHECK((std::abs(slip) <= 1e-10) == (share < 1.0));
  }
}

TEST_CASE("B07: a sphere that strikes a plane obliquely sticks and leaves as it must") {
  for (const auto& [name, scheme] : middle_schemes()) {
    CAPTURE(name);
    RigidScene scene;
    scene.gravity.setZero();
    RigidThing ball{Sphere{0.1}};
    ball.x = Vector3(0.0, 0.0, 0.1 + 1e-9);
    ball.v = Vector3(1.0, 0.0, -2.0);
    scene.add(ball);
    scene.fix(Plane{});
    Simulation sim(scene.model(scheme, 1e-3, newton_law(0.5, 0.1)));
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    REQUIRE(report.contacts == 1);
    const ContactMemory& contact = sim.state().contacts.at(0);
    const double omega = (turn_of(sim, 0) * spin_of(sim, 0)).y();
    CHECK(std::abs(contact.impulse[0] - benchmark("B07", "normal impulse")) <= 1e-10);
    CHECK(std::abs(-std::hypot(contact.impulse[1], contact.impulse[2]) -
                   benchmark("B07", "tangential impulse")) <= 1e-9);
    CHECK(std::abs(speed_of(sim, 0).x() - benchmark("B07", "vx after")) <= 1e-9);
    CHECK(std::abs(omega - benchmark("B07", "omega_y after")) <= 2e-7);
    CHECK(std::abs(sim.state().energy.kinetic - benchmark("B07", "kinetic energy after")) <= 1e-9);
    MESSAGE(fmt::format("{}: omega {:.1e}", name, omega - benchmark("B07", "omega_y after")));
  }
}

TEST_CASE("B23: two smooth discs leave each other at right angles") {
  const double r = 0.1, h = 1e-7;
  const Vector3 line(std::sqrt(0.75), 0.5, 0.0);
  RigidScene scene;
  scene.gravity.setZero();
  RigidThing moving{Sphere{r}}, resting{Sphere{r}};
  moving.v = Vector3::UnitX();
  moving.x = -(2.0 * r) * line - 1e-12 * Vector3::UnitX();
  scene.add(moving);
  scene.add(resting);
  scene.instant = ContactInstant::start;
  NewtonImpact law = newton_law(1.0);
  law.activation.threshold = 1e-9;
  Simulation sim(scene.model(rig_mid(), h, law));
  REQUIRE(sim.advance().contacts == 1);
  const Vector3 v1 = speed_of(sim, 0), v2 = speed_of(sim, 1);
  CHECK(std::abs(v1.x() - benchmark("B23", "v1x after")) <= 1e-10);
  CHECK(std::abs(v1.y() - benchmark("B23", "v1y after")) <= 1e-10);
  CHECK(std::abs(v2.x() - benchmark("B23", "v2x after")) <= 1e-10);
  CHECK(std::abs(v2.y() - benchmark("B23", "v2y after")) <= 1e-10);
  CHECK(std::abs(sim.state().contacts.at(0).impulse[0] - benchmark("B23", "impulse after")) <=
        1e-10);
  const double angle = std::acos(v1.dot(v2) / (v1.norm() * v2.norm())) * 180.0 / kPi;
  CHECK(std::abs(angle - benchmark("B23", "angle between outgoing velocities")) <= 1e-8);
}
