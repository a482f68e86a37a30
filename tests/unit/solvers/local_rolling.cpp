// One contact with rolling friction: cases by hand, random ones by their residual, and symmetries of the law.
#include "saltus/solvers/local_rolling.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "saltus/solvers/local_coulomb.h"
#include "tests/unit/solvers/problems.h"

namespace saltus::testing {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Vector rolled(const Matrix& W, const Vector& b, double mu, double mu_R) {
  const RowMatrix rows = W;
  Vector p = Vector::Constant(b.size(), std::nan(""));
  solve_rolling(static_cast<int>(b.size()), rows.data(), b.data(), mu, mu_R, p.data());
  return p;
}

double residual_of(const Matrix& W, const Vector& b, double mu, double mu_R, const Vector& p) {
  DenseDelassus delassus;
  delassus.W = W;
  const int n = static_cast<int>(b.size());
  const std::array laws{Law{.kind = LawKind::rolling, .size = n, .friction = mu, .rolling = mu_R}};
  const std::array ids{0, 1, 2, 3, 4};
  return residual({delassus, b, laws, std::span(ids).first(b.size())}, p);
}

/// W = G G^T, moments in rows that are `spin` times larger, and b = u - W p of a p and u that obey the law.
struct Random {
  std::mt19937_64 engine{19};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform{0.0, 1.0};
  Matrix W;
  Vector b, p;
  double mu = 0.0, mu_R = 0.0;
  std::array<bool, 2> slips{};  // T, R
  bool open = false;

  void next(int rows, int rank, double spin, double strongest) {
    const int pair = (rows - 1) / 2;
    Matrix G(rows, rank);
    for (int j = 0; j < rank; ++j)
      for (int i = 0; i < rows; ++i) G(i, j) = normal(engine) * (i > pair ? spin : 1.0);
    W = G * G.transpose();
    W = 0.5 * (W + W.transpose()).eval();
    mu = strongest * uniform(engine);
    mu_R = strongest * uniform(engine) / spin;
    open = engine() % 4 == 0;
    p = Vector::Zero(rows);
    Vector u(rows);
    for (double& v : u) v = normal(engine);
    if (open) {
      u[0] = std::abs(u[0]);
    } else {
      u.setZero();
      p[0] = 0.1 + std::abs(normal(engine));
      for (const bool moment : {false, true}) {
        const int first = moment ? 1 + pair : 1;
        const bool slip = slips[moment ? 1 : 0] = engine() % 2 == 0;
        const double size =
            (moment ? mu_R : mu) * p[0] * (slip ? 1.0 : 0.9 * std::sqrt(uniform(engine)));
        const double angle = 2.0 * std::numbers::pi * uniform(engine);
        p[first] = pair == 2 ? size * std::cos(angle) : angle > 3.0 ? size : -size;
        if (pair == 2) p[first + 1] = size * std::sin(angle);
        const double rate =
            (moment ? spin * spin : 1.0) * std::pow(10.0, 3.0 * uniform(engine) - 2.0);
        if (slip) u.segment(first, pair) = -rate * p.segment(first, pair);
      }
    }
    b = u - W * p;
  }
};

}  // namespace

TEST_CASE("a wheel opens, sticks, slides and spins as worked out by hand") {
  Matrix W = Matrix::Zero(5, 5);
  W.diagonal() << 2.0, 1.0, 1.0, 4.0, 4.0;
  CHECK(rolled(W, Vector{{0.1, 3, -4, 1, 1}}, 0.5, 0.2).isZero(0.0));
  // p_N = 1; sticks with |p_T| = 0.5 < 0.6 and |p_R| = 0.1 < 0.2
  CHECK(rolled(W, Vector{{-2, 0.3, -0.4, 0.4, 0}}, 0.6, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, -0.1, 0}}, 1e-14));
  // slides and does not spin; spins and does not slide; both
  CHECK(rolled(W, Vector{{-2, 3, -4, 0.4, 0}}, 0.5, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, -0.1, 0}}, 1e-14));
  CHECK(rolled(W, Vector{{-2, 0.3, -0.4, 3, 4}}, 0.6, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, -0.12, -0.16}}, 1e-14));
  CHECK(rolled(W, Vector{{-2, 3, -4, 3, 4}}, 0.5, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, -0.12, -0.16}}, 1e-14));
  // nothing can be turned: the moment still opposes the spin
  W(3, 3) = W(4, 4) = 0.0;
  CHECK(rolled(W, Vector{{-2, 3, -4, 3, 4}}, 0.5, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, -0.12, -0.16}}, 1e-14));
  // a wheel in the plane: u_R and u_T are coupled by its radius
  const Matrix plane{{2, 0, 0}, {0, 3, 4}, {0, 4, 8}};
  CHECK((plane * rolled(plane, Vector{{-2, 0.1, 0.1}}, 0.6, 0.2) + Vector{{-2, 0.1, 0.1}}).norm() <=
        1e-15);
  CHECK(rolled(plane, Vector{{-2, 9, 9}}, 0.6, 0.2).isApprox(Vector{{1, -0.6, -0.2}}, 1e-14));
}

TEST_CASE("a rolling contact is solved to round-off in the plane and in space") {
  Random random;
  for (const int rows : {3, 5})
    for (const double spin : {1.0, 100.0}) {
      double worst = 0.0;
      int count[5] = {};
      for (int k = 0; k < 20'000; ++k) {
        random.next(rows, rows, spin, 1.0);
        const Vector p = rolled(random.W, random.b, random.mu, random.mu_R);
        const double off = residual_of(random.W, random.b, random.mu, random.mu_R, p);
        if (!(off <= worst)) worst = off;
        ++count[random.open ? 4 : (random.slips[0] ? 1 : 0) + (random.slips[1] ? 2 : 0)];
      }
      CAPTURE(rows);
      CAPTURE(spin);
      CHECK(worst <= 1e-13);
      for (const int n : count) CHECK(n > 3000);
      MESSAGE(fmt::format("{} rows, moments {}: residual {:.1e}", rows, spin, worst));
    }
}

TEST_CASE("a rolling contact with directions that nothing can move is solved") {
  Random random;
  for (const int rows : {3, 5})
    for (int rank = 1; rank < rows; ++rank) {
      double worst = 0.0;
      for (int k = 0; k < 5000; ++k) {
        random.next(rows, rank, 10.0, 0.5);
        const Vector p = rolled(random.W, random.b, random.mu, random.mu_R);
        // b has the round-off of W p, which may cancel: no solution is closer than that
        const double size = random.W.norm() * random.p.norm();
        const double cancelled = size > 0.0 ? std::min(1.0, random.b.norm() / size) : 1.0;
        const double off = cancelled * residual_of(random.W, random.b, random.mu, random.mu_R, p);
        if (!(off <= worst)) worst = off;
      }
      CAPTURE(rows);
      CAPTURE(rank);
      CHECK(worst <= 1e-13);
    }
}

TEST_CASE("a rolling contact with an unsymmetric W is solved as it is") {
  Random random;
  double worst = 0.0;
  for (const int rows : {3, 5})
    for (int k = 0; k < 5000; ++k) {
      random.next(rows, rows, 1.0, 0.5);
      Matrix W = random.W + 0.1 * Matrix::Identity(rows, rows);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < i; ++j) W(i, j) *= 1.0 + 0.01 * (random.uniform(random.engine) - 0.5);
      const Vector p = rolled(W, random.b, random.mu, random.mu_R);
      const double off = residual_of(W, random.b, random.mu, random.mu_R, p);
      if (!(off <= worst)) worst = off;
    }
  CHECK(worst <= 1e-13);
}

TEST_CASE("without rolling friction the contact is one of Coulomb, and spins freely") {
  Random random;
  for (const int rows : {3, 5})
    for (int k = 0; k < 1000; ++k) {
      random.next(rows, rows, 1.0, 1.0);
      const int X = (rows + 1) / 2;
      const Vector p = rolled(random.W, random.b, random.mu, 0.0);
      const RowMatrix W_X = random.W.topLeftCorner(X, X);
      Vector q(X);
      solve_coulomb(X, W_X.data(), random.b.data(), random.mu, q.data());
      REQUIRE(p.tail(X - 1).isZero(0.0));
      REQUIRE((p.head(X) - q).norm() <= 1e-13 * (q.norm() + random.b.norm()));
    }
}

TEST_CASE(
    "another unit of mass, velocity or length leaves the digits of a rolling contact unchanged") {
  Random random;
  const double mass = 1048576.0, velocity = 1.0 / 1024.0, length = 0.25;  // powers of 2
  for (const int rows : {3, 5})
    for (int k = 0; k < 500; ++k) {
      random.next(rows, rows, 1.0, 1.0);
      const int X = (rows + 1) / 2;
      Matrix W = random.W * mass;
      W.bottomRows(X - 1) /= length;
      W.rightCols(X - 1) /= length;
      Vector b = random.b * velocity;
      b.tail(X - 1) /= length;
      Vector p = rolled(W, b, random.mu, random.mu_R * length) * (mass / velocity);
      p.tail(X - 1) /= length;
      const Vector q = rolled(random.W, random.b, random.mu, random.mu_R);
      REQUIRE((p - q).norm() <= 1e-13 * (q.norm() + random.b.norm()));
    }
}

}  // namespace saltus::testing
