#include "saltus/solvers/equality_elimination.h"

#include <doctest/doctest.h>

#include "saltus/base/error.h"
#include "saltus/solvers/solvers.h"
#include "support/dense.h"
#include "tests/unit/solvers/cone_problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

Matrix dense(const Delassus& W) {
  Matrix out(W.rows(), W.rows());
  for (int i = 0; i < W.rows(); ++i)
    for (int j = 0; j < W.rows(); ++j) out(i, j) = W.entry(i, j);
  return out;
}

TEST_CASE("W' is the Schur complement of the equalities, symmetric to the bit") {
  const ConeCase c = random_cones(2, 6, 0.5, 120, 5);
  EqualityElimination e;
  REQUIRE(e.reduce({c.W, c.b, c.laws, c.ids}));
  const Matrix& W = c.W.W;
  const Matrix EE = W.topLeftCorner(5, 5), CE = W.bottomLeftCorner(18, 5);
  const Matrix schur = W.bottomRightCorner(18, 18) - CE * test::inverse_of(EE) * CE.transpose();
  const Vector b = c.b.tail(18) - CE * test::inverse_of(EE) * c.b.head(5);
  const Matrix reduced = dense(e.W());
  CHECK((reduced - schur).norm() <= 1e-11 * W.norm());
  CHECK(reduced == reduced.transpose());
  CHECK(e.W().symmetric());
  CHECK((e.b() - b).norm() <= 1e-11 * b.norm());
  CHECK(e.redundant() == 0);
  REQUIRE(e.laws().size() == 6);
  CHECK(e.laws()[1].first == 3);
  CHECK(e.ids()[0] == 5);

  Vector p_C = c.p.tail(18), p = Vector::Zero(23);
  e.recover(p_C, p);
  CHECK((p - c.p).norm() <= 1e-10 * c.p.norm());
}

TEST_CASE("equalities that share no body leave W' sparse") {
  // a row of six bodies of 1 kg on a line, joint 2k between 2k and 2k + 1, a stop on each body
  Matrix H = Matrix::Zero(9, 6);
  std::vector<Law> laws;
  for (int k = 0; k < 3; ++k) {
    H(k, 2 * k) = 1.0;
    H(k, 2 * k + 1) = -1.0;
    laws.push_back({.kind = LawKind::equality, .first = k});
  }
  for (int k = 0; k < 6; ++k) {
    H(3 + k, k) = 1.0;
    laws.push_back({.kind = LawKind::unilateral, .first = 3 + k});
  }
  DenseDelassus W;
  W.W = H * H.transpose();
  const Vector b = Vector::Constant(9, -1.0);
  std::vector<int> ids(9);
  std::iota(ids.begin(), ids.end(), 10);
  EqualityElimination e;
  REQUIRE(e.reduce({W, b, laws, ids}));
  const BlockMatrix& blocks = *e.W().blocks();
  CHECK(blocks.column.size() == 12);  // each stop with that of the body it is joined to
  CHECK(blocks.find(0, 2) == -1);
  CHECK(e.W().entry(0, 1) == doctest::Approx(0.5));  // two bodies move as one of 2 kg
  CHECK(e.ids()[0] == 13);
}

TEST_CASE("redundant equalities are left out, and their impulses still hold the body") {
  Matrix G(5, 2);
  G << 1, 0, 1, 0, 1, 0, 0, 1, 1, 1;  // three equal guides, two stops
  DenseDelassus W;
  W.W = G * G.transpose();
  std::vector<Law> laws;
  std::vector<int> ids;
  for (int i = 0; i < 5; ++i) {
    laws.push_back({.kind = i < 3 ? LawKind::equality : LawKind::unilateral, .first = i});
    ids.push_back(i);
  }
  Vector b(5);
  b << -2.0, -2.0, -2.0, -1.0, -2.5;
  EqualityElimination e;
  REQUIRE(e.reduce({W, b, laws, ids}));
  CHECK(e.redundant() == 2);

  const auto solver = make_eliminating(make_gauss_seidel());
  SolverMemory memory;
  Vector p = Vector::Zero(5);
  const ContactProblem problem{W, b, laws, ids};
  const auto report = solver->solve(problem, {}, memory, p);
  CHECK(report.converged);
  CHECK(report.residual == residual(problem, p));
  const Vector u = W.W * p + b;
  CHECK(u.head(3).norm() <= 1e-11);

  b[1] = -1.0;  // the guides now ask for two velocities at once
  const auto refused = solver->solve({W, b, laws, ids}, {}, memory, p);
  CHECK_FALSE(refused.converged);
  CHECK(refused.residual > 1e-3);
  CHECK(p.allFinite());
}

TEST_CASE("sweeps without the equalities find what sweeps over all rows find, in fewer") {
  int with = 0, without = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const ConeCase c = random_cones(seed, 10, 0.3, 110, 8);
    const ContactProblem problem{c.W, c.b, c.laws, c.ids};
    SolverMemory memory, memory2;
    Vector p = Vector::Zero(c.b.size()), p2 = p;
    const Limits limits{.tolerance = 1e-10, .iterations = 100'000};
    const auto all = make_gauss_seidel()->solve(problem, limits, memory, p);
    const auto part = make_eliminating(make_gauss_seidel())->solve(problem, limits, memory2, p2);
    CAPTURE(seed);
    REQUIRE(all.converged);
    REQUIRE(part.converged);
    CHECK((p - p2).norm() <= 1e-6 * p.norm());
    with += all.iterations;
    without += part.iterations;
  }
  CHECK(without < with);
}

TEST_CASE("an unsymmetric W is reduced by both of its sides") {
  ConeCase c = random_cones(3, 5, 0.4, 120, 4);
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (double& w : c.W.W.reshaped()) w *= 1.0 + 1e-2 * normal(random);
  c.W.is_symmetric = false;
  const Matrix& W = c.W.W;
  EqualityElimination e;
  REQUIRE(e.reduce({c.W, c.b, c.laws, c.ids}));
  const Matrix schur = W.bottomRightCorner(15, 15) - W.bottomLeftCorner(15, 4) *
                                                         test::inverse_of(W.topLeftCorner(4, 4)) *
                                                         W.topRightCorner(4, 15);
  CHECK((dense(e.W()) - schur).norm() <= 1e-11 * W.norm());
  CHECK_FALSE(e.W().symmetric());
}

TEST_CASE("a contact that the equalities hold has an empty row, not round-off") {
  Matrix G(3, 2);
  G << 1.0, 0.3, 0.2, 1.0, 1.7, 0.4;  // two guides leave no motion for the stop
  DenseDelassus W;
  W.W = G * G.transpose();
  const Law laws[] = {{.kind = LawKind::equality, .first = 0},
                      {.kind = LawKind::equality, .first = 1},
                      {.kind = LawKind::unilateral, .first = 2}};
  const int ids[] = {0, 1, 2};
  const Vector b = Vector::Zero(3);
  EqualityElimination e;
  REQUIRE(e.reduce({W, b, laws, ids}));
  CHECK(e.W().entry(0, 0) == 0.0);
}

TEST_CASE("without equalities nothing is reduced, and a problem of equalities alone is solved") {
  const ConeCase free = random_cones(4, 3, 0.5, 120), held = random_cones(4, 0, 0.5, 120, 6);
  EqualityElimination e;
  CHECK_FALSE(e.reduce({free.W, free.b, free.laws, free.ids}));
  SolverMemory memory;
  Vector p = Vector::Zero(6);
  const auto report = make_eliminating(make_gauss_seidel())
                          ->solve({held.W, held.b, held.laws, held.ids}, {}, memory, p);
  CHECK(report.converged);
  CHECK((p - held.p).norm() <= 1e-9 * held.p.norm());
}

}  // namespace
