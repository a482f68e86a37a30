// Ball joints with axes: swing and twist, their springs, dampers and stops, against closed forms.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_scene.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kMass = 1.3, kLong = 0.4, kOwn = 0.015;  // [kg], [m], [kg m^2]
constexpr double kAcross = kOwn + kMass * kLong * kLong;  // about the joint, across the axis
const Vector3 kAxis = Vector3(1.0, -2.0, 2.0) / 3.0;      // of the joint in the world
const Vector3 kAside = Vector3(2.0, 2.0, 1.0) / 3.0;      // perpendicular to it
const Vector3 kPivot(0.7, -0.3, 1.1);

std::string list(const Vector3& x) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]);
}

/// A ball on a weightless rod of kLong along `rod` at the start, on a ball joint at kPivot with
/// `laws`; the inertia of the
/// ball is the same about all axes.
std::string pendulum(const Vector3& axis, const Vector3& rod, const Vector3& spin,
                     const std::string& laws, const std::string& more = "",
                     const std::string& scheme = "rig-mid") {
  return "saltus: 1\ntime: {end: 2 s, step: 1 ms}\n" + more +
         fmt::format(
             "bodies:\n  - {{name: bob, kind: rigid, scheme: {}, rigid: {{mass: {}, inertia: [{}, "
             "{}, {}], "
             "position: {}, velocity: {}, spin: {}}}}}\n",
             scheme, kMass, kOwn, kOwn, kOwn, list(kPivot + kLong * rod),
             list(spin.cross(kLong * rod)), list(spin)) +
         fmt::format(
             "joints:\n  - {{name: socket, kind: ball, between: [world, bob], at: {}, first: "
             "{{axis: {}}}, "
             "second: {{axis: {}}}, {}}}\n",
             list(kPivot), list(axis), list(rod), laws) +
         "outputs:\n  - {probe: socket.swing, quantity: displacement}\n"
         "  - {probe: socket.twist, quantity: displacement}\n"
         "  - {probe: socket.swing_x, quantity: displacement}\n"
         "  - {probe: socket.swing_y, quantity: displacement}\n"
         "  - {probe: socket.swing, quantity: velocity, name: rate}\n";
}

Vector3 tilted(double theta) { return std::cos(theta) * kAxis + std::sin(theta) * kAside; }

/// Signed angle in the plane of kAxis and kAside.
double angle_of(const Simulation& sim) {
  const Vector3 rod = sim.state().groups[0].q.head<3>() - kPivot;
  return std::atan2(rod.dot(kAside), rod.dot(kAxis));
}

}  // namespace

TEST_CASE(
    "a spring on the swing of a ball joint is linear in the angle, through 0 and beyond a right "
    "angle") {
  // I theta'' = -k theta - c theta'
  const double k = 3.0;
  for (const double theta0 : {0.02, 0.9, 2.6})
    for (const double c : {0.0, 0.2})
      for (const char* scheme : {"rig-mid", "moreau-jean"}) {
        CAPTURE(theta0);
        CAPTURE(c);
        CAPTURE(scheme);
        const double d = c / (2.0 * kAcross), w = std::sqrt(k / kAcross - d * d);
        const auto exact = [&](double t) {
          return theta0 * std::exp(-d * t) * (std::cos(w * t) + d / w * std::sin(w * t));
        };
        const std::string scene = pendulum(
            kAxis, tilted(theta0), Vector3::Zero(),
            fmt::format("swing: {{spring: {{stiffness: {}}}, damping: {}}}", k, c), "", scheme);
        const Shown by_events = run_text(scene, {"time.mode=events", "time.tolerance=1e-11"});
        CHECK(by_events.converged);
        CHECK(std::abs(angle_of(by_events.sim) - exact(2.0)) < 2e-9 * theta0);
        CHECK(std::abs(by_events.sim.probe(0) - std::abs(exact(2.0))) < 2e-9 * theta0);
        CHECK(std::abs(by_events.sim.probe(1)) < 1e-9);
        CHECK(std::abs(std::hypot(by_events.sim.probe(2), by_events.sim.probe(3)) -
                       std::abs(exact(2.0))) < 2e-9 * theta0);
        double error[2] = {0.0, 0.0};
        for (const int n : {0, 1}) {
          const Shown run = run_text(
              scene, {n == 0 ? "time.step=4e-3" : "time.step=1e-3"},
              [&](const Simulation& sim, const StepReport&) {
                error[n] = std::max(error[n], std::abs(angle_of(sim) - exact(sim.state().t)));
              });
          CHECK(run.converged);
          CHECK(run.sim.notices().empty());
          if (c == 0.0) CHECK(run.worst_unexplained < 1e-12);
        }
        CHECK(error[0] > 12.0 * error[1]);  // order 2
        CHECK(error[0] < 20.0 * error[1]);
        CHECK(error[1] < 2e-4 * theta0);
      }
}

TEST_CASE(
    "a ball joint precesses steadily at the rate of its closed form, and its twist counts turns") {
  // without spin about its axis: I sin(theta) cos(theta) Omega^2 = k theta, and the twist grows by
  // Omega (1 - cos theta)
  const double k = 30.0, theta = 1.1;
  const double Omega = std::sqrt(k * theta / (kAcross * std::sin(theta) * std::cos(theta)));
  const Vector3 rod = tilted(theta), spin = Omega * (kAxis - std::cos(theta) * rod);
  const std::string scene =
      pendulum(kAxis, rod, spin, fmt::format("swing: {{spring: {{stiffness: {}}}}}", k));
  const double twist = 2.0 * Omega * (1.0 - std::cos(theta));
  REQUIRE(twist > 4.0 * std::numbers::pi);
  const Shown run = run_text(scene, {"time.mode=events", "time.tolerance=1e-11"});
  CHECK(run.converged);
  CHECK(std::abs(run.sim.probe(0) - theta) < 1e-8);
  CHECK(std::abs(run.sim.probe(1) - twist) < 1e-7);
  const Vector3 now = run.sim.state().groups[0].q.head<3>() - kPivot;
  const Vector3 exact = kLong * (Eigen::AngleAxisd(2.0 * Omega, kAxis) * rod);
  CHECK((now - exact).norm() < 1e-8);
  const Shown steps = run_text(scene, {"time.step=2e-4"});
  CHECK(std::abs(steps.sim.probe(1) - twist) < 2e-3);
  CHECK(std::abs(steps.sim.probe(0) - theta) < 1e-4);
}

TEST_CASE(
    "a spring on the twist of a ball joint acts over turns, and its stops where they are set") {
  const double k = 0.4, w = std::sqrt(k / kOwn), amplitude = 7.0;
  const auto twisting = [&](const std::string& laws) {
    return pendulum(kAxis, kAxis, amplitude * w * kAxis, laws);
  };
  const Shown free = run_text(twisting(fmt::format("twist: {{spring: {{stiffness: {}}}}}", k)),
                              {"time.mode=events", "time.tolerance=1e-11"});
  CHECK(std::abs(free.sim.probe(1) - amplitude * std::sin(2.0 * w)) < 1e-7);
  // a stop at 4.5 rad, hit at 36 rad/s and left at half of it
  for (const char* mode : {"events", "stepping"}) {
    CAPTURE(mode);
    const Shown stopped = run_text(twisting("twist: {limits: {upper: 4.5, restitution: 0.5}}"),
                                   {std::string("time.mode=") + mode, "time.end=0.3"});
    const double hit = 4.5 / (amplitude * w);
    CHECK(stopped.sim.probe(1) == doctest::Approx(4.5 - 0.5 * amplitude * w * (0.3 - hit))
                                      .epsilon(mode[0] == 'e' ? 1e-9 : 2e-2));
  }
}

TEST_CASE(
    "the stop of a cone takes the energy of Newton's law and keeps the momentum about its axis") {
  const Vector3 down(0.0, 0.0, -1.0);
  const double e = 0.6, cone = 0.9, theta0 = 0.4, g = 9.81;
  const Vector3 rod(std::sin(theta0), 0.0, -std::cos(theta0));
  // outwards at 5 rad/s and around at 2 rad/s, without spin about the rod
  const Vector3 spin = -5.0 * Vector3(0.0, 1.0, 0.0) + 2.0 * (down - rod.dot(down) * rod);
  const std::string laws = fmt::format("swing: {{cone: {}, restitution: {}}}", cone, e);
  const std::string scene = pendulum(down, rod, spin, laws, "gravity: [0, 0, -9.81]\n");
  const double round0 = spin.dot(down) / (std::sin(theta0) * std::sin(theta0));  // phi'
  const double out0 = std::sqrt(spin.squaredNorm() - std::pow(std::sin(theta0) * round0, 2));
  const double L = kAcross * std::pow(std::sin(theta0), 2) * round0;
  const double E = 0.5 * kAcross * (out0 * out0 + std::pow(std::sin(theta0) * round0, 2)) -
                   kMass * g * kLong * std::cos(theta0);
  const double at2 = 2.0 / kAcross * (E + kMass * g * kLong * std::cos(cone)) -
                     std::pow(L / (kAcross * std::sin(cone)), 2);
  REQUIRE(at2 > 0.5);  // theta'^2 where it hits the cone
  const double loss = 0.5 * (1.0 - e * e) * kAcross * at2;
  const auto momentum = [&](const Simulation& sim) {
    const auto& body = sim.state().groups[0];
    const Quaternion Q(body.q[3], body.q[4], body.q[5], body.q[6]);
    const Vector3 omega = Q * Vector3(body.v.segment<3>(3)), x = body.q.head<3>() - kPivot;
    return down.dot(kOwn * omega + kMass * x.cross(Vector3(body.v.head<3>())));
  };
  for (const char* mode : {"events", "stepping"}) {
    CAPTURE(mode);
    const bool events = mode[0] == 'e';
    double first = 0.0, most = 0.0;
    const Shown run = run_text(
        scene,
        {std::string("time.mode=") + mode, events ? "time.tolerance=1e-11" : "time.step=2e-4"},
        [&](const Simulation& sim, const StepReport&) {
          const double lost = sim.state().energy.total() - sim.state().energy_start;
          if (first == 0.0 && lost < -0.1 * loss) first = lost;
          most = std::max(most, sim.probe(0));
        });
    CHECK(run.converged);
    CHECK(first == doctest::Approx(-loss).epsilon(events ? 1e-8 : 1e-2));
    CHECK(most < cone + (events ? 1e-10 : 1e-3));
    CHECK(momentum(run.sim) == doctest::Approx(L).epsilon(events ? 1e-9 : 1e-6));
  }
}

TEST_CASE("a ball joint between two free bodies keeps momentum, and its spring their energy") {
  const std::string scene =
      "saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies:\n"
      "  - {name: a, kind: rigid, rigid: {mass: 1, inertia: [0.02, 0.03, 0.04], position: [1000.0, "
      "2000.0, 0.3], "
      "spin: [1, 0, -2]}}\n"
      "  - {name: b, kind: rigid, scheme: moreau-jean, rigid: {mass: 1e-3, inertia: [2e-5, 1e-5, "
      "1e-5], position: "
      "[1000.2, 2000.0, 0.3], velocity: [0, 1, 0.4]}}\n"
      "joints:\n  - {name: s, kind: ball, between: [a, b], at: [1000.1, 2000, 0.3], axis: [1, 0, "
      "0], "
      "axis2: [0, 0, 1], swing: {spring: {stiffness: 5e-3}, cone: 100 deg}, "
      "twist: {spring: {stiffness: 1e-3}, damping: 1e-6}}\n"
      "outputs:\n  - {probe: s.swing, quantity: displacement}\n  - {probe: s.twist, quantity: "
      "displacement}\n";
  const Shown exact = run_text(scene, {"time.mode=events", "time.tolerance=1e-10"});
  CHECK(exact.converged);
  double error[2] = {};
  for (const int n : {0, 1}) {
    const Shown run = run_text(scene, {n == 0 ? "time.step=1e-3" : "time.step=2.5e-4"});
    CHECK(run.converged);
    CHECK(run.worst_unexplained < 1e-9);
    error[n] = std::abs(run.sim.probe(0) - exact.sim.probe(0)) +
               std::abs(run.sim.probe(1) - exact.sim.probe(1));
  }
  CHECK(error[1] < error[0] / 8.0);
}

TEST_CASE(
    "a ball joint whose axes pass through opposite directions is named, one that stays away is "
    "not") {
  for (const char* mode : {"time.mode=events", "time.mode=stepping"})
    for (const bool passes : {true, false}) {
      CAPTURE(mode);
      CAPTURE(passes);
      // a plane swing of 8 rad/s, or one that a cone turns back at 3 rad
      const std::string scene = pendulum(
          kAxis, kAxis, 8.0 * kAxis.cross(kAside),
          passes ? "twist: {spring: {stiffness: 1e-6}}" : "swing: {cone: 3, restitution: 1}", "",
          "rig-mid");
      Simulation sim(build(read_scene_text(scene, "test.yaml", std::vector<std::string>{mode})));
      for (int k = 0; k < 600; ++k) sim.advance();
      const auto notices = sim.notices();
      CHECK(notices.empty() != passes);
      if (passes && !notices.empty())
        CHECK(notices[0].text.find("'socket' passed through opposite directions") !=
              std::string::npos);
    }
}

TEST_CASE("a run that goes on from a state keeps the twist in its turn, bit by bit") {
  const std::string scene = pendulum(kAxis, kAxis, 40.0 * kAxis + 0.5 * kAside,
                                     "twist: {spring: {stiffness: 0.05}}, swing: {cone: 20 deg}");
  for (const char* mode : {"time.mode=events", "time.mode=stepping"}) {
    CAPTURE(mode);
    Simulation sim(build(read_scene_text(scene, "test.yaml", std::vector<std::string>{mode})));
    for (int k = 0; k < 300; ++k) sim.advance();
    Simulation again(sim.model(), sim.state());
    REQUIRE(sim.probe(1) > 2.0 * std::numbers::pi);
    for (int k = 0; k < 100; ++k) sim.advance(), again.advance();
    CHECK(again.probe(1) == sim.probe(1));
    CHECK(again.state().groups[0].q == sim.state().groups[0].q);
  }
}

TEST_CASE("swing and twist of a ball joint that mean nothing are refused by name") {
  struct Row {
    const char* joint;
    const char* error;
  };
  const std::string bodies =
      "saltus: 1\ntime: {end: 1 s, step: 1 ms}\nbodies:\n"
      "  - {name: a, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1]}}\n"
      "  - {name: p, kind: particles, particles: {mass: [1], positions: [[0, 0, 0]]}}\n";
  for (const Row& row : {
           Row{"{kind: ball, between: [a, world], at: [0, 0, 0], swing: {cone: 30 deg}}",
               "swing of a ball joint is measured from it"},
           Row{"{kind: ball, between: [a, world], at: [0, 0, 0], axis: [0, 0, 1], swing: {cone: "
               "200 deg}}",
               "half a turn or more"},
           Row{"{kind: ball, between: [a, world], at: [0, 0, 0], axis: [0, 0, 1], swing: "
               "{restitution: 0.5}}",
               "restitution"},
           Row{"{kind: revolute, between: [a, world], at: [0, 0, 0], axis: [0, 0, 1], swing: "
               "{cone: 20 deg}}",
               "swing"},
           Row{"{kind: ball, between: [a, world], at: [0, 0, 0], first: {axis: [0, 0, 1]}, second: "
               "{axis: [0, 0, -1]}, "
               "swing: {cone: 20 deg}}",
               "opposite"},
           Row{"{kind: ball, between: [a, world], at: [0, 0, 0], first: {axis: [0, 0, 1]}}",
               "second.axis"},
           Row{"{kind: ball, between: [p, world], first: {at: 0}, axis: [0, 0, 1], twist: "
               "{damping: 1}}",
               "with an axis"},
           Row{"{name: j, kind: ball, between: [a, world], at: [0, 0, 0], axis: [0, 0, 1]}\n"
               "couplings:\n  - {sum: [{of: j.swing, weight: 1}]}",
               "kink"},
       }) {
    CAPTURE(row.joint);
    std::string text;
    try {
      build(read_scene_text(bodies + "joints:\n  - " + row.joint + "\n", "test.yaml"));
    } catch (const SceneError& error) {
      text = error.what();
    }
    CAPTURE(text);
    CHECK(text.find(row.error) != std::string::npos);
  }
}
