// Finite elements against steps in 80-bit and 40-digit arithmetic: a hexahedron under Solfec's deformable schemes, a bar of
// four elements under the schemes of SOFA's tables.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "../support/golden.h"
#include "../support/one_group.h"
#include "../support/reference_motion.h"
#include "../tables/sofa_solvers.h"
#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/fem/fem.h"

using namespace saltus;
using namespace saltus::test;
using namespace saltus::test::sofa_tables;

namespace {

/// max |a - b| / max(1, |b|)
double deviation(const Vector& a, const Vector& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0.0;
  for (Eigen::Index i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i])));
  return worst;
}

/// The unit cube of the tables, St Venant-Kirchhoff, E = 1e6, nu = 0.25, density 1000.
std::shared_ptr<const Fem> cube(double eta) {
  FemSystem system;
  system.mesh = box_mesh({ElementKind::hex8, {1, 1, 1}, Vector3::Ones(), Vector3(-0.5, -0.5, 0.0)});
  // the layers of a box are in rows; those of the tables, and of the element, go around
  const std::vector<int> around = system.mesh.blocks[0].nodes;
  const Eigen::Matrix3Xd rows = system.mesh.nodes;
  for (int a = 0; a < 8; ++a) {
    system.mesh.nodes.col(a) = rows.col(around[static_cast<std::size_t>(a)]);
    system.mesh.blocks[0].nodes[static_cast<std::size_t>(a)] = a;
  }
  FemMaterial m;
  m.material.young = 1e6;
  m.material.poisson = 0.25;
  m.material.density = 1000.0;
  system.materials.push_back(m);
  system.rayleigh.stiffness = eta;
  return std::make_shared<Fem>(system);
}

/// The bar of the tables: four elements along x, fixed at 0, E = 1000, consistent mass.
std::shared_ptr<const Fem> bar(int dimension) {
  FemSystem system;
  system.mesh = box_mesh({ElementKind::bar2, {4, 0, 0}, Vector3(1.0, 0.0, 0.0), Vector3::Zero()});
  system.mesh.dimension = dimension;
  FemMaterial m;
  m.material.young = 1000.0;
  system.materials.push_back(m);
  system.mass = MassForm::consistent;
  system.prescribed.push_back({0, Signal::constant(0.0)});
  for (int node = 0; node <= 4; ++node)
    for (int axis = 1; axis < dimension; ++axis)
      system.prescribed.push_back({3 * node + axis, Signal::constant(0.0)});
  return std::make_shared<Fem>(system);
}

}  // namespace

TEST_CASE("def-exp and def-lim repeat the steps of a hexahedron in 80-bit arithmetic to 1e-13") {
  double worst_q = 0.0, worst_u = 0.0, worst_exact = 0.0;
  int rows = 0;
  Vector q0, v0;
  for (const TableRow& row : read_table(golden("solfec/deformable_golden.csv"), ',')) {
    REQUIRE(row.size() >= 10);
    if (row[0] != "HEX1") continue;
    CAPTURE(row[1]);
    CAPTURE(row[2]);
    CAPTURE(row[3]);
    const Vector q1 = numbers(row[8], ' '), v1 = numbers(row[9], ' ');
    const auto body = cube(number(row[2]));
    if (row[1] == "INITIAL") {
      q0 = q1;
      v0 = v1;
    }
    REQUIRE(q0.size() == 24);
    Vector q = q0, v = v0;
    double tolerance = 1e-13;
    if (row[1] == "EXACT") {
      ReferenceMotion(body).carry(q, v, 0.0, number(row[5]), 40);
      tolerance = 1e-12;
      worst_exact = std::max({worst_exact, deviation(q, q1), deviation(v, v1)});
    } else if (row[1] != "INITIAL") {
      REQUIRE((row[1] == "DEF_EXP" || row[1] == "DEF_LIM"));
      const SchemeChoice scheme =
          row[1] == "DEF_EXP" ? SchemeChoice(DefExpOptions{}) : SchemeChoice(DefLimOptions{});
      Simulation sim{Model(one_group({body, q0, v0}, scheme, number(row[3])))};
      const int steps = static_cast<int>(number(row[4]));
      for (int k = 0; k < steps; ++k) REQUIRE(sim.advance().finite);
      q = sim.state().groups[0].q;
      v = velocity_of(sim);
      worst_q = std::max(worst_q, deviation(q, q1));
      worst_u = std::max(worst_u, deviation(v, v1));
    }
    CHECK(deviation(q, q1) <= tolerance);
    CHECK(deviation(v, v1) <= tolerance);
    const Energy energy = body->energy(0.0, q, v);
    CHECK(std::abs(energy.kinetic / number(row[6]) - 1.0) <= 10.0 * tolerance);
    CHECK(std::abs(energy.potential - number(row[7])) <= 10.0 * tolerance * number(row[6]));
    ++rows;
  }
  CHECK(rows >= 6);
  MESSAGE(fmt::format("{} rows: q {:.1e}, u {:.1e}, exact rows {:.1e}", rows, worst_q, worst_u,
                      worst_exact));
}

TEST_CASE(
    "a bar of finite elements has the mass, the force and the tangent of the bar of formulas") {
  const auto fem = bar(1), across = bar(3);
  StvkBarData data;
  data.elements = 4;
  const Lagrangian formulas(stvk_bar(data));
  const Vector q = Eigen::Vector4d(0.02, 0.05, 0.04, 0.09),
               v = Eigen::Vector4d(1.0, -0.4, 0.7, 2.0);
  Vector f(4), g(4);
  for (const auto& body : {fem, across}) {
    REQUIRE(body->positions() == 4);
    formulas.force(0.0, q, v, g);
    body->force(0.0, q, v, f);
    CHECK((f - g).norm() < 1e-13 * g.norm());
    for (int j = 0; j < 4; ++j)
      for (const Combination s : {Combination{1, 0, 0}, Combination{0, 0, 1}}) {
        const Vector x = Vector::Unit(4, j);
        body->multiply(s, 0.0, q, v, x, f);
        formulas.multiply(s, 0.0, q, v, x, g);
        CHECK((f - g).norm() < 1e-12 * g.norm());
      }
    CHECK(body->energy(0.0, q, v).potential ==
          doctest::Approx(formulas.energy(0.0, q, v).potential).epsilon(1e-13));
  }
}

namespace {

/// max |a - b| / max |b|
double relative(const Vector& a, const Vector& b) {
  REQUIRE(a.size() == b.size());
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

}  // namespace

TEST_CASE("the bar of four elements repeats the steps of 21 schemes in 40-digit arithmetic") {
  double worst = 0.0, worst_exact = 0.0;
  int rows = 0;
  for (const TableRow& row : read_table(golden("sofa/golden_steps.tsv"), '\t')) {
    if (row[0] != "B1-stvkBar4") continue;
    CAPTURE(row[1]);
    Vector q = Vector::Zero(4), v(4);
    for (int i = 1; i <= 4; ++i) v[i - 1] = 0.15 * std::sqrt(1000.0) * i / 4.0;
    if (row[1] == "EXACT") {
      ReferenceMotion(bar(3)).carry(q, v, 0.0, number(row[2]), 600);
      worst_exact = std::max(relative(q, numbers(row[4])), relative(v, numbers(row[5])));
      CHECK(worst_exact <= 2e-12);
      continue;
    }
    const auto solver = solvers_by_id().find(row[1]);
    REQUIRE_MESSAGE(solver != solvers_by_id().end(), "a solver nobody knows: " << row[1]);
    const int steps = static_cast<int>(number(row[3]));
    ModelParts parts = one_group({bar(3), q, v}, solver->second.scheme, number(row[2]) / steps);
    parts.options.pass_tolerance = 1e-13;
    Simulation sim{Model(parts)};
    for (int k = 0; k < steps; ++k) REQUIRE(sim.advance().finite);
    const GroupState& end = sim.state().groups[0];
    double off = std::max(
        relative(end.q, numbers(row[4])),
        relative(solver->second.stored_velocity ? end.v : velocity_of(sim), numbers(row[5])));
    if (row[6] != "-") {
      REQUIRE(end.memory.size() == 1);
      off = std::max(off, relative(end.memory[0], numbers(row[6])));
    }
    CHECK(off <= 1e-10);
    worst = std::max(worst, off);
    ++rows;
  }
  CHECK(rows == 21);
  MESSAGE(fmt::format("{} rows: worst {:.1e}, exact row {:.1e}", rows, worst, worst_exact));
}
