// What `auto` does where sweeps of a heap come no closer to the tolerance.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <vector>

#include "saltus/contact/body_delassus.h"
#include "saltus/contact/certificate.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/registry.h"
#include "saltus/solvers/solvers.h"
#include "saltus/solvers/squeezed_bodies.h"
#include "tests/unit/solvers/heap.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// Columns beside each other, of a light ball on the ground and a heavy one on it, that fall together at 0.1 m/s.
struct Columns {
  explicit Columns(double light_mass, int columns, double friction = 0.6) {
    BodyRows H;
    H.width = 3;
    for (int c = 0; c < 2 * columns; ++c)
      for (int k = 0; k < 9; ++k)
        H.inverse.push_back(k % 4 != 0 ? 0.0 : c % 2 == 0 ? 1.0 / light_mass : 1.0);
    for (int c = 0; c < 2 * columns; ++c) {
      H.touch(c);
      H.value.insert(H.value.end(), {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0});
      if (c % 2 == 1) H.touch(c - 1, H.start.back());
      H.close(3);
      laws.push_back({LawKind::coulomb, 3 * c, 3, friction});
      for (int i = 0; i < 3; ++i) ids.push_back(3 * c + i);
    }
    W = std::make_unique<BodyDelassus>(std::move(H));
    b = Vector::Zero(6 * columns);
    p = b;
    for (int c = 0; c < 2 * columns; ++c) {  // each carries what is above it
      b[3 * c] = c % 2 == 0 ? -kSpeed : 0.0;
      p[3 * c] = kSpeed * (c % 2 == 0 ? 1.0 + light_mass : 1.0);
    }
  }
  /// u_N of the light ball of the first column becomes -closing.
  void squeeze(double closing) { p[0] -= closing / W->entry(0, 0); }

  static constexpr double kSpeed = 0.1;
  std::unique_ptr<BodyDelassus> W;
  std::vector<Law> laws;
  std::vector<int> ids;
  Vector b, p;  ///< of the solution
};

TEST_CASE("a light ball that closes within the tolerance is parted from its neighbours") {
  const auto newton = make_first_newton();
  const auto sweeps = make_stalling_sweeps();
  for (const double mass : {1e-4, 1e-6})
    for (const double closing : {0.02, 0.5}) {
      CAPTURE(mass);
      CAPTURE(closing);
      Columns heap(mass, 40);
      heap.squeeze(closing);
      const ContactProblem problem{*heap.W, heap.b, heap.laws, heap.ids};
      const Limits limits{.tolerance = 1e-4, .iterations = 1000, .closing = 1e-3};
      REQUIRE(residual(problem, heap.p) <= limits.tolerance);
      REQUIRE(!keeps_apart(problem, limits, heap.p));
      const Vector before = heap.p;
      SolverMemory memory;
      SolveReport report;
      SqueezedBodies squeezed;
      CHECK(squeezed.part(problem, limits, *newton, *sweeps, memory, heap.p, report));
      CHECK(report.converged);
      CHECK(report.residual == residual(problem, heap.p));
      CHECK(report.residual <= limits.tolerance);
      CHECK(keeps_apart(problem, limits, heap.p));
      CHECK((heap.p - before).norm() <= 1e-3 * before.norm());
    }
}

TEST_CASE("p stays as it is where bodies that are squeezed cannot be parted") {
  // one ball of 0.1 g between two walls that come towards each other
  BodyRows H;
  H.width = 3;
  for (int k = 0; k < 9; ++k) H.inverse.push_back(k % 4 != 0 ? 0.0 : 1e4);
  for (const double side : {1.0, -1.0}) {
    H.touch(0);
    H.value.insert(H.value.end(), {0.0, 0.0, side, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0});
    H.close(3);
  }
  const BodyDelassus W(std::move(H));
  const std::vector<Law> laws{{LawKind::coulomb, 0, 3, 0.3}, {LawKind::coulomb, 3, 3, 0.3}};
  const std::vector<int> ids{0, 1, 2, 3, 4, 5};
  Vector b = Vector::Zero(6);
  b[0] = b[3] = -0.2;
  const ContactProblem problem{W, b, laws, ids};
  const Limits limits{.tolerance = 10.0, .iterations = 1000, .closing = 1e-3};
  const auto newton = make_first_newton();
  const auto sweeps = make_stalling_sweeps();
  SolverMemory memory;
  SolveReport report;
  SqueezedBodies squeezed;
  Vector p = Vector::Constant(6, 1e-5);
  const Vector before = p;
  CHECK(!squeezed.part(problem, limits, *newton, *sweeps, memory, p, report));
  CHECK(!report.converged);
  CHECK(p == before);
}

TEST_CASE(
    "a residual that is enough counts where the solvers of a heap come no closer, and is told") {
  SphereHeap heap = SphereHeap::pyramid(8, 5);
  const auto step = heap.problem(2e-3, 0.7);
  const ContactProblem problem{*step.W, step.b, step.laws, {}};
  const auto automatic = find_solver("auto")->make();
  const auto solve = [&](double tolerance, double enough) {
    SolverMemory memory;
    Vector p = Vector::Zero(problem.b.size());
    // three sweeps and three steps of Newton's method are not enough for 1e-6
    const SolveReport report = automatic->solve(
        problem, {.tolerance = tolerance, .iterations = 3, .enough = enough}, memory, p);
    CHECK(report.residual == residual(problem, p));
    return report;
  };
  const SolveReport missed = solve(1e-6, 0.0);
  REQUIRE(!missed.converged);
  REQUIRE(missed.residual > 1e-6);
  const SolveReport left = solve(1e-6, 2.0 * missed.residual);
  CHECK(left.converged);
  CHECK(left.residual > 1e-6);
  CHECK(!solve(1e-6, 0.01 * left.residual).converged);
}

TEST_CASE("in a part of a step bodies may close by as much faster") {
  const double allowed = Certificate{.contacts = 80}.allowed(1e-4);
  for (const double share : {1.0, 0.5, 0.125}) {
    CAPTURE(share);
    for (const double of_it : {0.5, 2.0}) {
      Columns heap(1e-7, 40);
      heap.squeeze(of_it * allowed / share * Columns::kSpeed);
      const ContactProblem problem{*heap.W, heap.b, heap.laws, heap.ids};
      /// Leaves p as it is.
      struct Nothing final : ContactSolver {
        std::string_view name() const override { return "nothing"; }
        bool handles(LawKind) const override { return true; }
        bool needs_symmetric() const override { return false; }
        SolveReport solve(const ContactProblem& given, Limits limits, SolverMemory&,
                          Out p) const override {
          const double now = residual(given, p);
          return {now <= limits.tolerance, 0, now};
        }
      };
      SolverMemory memory;
      const SolveReport report =
          solve_certified(Nothing{}, problem, {.tolerance = 1e-4, .iterations = 10, .share = share},
                          memory, heap.p);
      CHECK(report.converged == (of_it < 1.0));
    }
  }
}

}  // namespace
