#include <doctest/doctest.h>

#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

namespace saltus::testing {
namespace {

TEST_CASE("a motor of bounded torque holds a light load and slips under a heavy one") {
  DenseDelassus W;
  W.W = Matrix::Constant(1, 1, 0.25);
  const Law laws[] = {{.kind = LawKind::box, .bound = 2.0}};
  const Rows rows(1);
  const auto solver = make_gauss_seidel();
  for (const double speed : {-3.0, -0.4, 0.0, 0.4, 3.0}) {
    SolverMemory memory;
    Vector p = Vector::Zero(1);
    const Vector b = Vector::Constant(1, speed);
    REQUIRE(solver->solve({W, b, laws, rows.ids}, {}, memory, p).converged);
    CHECK(p[0] == doctest::Approx(std::clamp(-4.0 * speed, -2.0, 2.0)).epsilon(1e-14));
  }
}

TEST_CASE("equality, unilateral and box rows are solved together") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    DenseDelassus W;
    W.W = random_delassus(9, 9, 0.3, random);
    Rows rows(9, 3);
    for (std::size_t i = 6; i < 9; ++i) rows.laws[i].kind = LawKind::box, rows.laws[i].bound = 0.3;
    Vector b(9), p = Vector::Zero(9);
    for (double& x : b) x = normal(random);
    SolverMemory memory;
    REQUIRE(make_gauss_seidel()->solve({W, b, rows.laws, rows.ids}, {}, memory, p).converged);
    const Vector u = W.W * p + b;
    for (int i = 0; i < 9; ++i) {
      if (i < 3)
        CHECK(std::abs(u[i]) < 1e-10);
      else if (i < 6)
        CHECK(std::abs(std::min(u[i], p[i])) < 1e-10);
      else
        CHECK(((std::abs(p[i]) < 0.3 && std::abs(u[i]) < 1e-10) || p[i] * u[i] <= 0.0));
    }
  }
}

TEST_CASE("neighbouring points of a string stall the sweeps, and the report says so") {
  const ConstantDelassus W(string_delassus(200, 200, 3.0));
  const Region r = region(W.matrix(), 90.3, 40.0);
  const Rows rows(200);
  SolverMemory memory;
  Vector p = Vector::Zero(200);
  const ContactProblem problem{W, r.b, rows.laws, rows.ids};
  const double before = residual(problem, p);
  const auto report = make_gauss_seidel()->solve(problem, {.iterations = 55}, memory, p);
  CHECK_FALSE(report.converged);
  CHECK(report.iterations == 55);
  CHECK(report.residual == residual(problem, p));
  CHECK(report.residual < before);
}

}  // namespace
}  // namespace saltus::testing
