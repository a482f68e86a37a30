// The vector schemes against steps in 40-digit arithmetic (tests/golden/sofa/README.md).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "../support/golden.h"
#include "../support/one_group.h"
#include "../support/reference_motion.h"
#include "../support/step_matrix.h"
#include "../tables/sofa_solvers.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"

using namespace saltus;
using namespace saltus::test;
using namespace saltus::test::sofa_tables;

namespace {

SparseMatrix two(double a, double b, double c) {
  Matrix m(2, 2);
  m << a, b, b, c;
  return SparseMatrix::from(m);
}

constexpr double kStiffness = 39.4784176043574344753;  ///< (2 pi)^2 [N/m]

MovingBody swing(double damping, Rayleigh rayleigh, bool forced) {
  LinearSystem s = oscillator(1.0, kStiffness, damping);
  s.rayleigh = rayleigh;
  if (forced) s.loads.push_back({{{0, 1.0}}, Signal::harmonic(10.0, 5.0)});
  return {std::make_shared<Linear>(s), Vector::Constant(1, 1.0), Vector::Constant(1, 2.0)};
}

MovingBody two_masses(Rayleigh rayleigh) {
  LinearSystem s;
  s.mass = two(2.0, 0.5, 1.0);
  s.stiffness = two(300.0, -100.0, 150.0);
  s.rayleigh = rayleigh;
  s.load = Eigen::Vector2d(-3.0, 1.0);
  return {std::make_shared<Linear>(s), Eigen::Vector2d(0.1, -0.05), Eigen::Vector2d(0.2, 0.3)};
}

MovingBody stretched_bar() {
  Vector v(4);
  for (int i = 1; i <= 4; ++i) v[i - 1] = 0.15 * std::sqrt(1000.0) * i / 4.0;
  StvkBarData data;
  data.elements = 4;
  return {std::make_shared<Lagrangian>(stvk_bar(data)), Vector::Zero(4), v};
}

/// The model of a case of golden_steps.tsv; without its Rayleigh damping if asked.
std::optional<MovingBody> model_of(const std::string& id, bool rayleigh) {
  const auto damped = [&](double mass, double stiffness) {
    return rayleigh ? Rayleigh{mass, stiffness} : Rayleigh{};
  };
  const Vector zero = Vector::Zero(1);
  if (id == "O1-undamped") return swing(0.0, {}, false);
  if (id == "O2-rayleigh") return swing(0.0, damped(0.5, 0.01), false);
  if (id == "O3-massRayleigh") return swing(0.0, damped(0.5, 0.0), false);
  if (id == "O4-dashpot") return swing(0.9, {}, false);
  if (id == "O5-forced") return swing(0.9, {}, true);
  if (id == "M1-twoDof") return two_masses({});
  if (id == "M2-twoDofRayleigh") return two_masses(damped(0.3, 0.004));
  if (id == "P1-pendulum")
    return MovingBody{std::make_shared<Lagrangian>(pendulum({})), Vector::Constant(1, 2.0), zero};
  if (id == "D1-duffing")
    return MovingBody{std::make_shared<Lagrangian>(duffing({})), Vector::Constant(1, 1.0), zero};
  if (id == "B1-stvkBar4") return stretched_bar();
  return {};
}

bool affine(const std::string& id) { return id[0] == 'O' || id[0] == 'M'; }

/// max |a - b| / max |b|
double deviation(const Vector& a, const Vector& b) {
  REQUIRE(a.size() == b.size());
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

/// The worst of a class of rows, for the log.
struct Worst {
  double value = 0.0;
  std::string row;
  void add(double error, const std::string& name) {
    if (error > value) {
      value = error;
      row = name;
    }
  }
};

}  // namespace

TEST_CASE("every scheme repeats its steps in 40-digit arithmetic on ten models") {
  std::map<double, Worst> worst;
  int rows = 0;
  std::set<std::string> cases, ids;
  for (const TableRow& row : read_table(golden("sofa/golden_steps.tsv"), '\t')) {
    REQUIRE(row.size() == 7);
    if (row[1] == "EXACT") continue;
    const std::string name = row[0] + " " + row[1];
    CAPTURE(name);
    const auto solver = solvers_by_id().find(row[1]);
    REQUIRE_MESSAGE(solver != solvers_by_id().end(), "a solver nobody knows: " << row[1]);
    const Solver& s = solver->second;
    const std::optional<MovingBody> body = model_of(row[0], s.rayleigh);
    REQUIRE_MESSAGE(body.has_value(), "a case nobody knows: " << row[0]);
    const int steps = static_cast<int>(number(row[3]));
    ModelParts parts = one_group(*body, s.scheme, number(row[2]) / steps);
    parts.options.pass_tolerance = kConverged;
    Simulation sim{Model(parts)};
    bool good = true;
    for (int k = 0; k < steps; ++k) {
      const StepReport report = sim.advance();
      good = good && report.converged && report.finite;
    }
    CHECK(good);
    const GroupState& end = sim.state().groups[0];
    const double tolerance = affine(row[0]) ? 1e-12 : s.nonlinear;
    const double q = deviation(end.q, numbers(row[4])),
                 v = deviation(s.stored_velocity ? end.v : velocity_of(sim), numbers(row[5]));
    CHECK(q <= tolerance);
    CHECK(v <= tolerance);
    double p = 0.0;
    if (row[6] != "-") {
      REQUIRE(end.memory.size() == 1);
      p = deviation(end.memory[0], numbers(row[6]));
      CHECK(p <= tolerance);
    }
    worst[tolerance].add(std::max({q, v, p}), name);
    cases.insert(row[0]);
    ids.insert(row[1]);
    ++rows;
  }
  CHECK(rows == 228);
  CHECK(cases.size() == 10);
  CHECK(ids.size() == 25);
  for (const auto& [tolerance, at] : worst)
    MESSAGE(fmt::format("tolerance {}: worst {:.2e}, {}", tolerance, at.value, at.row));
}

TEST_CASE("the reference motion of the tests meets the exact rows of the ten models") {
  Worst worst;
  for (const TableRow& row : read_table(golden("sofa/golden_steps.tsv"), '\t')) {
    if (row[1] != "EXACT") continue;
    CAPTURE(row[0]);
    const MovingBody body = model_of(row[0], true).value();
    Vector q = body.q, v = body.v;
    ReferenceMotion(body.dynamics).carry(q, v, 0.0, number(row[2]), row[0][0] == 'B' ? 600 : 60);
    const double error = std::max(deviation(q, numbers(row[4])), deviation(v, numbers(row[5])));
    CHECK(error <= 2e-12);
    worst.add(error, row[0]);
  }
  MESSAGE(fmt::format("worst {:.2e}, {}", worst.value, worst.row));
}

TEST_CASE("the sequences of the SOFA unit tests are met to their own tolerance or 2e-13 m") {
  using enum Compat;
  const std::map<std::string, SchemeChoice> schemes{
      {"EulerExplicit symplectic=1", euler(true, sofa)},
      {"EulerImplicit sofa", implicit_euler(false, EquationSolver::linear, sofa)},
      {"Newmark beta=1/4 gamma=1/2", newmark(0.25, 0.5, EquationSolver::linear, sofa)},
      {"RungeKutta2 -", runge_kutta(Table::midpoint, sofa)},
      {"RungeKutta4 -", runge_kutta(Table::rk4, sofa)},
      {"VariationalSymplecticExplicit -", variational(Form::explicit_form, sofa)},
      {"VariationalSymplecticImplicit sofa damping",
       variational(Form::implicit_form, sofa, 5, 0.01)},
      {"CentralDifference start=SOFA", CentralDifferenceOptions{sofa}}};
  const std::vector<TableRow> rows = read_table(golden("sofa/sofa_unit_tests.tsv"), '\t');
  std::string running;
  std::optional<Simulation> sim;
  Worst worst;
  int checked = 0;
  for (const TableRow& row : rows) {
    REQUIRE(row.size() == 11);
    const std::string name = row[0] + " " + row[1];
    const auto scheme = schemes.find(name);
    REQUIRE_MESSAGE(scheme != schemes.end(), "a solver nobody knows: " << name);
    const double k = number(row[2]), m = number(row[3]), h = number(row[4]);
    const std::string run =
        name + " " + row[2] + " " + row[3] + " " + row[4] + " " + row[5] + " " + row[6];
    CAPTURE(run);
    if (run != running) {  // q = y - 1
      running = run;
      LinearSystem s = oscillator(m, k);
      s.rayleigh = {number(row[5]), number(row[6])};
      s.load = Vector::Constant(1, -10.0 * m);
      const MovingBody body{std::make_shared<Linear>(s), Vector::Zero(1), Vector::Zero(1)};
      sim.emplace(Model(one_group(body, scheme->second, h)));
    }
    const auto n = static_cast<std::uint64_t>(number(row[8]));
    CAPTURE(n);
    REQUIRE(sim->state().step <= n);
    while (sim->state().step < n) REQUIRE(sim->advance().converged);
    const double off = std::abs(1.0 + sim->state().groups[0].q[0] - number(row[9]));
    CHECK(off <= std::max(2e-13, number(row[7])));
    worst.add(off, run);
    ++checked;
  }
  CHECK(checked == 128);
  MESSAGE(fmt::format("worst {:.2e} m, {}", worst.value, worst.row));
}

TEST_CASE("a first-order system M x' = F moves at velocity level as the implicit Euler rows say") {
  LinearSystem s;
  s.mass = two(2.0, 0.5, 1.0);
  s.damping = two(30.0, -10.0, 15.0);
  s.load = Eigen::Vector2d(-3.0, 1.0);
  const auto body = std::make_shared<Linear>(s);
  CHECK_FALSE(has(body->traits(), Trait::second_order));
  const MovingBody start{body, Vector::Zero(2), Eigen::Vector2d(0.1, -0.05)};
  int checked = 0;
  for (const TableRow& row : read_table(golden("sofa/first_order.tsv"), '\t')) {
    CAPTURE(row[0]);
    if (row[0] == "EXACT") {
      Vector q = start.q, v = start.v;
      ReferenceMotion(body).carry(q, v, 0.0, number(row[1]), 40);
      CHECK(deviation(v, numbers(row[3])) <= 1e-12);
      continue;
    }
    REQUIRE((row[0] == "firstOrder tr=1" || row[0] == "firstOrder trapezoidal tr=1/2"));
    const int steps = static_cast<int>(number(row[2]));
    const double h = number(row[1]) / steps;
    for (EquationSolver solver : {EquationSolver::linear, EquationSolver::newton}) {
      Simulation sim{Model(
          one_group(start, implicit_euler(row[0] != "firstOrder tr=1", solver, Compat::none), h))};
      Vector before = start.v;
      for (int k = 0; k < steps; ++k) {
        before = sim.state().groups[0].v;
        sim.advance();
      }
      const Vector x = sim.state().groups[0].v, w = (x - before) / h;
      CHECK(deviation(x, numbers(row[3])) <= 1e-12);
      CHECK(deviation(w, numbers(row[4])) <= 1e-12);
    }
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("a planet on its ellipse by the implicit variational scheme errs as the table says") {
  // r = a (1 - ecc^2)/(1 - ecc cos theta), from the farthest point at r = 1
  const double mu = 0.075, v0 = 0.18, period = 11.685038540104447, pi = std::numbers::pi;
  const double a = 1.0 / (2.0 - v0 * v0 / mu), ecc = 1.0 / a - 1.0;
  CHECK(std::abs(2.0 * pi * std::sqrt(a * a * a / mu) / period - 1.0) <= 1e-14);
  const double E0 = 0.5 * v0 * v0 - mu;
  int checked = 0;
  for (const TableRow& row : read_table(golden("sofa/sofa_planet.tsv"), '\t')) {
    const int N = static_cast<int>(number(row[0]));
    CAPTURE(N);
    PlanetData data;
    data.mu = mu;
    const MovingBody body{std::make_shared<Lagrangian>(planet(data)), Eigen::Vector2d(1.0, 0.0),
                          Eigen::Vector2d(0.0, v0)};
    ModelParts parts =
        one_group(body, variational(Form::implicit_form, Compat::none, 40, kConverged), period / N);
    parts.options.pass_tolerance = kConverged;
    Simulation sim{Model(parts)};
    double trajectory = 0.0, energy = 0.0, momentum = 0.0;
    for (int k = 1; k <= N; ++k) {
      REQUIRE(sim.advance().converged);
      const Vector& q = sim.state().groups[0].q;
      const Vector v = velocity_of(sim);
      const double r = q.norm(), on_ellipse = a * (1.0 - ecc * ecc) / (1.0 - ecc * q[0] / r);
      trajectory = std::max(trajectory, std::abs(r - on_ellipse));
      energy = std::max(energy, std::abs(0.5 * v.squaredNorm() - mu / q.norm() - E0));
      momentum = std::max(momentum, std::abs(q[0] * v[1] - q[1] * v[0] - v0));
    }
    const GroupState& end = sim.state().groups[0];
    MESSAGE(fmt::format("N = {}: trajectory {:.5e}, energy {:.5e}, momentum {:.1e}", N, trajectory,
                        energy, momentum));
    // five or six digits are printed
    CHECK(trajectory == doctest::Approx(number(row[1])).epsilon(1e-5));
    CHECK(energy == doctest::Approx(number(row[3])).epsilon(2e-5));
    CHECK((end.q - Vector(Eigen::Vector2d(1.0, 0.0))).norm() ==
          doctest::Approx(number(row[2])).epsilon(1e-5));
    CHECK(momentum <= 1e-12);
    const Vector x = numbers(row[5]), p = numbers(row[6]);
    CHECK(std::abs(end.q[0] - x[0]) <= 1e-9);
    CHECK(end.q[1] == doctest::Approx(x[1]).epsilon(1e-8));
    REQUIRE(end.memory.size() == 1);
    CHECK(end.memory[0][0] == doctest::Approx(p[0]).epsilon(1e-7));
    CHECK(std::abs(end.memory[0][1] - p[1]) <= 1e-9);
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("one step turns and shrinks the phase plane by the eigenvalues of the table") {
  int checked = 0;
  Worst worst;
  for (const TableRow& row : read_table(golden("sofa/amplification.tsv"), '\t')) {
    REQUIRE(row.size() == 6);
    const std::string name = row[0] + " h = " + row[1] + ", rM = " + row[2] + ", rK = " + row[3];
    CAPTURE(name);
    const auto solver = solvers_by_id().find(row[0]);
    REQUIRE_MESSAGE(solver != solvers_by_id().end(), "a solver nobody knows: " << row[0]);
    LinearSystem s = oscillator(1.0, 1.0);
    s.rayleigh = {number(row[2]), number(row[3])};
    const Dominant at =
        dominant(step_matrix(std::make_shared<Linear>(s), solver->second.scheme, number(row[1])));
    const double radius = std::abs(at.radius / number(row[4]) - 1.0),
                 angle = std::abs(at.angle - number(row[5]));
    CHECK(radius <= 1e-12);
    CHECK(angle <= 1e-12);
    worst.add(std::max(radius, angle), name);
    ++checked;
  }
  CHECK(checked == 168);
  MESSAGE(fmt::format("worst {:.2e}, {}", worst.value, worst.row));
}
