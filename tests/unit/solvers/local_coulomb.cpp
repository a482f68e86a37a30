// One contact with friction: cases by hand, random ones by their residual, and symmetries of the law.
#include "saltus/solvers/local_coulomb.h"

#include <doctest/doctest.h>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "saltus/base/base.h"
#include "tests/unit/solvers/contact_blocks.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

Vector solved(const Matrix& W, const Vector& b, double mu) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = W;
  std::array<double, 3> p{std::nan(""), std::nan(""), std::nan("")};
  solve_coulomb(static_cast<int>(b.size()), rows.data(), b.data(), mu, p.data());
  return Eigen::Map<const Vector>(p.data(), b.size());
}

double residual_of(const Matrix& W, const Vector& b, double mu, const Vector& p) {
  const int n = static_cast<int>(b.size());
  const std::array laws{Law{.kind = LawKind::coulomb, .first = 0, .size = n, .friction = mu}};
  const std::array ids{0, 1, 2};
  return residual({ConstantDelassus(W), b, laws, std::span(ids).first(b.size())}, p);
}

/// What the law makes of p, judged by u = W p + b.
Mode mode_of(const Vector& b, double mu, const Vector& p) {
  if (p[0] == 0.0 && b[0] >= 0.0) return Mode::open;
  return p.tail(p.size() - 1).norm() < mu * p[0] * (1.0 - 1e-12) ? Mode::stick : Mode::slide;
}

/// W = G G^T + shift with random G, b and mu in [0, 2]. `shift` small: nearly singular.
struct Random {
  std::mt19937 engine{7};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform{0.0, 1.0};

  Matrix W(int rows, double shift) {
    Matrix G(rows, rows);
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < rows; ++i) G(i, j) = normal(engine);
    Matrix W = G * G.transpose() + shift * Matrix::Identity(rows, rows);
    return 0.5 * (W + W.transpose());
  }
  Vector b(int rows) {
    Vector b(rows);
    for (int i = 0; i < rows; ++i) b[i] = normal(engine);
    return b;
  }
};

Matrix turned(double angle) {  // a rotation of the tangents
  Matrix R = Matrix::Identity(3, 3);
  R(1, 1) = R(2, 2) = std::cos(angle);
  R(1, 2) = -std::sin(angle);
  R(2, 1) = std::sin(angle);
  return R;
}

}  // namespace

TEST_CASE("one contact with friction is solved to round-off in the plane and in space") {
  Random random;
  for (int rows : {2, 3})
    for (double shift : {1.0, 0.1, 1e-3}) {
      CAPTURE(rows);
      CAPTURE(shift);
      double worst = 0.0;
      int count[3] = {};
      for (int k = 0; k < 20'000; ++k) {
        const Matrix W = random.W(rows, shift);
        const Vector b = random.b(rows);
        const double mu = 2.0 * random.uniform(random.engine);
        const Vector p = solved(W, b, mu);
        const double off = residual_of(W, b, mu, p);
        worst = off > worst || off != off ? off : worst;
        ++count[static_cast<int>(mode_of(b, mu, p))];
        REQUIRE(p[0] >= 0.0);
        REQUIRE(p.tail(rows - 1).norm() <= mu * p[0] * (1.0 + 1e-14));
      }
      CHECK(worst < 1e-13);
      for (int n : count) CHECK(n > 500);
      MESSAGE(fmt::format("{} rows, shift {}: residual {:.1e}; {} open, {} stick, {} slide", rows,
                          shift, worst, count[0], count[1], count[2]));
    }
}

TEST_CASE("a contact without tangents pushes with what closes it") {
  const Matrix W = Matrix::Constant(1, 1, 4.0);
  CHECK(solved(W, Vector::Constant(1, -2.0), 0.3)[0] == 0.5);
  CHECK(solved(W, Vector::Constant(1, 2.0), 0.3)[0] == 0.0);
}

TEST_CASE("a contact opens, sticks or slides as worked out by hand") {
  const Matrix W{{2.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  // opens by itself: no impulse, whatever the slip
  CHECK(solved(W, Vector{{0.1, 3.0, -4.0}}, 0.5).isZero(0.0));
  CHECK(solved(W, Vector{{0.0, 3.0, -4.0}}, 0.5).isZero(0.0));
  // p_N = 2/2; sticking takes (-0.3, 0.4), of size 0.5 < 0.6
  CHECK(solved(W, Vector{{-2.0, 0.3, -0.4}}, 0.6).isApprox(Vector{{1.0, -0.3, 0.4}}, 1e-15));
  // slides along (0.6, -0.8): p_T = -0.5 of it
  CHECK(solved(W, Vector{{-2.0, 3.0, -4.0}}, 0.5).isApprox(Vector{{1.0, -0.3, 0.4}}, 1e-14));
  // in the plane with coupling, mu = 1/2: W_NN p_N + W_NT p_T = 1 with p_T = -p_N/2: p_N = 1/(2 - 0.4)
  const Matrix plane{{2.0, 0.8}, {0.8, 3.0}};
  CHECK(solved(plane, Vector{{-1.0, 5.0}}, 0.5).isApprox(Vector{{0.625, -0.3125}}, 1e-14));
  CHECK(solved(plane, Vector{{-1.0, -5.0}}, 0.5).isApprox(Vector{{1.0 / 2.4, 0.5 / 2.4}}, 1e-14));
  // sticks by what the normal impulse does to the tangent alone: W p = -b
  const Vector stick = solved(plane, Vector{{-1.0, -0.4}}, 0.5);
  CHECK((plane * stick + Vector{{-1.0, -0.4}}).norm() <= 1e-15);
}

// With strong coupling of normal and tangent the law has several solutions, and the impulse may jump between them.
TEST_CASE("with weak coupling the impulse is continuous at the edge between sticking and sliding") {
  Random random;
  for (int rows : {2, 3}) {
    CAPTURE(rows);
    double jump = 0.0;
    for (int k = 0; k < 2000; ++k) {
      const Matrix W = 2.0 * Matrix::Identity(rows, rows) + 0.1 * random.W(rows, 0.0);
      Vector p = random.b(rows);
      const double mu = 0.2 + random.uniform(random.engine);
      p[0] = p.tail(rows - 1).norm() / mu;  // on the cone, without slip
      const Vector b = -(W * p);
      if (b[0] >= 0.0 || mu * W.row(0).tail(rows - 1).norm() > 0.5 * W(0, 0)) continue;
      for (double off : {-1e-9, 0.0, 1e-9})
        jump = std::max(jump, (solved(W, b, mu * (1.0 + off)) - p).norm() / p.norm());
    }
    CHECK(jump > 0.0);
    CHECK(jump <= 1e-8);
    MESSAGE(fmt::format("{} rows: moved by {:.1e} for a change of friction of 1e-9", rows, jump));
  }
}

TEST_CASE(
    "a contact that cannot move along its tangents still pushes, and friction opposes the slip") {
  for (const double mu : {0.0, 0.3, 2.0}) {
    CAPTURE(mu);
    Matrix W = Matrix::Zero(3, 3);
    W(0, 0) = 2.0;
    const Vector b{{-1.0, 0.6, 0.8}};
    const Vector space = solved(W, b, mu), plane = solved(W.topLeftCorner(2, 2), b.head(2), mu);
    CHECK((space - Vector{{0.5, -0.3 * mu, -0.4 * mu}}).norm() <= 1e-14);
    CHECK((plane - Vector{{0.5, -0.5 * mu}}).norm() <= 1e-14);
    // one tangent that moves, one that does not
    W(1, 1) = 1.0;
    const Vector mixed = solved(W, b, mu);
    CHECK(residual_of(W, b, mu, mixed) < 1e-13);
    CHECK(mixed[0] == doctest::Approx(0.5).epsilon(1e-14));
  }
}

// W = g g^T + shift: a body that can move in one direction only, as a bead on a wire, and with its round-off.
TEST_CASE("a contact whose rows are one another but for a small or no part is solved") {
  Random random;
  for (int rows : {2, 3})
    for (double shift : {1e-3, 1e-6, 1e-9, 1e-12, 0.0}) {
      CAPTURE(rows);
      CAPTURE(shift);
      double worst = 0.0, largest = 0.0;
      int bad = 0;
      for (int k = 0; k < 2000; ++k) {
        Vector g = random.b(rows);
        g[0] = std::abs(g[0]) + 0.1;
        const Matrix W = g * g.transpose() + shift * Matrix::Identity(rows, rows);
        Vector p = random.b(rows);  // a solution: sticks inside the cone
        const double mu = 2.0 * random.uniform(random.engine) + 0.01;
        p[0] = p.tail(rows - 1).norm() / (0.7 * mu);
        const Vector b = -(W * p), found = solved(W, b, mu);
        // b has the round-off of W p, which may cancel: no solution is closer than that
        const double cancelled = std::min(1.0, b.norm() / (W.norm() * p.norm()));
        const double off = cancelled * residual_of(W, b, mu, found);
        worst = off > worst || off != off ? off : worst;
        bad += !(off < 1e-13);
        largest = std::max(largest, found.norm() / p.norm());
      }
      CHECK(worst < 1e-13);
      CHECK(largest < 1e3);  // no large impulses that cancel each other
      MESSAGE(
          fmt::format("{} rows, rank 1 + {}: residual {:.1e}, {} of 2000 above 1e-13; impulses up "
                      "to {:.1e} of the given solution",
                      rows, shift, worst, bad, largest));
    }
}

// A rod of B08: W_NN < mu W_NT, where p_T = -mu p_N would lift the contact into the ground.
TEST_CASE("where friction would jam the contact the impulse of sticking is found") {
  const Matrix W{{1.6, 1.2}, {1.2, 3.4}};
  for (double lift : {0.0, -1e-6, -1e-2}) {
    const Vector b{{lift - 1e-9, 1.0}};
    const Vector p = solved(W, b, 1.6);
    CHECK((W * p + b).norm() <= 1e-14);
    CHECK(std::abs(p[1]) < 1.6 * p[0]);
  }
}

TEST_CASE("friction has no direction of its own: turned tangents turn the impulse") {
  Random random;
  double worst = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const Matrix W = random.W(3, 0.5);
    const Vector b = random.b(3);
    const double mu = 2.0 * random.uniform(random.engine);
    const Vector p = solved(W, b, mu);
    for (double angle : {0.3, 0.5 * std::numbers::pi, 2.1, std::numbers::pi}) {
      const Matrix R = turned(angle);
      Matrix W_turned = R * W * R.transpose();
      W_turned = 0.5 * (W_turned + W_turned.transpose()).eval();
      const double off = (solved(W_turned, R * b, mu) - R * p).norm();
      worst = std::max(worst, off / std::max(p.norm(), b.norm() / W(0, 0)));
    }
  }
  CHECK(worst <= 1e-13);
  MESSAGE(fmt::format("off by {:.1e}", worst));
}

TEST_CASE("another unit of mass or velocity leaves the digits of the impulse unchanged") {
  Random random;
  const double mass = 1048576.0, velocity = 1.0 / 1024.0;  // powers of 2
  for (int rows : {1, 2, 3})
    for (int k = 0; k < 500; ++k) {
      const Matrix W = random.W(rows, 0.5);
      const Vector b = random.b(rows);
      const double mu = 2.0 * random.uniform(random.engine);
      const Matrix W2 = W * mass;
      const Vector b2 = b * velocity;
      REQUIRE(solved(W2, b2, mu) * (mass / velocity) == solved(W, b, mu));
    }
}

// A particle held in y on a tilted plane, at rest but for round-off: three rows, two that can move. c has 1e-12 across
// the range of S, so that lambda is about 1e-11 and the determinant of S + lambda 1 is mostly round-off.
TEST_CASE(
    "a contact at rest that cannot move in one direction is solved although its slip is "
    "round-off") {
  Matrix H(3, 2);
  const Vector3 n = Vector3(0.3, 0.5, 1.0).normalized(),
                t1 = n.cross(Vector3::UnitX()).normalized(), t2 = n.cross(t1);
  for (int a = 0; a < 3; ++a) {
    const Vector3& d = a == 0 ? n : a == 1 ? t1 : t2;
    H.row(a) << d[0], d[2];
  }
  const Matrix W = H * H.transpose();
  for (double noise : {0.0, 1e-15, 1e-13, 1e-12, 1e-11, 1e-9, 1e-7, 1e-5}) {
    CAPTURE(noise);
    Vector b = H * Vector{{0.0022094153634184439, -0.00066282460903489826 - 0.04905}};
    b[0] += noise;
    const Vector p = solved(W, b, 0.5);
    CHECK(residual_of(W, b, 0.5, p) < 1e-12);
    CHECK(p.norm() < 1.0);
  }
}

TEST_CASE(
    "a million contacts, regular and singular, with and without friction, are solved to "
    "round-off") {
  ContactBlocks block;
  DenseDelassus W;
  W.W.resize(3, 3);
  Vector b(3), p(3);
  const std::array ids{0, 1, 2};
  std::array<long, 3> count{};
  double worst = 0.0;
  for (int k = 0; k < 1'000'000; ++k) {
    block.next();
    for (int i = 0; i < 3; ++i) {
      b[i] = block.b[ContactBlocks::at(i)];
      for (int j = 0; j < 3; ++j) W.W(i, j) = block.W[ContactBlocks::at(3 * i + j)];
    }
    solve_coulomb(3, block.W.data(), block.b.data(), block.mu, p.data());
    const std::array laws{Law{.kind = LawKind::coulomb, .size = 3, .friction = block.mu}};
    const double off = residual({W, b, laws, ids}, p);
    if (!(off <= worst)) worst = off;
    ++count[static_cast<std::size_t>(block.mode)];
  }
  CHECK(worst <= 1e-13);
  for (const long n : count) CHECK(n > 300'000);
  MESSAGE(fmt::format("largest residual {:.1e}", worst));
}

TEST_CASE("the impulse along the tangents opposes the slip in ten thousand directions of arrival") {
  Random random;
  double across = 0.0, edge = 0.0;
  int slid = 0;
  for (int k = 0; k < 10'000; ++k) {
    const Matrix W = random.W(3, 0.5);
    const double angle = 2.0 * std::numbers::pi * random.uniform(random.engine);
    const double mu = 0.05 + 0.5 * random.uniform(random.engine);
    const Vector b{{-1.0, 5.0 * std::cos(angle), 5.0 * std::sin(angle)}};
    const Vector p = solved(W, b, mu), u = W * p + b;
    if (mode_of(b, mu, p) != Mode::slide) continue;
    ++slid;
    const Eigen::Vector2d e = -u.tail(2).normalized();
    across = std::max(across, (p.tail(2).normalized() - e).norm());
    edge = std::max(edge, std::abs(p.tail(2).norm() / (mu * p[0]) - 1.0));
  }
  CHECK(slid > 9000);
  CHECK(across <= 1e-10);
  CHECK(edge <= 1e-12);
  MESSAGE(fmt::format("{} slide; direction off by {:.1e}, size by {:.1e}", slid, across, edge));
}

TEST_CASE("a contact with an unsymmetric W is solved as it is, not as its symmetric part") {
  Random random;
  double worst = 0.0, symmetric = 0.0;
  for (int rows : {2, 3})
    for (int k = 0; k < 20'000; ++k) {
      Matrix W = random.W(rows, 0.1);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < i; ++j)
          W(i, j) += 0.1 * std::sqrt(W(i, i) * W(j, j)) * (random.uniform(random.engine) - 0.5);
      const Vector b = random.b(rows);
      const double mu = random.uniform(random.engine);
      const double off = residual_of(W, b, mu, solved(W, b, mu));
      if (!(off <= worst)) worst = off;
      const Matrix half = 0.5 * (W + W.transpose());
      symmetric = std::max(symmetric, residual_of(W, b, mu, solved(half, b, mu)));
    }
  CHECK(worst <= 1e-13);
  CHECK(symmetric > 1e-3);
}

TEST_CASE("a contact prepared once gives the same digits as one prepared for each solve") {
  Random random;
  for (int rows : {1, 2, 3})
    for (int k = 0; k < 300; ++k) {
      const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W =
          random.W(rows, 0.2);
      const CoulombContact contact(rows, W.data());
      for (int i = 0; i < 3; ++i) {
        const Vector b = random.b(rows);
        Vector p(rows);
        contact.solve(b.data(), 0.4, p.data());
        REQUIRE(p == solved(W, b, 0.4));
      }
    }
}

TEST_CASE("no number in W, b or friction makes an impulse that is not one") {
  Random random;
  const double values[] = {0.0, 1e-300, -1e-300, 1e-12, 1.0, -1.0, 1e12, 1e100, -1e100};
  const auto any = [&] { return values[random.engine() % std::size(values)]; };
  for (int k = 0; k < 100'000; ++k) {
    const int rows = 1 + k % 3;
    Matrix W(rows, rows);
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < rows; ++i) W(i, j) = any();
    W(0, 0) = std::abs(W(0, 0)) + 1e-12;
    Vector b(rows);
    for (double& x : b) x = any();
    const double mu = std::abs(any());
    const Vector p = solved(W, b, mu);
    for (const double x : p) REQUIRE(std::isfinite(x));
    REQUIRE(p[0] >= 0.0);
  }
}
