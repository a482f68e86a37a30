// What every solver of the registry owes, on generated families of problems.
#include <doctest/doctest.h>

#include <set>

#include "saltus/base/error.h"
#include "saltus/solvers/registry.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

struct Case {
  Matrix W;
  Vector b;
  int equalities = 0;
};

/// Random problems of every size from 1 to 24, a third of the rows equalities in every second one.
std::vector<Case> random_cases(unsigned seed, double shift) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Case> cases;
  for (int n = 1; n <= 24; ++n) {
    Case c{random_delassus(n, n, shift, random), Vector(n), n % 2 == 0 ? n / 3 : 0};
    for (int i = 0; i < n; ++i) c.b[i] = normal(random);
    cases.push_back(c);
  }
  return cases;
}

TEST_CASE("all solvers find the same impulses for random symmetric positive definite W") {
  for (const Case& c : random_cases(1, 0.2)) {
    const ConstantDelassus W(c.W);
    const testing::Rows rows(static_cast<int>(c.b.size()), c.equalities);
    const ContactProblem problem{W, c.b, rows.laws, rows.ids};
    Vector first;
    for (const SolverRow& row : solvers()) {
      SolverMemory memory;
      Vector p = Vector::Zero(c.b.size());
      const Limits limits{.tolerance = 1e-13, .iterations = 100'000};
      const auto report = row.make()->solve(problem, limits, memory, p);
      CAPTURE(row.name);
      CAPTURE(c.b.size());
      REQUIRE(report.converged);
      REQUIRE(report.residual == residual(problem, p));
      for (Eigen::Index i = c.equalities; i < p.size(); ++i) REQUIRE(p[i] >= 0.0);
      if (first.size() == 0) first = p;
      REQUIRE((p - first).norm() <= 1e-11 * (1.0 + first.norm()));
    }
  }
}

TEST_CASE("another unit of mass or velocity leaves residual and pivots of a solve unchanged") {
  for (const Case& c : random_cases(2, 0.1)) {
    const double mass = 1048576.0, velocity = 1.0 / 1024.0;  // powers of 2: the same digits
    const Matrix scaled = c.W * mass;
    const ConstantDelassus W(c.W), W2(scaled);
    const Vector b2 = c.b * velocity;
    const testing::Rows rows(static_cast<int>(c.b.size()), c.equalities);
    for (const SolverRow& row : solvers()) {
      SolverMemory memory, memory2;
      Vector p = Vector::Zero(c.b.size()), p2 = p;
      const auto solver = row.make();
      const auto report = solver->solve({W, c.b, rows.laws, rows.ids}, {}, memory, p);
      const auto report2 = solver->solve({W2, b2, rows.laws, rows.ids}, {}, memory2, p2);
      CAPTURE(row.name);
      REQUIRE(report.iterations == report2.iterations);
      REQUIRE(report.residual == report2.residual);
      REQUIRE(p2 * (mass / velocity) == p);
    }
  }
}

TEST_CASE("no solver calls a problem without a solution solved") {
  Matrix matrix(2, 2);
  matrix << 1.0, -1.0, -1.0, 1.0;  // 1 kg between two walls that close in: u1 + u2 = b1 + b2 < 0
  const ConstantDelassus W(matrix);
  const Vector b = Vector::Constant(2, -1.0);
  const testing::Rows rows(2);
  for (const SolverRow& row : solvers()) {
    SolverMemory memory;
    Vector p = Vector::Zero(2);
    const auto report = row.make()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
    CAPTURE(row.name);
    CHECK_FALSE(report.converged);
    CHECK(report.residual == residual({W, b, rows.laws, rows.ids}, p));
    CHECK(report.residual > 1e-6);
  }
}

TEST_CASE("a wall between two equal walls: redundant equality rows do no harm") {
  Matrix G(4, 2);
  G << 1, 0, 1, 0, 0, 1, 1, 1;  // rows 0 and 1 hold the same direction
  const ConstantDelassus W(G * G.transpose());
  Vector b(4);
  b << -2.0, -2.0, -1.0, -2.5;
  const testing::Rows rows(4, 2);
  for (const SolverRow& row : solvers()) {
    SolverMemory memory;
    Vector p = Vector::Zero(4);
    const auto report = row.make()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
    CAPTURE(row.name);
    CHECK(report.converged);
    const Vector u = W.matrix() * p + b;
    CHECK(std::abs(u[0]) + std::abs(u[1]) < 1e-11);
    CHECK(u.tail(2).minCoeff() > -1e-11);
  }
}

TEST_CASE("an equality row that appears displaces the contact it repeats") {
  const ConstantDelassus W(Matrix::Constant(2, 2, 0.5));
  const Vector b = Vector::Constant(2, -3.0);
  testing::Rows rows(2);
  const auto solver = find_solver("principal-pivoting")->make();
  SolverMemory memory;
  Vector p = Vector::Zero(2);
  REQUIRE(solver->solve({W, b, rows.laws, rows.ids}, {}, memory, p).converged);
  REQUIRE(memory.active == std::vector<int>{0});
  rows.laws[1].kind = LawKind::equality;
  REQUIRE(solver->solve({W, b, rows.laws, rows.ids}, {}, memory, p).converged);
  CHECK(memory.active == std::vector<int>{1});
  CHECK(p[1] == doctest::Approx(6.0).epsilon(1e-15));
}

TEST_CASE("the registry names every solver once, and `auto` takes what any takes") {
  std::set<std::string_view> names;
  for (const SolverRow& row : solvers()) {
    CHECK(names.insert(row.name).second);
    CHECK(row.make()->name() == row.name);
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.reference.empty());
    CHECK(find_solver(row.name) == &row);
    for (const LawKind kind :
         {LawKind::equality, LawKind::unilateral, LawKind::box, LawKind::coulomb, LawKind::rolling})
      if (row.make()->handles(kind)) CHECK(find_solver("auto")->make()->handles(kind));
  }
  CHECK(solvers().front().name == "auto");
  CHECK(find_solver("none of these") == nullptr);
}

TEST_CASE("a solver refuses laws that it says it does not handle") {
  const std::pair<LawKind, int> laws[] = {
      {LawKind::equality, 1}, {LawKind::unilateral, 1}, {LawKind::box, 1},    {LawKind::coulomb, 1},
      {LawKind::rolling, 3},  {LawKind::rolling, 4},    {LawKind::rolling, 6}};
  for (const SolverRow& row : solvers())
    for (const auto& [kind, size] : laws) {
      const ConstantDelassus W(Matrix::Identity(size, size));
      const Vector b = -Vector::Unit(size, 0);
      const auto solver = row.make();
      testing::Rows rows(size);
      rows.laws = {Law{.kind = kind, .first = 0, .size = size, .bound = 0.5}};
      SolverMemory memory;
      Vector p = Vector::Zero(size);
      const ContactProblem problem{W, b, rows.laws, rows.ids};
      CAPTURE(row.name);
      if (solver->handles(kind))
        CHECK(solver->solve(problem, {}, memory, p).converged);
      else
        CHECK_THROWS_AS(solver->solve(problem, {}, memory, p), UsageError);
    }
}

}  // namespace
