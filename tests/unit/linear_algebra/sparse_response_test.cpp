// W = H A^-1 H^T by half solves of a sparse factor.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "saltus/linear_algebra/sparse.h"

using namespace saltus;

namespace {

/// w x w x w nodes, their neighbours along the axes and a few across.
SparseMatrix solid(int w) {
  std::vector<Entry> entries;
  const auto node = [&](int i, int j, int k) { return (k * w + j) * w + i; };
  const auto link = [&](int a, int b, double weight) {
    entries.push_back({a, b, -weight});
    entries.push_back({b, a, -weight});
  };
  for (int k = 0; k < w; ++k)
    for (int j = 0; j < w; ++j)
      for (int i = 0; i < w; ++i) {
        const int a = node(i, j, k);
        entries.push_back({a, a, 6.5 + 0.1 * (a % 7)});
        if (i + 1 < w) link(a, node(i + 1, j, k), 1.0);
        if (j + 1 < w) link(a, node(i, j + 1, k), 0.9);
        if (k + 1 < w) link(a, node(i, j, k + 1), 0.8);
        if (a % 11 == 0 && k + 1 < w && i > 0) link(a, node(i - 1, j, k + 1), 0.1);
      }
  return {w * w * w, entries};
}

struct Given {
  std::vector<int> offset{0}, column;
  std::vector<double> value;
  SparseRows rows() const { return {offset, column, value}; }
  /// Row i has `entries` entries, some of one column.
  void add(int n, int i, int entries) {
    for (int k = 0; k < entries; ++k) {
      column.push_back((i * 131 + k / 2 * 577 + k * k) % n);
      value.push_back(std::sin(1.0 + i + 3.0 * k));
    }
    offset.push_back(static_cast<int>(column.size()));
  }
  Matrix dense(int n) const {
    Matrix H = Matrix::Zero(static_cast<Eigen::Index>(offset.size()) - 1, n);
    for (Eigen::Index i = 0; i < H.rows(); ++i)
      for (int k = offset[static_cast<std::size_t>(i)]; k < offset[static_cast<std::size_t>(i) + 1];
           ++k)
        H(i, column[static_cast<std::size_t>(k)]) += value[static_cast<std::size_t>(k)];
    return H;
  }
};

Factor factor_of(const SparseMatrix& A) {
  auto made = std::make_unique<SparseOperator>();
  made->factorise(A);
  Factor factor;
  factor.form = std::move(made);
  return factor;
}

}  // namespace

TEST_CASE("half solves give the response that solves of all rows give, and add it") {
  for (int w : {4, 6, 11}) {
    const int n = w * w * w;
    const Factor A = factor_of(solid(w));
    for (int m : {1, 2, 9, 70}) {
      CAPTURE(n);
      CAPTURE(m);
      Given H;
      for (int i = 0; i < m; ++i) H.add(n, i, i % 5);  // some rows are empty
      const Matrix rows = H.dense(n);
      Matrix X = rows.transpose(), W = Matrix::Constant(m, m, 0.25);
      solve(A, X);
      REQUIRE(response(A, H.rows(), W));
      const Matrix expected = (rows * X).array() + 0.25;
      CHECK((W - expected).cwiseAbs().maxCoeff() <= 1e-14 * (1.0 + expected.cwiseAbs().maxCoeff()));
      CHECK(W == W.transpose());
      Matrix again = Matrix::Constant(m, m, 0.25);
      REQUIRE(response(A, H.rows(), again));
      CHECK(again == W);
    }
  }
}

TEST_CASE("half solves follow a factor that is filled again with other values or another pattern") {
  auto made = std::make_unique<SparseOperator>();
  SparseOperator& refilled = *made;
  Factor A;
  A.form = std::move(made);
  for (int w : {6, 5, 6}) {
    const int n = w * w * w;
    const SparseMatrix K = solid(w), twice = sum(2.0, K, 0.0, {}, 0.0, {});
    Given H;
    for (int i = 0; i < 20; ++i) H.add(n, i, 3);
    Matrix one = Matrix::Zero(20, 20), half = one;
    refilled.factorise(K);
    REQUIRE(response(A, H.rows(), one));
    refilled.factorise(twice);
    REQUIRE(response(A, H.rows(), half));
    CHECK((one - 2.0 * half).cwiseAbs().maxCoeff() <= 1e-14 * one.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("factors of another form leave W alone and say so") {
  Given H;
  H.add(40, 0, 2);
  Matrix W = Matrix::Constant(1, 1, 3.0);
  std::vector<Entry> chain;  // tridiagonal
  for (int i = 0; i < 40; ++i) {
    chain.push_back({i, i, 2.5});
    if (i > 0) chain.push_back({i, i - 1, -1.0});
    if (i > 0) chain.push_back({i - 1, i, -1.0});
  }
  CHECK_FALSE(response(factor_of({40, chain}), H.rows(), W));
  CHECK_FALSE(response(factor_of(SparseMatrix::from(Matrix::Identity(40, 40))), H.rows(), W));
  Factor diagonal;
  diagonal.form = Diagonal{Vector::Ones(40)};
  CHECK_FALSE(response(diagonal, H.rows(), W));
  CHECK(W(0, 0) == 3.0);
}
