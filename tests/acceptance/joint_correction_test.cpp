// Position correction moves bodies out of each other within what joints let them, and turns no velocity against a joint.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "../support/contacts.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A crank that turns for ever drags a rod, pinned to it, over a step.
const char* const kArm = R"(saltus: 1
time: {end: 3 s, step: 0.1 ms}
gravity: [0, 0, -9.81]
contact: {instant: middle, correct_positions: true}
bodies:
  - name: crank
    kind: rigid
    rigid: {mass: 0.3, inertia: [1e-4, 1e-4, 1e-4], position: [0, 0, 0.5]}
  - name: rod
    kind: rigid
    rigid: {shape: {capsule: {radius: 10 mm, length: 0.1}, rotation: {axis: [0, 1, 0], angle: 90 deg}}, mass: 0.2, inertia: [2e-4, 2e-4, 2e-4], position: [0.1, 0, 0.5]}
  - name: step
    kind: rigid
    rigid: {shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.13, 0, 0.4], fixed: true}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.3, friction: 0.3}}
joints:
  - {name: shaft, kind: revolute, between: [world, crank], at: [0, 0, 0.5], axis: [0, 1, 0], turn: {drive: {rate: 10 rad/s}}}
  - {name: pin, kind: revolute, between: [crank, rod], at: [0.05, 0, 0.5], axis: [0, 1, 0]}
)";

/// Place and velocity of a point of a rigid body, `local` in its frame.
struct Point {
  Vector3 x, v;
};
Point point_of(const State& state, int body, const Vector3& local) {
  const Vector &q = state.groups[0].q, &v = state.groups[0].v;
  const Matrix3 R =
      Eigen::Quaterniond(q[7 * body + 3], q[7 * body + 4], q[7 * body + 5], q[7 * body + 6])
          .toRotationMatrix();
  const Vector3 r = R * local, omega = R * v.segment<3>(6 * body + 3);
  return {q.segment<3>(7 * body) + r, v.segment<3>(6 * body) + omega.cross(r)};
}

}  // namespace

TEST_CASE(
    "joints stay closed where positions are corrected, and their velocities do not swing up") {
  double open = 0.0, across = 0.0;
  long corrected = 0;
  double projection = 0.0;
  const Shown shown =
      run(read_scene_text(kArm, "arm.yaml"), [&](const Simulation& sim, const StepReport&) {
        const Point a = point_of(sim.state(), 0, Vector3(0.05, 0.0, 0.0)),
                    b = point_of(sim.state(), 1, Vector3(-0.05, 0.0, 0.0));
        open = std::max(open, (a.x - b.x).norm());
        across = std::max(across, (a.v - b.v).norm());
        const double now = account(sim, "projection");
        corrected += now != projection;
        projection = now;
      });
  MESSAGE(
      fmt::format("{} steps corrected, pin open by {:.2g} m, {:.2g} m/s across it, joints {:.2g} J",
                  corrected, open, across, account(shown.sim, "joints")));
  CHECK(shown.converged);
  CHECK(corrected > 100);
  CHECK(open < 1e-12);
  // h times the change of its acceleration at an impact, some 100 m/s^2
  CHECK(across < 0.02);
  CHECK(std::abs(account(shown.sim, "joints")) < 1e-4);
  CHECK(std::abs(shown.worst_unexplained) < 1e-12);
}

TEST_CASE(
    "what springs of joints store is told of the places behind a correction, and a restart there "
    "goes on alike") {
  std::string text = kArm;
  const std::string pin = "at: [0.05, 0, 0.5], axis: [0, 1, 0]}";
  text.replace(text.rfind(pin), pin.size(),
               "at: [0.05, 0, 0.5], axis: [0, 1, 0], turn: {spring: {stiffness: 2 N m/rad}}}");
  Simulation whole(build(read_scene_text(text, "arm.yaml")));
  int corrected = 0;
  for (int k = 0; k < 6000 && corrected < 20; ++k) {
    const double before = account(whole, "projection");
    whole.advance();
    if (account(whole, "projection") == before) continue;
    ++corrected;
    Simulation again(whole.model(), whole.state());
    const StepReport report = again.advance();
    whole.advance();
    CHECK(again.state().ledger == whole.state().ledger);
    CHECK(again.state().energy.potential == whole.state().energy.potential);
    CHECK(std::abs(report.unexplained) < 1e-12 * whole.state().energy_start);
  }
  CHECK(corrected == 20);
}

TEST_CASE(
    "a correction would move what joints hold to the shapes: schemes that remember places are "
    "refused there too") {
  const std::string text = R"(saltus: 1
time: {end: 0.1 s, step: 1 ms}
contact: {instant: middle, correct_positions: true}
joint: {level: velocity}
bodies:
  - name: box
    kind: rigid
    rigid: {shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, position: [0, 0, 0.05]}
  - name: weight
    kind: particles
    particles: {mass: [1 kg], positions: [[0, 0, 0.3]]}
    scheme: central-difference
surfaces:
  - {law: {kind: newton-impact}}
joints:
  - {name: rod, kind: distance, between: [box, weight], at: [0, 0, 0.1], second: {at: 0}}
)";
  CHECK_THROWS_WITH_AS(build(read_scene_text(text, "box.yaml")),
                       doctest::Contains("central-difference"), SceneError);
}
