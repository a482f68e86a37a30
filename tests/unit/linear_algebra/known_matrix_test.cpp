// Factors that know A itself: products with it undo solves, and blocks are those of its diagonal.
#include <doctest/doctest.h>

#include <random>

#include "saltus/linear_algebra/sparse.h"

using namespace saltus;

namespace {

/// Of nodes of three in a row, coupled to the next one.
Matrix chain(int nodes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Matrix A = Matrix::Zero(3 * nodes, 3 * nodes);
  for (int i = 0; i + 1 < nodes; ++i) {
    Matrix R(6, 6);
    for (double& r : R.reshaped()) r = value(random);
    A.block(3 * i, 3 * i, 6, 6) += R * R.transpose();
  }
  return A + Matrix::Identity(A.rows(), A.rows());
}

}  // namespace

TEST_CASE("products with A undo solves and blocks are those of nodes or all of a small A") {
  for (const int nodes : {2, 16, 17, 100}) {
    CAPTURE(nodes);
    const Matrix A = chain(nodes);
    SparseOperator factor;
    factor.factorise(SparseMatrix::from(A));
    Vector x = Vector::LinSpaced(A.rows(), -1.0, 2.0), y(A.rows());
    const Vector expected = x;
    factor.multiply(x, y);
    CHECK((y - A * x).cwiseAbs().maxCoeff() < 1e-13 * y.cwiseAbs().maxCoeff());
    factor.solve_near(y, x);
    CHECK((x - expected).cwiseAbs().maxCoeff() < 1e-10);
    DiagonalBlocks D;
    bool whole = false;
    REQUIRE(factor.blocks(D, whole));
    CHECK(whole == (A.rows() <= kLargestBlock));
    CHECK(D.rows() == A.rows());
    CHECK(D.count() == (whole ? 1 : nodes));
    for (int b = 0; b < D.count(); ++b) {
      const int from = D.first[static_cast<std::size_t>(b)], size = D.size(b);
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) CHECK(D.of(b)[i * size + j] == A(from + i, from + j));
    }
  }
}

TEST_CASE("a dense factor knows A as far as it is a block, and refuses where it is larger") {
  for (const int n : {1, 7, kLargestBlock, kLargestBlock + 1}) {
    const Matrix A = chain(20).topLeftCorner(n, n);
    DenseOperator factor;
    factor.factorise(A);
    DiagonalBlocks D;
    bool whole = false;
    CHECK(factor.blocks(D, whole) == (n <= kLargestBlock));
    CHECK(D.count() == (n <= kLargestBlock ? 1 : 0));
    if (D.count() == 1) CHECK(Eigen::Map<const Matrix>(D.of(0), n, n).isApprox(A, 0.0));
  }
}
