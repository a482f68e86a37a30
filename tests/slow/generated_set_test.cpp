// The generated set (bench/contact/generate.h) up to 1000 contacts. `generated_set solve` of the benchmarks gives the
// table of all of it, up to 20 000 contacts, in some minutes.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "bench/contact/change_units.h"
#include "bench/contact/cpu_time.h"
#include "bench/contact/generate.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/registry.h"

namespace {

using namespace saltus;
using namespace saltus_bench;

SolveReport solve(const ContactProblemData& problem) {
  const auto view = problem.view();
  SolverMemory memory;
  Vector p = Vector::Zero(problem.rows());
  const SolveReport report = find_solver("auto")->make()->solve(
      view, {.tolerance = 1e-8, .iterations = 100'000}, memory, p);
  REQUIRE(report.residual == residual(view, p));
  return report;
}

TEST_CASE("auto solves 99 of 100 generated problems up to 1000 contacts to 1e-8") {
  int solved = 0, all = 0;
  std::string failed;
  for (const GeneratedCase& c : generated_set()) {
    if (c.contacts > 1000) continue;
    const Generated g = generate(c);
    const double start = process_cpu_seconds();
    const SolveReport report = solve(g.problem);
    const double seconds = process_cpu_seconds() - start;
    ++all;
    solved += report.converged;
    if (report.converged && seconds <= 30.0) continue;
    char text[64];
    std::snprintf(text, sizeof text, " (%.1e, %.1f s) ", report.residual, seconds);
    failed += g.name + text;
  }
  MESSAGE(solved << " of " << all << " solved; failed or above 30 s: " << failed);
  CHECK(100 * solved >= 99 * all);
}

TEST_CASE(
    "other units of mass, length and time change no verdict, and counts of iterations hardly") {
  int same = 0, all = 0;
  for (const GeneratedCase& c : generated_set()) {
    if (c.contacts > 500) continue;
    const Generated g = generate(c, Form::blocks);
    const SolveReport report = solve(g.problem);
    const SolveReport other =
        solve(change_units(g.problem, {.mass = 1e3, .length = 1e-3, .time = 1e-2}));
    CAPTURE(g.name);
    CHECK(other.converged == report.converged);
    ++all;
    const int change = std::abs(other.iterations - report.iterations);
    if (change <= std::max(2.0, 0.02 * report.iterations))
      ++same;
    else
      MESSAGE(g.name << ": " << report.iterations << " and " << other.iterations << " iterations");
  }
  CHECK(100 * same >= 99 * all);  // round-off differs: factors are no powers of 2
}

}  // namespace
