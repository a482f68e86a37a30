// Benchmarks of mechanics with independent values (tests/golden/benchmarks): those that a scheme of fixed steps can meet.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>

#include "../support/bar_impact.h"
#include "../support/golden.h"
#include "../support/one_group.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;

/// Quantities to a tolerance that only the location of events inside a step can meet: event_benchmarks_test.cpp.
constexpr std::array<std::string_view, 12> kNeedEvents{
    "B01/1/impact time no. 2",
    "B01/1/apex height after impact 2",
    "B01/1/impact time no. 5",
    "B01/1/apex height after impact 5",
    "B01/1/impact time no. 10",
    "B01/1/apex height after impact 10",
    "B01/1/sum of contact impulses per mass to rest",
    "B01/1/kinetic energy lost in impact 1 per mass",
    "B02/1/largest Floquet multiplier modulus",
    "B02/1/product of Floquet multipliers",
    "B02/1/contact impulse per period per mass",
    "B03/1/relative approach velocity at re-impact",
};

/// A quantity as a run of fixed steps gives it.
struct Measured {
  double value, tolerance;
  std::string how;
};
using Quantities = std::map<std::string, Measured>;

NewtonImpact newton_impact(double restitution) {
  NewtonImpact law;
  law.restitution = restitution;
  return law;
}

double reference(const std::string& key) {
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ','))
    if (row[0] + "/" + row[1] + "/" + row[3] == key) return number(row[4]);
  FAIL("no such benchmark: " << key);
  return 0.0;
}

/// Every row of these ids is measured within its tolerance, or is left by name to event-driven integration.
void check_rows(const std::string& id, const Quantities& measured) {
  std::size_t rows = 0, left = 0;
  for (const TableRow& row : read_table(golden("benchmarks/benchmarks.csv"), ',')) {
    if (row[0] != id) continue;
    const std::string key = row[0] + "/" + row[1] + "/" + row[3];
    CAPTURE(key);
    if (std::find(kNeedEvents.begin(), kNeedEvents.end(), key) != kNeedEvents.end()) {
      ++left;
      CHECK(measured.count(key) == 0);
      continue;
    }
    const auto at = measured.find(key);
    REQUIRE_MESSAGE(at != measured.end(), "not measured: " << key);
    const double value = number(row[4]), off = std::abs(at->second.value - value);
    CHECK(off <= at->second.tolerance);
    MESSAGE(fmt::format("{} = {:.8g} {}, off by {:.2e} (allowed {:.2e}: {}; {})", key,
                        at->second.value, row[5], off, at->second.tolerance, row[8],
                        at->second.how));
    ++rows;
  }
  CHECK(rows == measured.size());
  CHECK(rows + left > 0);
}

MovingBody point_mass(double place, double velocity) {
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  system.gravity = Vector3(0.0, 0.0, -9.81);
  return {std::make_shared<Particles>(system), Vector3(0.0, 0.0, place),
          Vector3(0.0, 0.0, velocity)};
}

}  // namespace

TEST_CASE("B01: a ball comes to rest after infinitely many impacts") {
  const double h = 1e-3, g = 9.81;
  ModelParts parts = one_group(point_mass(1.0, 0.0), MoreauJeanOptions{}, h);
  add_stop(parts, {}, Vector3::Zero(), Vector3::UnitZ(), newton_impact(0.5));
  Simulation sim{Model(parts)};
  double first = 0.0, moving = 0.0, impulse = 0.0, identity = 0.0, up_to_rest = 0.0;
  const double rest = reference("B01/1/accumulation time");
  for (int k = 0; k < 2000; ++k) {
    const StepReport report = sim.advance();
    const double t = sim.state().t, v = sim.state().groups[0].v[2];
    impulse += report.impulse;
    if (report.contacts > 0 && first == 0.0) first = t;
    if (std::abs(v) > 3.0 * g * h) moving = t;
    if (t <= rest) up_to_rest = impulse;
    identity = std::max(identity, std::abs(impulse - g * t - v));  // m (v - v0) = P - m g t
  }
  CHECK(identity <= 1e-9);
  CHECK(std::abs(up_to_rest / reference("B01/1/sum of contact impulses per mass to rest") - 1.0) <=
        0.01);
  check_rows("B01", {{"B01/1/first impact time", {first, h, "h = 1 ms"}},
                     {"B01/1/accumulation time", {moving, 0.01 * rest, "h = 1 ms"}}});
}

TEST_CASE("B02: a forced oscillator returns to its orbit of one impact a period") {
  const double zeta = 0.05, w = 1.9, sigma = 0.2, e = 0.7, T = 2.0 * kPi / w, h = T / 2000.0;
  const double t0 = reference("B02/1/impact phase t0 mod 2pi/w"),
               U = reference("B02/1/pre-impact velocity U");
  LinearSystem system = oscillator(1.0, 1.0, 2.0 * zeta);
  system.loads.push_back({{{0, 1.0}}, Signal::harmonic(1.0, w, w * t0)});
  const auto body = std::make_shared<Linear>(system);
  ModelParts parts =
      one_group({body, Vector::Constant(1, sigma), Vector::Constant(1, -1.02 * e * U)},
                MoreauJeanOptions{}, h);
  add_stop(parts, {}, Vector3(0.0, 0.0, sigma), -Vector3::UnitZ(), newton_impact(e));
  Simulation sim{Model(parts)};
  double phase = 0.0, before = 0.0, impulse = 0.0;
  int impacts = 0;
  for (int k = 0; k < 200 * 2000 + 400; ++k) {
    const double v0 = sim.state().groups[0].v[0];
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    if (report.contacts == 0 || v0 < 0.1 * U) continue;
    ++impacts;
    phase = std::remainder(sim.state().t - 0.5 * h, T);  // the load began at t0
    before = v0;
    impulse = report.impulse;
  }
  CHECK(std::abs(impacts - 200) <= 1);
  CHECK(std::abs(impulse / reference("B02/1/contact impulse per period per mass") - 1.0) <= 0.01);
  check_rows("B02",
             {{"B02/1/impact phase t0 mod 2pi/w", {t0 + phase, 2.0 * h, "h = T/2000, 200 periods"}},
              {"B02/1/pre-impact velocity U", {before, 0.01 * U, "h = T/2000, 200 periods"}}});
}

TEST_CASE("B03: a mass is thrown off a vibrating table and lands on it") {
  const double A = 0.1, w = 15.0;
  const auto shake = [&](double h) {
    ModelParts parts = one_group(point_mass(0.0, A * w), MoreauJeanOptions{}, h);
    ParticleSystem table;
    table.mass = Vector::Ones(1);
    table.prescribed.push_back({2, Signal::harmonic(A, w, -0.5 * kPi)});
    const auto under = std::make_shared<Particles>(table);
    parts.groups.push_back(
        {"table", "particles", under, make_scheme(SchemeChoice(MoreauJeanOptions{}))});
    GroupState still;
    still.q = still.v = Vector::Zero(2);
    parts.initial.push_back(still);
    parts.laws.push_back(newton_impact(0.0));
    parts.pairs.push_back({1, {0, {}}, {1, {}}, Vector3::UnitZ(), 0});
    return Simulation{Model(parts)};
  };
  const double h = 1e-4;
  Simulation sim = shake(h);
  double off = 0.0, landing = 0.0, approach = 0.0;
  while (sim.state().t < 0.5 && landing == 0.0) {
    const double t = sim.state().t, v = sim.state().groups[0].v[2];
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    if (report.contacts == 0) continue;
    if (sim.state().t - off <= 0.1) {
      off = sim.state().t;
    } else {
      landing = sim.state().t;
      approach = v - A * w * std::cos(w * t);
    }
  }
  // P/h = g - A w^3 h/2 + ... in the first step; two steps extrapolate to h = 0
  const auto first_force = [&](double step) { return shake(step).advance().impulse / step; };
  const double weight = 2.0 * first_force(2.5e-5) - first_force(5e-5);
  CHECK(std::abs(approach / reference("B03/1/relative approach velocity at re-impact") - 1.0) <=
        1e-2);
  check_rows("B03",
             {{"B03/1/lift-off time", {off, h, "h = 0.1 ms"}},
              {"B03/1/first re-impact time", {landing, 2.0 * h, "h = 0.1 ms"}},
              {"B03/1/contact force per mass at t=0",
               {weight, 1e-9, "first impulse over h, extrapolated from 50 and 25 us to 0"}}});
}

TEST_CASE("B11: an elastic bar hits a wall, is pressed together and leaves") {
  // Central differences carry a wave without any error when it crosses one element in one step.
  const double h = 1.0 / 1200.0, tau = 2.0 / 3.0;
  for (const BarKind kind : {BarKind::formulas, BarKind::finite_elements, BarKind::massless}) {
    CAPTURE(name_of(kind));
    // where the node at the wall has no mass, the bar beside it is no longer uniform
    const bool uniform = kind != BarKind::massless;
    const SchemeChoice scheme =
        uniform ? SchemeChoice(CentralDifferenceOptions{}) : SchemeChoice(MoreauJeanOptions{});
    const BarImpact a = drop_bar(falling_bar(kind, 400, 0.0), -10.0, 0.0, scheme, h),
                    b = drop_bar(falling_bar(kind, 400, 10.0), 0.0, 10.0, scheme, h);
    const double kinetic = 0.5 * kBarLength * 100.0;
    MESSAGE(fmt::format("vibration {:.2e} and {:.2e} of the energy, penetration {:.1e} m",
                        a.vibration / kinetic, b.vibration / kinetic, a.penetration));
    CHECK(a.vibration <= 0.02 * kinetic);
    if (!uniform) CHECK(std::max(a.penetration, b.penetration) <= 1e-12);
    const std::string how = fmt::format("{}, 400 elements, {}, h = 1/1200 s", name_of(kind),
                                        uniform ? "central-difference" : "moreau-jean");
    const auto key = [](int i, const char* quantity) {
      return fmt::format("B11/{}/{}", i, quantity);
    };
    Quantities seen;
    for (int i = 1; i <= 2; ++i) {
      const BarImpact& x = i == 1 ? a : b;
      const double impact = i == 1 ? 0.5 : 1.0, impulse = i == 1 ? 200.0 : 800.0 / 3.0;
      seen[key(i, "wave speed")] = {kBarLength / (x.arrival - x.impact), 0.3, how};
      seen[key(i, "impact time")] = {x.impact, 1e-3, how};
      seen[key(i, "contact duration 2L/c")] = {x.release - x.impact, 0.01 * tau, how};
      seen[key(i, "release time")] = {x.release, 0.01 * (impact + tau), how};
      seen[key(i, i == 1 ? "contact impulse" : "impulse of first contact")] = {x.impulse,
                                                                               0.01 * impulse, how};
      seen[key(i, i == 1 ? "rebound velocity of all points" : "uniform velocity at release")] = {
          x.velocity, 0.1, how};
    }
    seen[key(1, "contact force at start rho c v")] = {a.impulse / (a.release - a.impact), 6.0,
                                                      how + ", mean over the contact"};
    seen[key(2, "contact force at start rho c v")] = {b.start_force, 6.0,
                                                      how + ", straight line through the force"};
    seen[key(2, "contact force at end of contact")] = {b.end_force, 10.0,
                                                       how + ", straight line through the force"};
    seen[key(1, "largest compression of the bar (end to end)")] = {a.shortest, 0.01 * 10.0 / 3.0,
                                                                   how};
    seen[key(2, "strain at lower end at release")] = {b.strain, 0.02 * 2.0 / 9.0,
                                                      how + ", straight line through the strains"};
    seen[key(2, "free flight time over 2L/c")] = {(b.second - b.release) / tau, 0.05, how};
    check_rows("B11", seen);
  }
}

TEST_CASE("B11: what the impact of a bar leaves in vibration falls with the mesh") {
  for (const BarKind kind : {BarKind::formulas, BarKind::finite_elements}) {
    CAPTURE(name_of(kind));
    double before = 0.1;
    for (int elements : {50, 100, 200}) {
      const BarImpact x = drop_bar(falling_bar(kind, elements, 0.0), -10.0, 0.0,
                                   MoreauJeanOptions{}, 1.0 / (12.0 * elements));
      const double share = x.vibration / 500.0;
      CAPTURE(elements);
      CHECK(share <= 0.75 * before);
      CHECK(std::abs(x.impulse / 200.0 - 1.0) <= 0.015);
      MESSAGE(fmt::format(
          "{} elements, moreau-jean theta 1/2: {:.2e} of the energy, velocity {:.3f} m/s", elements,
          share, x.velocity));
      before = share;
    }
  }
}

TEST_CASE("B17a: a pendulum let go at the horizontal keeps its period and its places") {
  struct Case {
    const char* how;
    SchemeChoice scheme;
    int steps;  ///< a second
  };
  for (const Case& c : {Case{"runge-kutta rk4, h = 2 ms", RungeKuttaOptions{}, 500},
                        Case{"moreau-jean theta 1/2, h = 0.2 ms", MoreauJeanOptions{}, 5000},
                        Case{"newmark, h = 0.2 ms", NewmarkOptions{}, 5000},
                        Case{"discrete-gradient, h = 0.2 ms", DiscreteGradientOptions{}, 5000},
                        Case{"generalized-alpha, h = 0.2 ms", GeneralizedAlphaOptions{}, 5000},
                        Case{"central-difference, h = 0.2 ms", CentralDifferenceOptions{}, 5000}}) {
    CAPTURE(std::string(c.how));
    const auto body = std::make_shared<Lagrangian>(pendulum({}));
    const double h = 1.0 / c.steps;
    Simulation sim{
        Model(one_group({body, Vector::Constant(1, -0.5 * kPi), Vector::Zero(1)}, c.scheme, h))};
    Quantities seen;
    double crossed = 0.0;  // the fourth passage of the lowest point: 7/4 periods
    int passages = 0;
    for (int k = 1; k <= 10 * c.steps; ++k) {
      const double before = sim.state().groups[0].q[0], v0 = velocity_of(sim)[0];
      REQUIRE(sim.advance().converged);
      const double q = sim.state().groups[0].q[0], v1 = velocity_of(sim)[0];
      if ((before < 0.0) != (q < 0.0) && ++passages == 4) {
        // Newton on the cubic through both ends, from the straight line
        double s = before / (before - q);
        for (int i = 0; i < 20; ++i) {
          const double d = q - before, a = h * v0 - d, b = d - h * v1;
          const double y = before + s * d + s * (1.0 - s) * ((1.0 - s) * a + s * b);
          const double y1 = d + (1.0 - 2.0 * s) * ((1.0 - s) * a + s * b) + s * (1.0 - s) * (b - a);
          s -= y / y1;
        }
        crossed = sim.state().t - h + s * h;
      }
      for (int t : {1, 5, 10})
        if (k == t * c.steps) {
          const std::string at = fmt::format("({})", t);
          seen["B17a/1/x" + at + " (start x=-L side)"] = {std::sin(q), 1e-5, c.how};
          seen["B17a/1/y" + at] = {-std::cos(q), 1e-5, c.how};
        }
    }
    const double period = reference("B17a/1/period (90 deg amplitude)");
    seen["B17a/1/period (90 deg amplitude)"] = {crossed / 1.75, 1e-6 * period, c.how};
    check_rows("B17a", seen);
  }
}
