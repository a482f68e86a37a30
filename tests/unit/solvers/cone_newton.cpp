// Newton's method on statuses that are given.
#include "saltus/solvers/cone_newton.h"

#include <doctest/doctest.h>

#include "saltus/contact/residual.h"
#include "saltus/solvers/cone_work.h"

using namespace saltus;

// Three masses of 1 kg on the floor, mu = 0.5: one slides, one sticks, one has lifted off. The load of the next step is another.
TEST_CASE(
    "a step that holds statuses finds the impulses of a changed load at once, whatever velocities "
    "say") {
  DenseDelassus W;
  W.W = Matrix::Identity(9, 9);
  std::vector<Law> laws;
  std::vector<int> ids;
  for (int c = 0; c < 3; ++c) laws.push_back({LawKind::coulomb, 3 * c, 3, 0.5});
  for (int i = 0; i < 9; ++i) ids.push_back(i);
  Vector before(9), b(9);
  before << 1.0, -0.4, -0.3, 1.0, -0.1, 0.2, 0.0, 0.0, 0.0;
  b << -2.0, 4.0, 3.0, -3.0, 0.3, 0.5, 1.0, 0.2, 0.0;
  const ContactProblem problem{W, b, laws, ids};
  CHECK(residual(problem, before) > 0.1);

  ConeWork work;
  work.begin(problem);
  Vector x = before.cwiseQuotient(work.problem.impulse);
  REQUIRE(work.hold(x, 1e-12));
  const Vector p = x.cwiseProduct(work.problem.impulse);
  CHECK(residual(problem, p) <= 1e-11);
  CHECK(p[0] == doctest::Approx(2.0));
  CHECK(p[1] == doctest::Approx(-0.8));
  CHECK(p[2] == doctest::Approx(-0.6));
  CHECK(p[3] == doctest::Approx(3.0));
  CHECK(p.tail(3).isZero(0.0));
  CHECK(work.factorisations() == 1);
}
