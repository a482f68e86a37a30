#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "saltus/linear_algebra/block_ldlt.h"
#include "tests/support/count_malloc.h"
#include "tests/support/skip.h"

using namespace saltus;
namespace {

TEST_CASE("a second factor of the same sizes and its solutions take nothing from the heap") {
  if (!SALTUS_COUNTS_MALLOC)
    SALTUS_SKIP("allocations are counted with glibc and without sanitizers");
  // a chain of 40 rows, S = tridiagonal (-1, 2, -1), every tenth node with its row twice
  const int n = 40;
  std::vector<int> size, offset{0}, column;
  std::vector<std::size_t> start;
  std::vector<double> value;
  for (int i = 0; i < n; ++i) size.push_back(i % 10 == 0 ? 2 : 1);
  int rows = 0;
  for (int i = 0; i < n; ++i) {
    const int height = size[static_cast<std::size_t>(i)];
    rows += height;
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      column.push_back(j);
      start.push_back(value.size());
      value.insert(value.end(),
                   static_cast<std::size_t>(height * size[static_cast<std::size_t>(j)]),
                   i == j ? 2.0 : -1.0);
    }
    offset.push_back(static_cast<int>(column.size()));
  }
  BlockPattern pattern;
  pattern.analyse({n, offset.data(), column.data(), 0});
  BlockLdlt ldlt;
  const Vector weight = Vector::Ones(rows);
  Matrix X = Matrix::Ones(rows, 7);
  const auto step = [&] {
    const bool finite = ldlt.factorise({pattern, size.data(), value.data(), start.data()}, weight);
    ldlt.solve(X);
    ldlt.solve(X.col(0));
    return finite;
  };
  REQUIRE(step());
  REQUIRE(ldlt.dependent().size() == 4);
  const long before = allocations;
  const bool finite = step();
  const long taken = allocations - before;
  CHECK(finite);
  CHECK(taken == 0);
}

}  // namespace
