// W of contacts on bodies that joints hold, by bodies, against H A_J^-1 H^T.
#include "saltus/contact/jointed_delassus.h"

#include <doctest/doctest.h>

#include <random>

#include "saltus/solvers/block_system.h"
#include "saltus/solvers/body_system.h"
#include "saltus/solvers/solvers.h"
#include "support/dense.h"

using namespace saltus;

namespace {

struct Problem {
  JointedRows rows;
  Matrix W;
  std::vector<Law> laws;
  std::vector<int> ids;
  Vector b;
};

/// Bodies in a chain: a joint with the world on the first, joints of 3 rows between neighbours, one of 2 rows that closes a
/// loop; contacts of three rows with the world, and between bodies two apart.
Problem make(int bodies) {
  Problem x;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  const int n = 6 * bodies;
  Matrix A_inverse = Matrix::Zero(n, n);
  BodyRows& H = x.rows.contacts;
  BodyRows& G = x.rows.joints;
  H.width = G.width = 6;
  for (int k = 0; k < bodies; ++k) {
    Matrix R(6, 6);
    for (double& r : R.reshaped()) r = value(random);
    const Matrix block = R * R.transpose() + Matrix::Identity(6, 6);
    A_inverse.block(6 * k, 6 * k, 6, 6) = block;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) H.inverse.push_back(0.5 * (block(i, j) + block(j, i)));
  }
  const auto add = [&](BodyRows& to, std::vector<int> of, int rows) {
    for (const int body : of) {
      to.touch(body);
      for (int i = 0; i < 6 * rows; ++i) to.value.push_back(value(random));
    }
    to.close(rows);
  };
  add(G, {0}, 3);
  for (int k = 1; k < bodies; ++k) add(G, {k - 1, k}, 3);
  add(G, {0, bodies - 1}, 2);
  for (int k = 0; k < bodies; ++k) {
    add(H, {k}, 3);
    if (k >= 2) add(H, {k - 2, k}, 3);
  }
  const auto dense = [&](const BodyRows& of) {
    Matrix M = Matrix::Zero(of.rows(), n);
    for (int c = 0; c < of.contacts(); ++c)
      for (int k = of.offset[static_cast<std::size_t>(c)];
           k < of.offset[static_cast<std::size_t>(c) + 1]; ++k)
        for (int i = 0; i < of.size(c); ++i)
          for (int m = 0; m < 6; ++m)
            M(of.first[static_cast<std::size_t>(c)] + i,
              6 * of.body[static_cast<std::size_t>(k)] + m) +=
                of.value[of.start[static_cast<std::size_t>(k)] +
                         static_cast<std::size_t>(6 * i + m)];
    return M;
  };
  const Matrix h = dense(H), g = dense(G);
  const Matrix S = g * A_inverse * g.transpose(), Y = g * A_inverse * h.transpose();
  x.W = h * A_inverse * h.transpose() - Y.transpose() * test::solve_by_ldlt(S, Y);
  Vector r(n);  // velocities that the joints let be, towards the obstacles or away from them
  for (double& of : r) of = value(random);
  x.b = h * A_inverse * r - Y.transpose() * test::solve_by_ldlt(S, Vector(g * A_inverse * r));
  for (int c = 0; c < H.contacts(); ++c)
    x.laws.push_back({LawKind::coulomb, H.first[static_cast<std::size_t>(c)], 3, 0.5});
  for (int i = 0; i < H.rows(); ++i) x.ids.push_back(i);
  return x;
}

}  // namespace

TEST_CASE("W of contacts on jointed bodies is H A_J^-1 H^T, applied and by its diagonal") {
  for (int bodies : {3, 12, 40}) {
    CAPTURE(bodies);
    Problem x = make(bodies);
    JointedDelassus W;
    W.refill() = x.rows;
    REQUIRE(W.index());
    const double scale = x.W.cwiseAbs().maxCoeff();
    CHECK((W.diagonal() - x.W.diagonal()).cwiseAbs().maxCoeff() <= 1e-11 * scale);
    Vector u(x.b.size());
    W.apply(x.b, u);
    CHECK((u - x.W * x.b).cwiseAbs().maxCoeff() <= 1e-11 * scale * x.b.norm());
    CHECK((*W.dense() - x.W).cwiseAbs().maxCoeff() <= 1e-11 * scale);
  }
}

TEST_CASE("contacts on jointed bodies are solved by bodies to the answer of the matrix W") {
  for (int bodies : {3, 12, 40}) {
    CAPTURE(bodies);
    Problem x = make(bodies);
    JointedDelassus W;
    W.refill() = x.rows;
    REQUIRE(W.index());
    DenseDelassus dense;
    dense.W = x.W;
    Vector p[2];
    for (int k = 0; k < 2; ++k) {
      const Delassus& of = k == 0 ? static_cast<const Delassus&>(W) : dense;
      SolverMemory memory;
      p[k].setZero(x.b.size());
      const SolveReport found =
          make_interior_point()->solve({of, x.b, x.laws, x.ids}, {1e-11, 100}, memory, p[k]);
      CHECK(found.converged);
    }
    const Vector u0 = x.W * p[0], u1 = x.W * p[1];  // impulses need not be unique
    CHECK((u0 - u1).cwiseAbs().maxCoeff() <= 1e-8 * (1.0 + u1.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("hundreds of contacts on jointed bodies never become a matrix without being asked to") {
  Problem x = make(160);
  JointedDelassus W;
  W.refill() = x.rows;
  REQUIRE(W.index());
  SolverMemory memory;
  Vector p = Vector::Zero(x.b.size());
  const SolveReport found = make_automatic()->solve({W, x.b, x.laws, x.ids}, {1e-30, 1}, memory, p);
  CHECK_FALSE(found.converged);
  CHECK(found.attempted == 1);  // Newton's method on 954 rows would be next
  CHECK(found.attempts[0].solver == "interior-point");
  p.setZero();
  CHECK(make_automatic()->solve({W, x.b, x.laws, x.ids}, {1e-9, 1000}, memory, p).converged);
}
