#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "saltus/base/error.h"
#include "saltus/io/fclib.h"
#include "saltus/solvers/solvers.h"
#include "tests/support/skip.h"
#include "tests/unit/solvers/cone_problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

TEST_CASE("a motor of bounded torque holds, slips or turns by the method of multipliers") {
  DenseDelassus W;
  W.W = Matrix::Constant(1, 1, 0.25);
  const Law laws[] = {{.kind = LawKind::box, .bound = 2.0}};
  const int ids[] = {0};
  for (const double speed : {-3.0, -0.4, 0.0, 0.4, 3.0}) {
    SolverMemory memory;
    Vector p = Vector::Zero(1);
    const Vector b = Vector::Constant(1, speed);
    REQUIRE(make_admm()->solve({W, b, laws, ids}, {}, memory, p).converged);
    CHECK(p[0] == doctest::Approx(std::clamp(-4.0 * speed, -2.0, 2.0)).epsilon(1e-12));
  }
}

TEST_CASE("friction, boxes and equalities meet 1e-12 by the method of multipliers") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    ConeCase c = random_cones(seed, 15, 0.4, 110, 4);
    // the last two contacts become six rows of dry friction of a given strength
    for (int k = 0; k < 2; ++k) c.laws.pop_back();
    const int first = c.laws.back().first + c.laws.back().size;
    for (int i = first; i < c.b.size(); ++i) {
      c.laws.push_back({.kind = LawKind::box, .first = i, .bound = 0.2});
      c.p[i] = i % 2 == 0 ? -0.2 : 0.05 * (i - first);
      c.u[i] = i % 2 == 0 ? 0.3 : 0.0;
    }
    c.b = c.u - c.W.W * c.p;
    SolverMemory memory;
    Vector p = Vector::Zero(c.b.size());
    const ContactProblem problem{c.W, c.b, c.laws, c.ids};
    const auto report = make_admm()->solve(problem, {}, memory, p);
    CAPTURE(seed);
    CHECK(report.converged);
    CHECK(report.residual == residual(problem, p));
    CHECK((p - c.p).norm() <= 1e-8 * c.p.norm());  // W is regular
  }
}

TEST_CASE("a warm start halves the iterations of the method of multipliers, and rest takes none") {
  const ConeCase c = random_cones(5, 40, 0.5, 110);
  const auto solver = make_admm();
  SolverMemory memory;
  Vector p = Vector::Zero(c.b.size());
  const ContactProblem problem{c.W, c.b, c.laws, c.ids};
  const auto cold = solver->solve(problem, {.tolerance = 1e-6}, memory, p);
  REQUIRE(cold.converged);
  p *= 1.0 + 1e-4;
  const auto warm = solver->solve(problem, {.tolerance = 1e-6}, memory, p);
  CHECK(warm.converged);
  CHECK(2 * warm.iterations <= cold.iterations);
  Vector open = c.b;
  for (const Law& law : c.laws) open[law.first] = 1.0;
  CHECK(solver->solve({c.W, open, c.laws, c.ids}, {}, memory, p).iterations == 0);
  CHECK(p == Vector::Zero(p.size()));
}

TEST_CASE("the method of multipliers refuses an unsymmetric W by name") {
  ConeCase c = random_cones(1, 3, 0.5, 100);
  c.W.is_symmetric = false;
  SolverMemory memory;
  Vector p = Vector::Zero(c.b.size());
  CHECK(make_admm()->needs_symmetric());
  CHECK_THROWS_WITH_AS(make_admm()->solve({c.W, c.b, c.laws, c.ids}, {}, memory, p),
                       doctest::Contains("admm needs a symmetric W"), UsageError);
}

TEST_CASE("a hyperstatic tower takes at most 25 iterations of the method of multipliers") {
  const auto file = std::filesystem::path(SALTUS_SHARED) / "data" / "fclib" / "local" /
                    "KaplasTower-i1061-4.hdf5";
  if (!std::filesystem::exists(file)) SALTUS_SKIP("no discrete problems (data/fclib)");
  const FclibProblem tower = read_fclib(file.string());
  const auto view = tower.view();
  if (!view->W.symmetric()) SALTUS_SKIP("the tower was read with an unsymmetric W");
  SolverMemory memory;
  Vector p = Vector::Zero(tower.rows());
  const auto report = make_admm()->solve(*view, {.tolerance = 1e-8}, memory, p);
  CHECK(report.converged);
  CHECK(report.iterations <= 25);
  CHECK(report.residual == residual(*view, p));
}

}  // namespace
