// One contact with rolling friction: cases by hand, random ones by their residual, and symmetries of the law.
#include "saltus/solvers/local_rolling.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "saltus/contact/cone.h"
#include "saltus/solvers/local_coulomb.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Law law_of(int rows, double mu, double mu_R, double sigma) {
  return {
      .kind = LawKind::rolling, .size = rows, .friction = mu, .rolling = mu_R, .spinning = sigma};
}

Vector rolled(const Matrix& W, const Vector& b, double mu, double mu_R, double sigma = 0.0) {
  const RowMatrix rows = W;
  Vector p = Vector::Constant(b.size(), std::nan(""));
  solve_rolling(static_cast<int>(b.size()), rows.data(), b.data(), mu, mu_R, sigma, p.data());
  return p;
}

/// W = G G^T, moments in rows that are `spin` times larger, and b = u - W p of a p and u that obey the law.
struct Random {
  std::mt19937_64 engine{19};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform{0.0, 1.0};
  Matrix W;
  Vector b, p;
  Law law;
  int state = 0;  ///< 0: open, else 1 + a bit for each part of the cone that slips

  void next(int rows, int rank, double spin, double strongest) {
    law = law_of(rows, 0.0, 0.0, 0.0);
    Matrix G(rows, rank);
    for (int j = 0; j < rank; ++j)
      for (int i = 0; i < rows; ++i) G(i, j) = normal(engine) * (i >= law.forces() ? spin : 1.0);
    W = G * G.transpose();
    W = 0.5 * (W + W.transpose()).eval();
    law.friction = strongest * uniform(engine);
    law.rolling = strongest * uniform(engine) / spin;
    if (law.spinnings() > 0) law.spinning = strongest * uniform(engine) / spin;
    const bool open = engine() % 4 == 0;
    p = Vector::Zero(rows);
    Vector u(rows);
    for (double& v : u) v = normal(engine);
    state = 0;
    if (open) {
      u[0] = std::abs(u[0]);
    } else {
      u.setZero();
      p[0] = 0.1 + std::abs(normal(engine));
      const Cone K(law);
      int bit = 1;
      for (int k = 0, first = 1; k < K.kParts; first += K.rows[k++]) {
        const int count = K.rows[k];
        if (count == 0) continue;
        const bool slip = engine() % 2 == 0;
        const double size = K.radius[k] * p[0] * (slip ? 1.0 : 0.9 * std::sqrt(uniform(engine)));
        const double angle = 2.0 * std::numbers::pi * uniform(engine);
        p[first] = count == 2 ? size * std::cos(angle) : angle > 3.0 ? size : -size;
        if (count == 2) p[first + 1] = size * std::sin(angle);
        const double rate =
            (k > 0 ? spin * spin : 1.0) * std::pow(10.0, 3.0 * uniform(engine) - 2.0);
        if (slip) u.segment(first, count) = -rate * p.segment(first, count);
        state += slip ? bit : 0;
        bit *= 2;
      }
      ++state;
    }
    b = u - W * p;
  }

  Vector solved() const { return rolled(W, b, law.friction, law.rolling, law.spinning); }
};

double residual_of(const Matrix& W, const Random& random, const Vector& p) {
  DenseDelassus delassus;
  delassus.W = W;
  const std::array laws{random.law};
  const std::array ids{0, 1, 2, 3, 4, 5};
  return residual({delassus, random.b, laws, std::span(ids).first(laws[0].size)}, p);
}

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

TEST_CASE("a ball that spins about the normal is braked by sigma p_N, or held, as worked out") {
  Matrix W = Matrix::Zero(4, 4);
  W.diagonal() << 2.0, 1.0, 1.0, 5.0;
  CHECK(rolled(W, Vector{{0.1, 3, -4, 1}}, 0.5, 0.0, 0.2).isZero(0.0));
  // p_N = 1; held with p_S = 0.1 < 0.2; braked from either side; slides and is held
  CHECK(rolled(W, Vector{{-2, 0.3, -0.4, -0.5}}, 0.6, 0.0, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, 0.1}}, 1e-14));
  CHECK(rolled(W, Vector{{-2, 0.3, -0.4, 3}}, 0.6, 0.0, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, -0.2}}, 1e-14));
  CHECK(rolled(W, Vector{{-2, 0.3, -0.4, -3}}, 0.6, 0.0, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, 0.2}}, 1e-14));
  CHECK(rolled(W, Vector{{-2, 3, -4, 0.5}}, 0.5, 0.0, 0.2)
            .isApprox(Vector{{1, -0.3, 0.4, -0.1}}, 1e-14));
  // the spin is driven through the normal row: W_NS p_S lifts, so that 2 p_N + p_S = 2 with p_S = 0.2 p_N
  W(0, 3) = W(3, 0) = 1.0;
  CHECK(rolled(W, Vector{{-2, 0, 0, -9}}, 0.6, 0.0, 0.2)
            .isApprox(Vector{{2.0 / 2.2, 0, 0, 0.4 / 2.2}}, 1e-14));
  // nothing can be turned: the moment still opposes the spin, and is 0 without one
  W(0, 3) = W(3, 0) = W(3, 3) = 0.0;
  CHECK(rolled(W, Vector{{-2, 0, 0, 3}}, 0.6, 0.0, 0.2).isApprox(Vector{{1, 0, 0, -0.2}}, 1e-14));
  CHECK(rolled(W, Vector{{-2, 0, 0, 0}}, 0.6, 0.0, 0.2).isApprox(Vector{{1, 0, 0, 0}}, 1e-14));
  // all three at once
  Matrix six = Matrix::Zero(6, 6);
  six.diagonal() << 2.0, 1.0, 1.0, 4.0, 4.0, 5.0;
  CHECK(rolled(six, Vector{{-2, 3, -4, 3, 4, -3}}, 0.5, 0.2, 0.1)
            .isApprox(Vector{{1, -0.3, 0.4, -0.12, -0.16, 0.1}}, 1e-14));
}

TEST_CASE("a rolling contact is solved to round-off in the plane and in space") {
  Random random;
  for (const int rows : {3, 4, 5, 6})
    for (const double spin : {1.0, 100.0}) {
      double worst = 0.0;
      std::vector<int> count(rows == 6 ? 9 : 5);
      constexpr int kCases = 20'000;
      for (int k = 0; k < kCases; ++k) {
        random.next(rows, rows, spin, 1.0);
        const double off = residual_of(random.W, random, random.solved());
        if (!(off <= worst)) worst = off;
        ++count[static_cast<std::size_t>(random.state)];
      }
      CAPTURE(rows);
      CAPTURE(spin);
      CHECK(worst <= 1e-13);
      for (const int n : count) CHECK(n > 0.6 * kCases / static_cast<double>(count.size() - 1));
      MESSAGE(fmt::format("{} rows, moments {}: residual {:.1e}", rows, spin, worst));
    }
}

TEST_CASE("a rolling contact with directions that nothing can move is solved") {
  Random random;
  for (const int rows : {3, 4, 5, 6})
    for (int rank = 1; rank < rows; ++rank) {
      double worst = 0.0;
      for (int k = 0; k < 5000; ++k) {
        random.next(rows, rank, 10.0, 0.5);
        // b has the round-off of W p, which may cancel: no solution is closer than that
        const double size = random.W.norm() * random.p.norm();
        const double cancelled = size > 0.0 ? std::min(1.0, random.b.norm() / size) : 1.0;
        const double off = cancelled * residual_of(random.W, random, random.solved());
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
  for (const int rows : {3, 4, 5, 6})
    for (int k = 0; k < 5000; ++k) {
      random.next(rows, rows, 1.0, 0.5);
      random.W += 0.1 * Matrix::Identity(rows, rows);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < i; ++j)
          random.W(i, j) *= 1.0 + 0.01 * (random.uniform(random.engine) - 0.5);
      const double off = residual_of(random.W, random, random.solved());
      if (!(off <= worst)) worst = off;
    }
  CHECK(worst <= 1e-13);
}

TEST_CASE(
    "the impulse of a contact that spins is the fixed point of its projection, found slowly") {
  // p <- Proj_K(p - u^/|W|) knows nothing of states: where W dominates friction it contracts
  Random random;
  for (const int rows : {4, 6})
    for (int k = 0; k < 200; ++k) {
      random.next(rows, rows, 1.0, 0.2);
      const Matrix W = random.W / random.W.norm() + Matrix::Identity(rows, rows);
      const double step = 1.0 / W.norm();
      const Cone K(random.law);
      Vector p = Vector::Zero(rows), x(rows);
      for (int i = 0; i < 3000; ++i) {
        const Vector u = W * p + random.b;
        x = p - step * u;
        x[0] -= step * K.raised(0.0, u.data());
        K.project(x.data(), p.data());
      }
      const Vector q =
          rolled(W, random.b, random.law.friction, random.law.rolling, random.law.spinning);
      REQUIRE((p - q).norm() <= 1e-12 * (q.norm() + random.b.norm()));
    }
}

TEST_CASE("without rolling friction the contact is one of Coulomb, and spins freely") {
  Random random;
  for (const int rows : {3, 5})
    for (int k = 0; k < 1000; ++k) {
      random.next(rows, rows, 1.0, 1.0);
      const int X = (rows + 1) / 2;
      const Vector p = rolled(random.W, random.b, random.law.friction, 0.0);
      const RowMatrix W_X = random.W.topLeftCorner(X, X);
      Vector q(X);
      solve_coulomb(X, W_X.data(), random.b.data(), random.law.friction, q.data());
      REQUIRE(p.tail(X - 1).isZero(0.0));
      REQUIRE((p.head(X) - q).norm() <= 1e-13 * (q.norm() + random.b.norm()));
    }
}

TEST_CASE("without spinning friction row S is free, and without W_SS and b_S it is not there") {
  Random random;
  for (const int rows : {4, 6})
    for (int k = 0; k < 1000; ++k) {
      random.next(rows, rows, 1.0, 1.0);
      const Law& law = random.law;
      Vector p = rolled(random.W, random.b, law.friction, law.rolling, 0.0);
      REQUIRE(p[rows - 1] == 0.0);
      Matrix W = random.W;
      W.row(rows - 1).setZero();
      W.col(rows - 1).setZero();
      Vector b = random.b;
      b[rows - 1] = 0.0;
      const Vector q = rolled(W, b, law.friction, law.rolling, law.spinning);
      REQUIRE(q[rows - 1] == 0.0);
      REQUIRE((p - q).norm() <= 1e-13 * (q.norm() + b.norm()));
    }
}

TEST_CASE(
    "another unit of mass, velocity or length leaves the digits of a rolling contact unchanged") {
  Random random;
  const double mass = 1048576.0, velocity = 1.0 / 1024.0, length = 0.25;  // powers of 2
  for (const int rows : {3, 4, 5, 6})
    for (int k = 0; k < 500; ++k) {
      random.next(rows, rows, 1.0, 1.0);
      const Law& law = random.law;
      const int moments = rows - law.forces();
      Matrix W = random.W * mass;
      W.bottomRows(moments) /= length;
      W.rightCols(moments) /= length;
      Vector b = random.b * velocity;
      b.tail(moments) /= length;
      Vector p = rolled(W, b, law.friction, law.rolling * length, law.spinning * length) *
                 (mass / velocity);
      p.tail(moments) /= length;
      const Vector q = random.solved();
      REQUIRE((p - q).norm() <= 1e-13 * (q.norm() + random.b.norm()));
    }
}
