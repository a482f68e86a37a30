// Solvers end when the program is asked to.
#include "saltus/base/stop.h"

#include <doctest/doctest.h>

#include "saltus/solvers/registry.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;

TEST_CASE("a solver ends unsolved within a few iterations when the program is asked to end") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr int kSize = 40;
  const ConstantDelassus W(random_delassus(kSize, kSize, 1e-6, random));
  Vector b(kSize);
  for (double& x : b) x = normal(random);
  const testing::Rows rows(kSize, 0);
  const ContactProblem problem{W, b, rows.laws, rows.ids};
  for (const SolverRow& row : solvers()) {
    CAPTURE(row.name);
    SolverMemory memory, later;
    Vector p = Vector::Zero(kSize);
    request_stop();
    const auto stopped =
        row.make()->solve(problem, {.tolerance = 0.0, .iterations = 1 << 30}, memory, p);
    take_back_stop();
    CHECK(!stopped.converged);
    CHECK(stopped.iterations <= 10);
    p.setZero();  // and afterwards it is as ever
    CHECK(row.make()
              ->solve(problem, {.tolerance = 1e-8, .iterations = 1'000'000}, later, p)
              .converged);
  }
}
