// A wall of 410 bricks in 20 courses under its own weight.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "acceptance/run_scene.h"
#include "support/rigid_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Running bond of 0.4 x 0.2 x 0.2 m bricks of 40 kg: courses of 20 bricks, and of 19 between two halves, their head
/// joints open by 4 mm.
Model wall(const std::shared_ptr<const Scheme>& scheme, double tolerance) {
  constexpr int kCourses = 20, kLength = 20;
  constexpr double kJoint = 4e-3, kPitch = 0.4 + kJoint;
  RigidScene scene;
  scene.limits.tolerance = tolerance;
  scene.margin = 2e-3;
  const auto brick = [&](double x, double width, int course) {
    RigidThing thing{Box{Vector3(0.5 * width, 0.1, 0.1)}};
    thing.mass = 2500.0 * width * 0.2 * 0.2;
    thing.x = Vector3(x + 0.5 * width, 0.0, 0.1 + 0.2 * course);
    scene.add(thing);
  };
  for (int k = 0; k < kCourses; ++k) {
    const bool odd = k % 2 == 1;
    const double half = 0.5 * kPitch - kJoint;
    if (odd) brick(0.0, half, k);
    for (int i = 0; i < kLength - (odd ? 1 : 0); ++i)
      brick(kPitch * (i + (odd ? 0.5 : 0.0)), 0.4, k);
    if (odd) brick(kPitch * kLength - kJoint - half, half, k);
  }
  scene.fix(Plane{});
  return scene.model(scheme, 5e-3, newton_law(0.0, 0.5));
}

}  // namespace

TEST_CASE("a wall of 410 bricks stands for 10 s and creeps by less than 1e-7 m/s") {
  const Model model = wall(rig_mid(), 1e-9);
  REQUIRE(model.groups()[0].dynamics->velocities() == 6 * 410);
  Simulation sim(model);
  std::vector<Vector3> start;
  for (int i = 0; i < 410; ++i) start.push_back(place_of(sim, i));
  double residual = 0.0, creep = 0.0, drift = 0.0;
  int iterations = 0, contacts = 0;
  while (sim.state().t < 10.0 - 1e-9) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    residual = std::max({residual, report.residual, report.residual_after});
    iterations += report.iterations;
    contacts = report.contacts;
    if (sim.state().t > 5.0)
      for (int i = 0; i < 410; ++i)
        creep = std::max({creep, speed_of(sim, i).norm(), spin_of(sim, i).norm()});
  }
  for (int i = 0; i < 410; ++i)
    drift = std::max(drift, (place_of(sim, i) - start[static_cast<std::size_t>(i)]).norm());
  MESSAGE(
      fmt::format("{} contacts, {} iterations, residual {:.1e}, creep {:.1e} m/s, off by {:.1e} m",
                  contacts, iterations, residual, creep, drift));
  CHECK(contacts == 3120);
  CHECK(residual <= 1e-8);
  CHECK(creep <= 1e-7);
  CHECK(drift <= 1e-6);
}

TEST_CASE("the wall of the example, whose head joints touch, stands as well") {
  double creep = 0.0;
  const Shown s = run_example("wall.yaml", {}, [&](const Simulation& sim, const StepReport&) {
    if (sim.state().t > 1.0) creep = std::max(creep, sim.state().groups[0].v.cwiseAbs().maxCoeff());
  });
  MESSAGE(fmt::format("residual {:.1e}, creep {:.1e} m/s, top {:.1e} m from its place",
                      s.worst_after, creep, s.sim.probe(0)));
  CHECK(s.converged);
  CHECK(s.worst_residual <= 1e-8);
  CHECK(s.worst_after <= 1e-8);
  CHECK(creep <= 1e-7);
  CHECK(std::abs(s.sim.probe(0)) <= 1e-7);
}
