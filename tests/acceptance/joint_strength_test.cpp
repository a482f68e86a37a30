// Links that break: when, what flies on, and what does not break them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "../support/joint_scene.h"
#include "run_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kG = 9.81;
const double kPi = std::numbers::pi;

/// When a bob that falls from the horizontal on a link of 1 m has swung by phi: the integral of dphi/sqrt(2 g sin phi), with
/// phi = s^2, by Simpson's rule.
double swing_time(double phi) {
  constexpr int kParts = 2000;
  const double ds = std::sqrt(phi) / kParts;
  const auto f = [](double s) {
    return s > 0.0 ? 2.0 * s / std::sqrt(2.0 * kG * std::sin(s * s)) : 2.0 / std::sqrt(2.0 * kG);
  };
  double sum = f(0.0) + f(kParts * ds);
  for (int i = 1; i < kParts; ++i) sum += (i % 2 == 1 ? 4.0 : 2.0) * f(i * ds);
  return sum * ds / 3.0;
}

struct Way {
  bool rigid;  ///< rig-mid on a rigid body, else moreau-jean on a point
  JointLevel level;
  double h;
};

/// A bob of 1 kg at rest, level with its pivot at (0, 0, 1), on a link of 1 m.
Simulation bob_on_link(const Way& way, double strength) {
  JointScene scene;
  scene.level = way.level;
  scene.h = way.h;
  const Vector3 pivot(0.0, 0.0, 1.0), start(-1.0, 0.0, 1.0);
  const int bob = way.rigid ? scene.add(1.0, Matrix3::Identity(), start) : scene.point(1.0, start);
  scene.join(JointKind::distance, -1, bob, pivot, start, Vector3::UnitZ());
  scene.joints[0].strength = strength;
  return Simulation(
      scene.model(way.rigid ? make_scheme(RigMidOptions{}) : make_scheme(MoreauJeanOptions{})));
}
Vector3 place(const Simulation& sim) { return sim.state().groups[0].q.head<3>(); }
Vector3 velocity(const Simulation& sim) { return sim.state().groups[0].v.head<3>(); }

/// A ladder of equal points on links of 1 m below the world.
JointScene hanging_chain(const std::vector<double>& strength) {
  JointScene scene;
  int above = -1;
  for (std::size_t i = 0; i < strength.size(); ++i) {
    const double z = -static_cast<double>(i);
    const int mass = scene.point(1.0, {0.0, 0.0, z - 1.0});
    scene.join(JointKind::distance, above, mass, {0.0, 0.0, z}, {0.0, 0.0, z - 1.0},
               Vector3::UnitZ());
    scene.joints.back().strength = strength[i];
    above = mass;
  }
  return scene;
}

}  // namespace

TEST_CASE("a link breaks in the step in which its pull passes its strength, and the bob flies on") {
  const double strength = 25.0, fall = kPi / 2.0 - std::acos(strength / (3.0 * kG)),
               exact = swing_time(fall), later = 0.2;
  const double v = std::sqrt(2.0 * kG * std::sin(fall));
  const Vector3 x_break(-std::cos(fall), 0.0, 1.0 - std::sin(fall)),
      v_break(v * std::sin(fall), 0.0, -v * std::cos(fall)), g(0.0, 0.0, -kG);
  for (const bool rigid : {false, true})
    for (const JointLevel level : {JointLevel::position, JointLevel::velocity, JointLevel::both}) {
      CAPTURE(rigid);
      CAPTURE(static_cast<int>(level));
      double earliest = 1e300, latest = -1e300, mean = 0.0;
      std::array<double, 2> off{};
      for (const std::size_t fine : {0u, 1u})
        for (int k = 0; k < 8; ++k) {  // the instant falls evenly over its step
          const Way way{rigid, level, exact / ((fine == 1 ? 463.0 : 231.0) + (k + 0.5) / 8.0)};
          CAPTURE(way.h);
          Simulation sim = bob_on_link(way, strength);
          while (sim.state().broken.empty() && sim.state().t < 1.0) {
            const StepReport report = sim.advance();
            REQUIRE(report.converged);
            CHECK(std::abs(report.unexplained) <= 1e-12 * kG);
          }
          REQUIRE(sim.state().broken.size() == 1);
          const BrokenJoint broken = sim.state().broken[0];
          CHECK(broken.joint == 0);
          CHECK(broken.t == sim.state().t);
          CHECK(broken.pull > strength);
          CHECK(broken.pull < strength + 3.0 * kG * v * 1.1 * way.h);  // what a step adds
          CHECK(sim.joint_load(0)[0].norm() == doctest::Approx(broken.pull).epsilon(1e-3));
          const double late = (broken.t - exact) / way.h;  // of the end of the step
          earliest = std::min(earliest, late);
          latest = std::max(latest, late);
          mean += late / 16.0;

          // From here on the parabola, and nothing else.
          const double t0 = sim.state().t, E0 = sim.state().energy.total();
          const Vector3 x0 = place(sim), v0 = velocity(sim);
          double from_here = 0.0;
          while (sim.state().t < exact + later) {
            const StepReport report = sim.advance();
            REQUIRE(report.converged);
            CHECK(report.joint_gap == 0.0);
            CHECK(std::abs(report.unexplained) <= 1e-12 * kG);
            CHECK(sim.joint_load(0)[0] == Vector3::Zero());
            const double t = sim.state().t - t0;
            from_here = std::max(from_here, (place(sim) - (x0 + t * v0 + 0.5 * t * t * g)).norm());
          }
          CHECK(sim.state().broken.size() == 1);
          CHECK(from_here <= 1e-12);
          CHECK(std::abs(sim.state().energy.total() - E0) <= 1e-12 * kG);
          const double t = sim.state().t - exact;
          off[fine] += (place(sim) - (x_break + t * v_break + 0.5 * t * t * g)).norm() / 8.0;
        }
      // the mean of a step is the pull at its middle, but for h^2
      CHECK(earliest > 0.45);
      CHECK(latest < 1.55);
      CHECK(std::abs(mean - 1.0) < 0.02);
      CHECK(off[0] / off[1] > 1.9);
      CHECK(off[0] / off[1] < 2.1);
      MESSAGE(fmt::format(
          "rigid {}, level {}: broke {:.3f} to {:.3f} h after the instant, {:.3f} in the "
          "mean; 0.2 s later off by {:.2e}, {:.2e} m",
          rigid, static_cast<int>(level), earliest, latest, mean, off[0], off[1]));
    }
}

TEST_CASE(
    "a link that is a thousandth stronger than the largest pull holds, and swings as it does") {
  for (const JointLevel level : {JointLevel::position, JointLevel::velocity, JointLevel::both}) {
    CAPTURE(static_cast<int>(level));
    const Way way{false, level, 1e-3};
    Simulation strong = bob_on_link(way, 1.001 * 3.0 * kG), any = bob_on_link(way, 0.0);
    for (int i = 0; i < 3000; ++i) {
      REQUIRE(strong.advance().converged);
      REQUIRE(any.advance().converged);
    }
    CHECK(strong.state().broken.empty());
    CHECK(strong.state().groups[0].q == any.state().groups[0].q);
    CHECK(strong.state().groups[0].v == any.state().groups[0].v);
    CHECK(strong.joint_load(0)[0].norm() > 0.0);
  }
}

TEST_CASE("a strut bears any pressure, however weak it is against pull") {
  JointScene scene;
  const int mass = scene.point(1.0, {0.0, 0.0, 1.0});
  scene.join(JointKind::distance, -1, mass, Vector3::Zero(), {0.0, 0.0, 1.0}, Vector3::UnitZ());
  scene.joints[0].strength = 0.01;
  Simulation sim(scene.model(make_scheme(MoreauJeanOptions{})));
  for (int i = 0; i < 100; ++i) REQUIRE(sim.advance().converged);
  CHECK(sim.state().broken.empty());
  CHECK(sim.joint_load(0)[0].z() == doctest::Approx(kG));
}

TEST_CASE("of a hanging chain only the overloaded link breaks: above it hangs, below it falls") {
  // link i bears 5 - i masses: 49.05, 39.24, 29.43, 19.62, 9.81 N
  JointScene scene = hanging_chain({50.0, 40.0, 29.0, 20.0, 10.0});
  Simulation sim(scene.model(make_scheme(MoreauJeanOptions{})));
  for (int i = 0; i < 200; ++i) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    CHECK(std::abs(report.unexplained) <= 1e-12 * 15.0 * kG);
  }
  REQUIRE(sim.state().broken.size() == 1);
  CHECK(sim.state().broken[0].joint == 2);
  CHECK(sim.state().broken[0].t == scene.h);
  CHECK(sim.state().broken[0].pull == doctest::Approx(3.0 * kG).epsilon(1e-9));
  const double t = sim.state().t - scene.h;  // it bore its first step
  for (int i = 0; i < 5; ++i) {
    CAPTURE(i);
    const double z = sim.state().groups[0].q[3 * i + 2];
    CHECK(std::abs(z - (-1.0 - i - (i < 2 ? 0.0 : 0.5 * kG * t * t))) <= 1e-12);
    const double pull = i < 2 ? (2 - i) * kG : 0.0;
    CHECK(std::abs(sim.joint_load(i)[0].z() - pull) <= 1e-8);
  }
}

TEST_CASE("a link that breaks hands its load to the others, which break in the next step") {
  // Three links side by side bear m g/3 each. Without one the body tips about the line of the others, d from its centre, and
  // they bear  m g J/(J + m d^2)  between them.
  const double m = 3.0, J = 10.0, d = 0.5, two = m * kG * J / (J + m * d * d);
  JointScene scene;
  const int mass = scene.add(m, J * Matrix3::Identity(), {0.0, 0.0, -1.0});
  for (int k = 0; k < 3; ++k) {
    const double a = 2.0 * kPi * k / 3.0, x = std::cos(a), y = std::sin(a);
    scene.join(JointKind::distance, -1, mass, {x, y, 0.0}, {x, y, -1.0}, Vector3::UnitZ());
    scene.joints.back().strength = k == 1 ? 9.0 : 12.0;
  }
  Simulation sim(scene.model(make_scheme(RigMidOptions{})));
  REQUIRE(sim.advance().converged);
  REQUIRE(sim.state().broken.size() == 1);
  CHECK(sim.state().broken[0].joint == 1);
  CHECK(sim.state().broken[0].pull == doctest::Approx(kG).epsilon(1e-9));
  REQUIRE(sim.advance().converged);
  const std::vector<BrokenJoint>& broken = sim.state().broken;
  REQUIRE(broken.size() == 3);
  CHECK(broken[1].joint == 0);
  CHECK(broken[2].joint == 2);
  for (const int i : {1, 2}) {
    CHECK(broken[static_cast<std::size_t>(i)].t == 2.0 * scene.h);
    CHECK(broken[static_cast<std::size_t>(i)].pull == doctest::Approx(0.5 * two).epsilon(1e-4));
  }
  const double before = sim.state().groups[0].v[2];
  for (int i = 0; i < 50; ++i) REQUIRE(sim.advance().converged);
  CHECK(sim.joint_load(0)[0] == Vector3::Zero());
  CHECK(sim.state().groups[0].v[2] == doctest::Approx(before - 50.0 * scene.h * kG));
}

TEST_CASE("a jerk breaks a link by its impulse over the step") {
  // 1 kg with 2 m/s: caught through the link by a mass that lies on a ledge, 2 N s
  for (const auto& [h, breaks] : {std::pair{1e-3, true}, std::pair{1e-2, false}}) {
    CAPTURE(h);
    JointScene scene;
    scene.h = h;
    scene.gravity.setZero();
    const double way = 0.55 * h * 2.0 * 10.0;  // the ledge is met in the middle of a step
    const int upper = scene.point(1.0, {0.0, 0.0, way}, {0.0, 0.0, -2.0}),
              lower = scene.point(1.0, {0.0, 0.0, way - 1.0}, {0.0, 0.0, -2.0});
    scene.join(JointKind::distance, upper, lower, {0.0, 0.0, way}, {0.0, 0.0, way - 1.0},
               Vector3::UnitZ());
    scene.joints[0].strength = 500.0;
    NewtonImpact ledge;
    scene.wall(upper, Vector3::UnitZ(), ledge);
    Simulation sim(scene.model(make_scheme(MoreauJeanOptions{})));
    for (int i = 0; i < 30; ++i) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      CHECK(std::abs(report.unexplained) <= 1e-12);
    }
    CHECK(sim.state().broken.size() == (breaks ? 1 : 0));
    if (breaks) CHECK(sim.state().broken[0].pull == doctest::Approx(2.0 / h).epsilon(1e-6));
    // both came to rest in that step: the link carried it
    CHECK(sim.state().groups[0].v.norm() <= 1e-9);
  }
}

TEST_CASE("a step that is cut in two and then given up has broken nothing") {
  // 12 N more in the first half of the second step, and in its second half what no number holds
  JointScene scene;
  scene.on_failure = OnFailure::halve;
  const int mass = scene.add(1.0, Matrix3::Identity(), {0.0, 0.0, -1.0});
  scene.join(JointKind::distance, -1, mass, Vector3::Zero(), {0.0, 0.0, -1.0}, Vector3::UnitZ());
  scene.joints[0].strength = 15.0;
  RigidLoad load;
  load.direction = {0.0, 0.0, -1e10};
  load.signal = Signal::table({0.0, 1e-3, 1.1e-3, 1.45e-3, 1.46e-3, 2e-3},
                              {0.0, 0.0, 1.2e-9, 1.2e-9, 1e308, 1e308});
  scene.system.loads.push_back(load);
  Simulation sim(scene.model(make_scheme(RigMidOptions{})));
  REQUIRE(sim.advance().converged);
  const State before = sim.state();
  const StepReport failed = sim.advance();
  CHECK(!(failed.converged && failed.finite));
  CHECK(sim.state().broken.empty());
  CHECK(sim.state().groups[0].q == before.groups[0].q);
  // the half that went well does break it, where it is a step
  REQUIRE(sim.advance(0.5e-3).converged);
  REQUIRE(sim.state().broken.size() == 1);
  CHECK(sim.state().broken[0].t == doctest::Approx(1.5e-3));
  CHECK(sim.state().broken[0].pull == doctest::Approx(kG + 12.0).epsilon(1e-9));
}

TEST_CASE("the link of the example snaps 0.463 s after the start, near 32 degrees") {
  const double fall = kPi / 2.0 - std::acos(25.0 / (3.0 * kG)), exact = swing_time(fall);
  CHECK(exact == doctest::Approx(0.463).epsilon(1e-3));
  const Shown shown = run_example("snapping_link.yaml");
  REQUIRE(shown.converged);
  CHECK(shown.worst_unexplained <= 1e-12);
  REQUIRE(shown.sim.state().broken.size() == 1);
  const BrokenJoint broken = shown.sim.state().broken[0];
  CHECK(std::abs(broken.t - exact - 1e-3) <= 0.5e-3 + 1e-5);
  // the way of the parabola from the instant of the break to 0.8 s
  const double v = std::sqrt(2.0 * kG * std::sin(fall)), t = 0.8 - exact;
  const double x = -std::cos(fall) + v * std::sin(fall) * t,
               z = 1.0 - std::sin(fall) - v * std::cos(fall) * t - 0.5 * kG * t * t;
  CHECK(std::hypot(shown.sim.probe(0) - x, shown.sim.probe(1) - z) <= 1.5e-3 * 25.0 * t);
  CHECK(run_example("snapping_link.yaml", {"joints[0].strength=30"}).sim.state().broken.empty());
}
