#include "saltus/contact/body_delassus.h"

#include <doctest/doctest.h>

#include <array>
#include <random>

#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// Contacts of 1 to 3 rows between random bodies and the world, some of which share one block, with H and A^-1 as
/// matrices beside.
struct Assembly {
  BodyRows rows;
  Matrix H, inverse;

  Assembly(int width, int bodies, int contacts, bool uniform, std::mt19937& random) {
    std::normal_distribution<double> normal;
    rows.width = width;
    inverse = Matrix::Zero(width * bodies, width * bodies);
    for (int b = 0; b < bodies; ++b) {
      Matrix G(width, width);
      for (double& g : G.reshaped()) g = normal(random);
      const Matrix A = G * G.transpose();
      inverse.block(b * width, b * width, width, width) = A;
      for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) rows.inverse.push_back(0.5 * (A(i, j) + A(j, i)));
    }
    std::vector<Vector> lines;
    const auto pick = [&] { return static_cast<int>(random() % static_cast<unsigned>(bodies)); };
    for (int c = 0; c < contacts; ++c) {
      const int size = uniform ? 3 : 1 + c % 3, first = pick(),
                second = (first + 1 + c % 2) % bodies;
      std::vector<Vector> own(static_cast<std::size_t>(size), Vector::Zero(width * bodies));
      std::size_t start = 0;
      for (const int b : {first, second}) {
        if (b == second && c % 4 == 3) continue;  // the world
        const bool opposite = b == second && c % 4 == 1;
        if (!opposite) start = rows.value.size();
        rows.touch(b, start);
        for (std::size_t i = 0; i < own.size(); ++i)
          for (int m = 0; m < width; ++m) {
            if (!opposite) rows.value.push_back(normal(random));
            const std::size_t at =
                start + i * static_cast<std::size_t>(width) + static_cast<std::size_t>(m);
            own[i][b * width + m] += opposite ? -rows.value[at] : rows.value[at];
          }
      }
      lines.insert(lines.end(), own.begin(), own.end());
      rows.close(size);
    }
    H.resize(static_cast<Eigen::Index>(lines.size()), width * bodies);
    for (std::size_t i = 0; i < lines.size(); ++i) H.row(static_cast<Eigen::Index>(i)) = lines[i];
  }
};

TEST_CASE("W by bodies is H A^-1 H^T, in its entries, columns, blocks and products") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const int width : {1, 3, 6})
    for (const bool uniform : {false, true}) {
      const Assembly parts(width, 5, 12, uniform, random);
      const Matrix expected = parts.H * parts.inverse * parts.H.transpose();
      const BodyDelassus W(parts.rows);
      const auto n = expected.rows();
      const double exact = 1e-13 * expected.norm();
      REQUIRE(W.rows() == n);
      REQUIRE(W.bodies()->bodies() == 5);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) CHECK(std::abs(W.entry(i, j) - expected(i, j)) <= exact);
      Vector p(n), u(n);
      for (double& x : p) x = normal(random);
      W.apply(p, u);
      CHECK((u - expected * p).norm() <= exact * p.norm());
      for (int j = 0; j < n; ++j) W.column(j, -p[j], u);
      CHECK(u.norm() <= exact * p.norm() * static_cast<double>(n));
      for (int c = 0; c < W.bodies()->contacts(); ++c)
        for (int d = 0; d < W.bodies()->contacts(); ++d) {
          Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> block(
              W.bodies()->size(c), W.bodies()->size(d));
          W.block(c, d, block.data());
          const auto first = W.bodies()->first.begin();
          CHECK((block - expected.block(first[c], first[d], block.rows(), block.cols())).norm() <=
                exact);
        }
    }
}

TEST_CASE("two bodies that share one block feel opposite impulses") {
  BodyRows rows;
  rows.width = 1;
  rows.inverse = {0.5, 0.25};  // 2 kg and 4 kg
  rows.body = {0, 1};
  rows.start = {0, 0};
  rows.value = {1.0};
  rows.close(1);
  const BodyDelassus W(rows);
  CHECK(W.entry(0, 0) == 0.75);  // the relative velocity that 1 N s gives
  CHECK(rows.opposite(0, 1));
}

TEST_CASE("bodies and rows that do not fit each other are refused") {
  BodyRows good;
  good.width = 2;
  good.inverse = {1.0, 0.1, 0.1, 1.0};
  good.body = {0};
  good.start = {0};
  good.value = {1.0, 0.0};
  good.close(1);
  CHECK_NOTHROW(BodyDelassus{good});
  const auto refuses = [&](const auto& spoil) {
    BodyRows bad = good;
    spoil(bad);
    CHECK_THROWS_AS(BodyDelassus{bad}, UsageError);
  };
  refuses([](BodyRows& rows) { rows.body[0] = 1; });
  refuses([](BodyRows& rows) { rows.body[0] = -1; });
  refuses([](BodyRows& rows) { rows.start[0] = 1; });
  refuses([](BodyRows& rows) { rows.width = 7; });
  refuses([](BodyRows& rows) { rows.inverse.pop_back(); });
  refuses([](BodyRows& rows) { rows.inverse[1] = 0.2; });
  refuses([](BodyRows& rows) { rows.offset.pop_back(); });
  refuses([](BodyRows& rows) { rows.start.push_back(0); });
}

}  // namespace
