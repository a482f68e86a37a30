#include <doctest/doctest.h>

#include <numeric>

#include "saltus/base/error.h"
#include "saltus/contact/block_delassus.h"
#include "saltus/contact/body_delassus.h"
#include "saltus/contact/cone.h"
#include "saltus/solvers/solvers.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

TEST_CASE("a motor of bounded torque holds a light load and slips under a heavy one") {
  DenseDelassus W;
  W.W = Matrix::Constant(1, 1, 0.25);
  const Law laws[] = {{.kind = LawKind::box, .bound = 2.0}};
  const testing::Rows rows(1);
  const auto solver = make_gauss_seidel();
  for (const double speed : {-3.0, -0.4, 0.0, 0.4, 3.0}) {
    SolverMemory memory;
    Vector p = Vector::Zero(1);
    const Vector b = Vector::Constant(1, speed);
    REQUIRE(solver->solve({W, b, laws, rows.ids}, {}, memory, p).converged);
    CHECK(p[0] == doctest::Approx(std::clamp(-4.0 * speed, -2.0, 2.0)).epsilon(1e-14));
  }
}

TEST_CASE("equality, unilateral and box rows are solved together") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    DenseDelassus W;
    W.W = random_delassus(9, 9, 0.3, random);
    testing::Rows rows(9, 3);
    for (std::size_t i = 6; i < 9; ++i) rows.laws[i].kind = LawKind::box, rows.laws[i].bound = 0.3;
    Vector b(9), p = Vector::Zero(9);
    for (double& x : b) x = normal(random);
    SolverMemory memory;
    REQUIRE(make_gauss_seidel()->solve({W, b, rows.laws, rows.ids}, {}, memory, p).converged);
    const Vector u = W.W * p + b;
    for (int i = 0; i < 9; ++i) {
      if (i < 3)
        CHECK(std::abs(u[i]) < 1e-10);
      else if (i < 6)
        CHECK(std::abs(std::min(u[i], p[i])) < 1e-10);
      else
        CHECK(((std::abs(p[i]) < 0.3 && std::abs(u[i]) < 1e-10) || p[i] * u[i] <= 0.0));
    }
  }
}

TEST_CASE("neighbouring points of a string stall the sweeps, and the report says so") {
  const ConstantDelassus W(string_delassus(200, 200, 3.0));
  const Region r = region(W.matrix(), 90.3, 40.0);
  const testing::Rows rows(200);
  SolverMemory memory;
  Vector p = Vector::Zero(200);
  const ContactProblem problem{W, r.b, rows.laws, rows.ids};
  const double before = residual(problem, p);
  const auto report = make_gauss_seidel()->solve(problem, {.iterations = 55}, memory, p);
  CHECK_FALSE(report.converged);
  CHECK(report.iterations == 55);
  CHECK(report.residual == residual(problem, p));
  CHECK(report.residual < before);
}

/// Contacts of every law on bodies of 6 velocities, each contact between two neighbours in a ring: W = H H^T, b = u - W p
/// of a p and u that obey the laws.
struct Ring {
  DenseDelassus W;
  std::vector<Law> laws;
  std::vector<int> ids;
  Vector b, p;

  Ring(int contacts, bool mixed, std::mt19937& random) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    int n = 0;
    for (int c = 0; c < contacts; ++c) {
      const Law kinds[] = {
          {.kind = LawKind::coulomb, .size = 3, .friction = 0.4},
          {.kind = LawKind::rolling, .size = 5, .friction = 0.5, .rolling = 0.1},
          {.kind = LawKind::unilateral, .size = 2},
          {.kind = LawKind::coulomb, .size = 2, .friction = 0.3},
          {.kind = LawKind::rolling, .size = 3, .friction = 0.5, .rolling = 0.1},
          {.kind = LawKind::box, .bound = 0.2},
          {.kind = LawKind::equality, .size = 2},
          {.kind = LawKind::rolling, .size = 4, .friction = 0.5, .spinning = 0.2},
          {.kind = LawKind::rolling, .size = 6, .friction = 0.5, .rolling = 0.1, .spinning = 0.2}};
      Law law = kinds[mixed ? c % 9 : 0];
      law.first = n;
      n += law.size;
      laws.push_back(law);
    }
    Matrix H = Matrix::Zero(n, 6 * contacts);
    p = Vector::Zero(n);
    Vector u = Vector::Zero(n);
    for (int c = 0; c < contacts; ++c) {
      const Law& law = laws[static_cast<std::size_t>(c)];
      for (int i = law.first; i < law.first + law.size; ++i) {
        for (int k = 0; k < 6; ++k) H(i, 6 * c + k) = normal(random);
        for (int k = 0; k < 6; ++k) H(i, (6 * c + 6 + k) % (6 * contacts)) += 0.3 * normal(random);
      }
      const int state = c / 9 % 3;  // closed, at the edge, open
      const double size = 0.5 + uniform(random);
      for (int i = law.first; i < law.first + law.size; ++i) {
        if (law.kind == LawKind::equality) p[i] = normal(random);
        if (law.kind == LawKind::box) p[i] = 0.2, u[i] = -size;
        if (law.kind == LawKind::unilateral) (state == 2 ? u : p)[i] = size;
      }
      if (law.tangents() == 0) continue;
      if (state == 2) {
        for (int i = law.first; i < law.first + law.size; ++i) u[i] = std::abs(normal(random));
        continue;
      }
      p[law.first] = size;
      const Cone K(law);
      for (int k = 0, first = 1; k < K.kParts; first += K.rows[k++]) {
        if (K.rows[k] == 0) continue;
        const double radius = K.radius[k] * size;
        p[law.first + first] = state == 1 ? -radius : 0.5 * radius;
        if (state == 1) u[law.first + first] = uniform(random);
      }
    }
    W.W = H * H.transpose();
    W.W = 0.5 * (W.W + W.W.transpose()).eval();
    b = u - W.W * p;
    ids.resize(static_cast<std::size_t>(n));
    std::iota(ids.begin(), ids.end(), 0);
  }
};

TEST_CASE("contacts of every law, rolling ones among them, are solved together") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 10; ++trial) {
    const Ring ring(54, true, random);
    SolverMemory memory;
    Vector p = Vector::Zero(ring.b.size());
    const auto report = make_gauss_seidel()->solve({ring.W, ring.b, ring.laws, ring.ids},
                                                   {.tolerance = 1e-13}, memory, p);
    CHECK(report.converged);
    CHECK(report.residual == residual({ring.W, ring.b, ring.laws, ring.ids}, p));
    CHECK((ring.W.W * (p - ring.p)).norm() <= 1e-10 * ring.b.norm());
  }
}

TEST_CASE("the sweeps give the same digits for W as a matrix and by blocks") {
  std::mt19937 random(6);
  for (const bool mixed : {false, true}) {
    const Ring ring(21, mixed, random);
    BlockMatrix blocks;
    blocks_of({ring.W, ring.b, ring.laws, ring.ids}, blocks);
    CHECK(blocks.column.size() == 3 * 21);  // only neighbours touch the same body
    const BlockDelassus by_blocks(blocks);
    SolverMemory memory, other;
    Vector p = Vector::Zero(ring.b.size()), q = p;
    const auto solver = make_gauss_seidel();
    const auto report =
        solver->solve({ring.W, ring.b, ring.laws, ring.ids}, {.iterations = 20}, memory, p);
    const auto same =
        solver->solve({by_blocks, ring.b, ring.laws, ring.ids}, {.iterations = 20}, other, q);
    CHECK(p == q);
    CHECK(report.iterations == same.iterations);
    CHECK(same.residual == residual({by_blocks, ring.b, ring.laws, ring.ids}, q));
  }
}

TEST_CASE("W held by bodies gives the impulses of W as a matrix") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const int contacts = 30;
  BodyRows H;
  H.width = 6;
  for (int k = 0; k < contacts; ++k)
    for (int i = 0; i < 36; ++i) H.inverse.push_back(i % 7 == 0 ? 1.0 + 0.1 * i : 0.0);
  std::vector<Law> laws;
  for (int c = 0; c < contacts; ++c) {
    laws.push_back({.kind = LawKind::coulomb, .first = 3 * c, .size = 3, .friction = 0.3});
    for (const int body : {c, c + 1}) {  // the last one touches the world
      if (body == contacts) continue;
      H.touch(body);
      for (int i = 0; i < 18; ++i) H.value.push_back(normal(random));
    }
    H.close(3);
  }
  const BodyDelassus by_bodies(H);
  const testing::Rows rows(3 * contacts);
  DenseDelassus W;
  W.W.resize(3 * contacts, 3 * contacts);
  Vector b(3 * contacts);
  for (int i = 0; i < 3 * contacts; ++i) {
    b[i] = normal(random) - (i % 3 == 0 ? 1.0 : 0.0);
    for (int j = 0; j < 3 * contacts; ++j) W.W(i, j) = by_bodies.entry(i, j);
  }
  Vector p = Vector::Zero(b.size()), q = p;
  SolverMemory memory, other;
  const auto solver = make_gauss_seidel();
  CHECK(solver->solve({W, b, laws, rows.ids}, {}, memory, p).converged);
  CHECK(solver->solve({by_bodies, b, laws, rows.ids}, {}, other, q).converged);
  CHECK((p - q).norm() <= 1e-9 * p.norm());
}

TEST_CASE("what the memory has seen before does not change the digits of a solve") {
  std::mt19937 random(8);
  const Ring first(14, true, random), second(28, false, random);
  const auto solver = make_gauss_seidel();
  SolverMemory fresh, used;
  Vector p = Vector::Zero(second.b.size()), q = p, other = Vector::Zero(first.b.size());
  solver->solve({first.W, first.b, first.laws, first.ids}, {}, used, other);
  solver->solve({second.W, second.b, second.laws, second.ids}, {}, fresh, p);
  solver->solve({second.W, second.b, second.laws, second.ids}, {}, used, q);
  CHECK(p == q);
}

TEST_CASE("one contact alone takes one sweep and one to see that nothing moves") {
  DenseDelassus W;
  W.W = Matrix::Identity(3, 3) * 0.5;
  const Law laws[] = {{.kind = LawKind::coulomb, .size = 3, .friction = 0.4}};
  const testing::Rows rows(3);
  SolverMemory memory;
  Vector p = Vector::Zero(3);
  const Vector b{{-1.0, 3.0, 4.0}};
  const auto report = make_gauss_seidel()->solve({W, b, laws, rows.ids}, {}, memory, p);
  CHECK(report.converged);
  CHECK(report.iterations == 2);
  CHECK((p - Vector{{2.0, -0.48, -0.64}}).norm() <= 1e-14);
}

TEST_CASE("contacts whose rows W holds in other blocks are refused") {
  DenseDelassus W;
  W.W = Matrix::Identity(3, 3);
  const testing::Rows rows(3);
  BlockMatrix blocks;
  const Vector b = Vector::Constant(3, -1.0);
  blocks_of({W, b, rows.laws, rows.ids}, blocks);
  const BlockDelassus by_rows(blocks);
  const Law laws[] = {{.kind = LawKind::coulomb, .size = 3, .friction = 0.4}};
  SolverMemory memory;
  Vector p = Vector::Zero(3);
  CHECK_THROWS_AS(make_gauss_seidel()->solve({by_rows, b, laws, rows.ids}, {}, memory, p),
                  UsageError);
}

}  // namespace
