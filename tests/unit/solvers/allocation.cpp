// Counts what the process takes from the heap, Eigen (which calls malloc) included.
#include <doctest/doctest.h>

#include "saltus/contact/residual.h"
#include "saltus/solvers/registry.h"
#include "tests/support/count_malloc.h"
#include "tests/unit/solvers/problems.h"

namespace saltus::testing {
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
  const Rows rows(120);
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

}  // namespace
}  // namespace saltus::testing
