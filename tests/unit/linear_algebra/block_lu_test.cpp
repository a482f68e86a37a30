#include "saltus/linear_algebra/block_lu.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <random>

#include "saltus/base/base.h"

using namespace saltus;
namespace {

/// A random unsymmetric matrix of blocks of 0 to 5 rows on a random graph, its diagonal heavy.
struct Blocks {
  std::vector<int> size, first{0}, offset{0}, column;
  std::vector<std::size_t> start;
  std::vector<double> value;
  Matrix dense;

  Blocks(int n, double density, unsigned seed, int smallest = 0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::uniform_int_distribution<int> rows(smallest, 5);
    for (int i = 0; i < n; ++i) {
      size.push_back(rows(random));
      first.push_back(first.back() + size.back());
    }
    std::vector<std::vector<int>> row(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j)
        if (i == j || number(random) < 2.0 * density - 1.0) {
          row[static_cast<std::size_t>(i)].push_back(j);
          if (i != j) row[static_cast<std::size_t>(j)].push_back(i);
        }
    dense = Matrix::Zero(first.back(), first.back());
    for (int i = 0; i < n; ++i) {
      std::sort(row[static_cast<std::size_t>(i)].begin(), row[static_cast<std::size_t>(i)].end());
      for (const int j : row[static_cast<std::size_t>(i)]) {
        column.push_back(j);
        start.push_back(value.size());
        for (int a = 0; a < size[static_cast<std::size_t>(i)]; ++a)
          for (int b = 0; b < size[static_cast<std::size_t>(j)]; ++b) {
            value.push_back(number(random) + (i == j && a == b ? 2.0 * n : 0.0));
            dense(first[static_cast<std::size_t>(i)] + a, first[static_cast<std::size_t>(j)] + b) =
                value.back();
          }
      }
      offset.push_back(static_cast<int>(column.size()));
    }
  }
  BlockGraph graph() const {
    return {static_cast<int>(size.size()), offset.data(), column.data(), 0};
  }
};

TEST_CASE("LU by fronts solves what a dense LU solves, for blocks of 0 to 5 rows on any graph") {
  BlockLu lu;
  BlockPattern pattern;
  for (const int n : {1, 3, 9, 30, 120})
    for (const double density : {0.0, 0.02, 0.1, 0.6}) {
      const Blocks A(n, density, static_cast<unsigned>(n) + 7);
      pattern.analyse(A.graph());
      REQUIRE(lu.factorise(pattern, A.size.data(), A.value.data(), A.start.data()));
      const Vector b = Vector::LinSpaced(A.dense.rows(), -1.0, 2.0);
      Vector x = b;
      lu.solve(x.data());
      CAPTURE(n);
      CAPTURE(density);
      CHECK((A.dense * x - b).norm() <= 1e-12 * (1.0 + b.norm()));
    }
}

TEST_CASE("every node is a pivot of one front, and fronts come before their parents") {
  const Blocks A(200, 0.01, 3);
  BlockPattern pattern;
  pattern.analyse(A.graph());
  std::vector<int> front(200, -1);
  for (int s = 0; s < pattern.fronts(); ++s)
    for (const int i : pattern.pivots(s)) {
      CHECK(front[static_cast<std::size_t>(i)] == -1);
      front[static_cast<std::size_t>(i)] = s;
    }
  for (const int s : front) CHECK(s >= 0);
  for (int s = 0; s < pattern.fronts(); ++s)
    for (const int i : pattern.border(s)) CHECK(front[static_cast<std::size_t>(i)] > s);
}

TEST_CASE("rows are exchanged inside a front: a matrix with zeros on its diagonal") {
  const std::vector<int> size{2, 1}, offset{0, 2, 4}, column{0, 1, 0, 1};
  const std::vector<std::size_t> start{0, 4, 6, 8};
  const std::vector<double> value{0, 2, 1, 0, 1, 0, 0, 3, 1};
  BlockPattern pattern;
  pattern.analyse({2, offset.data(), column.data(), 0});
  BlockLu lu;
  REQUIRE(lu.factorise(pattern, size.data(), value.data(), start.data()));
  Vector x(3);  // [0 2 1; 1 0 0; 0 3 1] x = (3, 5, 4)
  x << 3, 5, 4;
  lu.solve(x.data());
  CHECK(x[0] == doctest::Approx(5.0));
  CHECK(x[1] == doctest::Approx(1.0));
  CHECK(x[2] == doctest::Approx(1.0));
}

TEST_CASE("a singular matrix, or one that is not finite, is reported") {
  const std::vector<int> size{2}, offset{0, 1}, column{0};
  const std::vector<std::size_t> start{0};
  BlockPattern pattern;
  pattern.analyse({1, offset.data(), column.data(), 0});
  BlockLu lu;
  for (const std::vector<double>& value :
       {std::vector<double>{1, 2, 2, 4}, std::vector<double>{HUGE_VAL, 0, 0, 1}})
    CHECK_FALSE(lu.factorise(pattern, size.data(), value.data(), start.data()));
}

TEST_CASE("a factor made twice has the same bits") {
  const Blocks A(60, 0.08, 11);
  const Vector b = Vector::LinSpaced(A.dense.rows(), 1.0, 2.0);
  Vector x = b, y = b;
  BlockPattern pattern;
  pattern.analyse(A.graph());
  BlockLu lu;
  REQUIRE(lu.factorise(pattern, A.size.data(), A.value.data(), A.start.data()));
  lu.solve(x.data());
  const Blocks other(40, 0.2, 12);
  BlockPattern second;
  second.analyse(other.graph());
  REQUIRE(lu.factorise(second, other.size.data(), other.value.data(), other.start.data()));
  REQUIRE(lu.factorise(pattern, A.size.data(), A.value.data(), A.start.data()));
  lu.solve(y.data());
  CHECK(x == y);
}

}  // namespace
