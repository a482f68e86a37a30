// Solvers end where they ask whether they are to, and are afterwards as ever.
#include "saltus/base/stop.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "saltus/contact/certificate.h"
#include "saltus/solvers/registry.h"
#include "support/counting_stop.h"
#include "tests/unit/solvers/cone_problems.h"
#include "tests/unit/solvers/heap.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;

namespace {

/// What a solve gave.
struct Outcome {
  SolveReport report;
  Vector p;
};

Outcome solve_from_zero(const ContactSolver& solver, const ContactProblem& problem, Limits limits,
                        Stop* stop, SolverMemory& memory) {
  limits.stop = stop;
  Outcome out{{}, Vector::Zero(problem.b.size())};
  out.report = solve_certified(solver, problem, limits, memory, out.p);
  return out;
}

/// Stops a solve at every question, of many at some sixty of them, and then lets it go to its end with the work space that is
/// left.
void stop_everywhere(const ContactSolver& solver, const ContactProblem& problem, Limits limits) {
  test::CountingStop never;
  SolverMemory memory;
  const Outcome whole = solve_from_zero(solver, problem, limits, &never, memory);
  REQUIRE(!whole.report.stopped);
  REQUIRE(never.asked() > 0);
  const SolverMemory fresh;
  int before = 0;
  for (long at = 1; at <= never.asked(); at += std::max(1L, never.asked() / 60)) {
    CAPTURE(at);
    memory = fresh;  // but for the work space
    test::CountingStop stop(at);
    const Outcome ended = solve_from_zero(solver, problem, limits, &stop, memory);
    REQUIRE(ended.report.stopped);
    REQUIRE(!ended.report.converged);
    REQUIRE(stop.asked() == at);
    REQUIRE(ended.report.iterations >= before);
    REQUIRE(ended.report.iterations <= whole.report.iterations);
    before = ended.report.iterations;
    memory = fresh;
    const Outcome again = solve_from_zero(solver, problem, limits, nullptr, memory);
    REQUIRE(again.report.iterations == whole.report.iterations);
    REQUIRE(again.report.residual == whole.report.residual);
    REQUIRE(again.p == whole.p);
  }
}

bool handles(const ContactSolver& solver, const ContactProblem& problem) {
  for (const Law& law : problem.laws)
    if (!solver.handles(law.kind)) return false;
  return problem.W.symmetric() || !solver.needs_symmetric();
}

void stop_all_solvers(const ContactProblem& problem, std::initializer_list<Limits> all_limits) {
  for (const SolverRow& row : solvers()) {
    CAPTURE(row.name);
    const auto solver = row.make();
    if (!handles(*solver, problem)) continue;
    for (const Limits& limits : all_limits) {
      CAPTURE(limits.tolerance);
      stop_everywhere(*solver, problem, limits);
    }
  }
}

constexpr Limits kAsked{.tolerance = 1e-10, .iterations = 2000},
    kInVain{.tolerance = 1e-300, .iterations = 60};

TEST_CASE("a solve without friction that is asked to end does so at that question") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const int equalities : {0, 7}) {
    constexpr int kSize = 30;
    const ConstantDelassus W(random_delassus(kSize, kSize, 1e-3, random));
    Vector b(kSize);
    for (double& x : b) x = normal(random);
    const testing::Rows rows(kSize, equalities);
    stop_all_solvers({W, b, rows.laws, rows.ids}, {kAsked, kInVain});
  }
}

TEST_CASE("a solve with friction that is asked to end does so at that question") {
  for (const int percent : {100, 60}) {
    const ConeCase c = random_cones(3, 14, 0.6, percent, 3);
    stop_all_solvers({c.W, c.b, c.laws, c.ids}, {kAsked, kInVain});
  }
}

TEST_CASE("a solve in the velocities of bodies that is asked to end does so at that question") {
  const SphereHeap heap = SphereHeap::pyramid(4, 1);
  const SphereHeap::Problem problem = heap.problem(1e-3, 0.5);
  std::vector<int> ids(static_cast<std::size_t>(problem.b.size()));
  std::iota(ids.begin(), ids.end(), 0);
  stop_all_solvers({*problem.W, problem.b, problem.laws, ids}, {kAsked, kInVain});
}

TEST_CASE("a stop that nobody requests changes no bit of a solve") {
  const ConeCase c = random_cones(3, 14, 0.6, 100, 3);
  const ContactProblem problem{c.W, c.b, c.laws, c.ids};
  for (const SolverRow& row : solvers()) {
    CAPTURE(row.name);
    const auto solver = row.make();
    if (!handles(*solver, problem)) continue;
    test::CountingStop never;
    SolverMemory memory, other;
    CHECK(solve_from_zero(*solver, problem, kAsked, &never, memory).p ==
          solve_from_zero(*solver, problem, kAsked, nullptr, other).p);
  }
}

}  // namespace
