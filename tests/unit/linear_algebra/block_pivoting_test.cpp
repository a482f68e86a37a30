// The small complementarity problem of mass redistribution.
#include "saltus/linear_algebra/block_pivoting.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace saltus;

namespace {

/// Numbers in [-1, 1), the same on every machine.
struct Numbers {
  unsigned state = 12345u;
  double operator()() {
    state = 1664525u * state + 1013904223u;
    return static_cast<double>(state >> 8) / 8388608.0 - 1.0;
  }
};

Matrix definite(Eigen::Index m, Numbers& number) {
  Matrix B(m, m);
  for (Eigen::Index i = 0; i < m; ++i)
    for (Eigen::Index j = 0; j < m; ++j) B(i, j) = number();
  return B * B.transpose() + 0.01 * Matrix::Identity(m, m);
}

}  // namespace

TEST_CASE("block pivoting finds the one solution of a complementarity problem") {
  Numbers number;
  for (const Eigen::Index m : {1, 2, 3, 7, 20, 60}) {
    const Matrix W = definite(m, number);
    BlockPivoting problem(W);
    for (int k = 0; k < 20; ++k) {
      Vector w(m), x(m);
      for (Eigen::Index i = 0; i < m; ++i) w[i] = number();
      REQUIRE(problem.solve(w, x));
      const Vector u = W * x + w;
      CHECK(u.minCoeff() >= -1e-11);
      CHECK(x.minCoeff() >= -1e-11 * (1.0 + x.maxCoeff()));
      CHECK(u.cwiseProduct(x).cwiseAbs().maxCoeff() <= 1e-11 * (1.0 + x.maxCoeff()));
      for (const int i : problem.pressed()) CHECK(x[i] > -1e-12);
    }
  }
}

TEST_CASE("block pivoting ends on the example of Murty that single pivots take 2^m steps for") {
  const Eigen::Index m = 12;
  Matrix L = Matrix::Identity(m, m);
  for (Eigen::Index i = 0; i < m; ++i)
    for (Eigen::Index j = 0; j < i; ++j) L(i, j) = 2.0;
  const Matrix W = L * L.transpose();
  BlockPivoting problem(W);
  const Vector w = -Vector::Ones(m);
  Vector x(m);
  REQUIRE(problem.solve(w, x));
  CHECK((W * x + w).minCoeff() >= -1e-12);
  CHECK(x[0] == doctest::Approx(1.0));
  CHECK(x.tail(m - 1).cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE("a problem is solved to the same bits whatever was solved before") {
  Numbers number;
  const Matrix W = definite(30, number);
  Vector w(30), other(30), x(30), again(30);
  for (Eigen::Index i = 0; i < 30; ++i) {
    w[i] = number();
    other[i] = number();
  }
  BlockPivoting fresh(W), used(W);
  REQUIRE(used.solve(other, again));
  REQUIRE(used.solve(w, again));
  REQUIRE(fresh.solve(w, x));
  CHECK(x == again);
}

TEST_CASE("block pivoting says no to numbers that are not finite") {
  BlockPivoting problem(Matrix::Identity(2, 2));
  Vector w(2), x(2);
  w << 1.0, std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(problem.solve(w, x));
  BlockPivoting none;
  Vector empty(0), out(0);
  CHECK(none.solve(empty, out));
}
