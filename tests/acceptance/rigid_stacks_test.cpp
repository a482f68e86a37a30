// What stands, stands: stacks without creep, the same motion in the plane and in space, on any number of threads, with
// contacts that keep their names.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "../support/rigid_scene.h"
#include "saltus/schemes/options.h"

using namespace saltus;
using namespace saltus::test;

namespace {

RigidThing cube(double half, const Vector3& x) {
  RigidThing thing{Box{Vector3(half, half, half)}};
  thing.x = x;
  return thing;
}

/// Ten cubes of 1 m one on another, on a plane.
Model ten_cubes(const std::shared_ptr<const Scheme>& scheme, double h,
                const Vector3& plane = Vector3::Zero()) {
  RigidScene scene;
  scene.plane = plane;
  scene.limits.tolerance = 1e-10;
  for (int i = 0; i < 10; ++i) {
    RigidThing thing = cube(0.5, Vector3(0.0, 0.0, 0.5 + i));
    if (!plane.isZero(0.0)) thing.locked = {false, true, false, true, false, true};
    scene.add(thing);
  }
  scene.fix(Plane{});
  return scene.model(scheme, h, newton_law(0.0, 0.5));
}

double fastest(const Simulation& sim) {
  double largest = 0.0;
  const int n = static_cast<int>(sim.state().groups[0].v.size()) / 6;
  for (int i = 0; i < n; ++i)
    largest = std::max({largest, speed_of(sim, i).norm(), spin_of(sim, i).norm()});
  return largest;
}

/// Contacts at the end of so many steps, and in how many steps their names were others than in the step before.
std::pair<std::size_t, int> follow_names(Simulation& sim, int steps) {
  std::vector<std::uint64_t> names;
  int changes = 0;
  for (int n = 0; n < steps; ++n) {
    REQUIRE(sim.advance().converged);
    std::vector<std::uint64_t> now;
    for (const ContactMemory& c : sim.state().contacts) now.push_back(c.key);
    if (n > 0 && now != names) ++changes;
    names = now;
  }
  return {names.size(), changes};
}

}  // namespace

TEST_CASE("ten cubes stand for 10 s and do not creep") {
  Simulation sim(ten_cubes(rig_mid(), 5e-3));
  double residual = 0.0, creep = 0.0;
  while (sim.state().t < 10.0 - 1e-9) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    residual = std::max(residual, report.residual_after);
    if (sim.state().t > 5.0) creep = std::max(creep, fastest(sim));
  }
  MESSAGE(fmt::format("creep {:.1e} m/s, residual {:.1e}, top at {:.3e} m from its place", creep,
                      residual, (place_of(sim, 9) - Vector3(0.0, 0.0, 9.5)).norm()));
  CHECK(creep <= 1e-9);
  CHECK(residual <= 1e-8);
  CHECK((place_of(sim, 9) - Vector3(0.0, 0.0, 9.5)).norm() <= 1e-6);
}

TEST_CASE(
    "contacts of a stack at rest and of a sliding box keep their names, and the warm start its "
    "worth") {
  Simulation sim(ten_cubes(rig_mid(), 5e-3));
  const auto [contacts, changes] = follow_names(sim, 1000);
  CHECK(contacts == 40);
  CHECK(changes == 0);
}

TEST_CASE(
    "a box that slides and one that turns about the vertical keep the names of their contacts") {
  for (const bool turns : {false, true}) {
    CAPTURE(turns);
    RigidScene scene;
    RigidThing box = cube(0.1, Vector3(0.0, 0.0, 0.1));
    box.v = Vector3(turns ? 0.0 : 3.0, 0.0, 0.0);
    box.Omega = Vector3(0.0, 0.0, turns ? 20.0 : 0.0);
    scene.add(box);
    RigidThing table = cube(4.0, Vector3(0.0, 0.0, -4.0));
    scene.fix(table.shape, {table.x, Matrix3::Identity()});
    Simulation sim(scene.model(rig_mid(), 1e-3, newton_law(0.0, 0.2)));
    const auto [contacts, changes] = follow_names(sim, 1000);
    CHECK(contacts == 4);
    CHECK(changes == 0);
  }
}

TEST_CASE("the impulses of the step before halve the sweeps of a stack at rest") {
  RigidScene scene;
  scene.solver = "body-gauss-seidel";
  scene.limits = {1e-8, 100'000};
  for (int i = 0; i < 10; ++i) scene.add(cube(0.5, Vector3(0.0, 0.0, 0.5 + i)));
  scene.fix(Plane{});
  const Model model = scene.model(rig_mid(), 5e-3, newton_law(0.0, 0.5));
  Simulation sim(model);
  long long warm = 0, cold = 0;
  for (int n = 0; n < 20; ++n) {
    State forgetful = sim.state();
    forgetful.contacts.clear();
    Simulation without(model, forgetful);
    const StepReport a = without.advance(), b = sim.advance();
    REQUIRE(a.converged);
    REQUIRE(b.converged);
    if (n < 5) continue;  // until it rests
    cold += a.iterations;
    warm += b.iterations;
  }
  MESSAGE(fmt::format("{} sweeps cold, {} warm", cold, warm));
  CHECK(2 * warm <= cold);
}

TEST_CASE("discs and blocks in the plane move as spheres and blocks held in it do in space") {
  // a block on a plane strikes a heap of discs; the plane of motion is xz
  const auto heap = [](bool planar) {
    RigidScene scene;
    const std::array<bool, 6> locked{false, true, false, true, false, true};
    if (planar) scene.plane = Vector3::UnitY();
    for (int row = 0; row < 3; ++row)
      for (int i = 0; i < 4 - row; ++i) {
        RigidThing disc{Cylinder{0.1, 0.1}};
        // the axis of the cylinder along y
        disc.Q = Quaternion(Eigen::AngleAxisd(-0.5 * M_PI, Vector3::UnitX()));
        disc.x = Vector3(0.2001 * i + 0.1 * row, 0.0, 0.1 + 0.1733 * row);
        disc.locked = planar ? std::array<bool, 6>{false, true, false, true, true, false}
                             : std::array<bool, 6>{};
        scene.add(disc);
      }
    RigidThing block = cube(0.1, Vector3(-0.25, 0.0, 0.1));
    block.v = Vector3(1.0, 0.0, 0.0);
    if (planar) block.locked = locked;
    scene.add(block);
    scene.fix(Plane{});
    scene.on_failure = OnFailure::accept;
    return scene.model(rig_mid(), 2e-3, newton_law(0.0, 0.3));
  };
  Simulation flat(heap(true)), space(heap(false));
  double off = 0.0, out = 0.0, lost = 0.0;
  for (int n = 0; n < 200; ++n) {
    REQUIRE(flat.advance().residual <= 1e-11);  // a step that stays above 1e-12 is accepted
    REQUIRE(space.advance().residual <= 1e-11);
    for (int i = 0; i < 10; ++i) {
      off = std::max(off, (place_of(flat, i) - place_of(space, i)).norm());
      out = std::max(out, std::abs(speed_of(flat, i).y()));
      lost = std::max(lost, std::abs(speed_of(space, i).y()));
    }
  }
  MESSAGE(fmt::format("plane against space {:.1e} m; out of the plane {:.1e}, in space {:.1e} m/s",
                      off, out, lost));
  CHECK(off <= 1e-9);
  CHECK(out == 0.0);
}

TEST_CASE("a pile of spheres is the same bit for bit on 1, 2 and 3 threads") {
  const auto run = [](int threads) {
    RigidScene scene;
    scene.solver = "body-gauss-seidel";
    scene.limits = {1e-4, 200};
    scene.on_failure = OnFailure::accept;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) {
          RigidThing ball{Sphere{0.05}};
          ball.x = Vector3(0.1 * i + 0.003 * ((7 * j + 3 * k) % 5),
                           0.1 * j + 0.002 * ((5 * i + k) % 7), 0.05 + 0.0999 * k);
          scene.add(ball);
        }
    scene.fix(Plane{});
    for (int side = 0; side < 4; ++side) {
      Pose wall;
      wall.R = (Eigen::AngleAxisd(0.5 * M_PI * side, Vector3::UnitZ()) *
                Eigen::AngleAxisd(0.5 * M_PI, Vector3::UnitY()))
                   .toRotationMatrix();
      wall.x = Vector3(0.26, 0.26, 0.0) - 0.35 * wall.R.col(2);
      scene.fix(Plane{}, wall);
    }
    Simulation sim(scene.model(rig_mid(), 2e-3, newton_law(0.0, 0.4)));
    tbb::task_arena arena(threads);
    int contacts = 0;
    arena.execute([&] {
      for (int n = 0; n < 60; ++n) contacts = std::max(contacts, sim.advance().contacts);
    });
    CHECK(contacts > 200);
    return sim.state().groups[0].q;
  };
  const Vector one = run(1);
  CHECK(one.allFinite());
  for (const int threads : {2, 3}) {
    const Vector other = run(threads);
    CHECK(std::equal(one.begin(), one.end(), other.begin()));
  }
}
