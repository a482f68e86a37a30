#include <doctest/doctest.h>

#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

SolveReport lemke(const Matrix& matrix, const Vector& b, Vector& p, int equalities = 0) {
  DenseDelassus W;
  W.W = matrix;
  W.is_symmetric = false;
  const testing::Rows rows(static_cast<int>(b.size()), equalities);
  SolverMemory memory;
  p = Vector::Zero(b.size());
  return make_lemke()->solve({W, b, rows.laws, rows.ids}, {}, memory, p);
}

TEST_CASE("a triangular problem is solved as by hand, row after row") {
  Matrix W(3, 3);
  W << 1, 0, 0, 2, 1, 0, 2, 2, 1;
  Vector b(3), p;
  b << -1, -1, -3;  // u = (0, 2 - 1, 2 + 1 - 3)
  CHECK(lemke(W, b, p).residual < 1e-15);
  CHECK((p - Vector3(1, 0, 1)).norm() < 1e-14);
}

TEST_CASE("unsymmetric semidefinite W: a two-person game has its equilibrium") {
  // W = [0 A; -A^T 0] + symmetric part of rank 1: monotone, not symmetric, singular diagonal.
  std::mt19937 random(21);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  for (int trial = 0; trial < 30; ++trial) {
    const int m = 2 + trial % 6, n = 2 * m;
    Matrix W = Matrix::Zero(n, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        W(i, m + j) = uniform(random);
        W(m + j, i) = -W(i, m + j);
      }
    Vector b(n), p;
    b.head(m).setConstant(-1.0);
    b.tail(m).setConstant(1.0);
    CHECK(lemke(W, b, p).residual < 1e-12);
    CHECK(p.minCoeff() >= 0.0);
    CHECK(p.norm() > 0.1);
  }
}

TEST_CASE("equality rows may be unsymmetric and have a zero diagonal") {
  Matrix W(3, 3);
  W << 0, 1, 0.2, -1, 0, 0.3, 0.1, 0.4, 1;
  Vector b(3), p;
  b << 2.0, -1.0, -4.0;
  REQUIRE(lemke(W, b, p, 2).residual < 1e-14);
  const Vector u = W * p + b;
  CHECK(std::abs(u[0]) + std::abs(u[1]) + std::abs(u[2]) < 1e-13);
  CHECK(p[2] > 0.0);
}

TEST_CASE("degenerate problems, where every ratio ties, end without a cycle") {
  for (const int n : {5, 20, 80}) {
    Vector p;
    CHECK(lemke(Matrix::Ones(n, n), Vector::Constant(n, -1.0), p).residual < 1e-14);
    CHECK(p.sum() == doctest::Approx(1.0));
    CHECK(lemke(string_delassus(n, 2, 1.0), string_delassus(n, 2, 1.0).col(0) * -1.0, p).residual <
          1e-12);
  }
}

TEST_CASE("two hundred points of a string: no round-off of the pivots is left") {
  const Matrix W = string_delassus(200, 200, 3.0);
  const Region r = region(W, 90.3, 40.0);
  Vector p;
  const auto report = lemke(W, r.b, p);
  CHECK(report.residual < 1e-14);
  CHECK((p - r.p).cwiseAbs().maxCoeff() < 1e-9);
  CHECK(report.iterations > 40);
}

TEST_CASE("an unsolvable problem gives back the better of the warm start and the pivots") {
  DenseDelassus W;
  W.W = Matrix::Zero(2, 2);
  W.W(0, 0) = 1.0;
  const testing::Rows rows(2);
  const Vector b = Vector::Constant(2, -1.0);
  SolverMemory memory;
  Vector p(2);
  p << 1.0, 0.0;
  const ContactProblem problem{W, b, rows.laws, rows.ids};
  const double before = residual(problem, p);
  const auto report = make_lemke()->solve(problem, {}, memory, p);
  CHECK_FALSE(report.converged);
  CHECK(report.residual <= before);
  CHECK(report.residual == residual(problem, p));
}

}  // namespace
