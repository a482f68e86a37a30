// Event-driven integration on joints and on elastic bodies: what a double pendulum keeps, how errors follow the tolerance, a bar that meets
// a wall by an implicit integrator.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "../support/event_run.h"
#include "../support/joint_scene.h"
#include "saltus/bodies/linear.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// Two uniform rods of 1 m on hinges, one below the other, from rest at these angles from the vertical.
Model two_rods(double upper, double lower, double h, double end, const EventOptions& events) {
  JointScene scene;
  const auto along = [](double a) { return Vector3(std::sin(a), 0.0, -std::cos(a)); };
  const Vector3 knee = along(upper), tip = knee + along(lower);
  const int first = scene.rod(1.0, Vector3::Zero(), knee, 0.02),
            second = scene.rod(1.0, knee, tip, 0.02);
  scene.join(JointKind::revolute, -1, first, Vector3::Zero(), Vector3::UnitY());
  scene.join(JointKind::revolute, first, second, knee, Vector3::UnitY());
  return in_event_mode(scene.model(make_scheme(RigMidOptions{})), h, end, events);
}

Vector tips(const Simulation& sim) {
  Vector x(6);
  x << centre_of(sim, 0), centre_of(sim, 1);
  return x;
}

}  // namespace

TEST_CASE(
    "a double pendulum of rods on hinges keeps its energy to 1e-8 and its joints to 1e-12 over 10 "
    "s") {
  const double end = 10.0;
  Simulation sim(two_rods(1.0, 1.4, 0.02, end, with_tolerance(1e-10)));
  const double start = sim.state().energy_start;
  const double range = 2.0 * 9.81;  // of the potential energy of a rod [J]
  double drift = 0.0;
  const EventRun run = run_events(sim, end, [&](const Simulation& s, const StepReport&) {
    drift = std::max(drift, std::abs(s.state().energy.total() - start) / range);
  });
  MESSAGE(fmt::format("energy {:.1e}, joints {:.1e} m, {} steps, {} evaluations", drift,
                      run.joint_gap, run.steps, run.evaluations));
  CHECK(drift <= 1e-8);
  CHECK(run.joint_gap <= 1e-12);
}

TEST_CASE(
    "errors of a double pendulum on hinges fall with the tolerance, whatever the integrator") {
  const double end = 3.0;
  const auto at_end = [&](double tolerance, OdeKind method, long& evaluations) {
    Simulation sim(two_rods(0.8, 0.5, 0.1, end, with_tolerance(tolerance, method)));
    const EventRun run = run_events(sim, end);
    CHECK(run.joint_gap <= 1e-12);
    evaluations = run.evaluations;
    return tips(sim);
  };
  long cost = 0;
  const Vector exact = at_end(1e-13, OdeKind::dormand_prince_8, cost);
  struct Ladder {
    OdeKind method;
    std::vector<double> tolerances;
  };
  for (const Ladder& ladder : {Ladder{OdeKind::dormand_prince_8, {1e-6, 1e-8, 1e-10}},
                               Ladder{OdeKind::dormand_prince_5, {1e-5, 1e-7, 1e-9}},
                               Ladder{OdeKind::esdirk, {1e-4, 1e-6}}}) {
    CAPTURE(name_of(ladder.method));
    double before = 0.0;
    for (const double tolerance : ladder.tolerances) {
      CAPTURE(tolerance);
      const double error = (at_end(tolerance, ladder.method, cost) - exact).cwiseAbs().maxCoeff();
      MESSAGE(fmt::format("{} {:.0e}: {:.1e} m, {} evaluations", name_of(ladder.method), tolerance,
                          error, cost));
      CHECK(error <= 1e3 * tolerance);
      // A hundredth of the tolerance: not far from a hundredth of the error.
      if (before > 0.0) CHECK(error <= 0.1 * before);
      before = error;
    }
  }
}

TEST_CASE(
    "an elastic bar that hits a wall: the same impacts by explicit and by stiff integrators") {
  // Length 10 m, wave speed 30 m/s, towards a wall 5 m away at 10 m/s: touches at 0.5 s, leaves 2 L/c = 2/3 s later.
  BarMesh mesh;
  mesh.elements = 20;
  mesh.length = 10.0;
  mesh.young = 900.0;
  mesh.lumped = true;
  const auto body = std::make_shared<Linear>(bar(mesh));
  const Eigen::Index n = body->velocities();
  const auto run_of = [&](const EventOptions& events, double& energy, double& speed) {
    const test::MovingBody moving{body, Vector::Zero(n), Vector::Constant(n, -10.0)};
    ModelParts parts = one_group(moving, MoreauJeanOptions{}, 0.05);
    add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(Vector3(-5.0, 0.0, 0.0)), Vector3::UnitX(),
             newton_law(0.0));
    Simulation sim(in_event_mode(Model(std::move(parts)), 0.05, 2.0, events));
    const EventRun run = run_events(sim, 2.0);
    energy = sim.state().energy.total() / sim.state().energy_start;
    speed = sim.state().groups[0].v.mean();
    CHECK(run.rise <= 1e-6 * sim.state().energy_start);
    CHECK(run.gap >= -1e-9);
    return run;
  };
  double energy = 0.0, speed = 0.0, energy_stiff = 0.0, speed_stiff = 0.0;
  const EventRun exact = run_of(with_tolerance(1e-11, OdeKind::dormand_prince_8), energy, speed),
                 stiff = run_of(with_tolerance(1e-8, OdeKind::esdirk), energy_stiff, speed_stiff);
  REQUIRE(!exact.log.empty());
  CHECK(exact.log.front().kind == Event::Kind::impact);
  CHECK(exact.log.front().t == doctest::Approx(0.5).epsilon(1e-12));
  const double release = exact.log.back().t;
  MESSAGE(
      fmt::format("{} and {} events, leaves at {:.4f} s, mean speed {:.4f} and {:.4f} m/s, energy "
                  "left {:.4f} and {:.4f}; {} and {} evaluations",
                  exact.log.size(), stiff.log.size(), release, speed, speed_stiff, energy,
                  energy_stiff, exact.evaluations, stiff.evaluations));
  CHECK(release == doctest::Approx(7.0 / 6.0).epsilon(0.05));
  REQUIRE(stiff.log.size() == exact.log.size());
  for (std::size_t i = 0; i < exact.log.size(); ++i) {
    CHECK(stiff.log[i].kind == exact.log[i].kind);
    CHECK(std::abs(stiff.log[i].t - exact.log[i].t) <= 1e-5);
  }
  CHECK(speed_stiff == doctest::Approx(speed).epsilon(1e-5));
}
