// What keeps rigid bodies at rest against loads that depend on their motion is found as soon as that of steady loads is.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "../support/rigid_scene.h"
#include "saltus/schemes/options.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kStandard = 9.81;

struct Effort {
  int passes = 0, iterations = 0;  ///< most of a step but the first ones, which find the impulses
  double speed = 0.0;              ///< at the end
  bool good = true;
};

Effort effort(Simulation sim, int steps) {
  Effort most;
  for (int n = 0; n < steps && most.good; ++n) {
    const StepReport report = sim.advance();
    most.good = report.converged && report.finite;
    most.passes = std::max(most.passes, report.passes);
    if (n >= 3) most.iterations = std::max(most.iterations, report.iterations);
  }
  most.speed = sim.state().groups[0].v.lpNorm<Eigen::Infinity>();
  return most;
}

/// `count` spheres or cubes of half height r [m] and 1000 kg/m^3 on each other.
RigidScene pile(bool cubes, int count, double r, double away) {
  RigidScene scene;
  for (int i = 0; i < count; ++i) {
    RigidThing thing{cubes ? Shape(Box{Vector3::Constant(r)}) : Shape(Sphere{r})};
    thing.mass = 1000.0 * moments(thing.shape).volume;
    thing.x = Vector3(away, 0.0, (2 * i + 1) * r);
    scene.add(thing);
  }
  scene.fix(Plane{});
  return scene;
}

}  // namespace

TEST_CASE("bodies at rest need one pass a step whatever their drag is") {
  const NewtonImpact law = newton_law(0.0, 0.3);
  for (const bool cubes : {false, true})
    for (const double r : {0.05, 5e-4})
      for (const double away : {0.0, 1e5})
        for (const double share : {0.0, 1e-5, 3.75e-4, 7.7e-3, 9e-3, 0.1, 10.0}) {
          CAPTURE(cubes);
          CAPTURE(r);
          CAPTURE(away);
          CAPTURE(share);
          const double h = 1e-3;
          RigidScene scene = pile(cubes, 1, r, away);
          scene.system.drag = share * scene.system.bodies[0].mass / h;
          scene.system.spin_drag = 0.3 * r * r * scene.system.drag;
          const Effort most = effort(Simulation(scene.model(rig_mid(), h, law)), 40);
          CHECK(most.good);
          CHECK(most.passes == 1);
          CHECK(most.iterations <= 1);
          CHECK(most.speed <= 1e-12 * kStandard * h);
        }
  RigidScene tower = pile(true, 6, 0.05, 0.0);
  tower.system.drag = 5.0;
  const Effort most = effort(Simulation(tower.model(rig_mid(), 1e-3, law)), 200);
  CHECK(most.good);
  CHECK(most.passes == 1);
  CHECK(most.speed <= 1e-12);
}

TEST_CASE("a ball at rest finds its end velocity for any drag and step") {
  std::mt19937_64 random(7);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0.0, 1.0)(random));
  };
  int failed = 0;
  for (int k = 0; k < 300; ++k) {
    const double r = between(1e-3, 3.0), h = between(1e-4, 0.03);
    RigidScene scene = pile(k % 2 == 1, k % 3 == 0 ? 3 : 1, r, k % 5 == 0 ? 1e3 : 0.0);
    scene.system.drag = scene.system.bodies[0].mass / h * between(1e-6, 10.0);
    failed += effort(Simulation(scene.model(rig_mid(), h, newton_law(0.0, 0.5))), 30).good ? 0 : 1;
  }
  CHECK(failed == 0);
}

TEST_CASE("loads that cancel hold a body in the air, although no load is left to measure by") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int failed = 0;
  for (int k = 0; k < 150; ++k) {
    const double h = std::pow(10.0, -2.5 + 1.5 * uniform(random));
    RigidScene scene;
    RigidThing thing{Box{Vector3(0.05, 0.1, 0.025)}};
    thing.x = Vector3(0.3, 0.1, 3.0);
    thing.Q = Quaternion(normal(random), normal(random), normal(random), normal(random));
    thing.Q.normalize();
    scene.add(thing);
    scene.fix(Plane{});
    const Vector3 at(0.05 * uniform(random), 0.05 * uniform(random), 0.05 * uniform(random));
    const Signal half = Signal::constant(0.5 * kStandard);
    const Vector3 up = thing.Q.conjugate() * Vector3::UnitZ();
    scene.system.loads.push_back({0, false, true, up, at, half});
    scene.system.loads.push_back({0, false, false, Vector3::UnitZ(), -at, half});
    scene.system.drag = k % 2 == 0 ? 0.3 : 0.0;
    scene.system.spin_drag = 1e-3 * scene.system.drag;
    failed += effort(Simulation(scene.model(rig_mid(), h, newton_law(0.0, 0.5))), 60).good ? 0 : 1;
  }
  CHECK(failed == 0);
}
