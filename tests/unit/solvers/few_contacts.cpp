#include "saltus/solvers/few_contacts.h"

#include <doctest/doctest.h>

#include <random>

#include "saltus/contact/block_delassus.h"
#include "saltus/contact/problem_data.h"
#include "saltus/contact/residual.h"
#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

struct Few {
  DenseDelassus W;
  Vector b;
  std::vector<Law> laws;
  std::vector<int> ids;
  ProblemView view() const { return {W, b, laws, ids}; }

  Few(int contacts, double coupling, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const int n = 3 * contacts;
    W.W = Matrix::Zero(n, n);
    for (int c = 0; c < contacts; ++c) {
      Matrix G(3, 3);
      for (double& g : G.reshaped()) g = normal(random);
      W.W.block(3 * c, 3 * c, 3, 3) = G * G.transpose() + Matrix::Identity(3, 3);
      for (int i = 0; i < 3 && c > 0; ++i)
        W.W(3 * c + i, 3 * c - 3 + i) = W.W(3 * c - 3 + i, 3 * c + i) = coupling;
      laws.push_back({.kind = LawKind::coulomb, .first = 3 * c, .size = 3, .friction = 0.4});
    }
    b.resize(n);
    for (double& x : b) x = normal(random) - 0.5;
    for (int i = 0; i < n; ++i) ids.push_back(i);
  }
};

TEST_CASE("contacts that share no body are solved by one sweep, and a second one that sees it") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Few few(6, 0.0, seed);
    const auto view = few.view();
    Vector p = Vector::Zero(18);
    REQUIRE(are_few(view));
    const SolveReport report = solve_few(view, {.tolerance = 1e-13}, p);
    CHECK(report.converged);
    CHECK(report.iterations <= 2);
    CHECK(report.residual == residual(view, p));
  }
}

TEST_CASE("W by blocks and as a matrix give a few contacts the same impulses") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Few few(5, 0.3, seed);
    const auto view = few.view();
    BlockMatrix blocks;
    blocks_of(view, blocks);
    const BlockDelassus by_blocks(blocks);
    Vector p = Vector::Zero(15), q = p;
    const SolveReport one = solve_few(view, {.tolerance = 1e-10}, p);
    const SolveReport other =
        solve_few({by_blocks, few.b, few.laws, few.ids}, {.tolerance = 1e-10}, q);
    CHECK(one.converged == other.converged);
    CHECK((p - q).norm() <= 1e-9 * p.norm());
  }
}

TEST_CASE(
    "where sweeps are slow a few contacts keep the impulses they had, and Newton's method is "
    "asked") {
  const int n = 24;
  DenseDelassus W;  // a chain of 24 heavy and light bodies
  W.W = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    W.W(i, i) = 2.0;
    if (i > 0) W.W(i, i - 1) = W.W(i - 1, i) = -1.0;
  }
  std::vector<Law> laws;
  std::vector<int> ids;
  for (int i = 0; i < n; ++i) {
    laws.push_back({.kind = i % 2 ? LawKind::unilateral : LawKind::box, .first = i, .bound = 1e3});
    ids.push_back(i);
  }
  const Vector b = Vector::Constant(n, -1.0), start = Vector::Constant(n, 0.25);
  const ContactProblem problem{W, b, laws, ids};
  Vector p = start;
  const SolveReport few = solve_few(problem, {.tolerance = 1e-10}, p);
  CHECK_FALSE(few.converged);
  CHECK(p == start);
  CHECK(few.residual == residual(problem, start));

  SolverMemory memory;
  const SolveReport report = make_automatic()->solve(problem, {.tolerance = 1e-10}, memory, p);
  CHECK(report.converged);
  REQUIRE(report.attempted >= 1);
  CHECK(report.attempts[0].solver == "proximal-newton");
}

TEST_CASE("corners of a face that are new share its load, and those that carry it keep it") {
  // 1 kg that slides without turning, pressed on four corners: all of them feel the same velocity
  Few few(4, 0.0, 1);
  Matrix H(12, 3);
  for (int c = 0; c < 4; ++c) H.middleRows(3 * c, 3).setIdentity();
  few.W.W = H * H.transpose();
  few.b = H * Vector3(-1.0, 0.1, 0.0);
  const auto view = few.view();
  Vector p = Vector::Zero(12);
  share_load(view, p);
  for (int c = 0; c < 4; ++c) CHECK(p[3 * c] == doctest::Approx(0.25).epsilon(0.1));
  const SolveReport report = solve_few(view, {.tolerance = 1e-10}, p);
  CHECK(report.converged);
  const Vector solved = p;
  share_load(view, p);
  CHECK(p == solved);
  // from nothing, one after the other, the first takes all; the motion is the same
  Vector swept = Vector::Zero(12);
  SolverMemory memory;
  CHECK(make_gauss_seidel()->solve(view, {.tolerance = 1e-10}, memory, swept).converged);
  CHECK(solved[0] < 0.3);
  CHECK(swept[0] > 0.9);
  CHECK((few.W.W * (solved - swept)).norm() <= 1e-8);
}

TEST_CASE("many contacts and rolling ones are not few") {
  Few few(33, 0.0, 1);
  const auto view = few.view();
  CHECK_FALSE(are_few(view));
  Few one(1, 0.0, 1);
  const auto single = one.view();
  CHECK(are_few(single));
  one.laws[0].kind = LawKind::rolling;  // view refers to it
  CHECK_FALSE(are_few(single));
}

TEST_CASE("friction that grows from 0 reaches what proximal Newton alone reaches") {
  Few few(8, 0.4, 3);
  const auto view = few.view();
  SolverMemory one, other;
  Vector p = Vector::Zero(24), q = p;
  const auto newton = make_proximal_newton()->solve(view, {.tolerance = 1e-11}, one, p);
  const auto grown =
      make_continuation(make_proximal_newton())->solve(view, {.tolerance = 1e-11}, other, q);
  REQUIRE(newton.converged);
  CHECK(grown.converged);
  CHECK(grown.residual == residual(view, q));
  CHECK((few.W.W * (p - q)).norm() <= 1e-9 * (few.W.W * p).norm());
}

}  // namespace
