// Friction, relays and the rules that let contacts in, against trajectories that the Siconos tutorials publish, read in
// place, and against the same formulas written down a second time.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "../support/contacts.h"
#include "../support/dense.h"
#include "../support/published_bar.h"
#include "../support/skip.h"
#include "run_scene.h"
#include "saltus/base/csv_read.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"

using namespace saltus;
using namespace saltus::test;

namespace {

std::filesystem::path published(const std::string& name) {
  return std::filesystem::path(SALTUS_SHARED) / "golden" / "siconos" / name;
}

/// The largest distance from a column, so far.
void worst(double& so_far, double value, double expected) {
  so_far = worse(so_far, std::abs(value - expected));
}

/// A rod of 1 m and 1 kg that falls on the plane z = 0 with its front end. The tutorial measures its angle a from the
/// vertical: ours is a - pi/2.
Simulation stick(MoreauJeanOptions::Newton newton) {
  const double a = 0.25 * std::numbers::pi;
  const auto rod = std::make_shared<Lagrangian>(planar_rod({1.0, 1.0, 0.0, 10.0}));
  const MovingBody body{
      rod, Vector{{0.5 * std::sin(a), 0.5 * std::cos(a) + 0.01, a - 0.5 * std::numbers::pi}},
      Vector{{-0.5, 0.1, 0.1}}};
  MoreauJeanOptions options;
  options.newton = newton;
  ModelParts parts = one_group(body, options, 1e-4);
  parts.options.instant = ContactInstant::start;
  NewtonImpact law = newton_law(1.0, 0.01);
  law.activation.forecast = 0.5;
  add_pair(parts, {0, {0, 1, Vector3::Zero()}}, world(), Vector3::UnitZ(), law, {Vector3::UnitX()});
  return Simulation{Model(parts)};
}

}  // namespace

TEST_CASE("a rod hits the ground with friction as the Siconos tutorial publishes") {
  const auto file = published("impacting_stick_friction.csv");
  if (!std::filesystem::exists(file)) SALTUS_SKIP("no published trajectories (golden/siconos)");
  const CsvTable table = read_csv(file);
  using Newton = MoreauJeanOptions::Newton;
  // M and the load are constant and the rows are taken at the start: further passes find nothing to do
  for (const Newton newton : {Newton::one_pass, Newton::full}) {
    CAPTURE(static_cast<int>(newton));
    Simulation sim = stick(newton);
    double q = 0.0, v = 0.0, p = 0.0, gap = 0.0, u = 0.0, energy = 0.0;
    int impacts = 0, sliding = 0;
    StepReport report;
    for (int i = 0; i < table.rows; ++i) {
      while (static_cast<double>(sim.state().step) < table.at(i, 0)) {
        report = sim.advance();
        REQUIRE(report.converged);
        impacts += report.contacts;
        const Vector3 P = impulse_of(sim, 1);
        sliding += P[0] > 0.0 && std::abs(P[1]) >= 0.01 * P[0] * (1.0 - 1e-12);
      }
      if (sim.state().step == 0) continue;
      const Vector &at = sim.state().groups[0].q, &rate = sim.state().groups[0].v;
      const double a = at[2] + 0.5 * std::numbers::pi;
      const Vector3 P = impulse_of(sim, 1);
      worst(q, at[0], table.at(i, 2));
      worst(q, at[1], table.at(i, 3));
      worst(q, a, table.at(i, 4));
      for (int k = 0; k < 3; ++k) worst(v, rate[k], table.at(i, 5 + k));
      worst(p, P[1], table.at(i, 8));  // p = H^T r along x; their tangent points to -x
      worst(gap, at[1] - 0.5 * std::cos(a), table.at(i, 9));
      worst(u, rate[1] + 0.5 * std::sin(a) * rate[2], table.at(i, 11));
      worst(u, -rate[0] - 0.5 * std::cos(a) * rate[2], table.at(i, 12));
      worst(p, P[0], table.at(i, 13));
      worst(p, -P[1], table.at(i, 14));
      worst(energy, sim.state().energy.kinetic, table.at(i, 20));
      worst(energy, sim.state().energy.potential, table.at(i, 21));
    }
    CHECK(sim.state().step == 2000);
    CHECK(impacts > 0);
    CHECK(sliding > 0);
    CHECK(q <= 1e-9);
    CHECK(gap <= 1e-9);
    CHECK(v <= 1e-7);
    CHECK(u <= 1e-7);
    CHECK(p <= 1e-7);
    CHECK(energy <= 1e-7);
    MESSAGE(fmt::format(
        "positions {:.1e} m, velocities {:.1e} m/s, impulses {:.1e} N s, energies {:.1e} J; {} "
        "impacts, {} sliding",
        std::max(q, gap), std::max(v, u), p, energy, impacts, sliding));
  }
}

// x' = A x + B lambda with A = [0 1; -1 0], B = (0, 1), -lambda in Sgn(x_1): M v' + C v = lambda B with v = x, C = -A.
TEST_CASE("an oscillator of first order with a relay runs as the Siconos tutorial publishes") {
  const auto file = published("friction_oscillator_relay.csv");
  if (!std::filesystem::exists(file)) SALTUS_SKIP("no published trajectories (golden/siconos)");
  const CsvTable table = read_csv(file);
  const double h = 0.01;
  LinearSystem system;
  system.mass = SparseMatrix::from(Matrix::Identity(2, 2));
  system.damping = SparseMatrix::from(Matrix{{0.0, -1.0}, {1.0, 0.0}});
  const auto body = std::make_shared<Linear>(system);
  CHECK_FALSE(has(body->traits(), Trait::second_order));
  CHECK_FALSE(has(body->traits(), Trait::symmetric));
  ModelParts parts =
      one_group({body, Vector::Zero(2), Vector{{12.0, 6.0}}}, MoreauJeanOptions{}, h);
  add_pair(parts, {0, {0, 1, Vector3::Zero()}}, world(), Vector3::UnitZ(), relay_law(1.0));
  Simulation sim{Model(parts)};
  double x = 0.0, lambda = 0.0, rate = 0.0;
  int slides = 0, sticks = 0;
  for (int i = 0; i < table.rows; ++i) {
    while (static_cast<double>(sim.state().step) < table.at(i, 0)) {
      REQUIRE(sim.advance().converged);
      (std::abs(impulse_of(sim, 1)[0]) >= h * (1.0 - 1e-12) ? slides : sticks)++;
    }
    if (sim.state().step == 0) continue;
    const Vector& v = sim.state().groups[0].v;
    const double force = impulse_of(sim, 1)[0] / h;
    worst(x, v[0], table.at(i, 2));
    worst(x, v[1], table.at(i, 3));
    worst(lambda, force, table.at(i, 4));
    worst(x, v[1], table.at(i, 5));
    worst(rate, v[1], table.at(i, 8));
    worst(rate, force - v[0], table.at(i, 9));
  }
  CHECK(sim.state().step == 9999);
  CHECK(slides > 100);
  CHECK(sticks > 100);
  CHECK(x <= 1e-9);
  CHECK(lambda <= 1e-7);
  CHECK(rate <= 1e-7);
  MESSAGE(fmt::format("states {:.1e}, forces {:.1e} N, rates {:.1e}; {} slides, {} sticks", x,
                      lambda, rate, slides, sticks));
}

// ---- the rules that let contacts in -----------------------------------------------------------------------------------

namespace {

/// g + w h u <= threshold, and with closing_only u <= velocity_threshold, at the start of the step.
struct Admission {
  std::string label, yaml;  ///< yaml: of the scheme, then of `activation`
  std::string scheme = "moreau-jean";
  double w = 0.5, threshold = 0.0, velocity_threshold = 0.0;
  bool closing_only = false;

  bool lets_in(double g, double u, double h) const {
    return g + w * h * u <= threshold && (!closing_only || u <= velocity_threshold);
  }
  ActivationOptions activation() const { return {w, threshold, velocity_threshold, closing_only}; }
};

const std::vector<Admission>& rules() {
  static const std::vector<Admission> all{
      {"forecast 1/2", "{}"},
      {"forecast 0", "{forecast: 0}", "moreau-jean", 0.0},
      {"gamma 0.7", "{}", "{kind: moreau-jean, gamma: 0.7}", 0.7},
      {"gamma not used", "{}", "{kind: moreau-jean, gamma: 0.7, use_gamma: false}", 0.5},
      {"use_gamma alone", "{forecast: 0}", "{kind: moreau-jean, use_gamma: true}", 0.5},
      {"forecast 1, closing", "{forecast: 1, closing_only: true}", "moreau-jean", 1.0, 0.0, 0.0,
       true},
      {"forecast 1", "{forecast: 1}", "moreau-jean", 1.0},
      {"threshold", "{threshold: 0.004}", "moreau-jean", 0.5, 0.004},
      {"negative threshold", "{threshold: -0.02}", "moreau-jean", 0.5, -0.02},
      {"velocity threshold", "{closing_only: true, velocity_threshold: -4}", "moreau-jean", 0.5,
       0.0, -4.0, true},
      {"positive velocity threshold", "{closing_only: true, velocity_threshold: 0.02}",
       "moreau-jean", 0.5, 0.0, 0.02, true},
  };
  return all;
}

struct Trace {
  std::vector<double> q, v, r;
  int active = 0;
};

/// A ball of 1 kg falls from 1 m; e = 0.9, theta = 1/2:
///     v_free = v - g h,   active: r = max(0, -(v_free + e v)),   v1 = v_free + r,   q1 = q + h (v + v1)/2
Trace ball_again(const Admission& rule, double h, int steps) {
  Trace trace;
  double q = 1.0, v = 0.0;
  for (int k = 0; k < steps; ++k) {
    const double v_free = v - 9.81 * h;
    const bool in = rule.lets_in(q, v, h);
    const double r = in ? std::max(0.0, -(v_free + 0.9 * v)) : 0.0, v1 = v_free + r;
    q += 0.5 * h * (v + v1);
    v = v1;
    trace.active += in;
    trace.q.push_back(q);
    trace.v.push_back(v);
    trace.r.push_back(r);
  }
  return trace;
}

constexpr int kNodes = PublishedBar::nodes;

/// It flies with 0.1 m/s at a wall 50 um away; restitution e, theta = 1/2:
///     A = M + h^2 K/4,   v_free = v - A^-1 (h K q + h^2 K v/2),   active: r = max(0, -(v_free + e v)_0 / (A^-1)_00)
struct BarState {
  Vector q, v;
  double r = 0.0;
  bool active = false;
};
std::vector<BarState> bar_again(const Admission& rule, double e, double h, int steps) {
  const PublishedBar bar;
  const Matrix A = bar.M + 0.25 * h * h * bar.K;
  const auto solve = cholesky_solver(A);
  const Vector answer = solve(Vector::Unit(kNodes, 0));
  BarState s{Vector::Constant(kNodes, 5e-5), Vector::Constant(kNodes, -0.1)};
  std::vector<BarState> trace;
  for (int k = 0; k < steps; ++k) {
    const Vector load = h * (bar.K * s.q) + 0.5 * h * h * (bar.K * s.v);
    const Vector v_free = s.v - solve(load);
    s.active = rule.lets_in(s.q[0], s.v[0], h);
    s.r = s.active ? std::max(0.0, -(v_free[0] + e * s.v[0]) / answer[0]) : 0.0;
    const Vector v1 = v_free + answer * s.r;
    s.q += 0.5 * h * (s.v + v1);
    s.v = v1;
    trace.push_back(s);
  }
  return trace;
}

}  // namespace

TEST_CASE("a ball bounces under every rule of activation as the formulas say") {
  const double h = 0.005;
  const int steps = 600;
  std::vector<double> last;
  for (const Admission& rule : rules()) {
    CAPTURE(rule.label);
    const Trace expected = ball_again(rule, h, steps);
    CHECK(expected.active > 3);
    last.push_back(expected.q.back());
    double q = 0.0, v = 0.0, r = 0.0;
    for (const char* friction : {"0", "0.3"}) {  // which has nothing to do, but takes other ways
      CAPTURE(friction);
      const Shown shown = run_text(
          "saltus: 1\ntime: {end: 3, step: 0.005}\ncontact: {instant: start}\nbodies:\n"
          "  - {name: ball, kind: particles, particles: {mass: [1], positions: [[1, 0, 0]], "
          "gravity: [-9.81, 0, 0]}, scheme: " +
              rule.scheme +
              "}\ncontacts:\n  - {on: ball, against: {plane: {normal: [1, 0, 0]}}, law: {kind: "
              "newton-impact, restitution: 0.9, friction: " +
              friction + ", activation: " + rule.yaml + "}}\n",
          {}, [&](const Simulation& sim, const StepReport& report) {
            const std::size_t k = sim.state().step - 1;
            worst(q, sim.state().groups[0].q[0], expected.q[k]);
            worst(v, sim.state().groups[0].v[0], expected.v[k]);
            worst(r, report.impulse, expected.r[k]);
          });
      CHECK(shown.converged);
      CHECK(shown.steps == steps);
    }
    CHECK(q <= 1e-9);
    CHECK(v <= 1e-7);
    CHECK(r <= 1e-7);
    MESSAGE(
        fmt::format("{}: active in {} steps, ends at {:.6f} m; positions {:.1e} m, velocities "
                    "{:.1e} m/s, impulses {:.1e} N s",
                    rule.label, expected.active, last.back(), q, v, r));
  }
  // the rules are not all the same rule
  CHECK(last[0] == last[3]);
  CHECK(last[0] == last[4]);
  for (std::size_t i : {1, 2, 5, 7, 8, 9}) CHECK(std::abs(last[i] - last[0]) > 1e-6);
}

TEST_CASE("an elastic bar hits a wall under every rule of activation as the formulas say") {
  const double h = 2e-6;
  const int steps = 748;
  LinearSystem system;
  const PublishedBar bar;
  system.mass = SparseMatrix::from(bar.M);
  system.stiffness = SparseMatrix::from(bar.K);
  const auto body = std::make_shared<Linear>(system);
  for (double e : {0.0, 0.6})
    for (Admission rule : rules()) {
      CAPTURE(rule.label);
      CAPTURE(e);
      rule.threshold *= 1e-4;  // lengths of this problem
      rule.velocity_threshold *= 0.01;
      if (e == 0.0 && rule.velocity_threshold == 0.0)
        rule.velocity_threshold = 1e-9;  // a bar at rest on the wall has round-off of either sign
      const std::vector<BarState> expected = bar_again(rule, e, h, steps);
      ModelParts parts =
          one_group({body, Vector::Constant(kNodes, 5e-5), Vector::Constant(kNodes, -0.1)},
                    MoreauJeanOptions{}, h);
      parts.options.instant = ContactInstant::start;
      NewtonImpact law = newton_law(e);
      law.activation = rule.activation();
      add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), law);
      Simulation sim{Model(parts)};
      double q = 0.0, v = 0.0, r = 0.0;
      int active = 0;
      for (const BarState& at : expected) {
        const StepReport report = sim.advance();
        REQUIRE(report.converged);
        q = worse(q, (sim.state().groups[0].q - at.q).cwiseAbs().maxCoeff());
        v = worse(v, (sim.state().groups[0].v - at.v).cwiseAbs().maxCoeff());
        worst(r, report.impulse, at.r);
        active += at.active;
      }
      CHECK(active > 10);
      CHECK(q <= 1e-9);
      CHECK(v <= 1e-7);
      CHECK(r <= 1e-7);
      MESSAGE(
          fmt::format("{}, e = {}: active in {} steps; positions {:.1e} m, velocities {:.1e} "
                      "m/s, impulses {:.1e} N s",
                      rule.label, e, active, q, v, r));
    }
}

TEST_CASE("the formulas of these tests are those of the published runs") {
  const auto ball = published("bouncing_ball_mj.csv"), bar = published("impacting_bar_fem.csv");
  if (!std::filesystem::exists(ball) || !std::filesystem::exists(bar))
    SALTUS_SKIP("no published trajectories (golden/siconos)");
  const CsvTable of_ball = read_csv(ball), of_bar = read_csv(bar);
  const Trace x = ball_again(rules()[0], 0.005, 2000);
  const std::vector<BarState> y = bar_again(rules()[1], 0.0, 2e-6, 748);
  double q = 0.0, v = 0.0;
  for (int i = 1; i < of_ball.rows; ++i) {
    const auto k = static_cast<std::size_t>(of_ball.at(i, 0)) - 1;
    worst(q, x.q[k], of_ball.at(i, 2));
    worst(v, x.v[k], of_ball.at(i, 3));
  }
  for (int i = 1; i < of_bar.rows; ++i) {
    const BarState& at = y[static_cast<std::size_t>(of_bar.at(i, 0)) - 1];
    worst(q, at.q[0], of_bar.at(i, 2));
    worst(q, at.q[99], of_bar.at(i, 8));
    worst(v, at.v[0], of_bar.at(i, 3));
    worst(v, at.v[99], of_bar.at(i, 9));
  }
  CHECK(q <= 1e-9);
  CHECK(v <= 1e-7);
}
