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

#include "../support/golden.h"
#include "../support/one_group.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/bodies/particles.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;

/// Quantities to a tolerance that only the location of events inside a step can meet.
constexpr std::array<std::string_view, 12> kWaitForEvents{
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

ContactLaw newton_impact(double restitution) {
  ContactLaw law;
  law.rule = ContactLaw::Rule::newton_impact;
  law.restitution = restitution;
  return law;
}

double reference(const std::string& key) {
  for (const Row& row : read_table(golden("benchmarks/benchmarks.csv"), ','))
    if (row[0] + "/" + row[1] + "/" + row[3] == key) return number(row[4]);
  FAIL("no such benchmark: " << key);
  return 0.0;
}

/// Every row of these ids is measured within its tolerance, or waits by name.
void check_rows(const std::string& id, const Quantities& measured) {
  std::size_t rows = 0, waiting = 0;
  std::string waits;
  for (const Row& row : read_table(golden("benchmarks/benchmarks.csv"), ',')) {
    if (row[0] != id) continue;
    const std::string key = row[0] + "/" + row[1] + "/" + row[3];
    CAPTURE(key);
    if (std::find(kWaitForEvents.begin(), kWaitForEvents.end(), key) != kWaitForEvents.end()) {
      waits += "\n  " + key + " (" + row[8] + ")";
      ++waiting;
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
  CHECK(rows + waiting > 0);
  if (waiting > 0) MESSAGE("waiting for events to be located:" << waits);
}

Moving point_mass(double place, double velocity) {
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  system.gravity = Vector3(0.0, 0.0, -9.81);
  return {std::make_shared<Particles>(system), Vector3(0.0, 0.0, place),
          Vector3(0.0, 0.0, velocity)};
}

// -- B11

struct BarImpact {
  double impact = 0.0, release = 0.0, second = 0.0;  ///< times [s]
  double impulse = 0.0;                              ///< of the first contact [N s]
  double start_force = 0.0, end_force = 0.0;         ///< of the straight line through the force [N]
  double velocity = 0.0;                             ///< of the mass centre at the release [m/s]
  double vibration = 0.0;  ///< energy not in that motion, of the kinetic energy at the impact
  double shortest = 0.0;   ///< largest compression [m]
  double strain = 0.0;     ///< of the lower tenth at the release [1]
  double arrival = 0.0;    ///< of the wave at the upper end [s]
  double penetration = 0.0;
};

constexpr double kLength = 10.0, kYoung = 900.0;

/// Of the straight line through the strains of the elements from 5 % to 50 % of the length, at the lower end. The front
/// of the release runs ahead below.
double strain_of_end(const Vector& q, double element) {
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  const Eigen::Index n = q.size() - 1;
  for (Eigen::Index i = n / 20; i < n / 2; ++i) {
    const Eigen::Vector2d basis(1.0, (static_cast<double>(i) + 0.5) * element);
    normal += basis * basis.transpose();
    right += (q[i + 1] - q[i]) / element * basis;
  }
  return (normal.inverse() * right)[0];
}

BarImpact drop_bar(double velocity, double gravity, const SchemeChoice& scheme, int elements,
                   double h) {
  BarMesh mesh;
  mesh.elements = elements;
  mesh.length = kLength;
  mesh.young = kYoung;
  mesh.origin = Vector3(0.0, 0.0, 5.0);
  mesh.axis = Vector3::UnitZ();
  mesh.lumped = true;
  LinearSystem system = bar(mesh);
  const Eigen::Index n = system.mass.size();
  const Vector ones = Vector::Ones(n);
  Vector nodal(n);
  system.mass.multiply(ones, nodal);
  system.load = -gravity * nodal;
  const auto body = std::make_shared<Linear>(system);
  ModelParts parts = one_group({body, Vector::Zero(n), velocity * ones}, scheme, h);
  add_stop(parts, {}, Vector3::Zero(), Vector3::UnitZ(), newton_impact(0.0));
  Simulation sim{Model(parts)};
  BarImpact b;
  std::vector<double> at, force;
  double arriving = 0.0;
  const double until = 4.5;
  while (sim.state().t < until) {
    const double t0 = sim.state().t;
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    const Vector &q = sim.state().groups[0].q, v = velocity_of(sim);
    const double t = sim.state().t;
    const bool in_first = b.second == 0.0;
    if (report.impulse > 0.0) {
      if (b.impact == 0.0) {
        b.impact = t;
        arriving = v[n - 1];
      } else if (in_first && t - b.release > 0.5) {
        b.second = t;
      }
      if (b.second == 0.0) b.release = t;
    }
    if (b.impact > 0.0 && b.second == 0.0) {
      at.push_back(0.5 * (t0 + t));
      force.push_back(report.impulse / h);
      b.impulse += report.impulse;
      b.shortest = std::max(b.shortest, q[0] - q[n - 1]);
      if (b.release == t) {
        const double mean = nodal.dot(v) / nodal.sum();
        b.velocity = mean;
        const Energy energy = body->energy(t, q, v);
        b.vibration = energy.kinetic + energy.potential - 0.5 * nodal.sum() * mean * mean;
        b.strain = strain_of_end(q, kLength / elements);
      }
      if (b.arrival == 0.0 && std::abs(v[n - 1] - arriving + gravity * (t - b.impact)) > 5.0)
        b.arrival = t;
    }
    b.penetration = std::max(b.penetration, -(q[0] + 5.0));
  }
  // the straight line F = a + b s whose integral is nearest to the impulse received up to s
  const double tau = b.release - b.impact + h;
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  double received = 0.0;
  for (std::size_t i = 0; i < at.size() && at[i] < b.release; ++i) {
    received += h * force[i];
    const double s = at[i] + 0.5 * h - (b.impact - h);
    const Eigen::Vector2d basis(s, 0.5 * s * s);
    normal += basis * basis.transpose();
    right += received * basis;
  }
  const Eigen::Vector2d line = normal.inverse() * right;
  b.start_force = line[0];
  b.end_force = line[0] + tau * line[1];
  return b;
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
  const BarImpact a = drop_bar(-10.0, 0.0, CentralDifferenceOptions{}, 400, h),
                  b = drop_bar(0.0, 10.0, CentralDifferenceOptions{}, 400, h);
  const double kinetic = 0.5 * kLength * 100.0;
  MESSAGE(fmt::format("vibration {:.2e} and {:.2e} of the energy, penetration {:.1e} m",
                      a.vibration / kinetic, b.vibration / kinetic, a.penetration));
  CHECK(a.vibration <= 0.02 * kinetic);
  const std::string how = "400 elements, central-difference, h = 1/1200 s";
  const auto key = [](int i, const char* quantity) {
    return fmt::format("B11/{}/{}", i, quantity);
  };
  Quantities seen;
  for (int i = 1; i <= 2; ++i) {
    const BarImpact& x = i == 1 ? a : b;
    const double impact = i == 1 ? 0.5 : 1.0, impulse = i == 1 ? 200.0 : 800.0 / 3.0;
    seen[key(i, "wave speed")] = {kLength / (x.arrival - x.impact), 0.3, how};
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

TEST_CASE("B11: what the impact of a bar leaves in vibration falls with the mesh") {
  double before = 0.1;
  for (int elements : {50, 100, 200}) {
    const BarImpact x =
        drop_bar(-10.0, 0.0, MoreauJeanOptions{}, elements, 1.0 / (12.0 * elements));
    const double share = x.vibration / 500.0;
    CAPTURE(elements);
    CHECK(share <= 0.75 * before);
    CHECK(std::abs(x.impulse / 200.0 - 1.0) <= 0.015);
    MESSAGE(
        fmt::format("{} elements, moreau-jean theta 1/2: {:.2e} of the energy, velocity {:.3f} m/s",
                    elements, share, x.velocity));
    before = share;
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
