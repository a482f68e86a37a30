// The generated problems themselves, and a sample of them solved; tests/slow/generated solves all.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "bench/contact/change_units.h"
#include "bench/contact/generate.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/registry.h"

namespace {

using namespace saltus;
using namespace saltus_bench;

/// u_N - mu |u_T| - mu_R |u_R| of one contact; positive in the interior of the dual cone.
double openness(const Law& law, const Vector& u) {
  const int tangents = law.tangents();
  return u[law.first] - law.friction * u.segment(law.first + 1, tangents).norm() -
         law.rolling * u.segment(law.first + 1 + tangents, law.size - 1 - tangents).norm();
}

SolveReport solve(const ContactProblemData& problem) {
  const auto view = problem.view();
  SolverMemory memory;
  Vector p = Vector::Zero(problem.rows());
  const SolveReport report = find_solver("auto")->make()->solve(
      view, {.tolerance = 1e-8, .iterations = 100'000}, memory, p);
  CHECK(report.residual == residual(view, p));
  return report;
}

TEST_CASE(
    "the generated set has 500 problems of 10 to 20 000 contacts, at least 20 of each family") {
  const auto set = generated_set();
  std::map<Family, int> members;
  int large = 0;
  for (const GeneratedCase& c : set) {
    ++members[c.family];
    CHECK(c.contacts >= 10);
    CHECK(c.contacts <= 20'000);
    large += c.contacts == 20'000;
  }
  CHECK(set.size() == 500);
  CHECK(members.size() == kFamilies.size());
  for (const auto& [family, count] : members) CHECK(count >= 20);
  CHECK(large >= 4);
}

TEST_CASE("in every generated problem some motion opens all contacts, hence it has a solution") {
  for (const GeneratedCase& c : generated_set()) {
    if (c.contacts > 700) continue;
    const Generated g = generate(c);
    CAPTURE(g.name);
    REQUIRE(g.opening.size() == g.problem.rows());
    REQUIRE(g.problem.b.allFinite());
    double least = HUGE_VAL;
    for (const Law& law : g.problem.laws)
      least =
          std::min(least, openness(law, g.opening) / g.opening.segment(law.first, law.size).norm());
    CHECK(least > 0.05);
  }
}

TEST_CASE("a generated problem is the same every time, and by blocks as by bodies") {
  for (const GeneratedCase& c : generated_set()) {
    if (c.contacts > 100) continue;
    const Generated one = generate(c, Form::blocks), two = generate(c, Form::bodies);
    CAPTURE(one.name);
    REQUIRE(one.problem.b == two.problem.b);
    Random random(c.seed);
    Vector p(one.problem.rows()), u = p, u2 = p;
    for (double& x : p) x = random.normal();
    one.problem.W->apply(p, u);
    two.problem.W->apply(p, u2);
    CHECK((u - u2).norm() <= 1e-13 * u.norm());
    CHECK(p.dot(u) >= -1e-12 * p.norm() * u.norm());  // semidefinite
    const int last = one.problem.rows() - 1;
    CHECK(one.problem.W->entry(0, last) == one.problem.W->entry(last, 0));
  }
}

TEST_CASE("auto solves every one of the smaller generated problems to 1e-8") {
  int solved = 0, all = 0;
  std::string failed;
  for (const GeneratedCase& c : generated_set()) {
    if (c.contacts > 60) continue;
    const Generated g = generate(c);
    const bool converged = solve(g.problem).converged;
    ++all;
    solved += converged;
    if (!converged) failed += g.name + " ";
  }
  INFO("failed: " << failed);
  CHECK(solved == all);
}

TEST_CASE("mass x 1e3, length x 1e-3, time x 1e-2: the same verdicts, iterations within 2 % or 2") {
  for (const GeneratedCase& c : generated_set()) {
    if (c.contacts > 150 || c.seed % 3 != 0) continue;
    const Generated g = generate(c, Form::blocks);
    const SolveReport report = solve(g.problem);
    const SolveReport other =
        solve(change_units(g.problem, {.mass = 1e3, .length = 1e-3, .time = 1e-2}));
    CAPTURE(g.name);
    CHECK(other.converged == report.converged);
    CHECK(std::abs(other.iterations - report.iterations) <=
          std::max(2.0, 0.02 * report.iterations));
  }
}

}  // namespace
