#include "saltus/linear_algebra/packed_cholesky.h"

#include <doctest/doctest.h>

#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// L L^T of the packed rows.
Matrix product(const std::vector<double>& packed, int rows) {
  Matrix L = Matrix::Zero(rows, rows);
  std::size_t k = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j <= i; ++j) L(i, j) = packed[k++];
  return L * L.transpose();
}

Matrix submatrix(const Matrix& W, const std::vector<int>& rows) {
  const auto k = static_cast<Eigen::Index>(rows.size());
  return Matrix::NullaryExpr(k, k, [&](Eigen::Index i, Eigen::Index j) {
    return W(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
  });
}

TEST_CASE("after a thousand rows have come and gone L L^T is still W of those that are left") {
  std::mt19937 random(11);
  const int n = 40;
  const Matrix W = random_delassus(n, n, 0.1, random);
  std::vector<double> packed, work(2 * n);
  std::vector<int> rows, out(n);
  std::iota(out.begin(), out.end(), 0);
  PackedCholesky L(packed);
  for (int change = 0; change < 1000; ++change) {
    const bool grow = rows.empty() || (!out.empty() && random() % 2 == 0);
    auto& from = grow ? out : rows;
    const auto at = static_cast<std::ptrdiff_t>(random() % from.size());
    const int row = from[static_cast<std::size_t>(at)];
    from.erase(from.begin() + at);
    if (grow) {
      Vector g(n);
      for (std::size_t j = 0; j < rows.size(); ++j)
        g[static_cast<Eigen::Index>(j)] = W(rows[j], row);
      REQUIRE(L.append(g.data(), W(row, row)));
      rows.push_back(row);
    } else {
      L.remove(static_cast<int>(at), work.data());
      out.push_back(row);
    }
    REQUIRE(L.rows() == static_cast<int>(rows.size()));
    REQUIRE(packed.size() == rows.size() * (rows.size() + 1) / 2);
    if (rows.empty()) continue;
    REQUIRE((product(packed, L.rows()) - submatrix(W, rows)).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("solving with the factor gives back the vector that was multiplied") {
  std::mt19937 random(12);
  const Matrix W = random_delassus(13, 13, 0.1, random);
  std::vector<double> packed;
  PackedCholesky L(packed);
  for (int i = 0; i < 13; ++i) {
    Vector g = W.col(i);
    REQUIRE(L.append(g.data(), W(i, i)));
  }
  const Vector x = Vector::LinSpaced(13, -1.0, 2.0);
  Vector y = W * x;
  L.solve(y.data());
  CHECK((y - x).norm() < 1e-12);
}

TEST_CASE("a row that repeats another is refused and leaves the factor as it was") {
  std::vector<double> packed;
  PackedCholesky L(packed);
  double none[1] = {}, same[1] = {2.0}, other[1] = {2.0 - 1e-9};
  REQUIRE(L.append(none, 2.0));
  const auto before = packed;
  CHECK_FALSE(L.append(same, 2.0));
  CHECK(packed == before);
  CHECK(L.rows() == 1);
  CHECK(L.append(other, 2.0));
}

}  // namespace
