// Rolling friction, cohesion and position correction between shapes, against what they mean.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "../support/rigid_scene.h"
#include "run_scene.h"
#include "saltus/schemes/options.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kG = 9.81;

}  // namespace

TEST_CASE(
    "rolling friction slows a ball by 5/7 g mu_R/r and holds it on a slope up to tan = mu_R/r") {
  const double r = 0.1, mu_r = 0.002, h = 1e-3;
  NewtonImpact law = newton_law(0.0, 0.5);
  law.rolling = mu_r;
  RigidScene scene;
  RigidThing ball{Sphere{r}};
  ball.x = Vector3(0.0, 0.0, r);
  ball.v = Vector3(0.6, 0.8, 0.0);
  ball.Omega = Vector3(-0.8 / r, 0.6 / r, 0.0);
  scene.add(ball);
  scene.fix(Plane{});
  Simulation sim(scene.model(rig_mid(), h, law));
  for (int n = 0; n < 200; ++n) REQUIRE(sim.advance().converged);
  const double expected = 1.0 - 5.0 / 7.0 * kG * mu_r / r * 0.2;
  MESSAGE(fmt::format("speed off by {:.1e} m/s", speed_of(sim, 0).norm() - expected));
  CHECK(std::abs(speed_of(sim, 0).norm() - expected) <= 1e-9);
  CHECK(std::abs(speed_of(sim, 0).y() / speed_of(sim, 0).x() - 4.0 / 3.0) <= 1e-9);

  for (const double share : {0.999, 1.001}) {
    const double tilt = std::atan(share * mu_r / r);
    RigidScene slope;
    slope.gravity = kG * Vector3(std::sin(tilt), 0.0, -std::cos(tilt));
    RigidThing resting{Sphere{r}};
    resting.x = Vector3(0.0, 0.0, r);
    slope.add(resting);
    slope.fix(Plane{});
    Simulation on(slope.model(rig_mid(), h, law));
    for (int n = 0; n < 300; ++n) REQUIRE(on.advance().converged);
    CAPTURE(share);
    CHECK((speed_of(on, 0).norm() <= 1e-12) == (share < 1.0));
  }
}

TEST_CASE(
    "cohesion holds a block under a ceiling up to its strength, and is lost when the contact "
    "opens") {
  const double m = 2.0, h = 1e-3;
  for (const double share : {1.01, 0.99}) {
    CAPTURE(share);
    NewtonImpact law = newton_law(0.0, 0.5);
    law.cohesion = share * m * kG / 4.0;  // at each of four corners
    RigidScene scene;
    RigidThing block{Box{Vector3(0.1, 0.1, 0.1)}};
    block.mass = m;
    block.x = Vector3(0.0, 0.0, -0.1);
    scene.add(block);
    scene.fix(Box{Vector3(1.0, 1.0, 0.5)}, {Vector3(0.0, 0.0, 0.5), Matrix3::Identity()});
    scene.fix(Plane{}, {Vector3(0.0, 0.0, -0.25), Matrix3::Identity()});
    Simulation sim(scene.model(rig_mid(), h, law));
    for (int n = 0; n < 400; ++n) REQUIRE(sim.advance().converged);
    if (share > 1.0) {
      CHECK(speed_of(sim, 0).norm() <= 1e-12);
      CHECK((place_of(sim, 0) - block.x).norm() <= 1e-9);
    } else {  // it lies on the floor 5 cm below
      CHECK(std::abs(place_of(sim, 0).z() + 0.15) <= 1e-3);
    }
    CHECK(std::abs(account(sim, "unexplained")) <= 1e-12);
  }
  // a push upwards and down again: what was open is glued no more
  NewtonImpact law = newton_law(0.0, 0.5);
  law.cohesion = 10.0;
  RigidScene scene;
  RigidThing block{Box{Vector3(0.1, 0.1, 0.1)}};
  block.x = Vector3(0.0, 0.0, 0.1);
  block.v = Vector3(0.0, 0.0, 0.2);
  scene.add(block);
  scene.fix(Plane{});
  Simulation sim(scene.model(rig_mid(), h, law));
  for (int n = 0; n < 300; ++n) REQUIRE(sim.advance().converged);
  CHECK(speed_of(sim, 0).norm() <= 1e-10);
  double pull = 0.0;
  for (const ContactMemory& c : sim.state().contacts) pull = std::min(pull, c.impulse[0]);
  CHECK(pull >= 0.0);
}

TEST_CASE("position correction parts what penetrates, leaves velocities alone and books its work") {
  const double h = 1e-3;
  const auto run = [&](bool correct) {
    RigidScene scene;
    for (int i = 0; i < 3; ++i) {
      RigidThing ball{Sphere{0.1}};
      ball.x = Vector3(0.0, 0.0, 0.099 + 0.198 * i);  // 1 mm into the floor, 2 mm into each other
      scene.add(ball);
    }
    scene.fix(Plane{});
    scene.correct = correct;
    return Simulation(scene.model(rig_mid(), h, newton_law(0.0, 0.5)));
  };
  Simulation left = run(false), parted = run(true);
  const StepReport a = left.advance(), b = parted.advance();
  REQUIRE(a.converged);
  REQUIRE(b.converged);
  CHECK(a.gap <= -1.9e-3);
  CHECK(b.gap >= -2e-6);
  for (int i = 0; i < 3; ++i) CHECK(speed_of(left, i) == speed_of(parted, i));
  const double lifted = 1.0 * kG * (0.001 + 0.003 + 0.005);
  CHECK(std::abs(account(parted, "projection") / lifted - 1.0) <= 0.02);
  CHECK(std::abs(account(parted, "unexplained")) <= 1e-13);
  for (int n = 0; n < 200; ++n) REQUIRE(parted.advance().converged);
  CHECK(std::abs(place_of(parted, 2).z() - 0.5) <= 1e-5);
}

TEST_CASE("bonds that bear all they can hold on until all of them do, whatever solver says so") {
  // 9.81 N + 40 N/s t on four corners of 5 N: at t = 0.25475 s
  for (const char* set : {"surfaces[0].law.friction=0", "surfaces[0].law.friction=0.5",
                          "solver.tolerance=1e-12", "solver.kind=gauss-seidel"}) {
    CAPTURE(set);
    double free = 0.0;
    saltus::test::run_text(R"(saltus: 1
time: {end: 0.27 s, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  - name: ceiling
    kind: rigid
    rigid: {shape: {box: {size: [1, 1, 0.1]}, material: glue}, position: [0, 0, 1.05], fixed: true}
  - name: hung
    kind: rigid
    rigid: {shape: {box: {size: [0.1, 0.1, 0.1]}, material: glue}, mass: 1 kg, position: [0, 0, 0.95]}
    loads: [{force: [0, 0, -1], table: [[0, 0], [1, 40]]}]
surfaces:
  - {materials: [glue, glue], law: {kind: newton-impact, friction: 0.5, cohesion: 5 N}}
)",
                           {set}, [&](const Simulation& sim, const StepReport&) {
                             if (free == 0.0 && sim.state().groups[0].v.tail(6).norm() > 1e-6)
                               free = sim.state().t;
                           });
    CHECK(free > 0.2545);
    CHECK(free < 0.2575);
  }
}
