#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "saltus/base/error.h"
#include "saltus/contact/table_delassus.h"
#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

/// A contact region of about 60 points that moves along a string of 862, to and fro, and breathes.
Region moving(const Matrix& W, int step) {
  const double phase = 0.05 * step;
  return region(W, 431.3 + 250.0 * std::sin(phase), 30.0 + 8.0 * std::sin(3.7 * phase));
}

const ConstantDelassus& string862() {
  static const ConstantDelassus W(string_delassus(862, 862, 3.0));
  return W;
}

TEST_CASE("the impulses of a region that moves along a string of 862 points are found each step") {
  const auto& W = string862();
  const testing::Rows rows(862);
  const auto solver = make_principal_pivoting();
  SolverMemory memory;
  Vector p = Vector::Zero(862);
  for (int step = 0; step < 200; ++step) {
    const Region r = moving(W.matrix(), step);
    const auto report = solver->solve({W, r.b, rows.laws, rows.ids}, {}, memory, p);
    REQUIRE(report.converged);
    REQUIRE(report.residual < 1e-14);
    REQUIRE(report.residual == residual({W, r.b, rows.laws, rows.ids}, p));
    REQUIRE(p.minCoeff() >= 0.0);
    REQUIRE((p - r.p).cwiseAbs().maxCoeff() < 1e-8);      // |W^-1| amplifies round-off
    REQUIRE((W.matrix() * p + r.b).minCoeff() > -1e-12);  // u is of order 1e-3, W p of order 1e2
    REQUIRE(memory.factor.size() == memory.active.size() * (memory.active.size() + 1) / 2);
  }
}

TEST_CASE("a warm start changes the time of a solve, not its solution") {
  const auto& W = string862();
  const testing::Rows rows(862);
  const auto solver = make_principal_pivoting();
  SolverMemory warm;
  Vector p = Vector::Zero(862);
  for (int step = 0; step < 40; ++step) {
    const Region r = moving(W.matrix(), step);
    solver->solve({W, r.b, rows.laws, rows.ids}, {}, warm, p);
    if (step % 8 != 7) continue;
    SolverMemory cold;
    Vector q = Vector::Zero(862);
    const auto report = solver->solve({W, r.b, rows.laws, rows.ids}, {}, cold, q);
    REQUIRE(report.converged);
    REQUIRE((p - q).cwiseAbs().maxCoeff() < 1e-9);
    std::ranges::sort(cold.active);
    auto active = warm.active;
    std::ranges::sort(active);
    REQUIRE(active == cold.active);
  }
}

TEST_CASE("a run resumed from a copy of the memory repeats every bit") {
  const auto& W = string862();
  const testing::Rows rows(862);
  const auto solver = make_principal_pivoting();
  SolverMemory memory, resumed;
  Vector p = Vector::Zero(862), q;
  for (int step = 0; step < 120; ++step) {
    const Region r = moving(W.matrix(), step);
    if (step == 60) {  // what a checkpoint holds: no scratch
      resumed.active = memory.active;
      resumed.factor = memory.factor;
      resumed.changes = memory.changes;
      q = p;
    }
    solver->solve({W, r.b, rows.laws, rows.ids}, {}, memory, p);
    if (step < 60) continue;
    solver->solve({W, r.b, rows.laws, rows.ids}, {}, resumed, q);
    REQUIRE(same_bits(p, q));
    REQUIRE(memory.active == resumed.active);
    REQUIRE(memory.factor == resumed.factor);
    REQUIRE(memory.changes == resumed.changes);
  }
  CHECK(memory.changes > 100);  // the factor was in fact carried along
}

TEST_CASE("rows that leave the problem leave the factor, rows that come back are found again") {
  const Matrix all = string_delassus(60, 60, 4.0);
  const auto solver = make_principal_pivoting();
  SolverMemory memory;
  for (int step = 0; step < 30; ++step) {
    std::vector<int> kept;  // ids that are present in this step
    for (int i = 0; i < 60; ++i)
      if ((i + step) % 5 != 0) kept.push_back(i);
    const auto n = static_cast<Eigen::Index>(kept.size());
    const ConstantDelassus W(Matrix::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
      return all(kept[static_cast<std::size_t>(i)], kept[static_cast<std::size_t>(j)]);
    }));
    const Region r = region(W.matrix(), 20.2 + 0.3 * step, 7.0);
    testing::Rows rows(static_cast<int>(n));
    rows.ids = kept;
    Vector p = Vector::Zero(n);
    const auto report = solver->solve({W, r.b, rows.laws, rows.ids}, {}, memory, p);
    REQUIRE(report.residual < 1e-14);
    REQUIRE((p - r.p).cwiseAbs().maxCoeff() < 1e-11);
  }
}

TEST_CASE("when W changes from step to step only the rows are remembered, through p") {
  std::mt19937 random(5);
  const auto solver = make_principal_pivoting();
  SolverMemory memory;
  Vector p = Vector::Zero(50);
  const testing::Rows rows(50);
  for (int step = 0; step < 20; ++step) {
    DenseDelassus W;
    W.W = string_delassus(50, 50, 4.0 + step);
    const Region r = region(W.W, 25.3, 8.0);
    const auto report = solver->solve({W, r.b, rows.laws, rows.ids}, {}, memory, p);
    REQUIRE(report.residual < 1e-14);
    REQUIRE((p - r.p).cwiseAbs().maxCoeff() < 1e-11);
    if (step > 0) CHECK(report.iterations == 0);  // the rows with p > 0 are the answer
  }
}

TEST_CASE("with fewer modes than points impulses are not unique, but velocities are") {
  const auto solver = make_principal_pivoting(), lemke = make_lemke();
  for (const int modes : {5, 20, 60}) {
    const ConstantDelassus W(string_delassus(200, modes, 8.0));
    const testing::Rows rows(200);
    SolverMemory memory, other;
    Vector p = Vector::Zero(200);
    for (int step = 0; step < 30; ++step) {
      const Region r = region(W.matrix(), 100.3 + 40.0 * std::sin(0.1 * step), 20.0);
      const ContactProblem problem{W, r.b, rows.laws, rows.ids};
      const auto report = solver->solve(problem, {}, memory, p);
      CAPTURE(modes);
      CAPTURE(step);
      REQUIRE(report.residual < 1e-12);
      REQUIRE(p.minCoeff() >= 0.0);
      // |W (p - q)|_i^2 <= W_ii (p - q)^T W (p - q): velocities carry the root of the residual.
      REQUIRE((W.matrix() * p + r.b - r.u).cwiseAbs().maxCoeff() < 1e-6);
      if (step % 10 != 0) continue;
      Vector q = Vector::Zero(200);
      REQUIRE(lemke->solve(problem, {}, other, q).residual < 1e-12);
      REQUIRE((W.matrix() * (p - q)).cwiseAbs().maxCoeff() < 1e-6);
    }
  }
}

TEST_CASE("two equal contacts under one body share a load that neither can refuse") {
  const ConstantDelassus W(Matrix::Constant(2, 2, 0.5));  // 2 kg, both rows the same
  const testing::Rows rows(2);
  const Vector b = Vector::Constant(2, -3.0);
  SolverMemory memory;
  Vector p = Vector::Zero(2);
  const auto report = make_principal_pivoting()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
  CHECK(report.converged);
  CHECK(p.sum() == doctest::Approx(6.0).epsilon(1e-15));
  CHECK(memory.active.size() == 1);
}

TEST_CASE("a row that repeats an active one but is deeper takes its place") {
  const ConstantDelassus W(Matrix::Constant(2, 2, 0.5));
  const testing::Rows rows(2);
  const auto solver = make_principal_pivoting();
  SolverMemory memory;
  Vector p = Vector::Zero(2), b(2);
  b << -3.0, 0.0;
  REQUIRE(solver->solve({W, b, rows.laws, rows.ids}, {}, memory, p).converged);
  REQUIRE(memory.active == std::vector<int>{0});
  b << -3.0, -5.0;
  REQUIRE(solver->solve({W, b, rows.laws, rows.ids}, {}, memory, p).converged);
  CHECK(p[0] == 0.0);
  CHECK(p[1] == doctest::Approx(10.0).epsilon(1e-15));
}

TEST_CASE("a contact that nothing can move is reported as unsolved, the others are solved") {
  Matrix matrix = Matrix::Identity(2, 2);
  matrix(1, 1) = 0.0;
  const ConstantDelassus W(matrix);
  const testing::Rows rows(2);
  const Vector b = Vector::Constant(2, -1.0);
  SolverMemory memory;
  Vector p = Vector::Zero(2);
  const auto report = make_principal_pivoting()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
  CHECK_FALSE(report.converged);
  CHECK(report.residual > 0.1);
  CHECK(p[0] == doctest::Approx(1.0));
}

TEST_CASE("open contacts need no impulse and no look at W") {
  struct Untouchable final : Delassus {
    int rows() const override { return 3; }
    bool symmetric() const override { return true; }
    double entry(int, int) const override { throw std::logic_error("W was read"); }
    void column(int, double, Out) const override { throw std::logic_error("W was read"); }
    void apply(View, Out) const override { throw std::logic_error("W was read"); }
  };
  const testing::Rows rows(3);
  SolverMemory memory;
  memory.active = {1};
  memory.factor = {1.0};
  Vector p = Vector::Ones(3);
  const Untouchable W;
  const Vector b = Vector::LinSpaced(3, 0.0, 1.0);
  const auto report = make_principal_pivoting()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
  CHECK(report.converged);
  CHECK(report.residual == 0.0);
  CHECK(p == Vector::Zero(3));
  CHECK(memory.active.empty());
}

TEST_CASE("fewer rows than the memory remembers are solved as if from scratch") {
  const Matrix D = string_delassus(40, 40, 3.0);
  const auto solver = make_principal_pivoting();
  std::vector<int> all(40);
  std::iota(all.begin(), all.end(), 0);
  for (int left : {1, 2, 3, 5, 9}) {
    CAPTURE(left);
    SolverMemory memory;
    const TableDelassus W(D, all, true);
    const Region r = region(D, 20.3, 9.0);
    const testing::Rows rows(40);
    Vector p = Vector::Zero(40);
    REQUIRE(solver->solve({W, r.b, rows.laws, all}, {}, memory, p).converged);
    REQUIRE(memory.active.size() > static_cast<std::size_t>(left));
    std::vector<int> some;  // the last of those that pushed, and one that did not
    for (int k = 0; k < left; ++k) some.push_back(26 + k);
    const TableDelassus V(D, some, true);
    const testing::Rows few(left);
    Vector b = Vector::Constant(left, -1.0), warm = Vector::Zero(left), cold = Vector::Zero(left);
    SolverMemory fresh;
    const auto report = solver->solve({V, b, few.laws, some}, {}, memory, warm);
    CHECK(report.converged);
    REQUIRE(solver->solve({V, b, few.laws, some}, {}, fresh, cold).converged);
    CHECK((warm - cold).norm() <= 1e-9 * cold.norm());
    CHECK(memory.active.size() == fresh.active.size());
    for (int id : memory.active) CHECK(std::find(some.begin(), some.end(), id) != some.end());
  }
}

TEST_CASE("problems outside the method are refused, not solved wrongly") {
  const auto solver = make_principal_pivoting();
  DenseDelassus W;
  W.W = Matrix::Identity(1, 1);
  W.is_symmetric = false;
  const Vector b = Vector::Constant(1, -1.0);
  Vector p = Vector::Zero(1);
  SolverMemory memory;
  testing::Rows rows(1);
  CHECK_THROWS_AS(solver->solve({W, b, rows.laws, rows.ids}, {}, memory, p), UsageError);
  W.is_symmetric = true;
  rows.laws[0].kind = LawKind::box;
  CHECK_THROWS_AS(solver->solve({W, b, rows.laws, rows.ids}, {}, memory, p), UsageError);
}

TEST_CASE("data that are not finite end in a report, not in a loop") {
  const testing::Rows rows(3);
  const ConstantDelassus W(Matrix::Identity(3, 3));
  Vector b = Vector::Constant(3, -1.0), p = Vector::Zero(3);
  b[1] = std::numeric_limits<double>::quiet_NaN();
  SolverMemory memory;
  const auto report = make_principal_pivoting()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
  CHECK_FALSE(report.converged);
}

}  // namespace
