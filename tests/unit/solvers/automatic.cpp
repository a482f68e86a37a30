#include <doctest/doctest.h>

#include "saltus/contact/body_delassus.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

struct Friction {
  explicit Friction(int contacts, double mu = 0.5) {
    for (int c = 0; c < contacts; ++c)
      laws.push_back({.kind = LawKind::coulomb, .first = 3 * c, .size = 3, .friction = mu});
    for (int i = 0; i < 3 * contacts; ++i) ids.push_back(i);
  }
  std::vector<Law> laws;
  std::vector<int> ids;
};

Vector downwards(int contacts) {
  Vector b = Vector::Constant(3 * contacts, 0.2);
  for (int c = 0; c < contacts; ++c) b[3 * c] = -1.0 - 0.1 * c;
  return b;
}

SolveReport solve(const ContactProblem& problem, Vector& p, Limits limits = {}) {
  SolverMemory memory;
  p = Vector::Zero(problem.b.size());
  return make_automatic()->solve(problem, limits, memory, p);
}

TEST_CASE("the laws and the symmetry of W decide who is asked first") {
  std::mt19937 random(1);
  DenseDelassus W;
  W.W = random_delassus(12, 12, 0.3, random);
  const Vector b = downwards(4);
  Vector p;
  testing::Rows rows(12, 2);
  auto report = solve({W, b, rows.laws, rows.ids}, p);
  CHECK(report.converged);
  REQUIRE(report.attempted == 1);
  CHECK(report.attempts[0].solver == "principal-pivoting");
  CHECK(report.attempts[0].iterations == report.iterations);

  W.is_symmetric = false;
  report = solve({W, b, rows.laws, rows.ids}, p);
  CHECK(report.converged);
  CHECK(report.attempts[0].solver == "lemke");

  rows.laws[5] = {.kind = LawKind::box, .first = 5, .bound = 0.1};
  report = solve({W, b, rows.laws, rows.ids}, p);
  CHECK(report.converged);
  CHECK(report.attempts[0].solver == "proximal-newton");

  const Friction friction(4);
  report = solve({W, b, friction.laws, friction.ids}, p);
  CHECK(report.converged);
  CHECK(report.attempts[0].solver == "proximal-newton");
}

TEST_CASE("where no solver meets the tolerance each attempt is told, and the best p comes back") {
  DenseDelassus W;  // two contacts that can only move together: one is pushed in as the other is
  W.W = Matrix::Zero(6, 6);
  W.W.topLeftCorner(3, 3).setIdentity();
  W.W.bottomRightCorner(3, 3).setIdentity();
  W.W(0, 3) = W.W(3, 0) = -1.0;
  const Vector b = downwards(2);
  const Friction friction(2);
  Vector p;
  const ContactProblem problem{W, b, friction.laws, friction.ids};
  const auto report = solve(problem, p, {.tolerance = 1e-10, .iterations = 500});
  CHECK_FALSE(report.converged);
  CHECK(report.residual == residual(problem, p));
  CHECK(report.residual > 1e-6);
  REQUIRE(report.attempted >= 2);
  int iterations = 0;
  double least = HUGE_VAL;
  for (int k = 0; k < report.attempted; ++k) {
    iterations += report.attempts[static_cast<std::size_t>(k)].iterations;
    least = std::min(least, report.attempts[static_cast<std::size_t>(k)].residual);
  }
  CHECK(report.iterations == iterations);
  CHECK(report.residual == least);
}

TEST_CASE("a problem with friction between two without leaves the factor that pivoting keeps") {
  const ConstantDelassus W(string_delassus(40, 40, 3.0));
  const testing::Rows rows(40);
  const Region first = region(W.matrix(), 19.3, 8.0), second = region(W.matrix(), 21.1, 8.5);
  DenseDelassus W2;
  W2.W = Matrix::Identity(6, 6);
  const Vector b2 = downwards(2);
  const Friction friction(2);
  const auto solver = make_automatic();
  const auto run = [&](bool between) {
    SolverMemory memory;
    Vector p = Vector::Zero(40), p2 = Vector::Zero(6);
    solver->solve({W, first.b, rows.laws, rows.ids}, {}, memory, p);
    const auto active = memory.active;
    const auto factor = memory.factor;
    if (between) solver->solve({W2, b2, friction.laws, friction.ids}, {}, memory, p2);
    CHECK(memory.active == active);
    CHECK(memory.factor == factor);
    solver->solve({W, second.b, rows.laws, rows.ids}, {}, memory, p);
    return p;
  };
  CHECK(run(false) == run(true));
}

TEST_CASE("W held by bodies and by blocks gives the same answer") {
  BodyRows H;  // a row of cubes on the floor, each pair of neighbours in contact
  H.width = 3;
  const int bodies = 6;
  for (int k = 0; k < bodies; ++k)
    for (int i = 0; i < 9; ++i) H.inverse.push_back(i % 4 == 0 ? 1.0 / (1.0 + k) : 0.0);
  const auto side = [&](int body, double sign, bool floor) {
    H.touch(body);
    for (int row = 0; row < 3; ++row)
      for (int j = 0; j < 3; ++j) H.value.push_back(j == (row + (floor ? 2 : 0)) % 3 ? sign : 0.0);
  };
  for (int k = 0; k < bodies; ++k) {
    side(k, 1.0, true);
    H.close(3);
    if (k == 0) continue;
    side(k - 1, -1.0, false);
    side(k, 1.0, false);
    H.close(3);
  }
  const BodyDelassus W(H);
  DenseDelassus dense;
  dense.W.resize(W.rows(), W.rows());
  for (int i = 0; i < W.rows(); ++i)
    for (int j = 0; j < W.rows(); ++j) dense.W(i, j) = W.entry(i, j);
  const int contacts = H.contacts();
  const Friction friction(contacts);
  const Vector b = downwards(contacts);
  Vector p, q;
  REQUIRE(solve({W, b, friction.laws, friction.ids}, p).converged);
  REQUIRE(solve({dense, b, friction.laws, friction.ids}, q).converged);
  CHECK((dense.W * (p - q)).norm() <= 1e-9);
}

}  // namespace
