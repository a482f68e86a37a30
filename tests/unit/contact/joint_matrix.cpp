// Loops in the graph of joints, and the rows that are left out of them.
#include "saltus/contact/joint_matrix.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace saltus;

namespace {

/// n masses on a line, x_i; rows x_0 = 0, x_i - x_(i-1) = 0 and, closed, x_(n-1) = 0: the sum of all.
struct Row {
  JointMatrix matrix;
  Factor A;
  std::vector<JointMatrix::Place> places;
  std::vector<double> sign;

  Row(const std::vector<double>& mass, bool closed) {
    const int n = static_cast<int>(mass.size());
    std::vector<JointMatrix::Entry> entries;
    const auto add = [&](int node, int column, double s) {
      entries.push_back({node, 0, column, 1});
      sign.push_back(s);
    };
    for (int i = 0; i < n; ++i) {
      if (i > 0) add(i, i - 1, -1.0);
      add(i, i, 1.0);
    }
    if (closed) add(n, n - 1, 1.0);
    const auto nodes = static_cast<std::size_t>(closed ? n + 1 : n);
    matrix.arrange(std::vector<int>(nodes, 1), std::vector<char>(nodes, 0), {n}, entries, places);
    Diagonal diagonal;
    diagonal.inverse.resize(n);
    for (int i = 0; i < n; ++i) diagonal.inverse[i] = 1.0 / mass[static_cast<std::size_t>(i)];
    A.form = diagonal;
    open(0.0);
  }
  /// Entries off by parts up to `part` of themselves.
  void open(double part) {
    for (std::size_t k = 0; k < places.size(); ++k)
      matrix.values()[places[k].begin] =
          sign[k] * (1.0 + part * std::sin(static_cast<double>(7 * k)));
  }
  JointMatrix::Factors factors() {
    return [this](int) -> const Factor& { return A; };
  }
};

std::vector<double> alternating(int n, double light) {
  std::vector<double> mass;
  for (int i = 0; i < n; ++i) mass.push_back(i % 2 == 0 ? 1.0 : light);
  return mass;
}

}  // namespace

TEST_CASE("joints with their bodies and the world are a tree or have loops") {
  CHECK_FALSE(Row(alternating(6, 0.5), false).matrix.loops());
  CHECK(Row(alternating(6, 0.5), true).matrix.loops());
}

TEST_CASE("which rows of a loop depend on others does not depend on the masses") {
  for (const double light : {1.0, 1e-3, 1e-6, 1e-9})
    for (const int n : {2, 7, 50}) {
      CAPTURE(light);
      CAPTURE(n);
      Row row(alternating(n, light), true);
      REQUIRE(row.matrix.factorise(row.factors()));
      REQUIRE(row.matrix.factor().dependent().size() == 1);
      // all rows have the coefficient 1 in the dependence: the least of  sum w L^2  is what a constant cannot lower
      Vector L(n + 1);
      for (int i = 0; i <= n; ++i) L[i] = std::cos(3.0 * i);
      Vector u(n + 1);
      row.matrix.apply(L, u);
      row.matrix.factor().solve(u);
      const Vector w = row.matrix.diagonal();
      Vector n0 = Vector::Ones(n + 1);
      n0[n] = -1.0;
      const Vector least = L - n0 * (n0.dot(w.cwiseProduct(L)) / w.dot(n0.cwiseAbs2()));
      CHECK((u - least).norm() <= 1e-13 / light * least.norm());
    }
}

TEST_CASE("a loop that is open at mid-step keeps the dependence of its start") {
  for (const double part : {1e-4, 1e-2}) {
    CAPTURE(part);
    Row row(alternating(12, 1e-2), true);
    REQUIRE(row.matrix.find_dependent(row.factors()));
    REQUIRE(row.matrix.factor().dependent().size() == 1);
    const int left_out = row.matrix.factor().dependent()[0];
    row.open(part);
    REQUIRE(row.matrix.factorise_kept(row.factors()));
    REQUIRE(row.matrix.factor().dependent().size() == 1);
    CHECK(row.matrix.factor().dependent()[0] == left_out);
    Vector b(13);
    for (int i = 0; i < 13; ++i) b[i] = std::cos(5.0 * i);
    Vector L = b, u(13);
    row.matrix.factor().solve(L);
    row.matrix.apply(L, u);
    u[left_out] = b[left_out];
    CHECK((u - b).norm() <= 1e-12 * L.norm());
    CHECK(L.norm() <= 10.0 * b.norm());
  }
}
