// Counts what the process takes from the heap, Eigen (which calls malloc) included.
#include <doctest/doctest.h>

#include "saltus/contact/residual.h"
#include "saltus/solvers/registry.h"
#include "saltus/solvers/solvers.h"
#include "tests/support/count_malloc.h"
#include "tests/unit/solvers/heap.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

TEST_CASE("a warm solve takes nothing from the heap" * doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  long before = allocations;
  { const std::vector<double> some(static_cast<std::size_t>(before % 7 + 100)); }
  const bool vectors_count = allocations > before;
  before = allocations;
  { const Vector some = Vector::Zero(static_cast<Eigen::Index>(before % 7 + 100)); }
  REQUIRE(vectors_count);
  REQUIRE(allocations > before);

  const ConstantDelassus W(string_delassus(120, 120, 3.0));
  const testing::Rows rows(120);
  std::vector<Region> regions;
  for (int step = 0; step < 40; ++step)
    regions.push_back(region(W.matrix(), 60.3 + 25.0 * std::sin(0.2 * step), 10.0 + 0.4 * step));
  for (const SolverRow& row : solvers()) {
    const auto solver = row.make();
    SolverMemory memory;
    Vector p = Vector::Zero(120);
    const Limits limits{.iterations = 1000};
    // warm: a solver has seen this size, and residual(), whose work space belongs to the thread, was called
    solver->solve({W, regions[0].b, rows.laws, rows.ids}, limits, memory, p);
    CHECK(residual({W, regions[0].b, rows.laws, rows.ids}, p) <= 1e-9);
    before = allocations;
    for (const Region& r : regions) solver->solve({W, r.b, rows.laws, rows.ids}, limits, memory, p);
    const long taken = allocations - before;  // before CAPTURE, which takes some itself
    CAPTURE(row.name);
    CHECK(taken == 0);
  }
}

TEST_CASE("auto takes nothing from the heap for a few contacts, not even the first time" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  std::mt19937 random(7);
  const Law laws[] = {{.kind = LawKind::coulomb, .size = 3, .friction = 0.3},
                      {.kind = LawKind::coulomb, .first = 3, .size = 3, .friction = 0.3}};
  DenseDelassus W;
  W.W = random_delassus(6, 6, 0.1, random) + 10.0 * Matrix::Identity(6, 6);
  const testing::Rows rows(6);
  const Vector b = Vector::Constant(6, -1.0);
  const auto solver = make_automatic();
  Vector p = Vector::Zero(6);
  residual({W, b, laws, rows.ids}, p);  // its work space belongs to the thread
  SolverMemory memory;
  const long before = allocations;
  const SolveReport report = solver->solve({W, b, laws, rows.ids}, {}, memory, p);
  const long taken = allocations - before;
  CHECK(report.converged);
  CHECK(taken == 0);
}

TEST_CASE("a warm sweep over contacts that slide and roll takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  const Law laws[] = {
      {.kind = LawKind::coulomb, .size = 3, .friction = 0.3},
      {.kind = LawKind::rolling, .first = 3, .size = 5, .friction = 0.3, .rolling = 0.2},
      {.kind = LawKind::box, .first = 8, .size = 1, .bound = 0.5},
      {.kind = LawKind::rolling, .first = 9, .size = 3, .friction = 0.3, .rolling = 0.2},
      {.kind = LawKind::rolling, .first = 12, .size = 4, .friction = 0.3, .spinning = 0.2},
      {.kind = LawKind::rolling,
       .first = 16,
       .size = 6,
       .friction = 0.3,
       .rolling = 0.2,
       .spinning = 0.1}};
  constexpr int kRows = 22;
  const ConstantDelassus W(random_delassus(kRows, kRows, 0.5, random));
  const testing::Rows rows(kRows);
  const auto solver = make_gauss_seidel();
  SolverMemory memory;
  Vector p = Vector::Zero(kRows);
  std::vector<Vector> all(20, Vector(kRows));
  for (Vector& b : all)
    for (double& x : b) x = normal(random);
  solver->solve({W, all[0], laws, rows.ids}, {}, memory, p);
  const long before = allocations;
  for (const Vector& b : all) solver->solve({W, b, laws, rows.ids}, {}, memory, p);
  const long taken = allocations - before;
  CHECK(taken == 0);
}

TEST_CASE("a warm solve by bodies takes nothing from the heap" *
          doctest::skip(!SALTUS_COUNTS_MALLOC)) {
  SphereHeap heap = SphereHeap::pyramid(4, 7);
  const auto solver = make_body_gauss_seidel();
  SolverMemory memory;
  for (int step = 0; step < 15; ++step) {
    const auto problem = heap.problem(2e-3, 0.4);
    const auto view = problem.view();
    Vector p = Vector::Zero(problem.b.size());
    solver->solve(view, {.tolerance = 1e-4}, memory, p);
    const Vector b = 0.5 * problem.b;
    p.setZero();
    const long before = allocations;
    solver->solve({*problem.W, b, problem.laws, {}}, {.tolerance = 1e-4}, memory, p);
    const long taken = allocations - before;
    CHECK(taken == 0);
    heap.advance(problem, p, 2e-3);
  }
}

}  // namespace
