#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "saltus/base/error.h"
#include "saltus/contact/residual.h"
#include "tests/unit/solvers/problems.h"

using namespace saltus;
using namespace saltus::testing;
namespace {

/// residual() of a dense problem with one law on all rows.
double one_contact(const Matrix& W, const Vector& b, Law law, const Vector& p) {
  DenseDelassus delassus;
  delassus.W = W;
  law.size = static_cast<int>(b.size());
  const Law laws[] = {law};
  const testing::Rows rows(law.size);
  return residual({delassus, b, laws, rows.ids}, p);
}

Vector vector(std::initializer_list<double> values) {
  Vector v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

constexpr double kRoundOff = 1e-15;

TEST_CASE("a ball of 2 kg arriving at 3 m/s stops with 6 N s, and no other impulse will do") {
  const Matrix W = Matrix::Constant(1, 1, 0.5);
  const Vector b = vector({-3.0});
  CHECK(one_contact(W, b, {.kind = LawKind::unilateral}, vector({6.0})) == 0.0);
  // p = 3: u = -1.5, x = 3 + 2 * 1.5 = 6, F = -3, |rho b| = 6
  CHECK(one_contact(W, b, {.kind = LawKind::unilateral}, vector({3.0})) == doctest::Approx(0.5));
  CHECK(one_contact(W, b, {.kind = LawKind::unilateral}, vector({0.0})) == doctest::Approx(1.0));
  CHECK(one_contact(W, -b, {.kind = LawKind::unilateral}, vector({0.0})) == 0.0);
  CHECK(one_contact(W, -b, {.kind = LawKind::unilateral}, vector({-6.0})) == doctest::Approx(1.0));
}

TEST_CASE("an equality row accepts pulling impulses and a box row slides at its bound") {
  const Matrix W = Matrix::Constant(1, 1, 0.5);
  const Vector b = vector({3.0});
  CHECK(one_contact(W, b, {.kind = LawKind::equality}, vector({-6.0})) == 0.0);
  CHECK(one_contact(W, b, {.kind = LawKind::equality}, vector({-5.0})) == doctest::Approx(1.0 / 6));
  const Law box{.kind = LawKind::box, .bound = 2.0};
  CHECK(one_contact(W, b, box, vector({-2.0})) == 0.0);  // u = 2 > 0 against p = -bound
  CHECK(one_contact(W, b, box, vector({2.0})) == doctest::Approx(4.0 / 6));
  CHECK(one_contact(W, b, {.kind = LawKind::box, .bound = 7.0}, vector({-6.0})) == 0.0);
}

TEST_CASE("coulomb friction sticks inside the cone, slides on its surface and lets go above") {
  const Matrix W = Matrix::Identity(3, 3);
  const Law law{.kind = LawKind::coulomb, .friction = 0.5};
  CHECK(one_contact(W, vector({-10, 3, 4}), {.kind = LawKind::coulomb, .friction = 0.6},
                    vector({10, -3, -4})) < kRoundOff);  // stick: |p_T| = 5 < 6
  CHECK(one_contact(W, vector({-10, 6, 8}), law, vector({10, -3, -4})) < kRoundOff);  // slip
  CHECK(one_contact(W, vector({-10, 6, 8}), law, vector({10, -4, -3})) > 0.05);  // wrong direction
  CHECK(one_contact(W, vector({-10, 6, 8}), law, vector({10, -6, -8})) > 0.1);   // outside the cone
  CHECK(one_contact(W, vector({1, 6, 8}), law, vector({0, 0, 0})) == 0.0);       // separation
  CHECK(one_contact(W.topLeftCorner(2, 2), vector({-10, 8}), law, vector({10, -5})) < kRoundOff);
}

TEST_CASE("without the shift mu |u_T| a sliding contact would lift off: the residual notices") {
  // Associated sliding (-u in the normal cone of Kc at p): u_N = mu |u_T| instead of u_N = 0.
  const double mu = 0.5;
  const Vector p = vector({10, -5, 0}), u = vector({mu * 3, 3, 0});
  const Law law{.kind = LawKind::coulomb, .friction = mu};
  CHECK(one_contact(Matrix::Identity(3, 3), u - p, law, p) > 0.05);
}

TEST_CASE("the residual does not change with the units of length, mass and time") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  DenseDelassus W;
  W.W = random_delassus(9, 9, 0.3, random);
  const Law laws[] = {{.kind = LawKind::coulomb, .first = 0, .size = 3, .friction = 0.4},
                      {.kind = LawKind::unilateral, .first = 3, .size = 1},
                      {.kind = LawKind::equality, .first = 4, .size = 2},
                      {.kind = LawKind::box, .first = 6, .size = 1, .bound = 0.2},
                      {.kind = LawKind::coulomb, .first = 7, .size = 2, .friction = 0.7}};
  const testing::Rows rows(9);
  const double mass = 1000.0, length = 4.2e-3, time = 60.0;  // new units in old ones
  DenseDelassus W2;
  W2.W = W.W * mass;
  auto laws2 = std::to_array(laws);
  laws2[3].bound *= time / (mass * length);
  for (int trial = 0; trial < 20; ++trial) {
    const Vector b = Vector::NullaryExpr(9, [&] { return uniform(random); });
    const Vector p = Vector::NullaryExpr(9, [&] { return uniform(random); });
    const double before = residual({W, b, laws, rows.ids}, p);
    const double after =
        residual({W2, b * (time / length), laws2, rows.ids}, p * (time / (mass * length)));
    CHECK(before > 1e-3);
    CHECK(after == doctest::Approx(before).epsilon(1e-12));
  }
}

TEST_CASE("a contact that nothing can move is satisfied or violated, but never ignored") {
  const Law law{.kind = LawKind::unilateral};
  CHECK(one_contact(Matrix::Zero(1, 1), vector({2.0}), law, vector({0.0})) == 0.0);
  CHECK(one_contact(Matrix::Zero(1, 1), vector({-2.0}), law, vector({5.0})) > 0.1);
  Matrix W = Matrix::Identity(2, 2);
  W(1, 1) = 0.0;
  CHECK(one_contact(W, vector({0.0, -1.0}), law, vector({0.0, 0.0})) == doctest::Approx(1.0));
}

TEST_CASE("when p and b are zero the residual is |F| itself") {
  CHECK(one_contact(Matrix::Identity(1, 1), vector({0.0}), {}, vector({0.0})) == 0.0);
  const Law laws[] = {{}};
  const Vector one = Vector::Ones(1), zero = Vector::Zero(1), u = vector({-3.0});
  CHECK(natural_map(laws, one, u, zero, zero) == 3.0);
}

TEST_CASE("values that are not finite are never a solution") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(one_contact(Matrix::Identity(1, 1), vector({-1.0}), {}, vector({nan})) < 1e300);
  CHECK_FALSE(one_contact(Matrix::Identity(1, 1), vector({nan}), {}, vector({1.0})) < 1e300);
}

TEST_CASE("a wheel sticks, slides, spins and lifts off by the two discs of its cone") {
  const Matrix W = Matrix::Identity(5, 5);
  const Law law{.kind = LawKind::rolling, .friction = 0.5, .rolling = 0.2};
  const auto off = [&](const Vector& u, const Vector& p) {
    return one_contact(W, u - p, law, p);  // b such that u is what p leaves
  };
  CHECK(off(vector({0, 0, 0, 0, 0}), vector({10, 3, -4, 1, 1})) < kRoundOff);   // inside both
  CHECK(off(vector({0, 6, -8, 0, 0}), vector({10, -3, 4, 1, 1})) < kRoundOff);  // slides
  CHECK(off(vector({0, 0, 0, 0, 7}), vector({10, 1, 1, 0, -2})) < kRoundOff);   // spins
  CHECK(off(vector({0, 6, -8, 0, 7}), vector({10, -3, 4, 0, -2})) < kRoundOff);
  CHECK(off(vector({1, 6, -8, 3, 7}), vector({0, 0, 0, 0, 0})) < kRoundOff);  // lifts off

  CHECK(off(vector({0, 0, 0, 0, 7}), vector({10, 1, 1, 0, -1})) > 0.05);  // spins within the disc
  CHECK(off(vector({0, 0, 0, 0, 7}), vector({10, 1, 1, 0, 2})) > 0.1);    // the moment drives
  CHECK(off(vector({0, 0, 0, 0, 0}), vector({10, 3, -4, 2, 2})) > 0.05);  // outside the disc
  CHECK(off(vector({0, 6, -8, 0, 0}), vector({10, -4, 3, 1, 1})) > 0.05);
  CHECK(off(vector({-1, 0, 0, 0, 0}), vector({10, 3, -4, 1, 1})) > 0.05);  // sinks in

  const Matrix plane = Matrix::Identity(3, 3);
  CHECK(one_contact(plane, vector({-10, 5, -9}), law, vector({10, -5, 2})) < kRoundOff);
  CHECK(one_contact(plane, vector({-10, 5, -9}), law, vector({10, -5, -2})) > 0.1);
}

TEST_CASE("a ball that spins about the normal obeys an interval of its own") {
  const Matrix W = Matrix::Identity(6, 6);
  const Law law{.kind = LawKind::rolling, .friction = 0.5, .rolling = 0.2, .spinning = 0.1};
  const auto off = [&](const Vector& u, const Vector& p) {
    return one_contact(W, u - p, law, p);  // b such that u is what p leaves
  };
  CHECK(off(vector({0, 0, 0, 0, 0, 0}), vector({10, 3, -4, 1, 1, -0.9})) < kRoundOff);
  CHECK(off(vector({0, 0, 0, 0, 0, 7}), vector({10, 3, -4, 1, 1, -1})) < kRoundOff);
  CHECK(off(vector({0, 6, -8, 0, 7, -3}), vector({10, -3, 4, 0, -2, 1})) < kRoundOff);
  CHECK(off(vector({1, 6, -8, 3, 7, 5}), vector({0, 0, 0, 0, 0, 0})) < kRoundOff);
  CHECK(off(vector({0, 0, 0, 0, 0, 7}), vector({10, 3, -4, 1, 1, -0.5})) > 0.02);
  CHECK(off(vector({0, 0, 0, 0, 0, 7}), vector({10, 3, -4, 1, 1, 1})) > 0.1);  // drives
  CHECK(off(vector({0, 0, 0, 0, 0, 0}), vector({10, 3, -4, 1, 1, -2})) > 0.05);
  const Matrix four = Matrix::Identity(4, 4);  // without rolling
  CHECK(one_contact(four, vector({-10, 5, -9, 6}), law,
                    vector({10, -5.0 * 5.0 / std::sqrt(106.0), 5.0 * 9.0 / std::sqrt(106.0), -1})) <
        kRoundOff);
  CHECK(one_contact(four, vector({-10, 0, 0, 6}), law, vector({10, 0, 0, 1})) > 0.1);
}

TEST_CASE("without moments a rolling contact is one of Coulomb") {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    Matrix W = Matrix::Identity(5, 5);
    W.topLeftCorner(3, 3) = random_delassus(3, 3, 0.3, random);
    Vector b(5), p(5);
    for (double& x : b) x = normal(random);
    for (double& x : p) x = normal(random);
    b.tail(2).setZero();
    p.tail(2).setZero();
    const double mu = std::abs(normal(random));
    const double rolling =
        one_contact(W, b, {.kind = LawKind::rolling, .friction = mu, .rolling = 0.3}, p);
    const double coulomb = one_contact(W.topLeftCorner(3, 3), b.head(3),
                                       {.kind = LawKind::coulomb, .friction = mu}, p.head(3));
    REQUIRE(rolling == doctest::Approx(coulomb).epsilon(1e-13));
  }
}

// With p = 0 and rho = 1, F is -Proj_K(x) of x = -u^, and |x|^2 - |F|^2 the square of the distance of x from K, which a
// search over p_N finds as well.
TEST_CASE("what the residual of a rolling contact projects on is the nearest point of its cone") {
  std::mt19937 random(13);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 2000; ++k) {
    const int size = 3 + k % 4;
    const Law laws[] = {{.kind = LawKind::rolling,
                         .size = size,
                         .friction = std::abs(normal(random)),
                         .rolling = std::abs(normal(random)),
                         .spinning = std::abs(normal(random))}};
    const int T = laws[0].tangents(), R = laws[0].rollings(), S = laws[0].spinnings();
    const double radius[] = {laws[0].friction, laws[0].rolling, laws[0].spinning};
    const Vector one = Vector::Ones(size), zero = Vector::Zero(size);
    Vector u(size);
    for (double& v : u) v = normal(random);
    const double length[] = {u.segment(1, T).norm(), u.segment(1 + T, R).norm(), u.tail(S).norm()};
    double shift = 0.0;
    for (int i = 0; i < 3; ++i) shift += radius[i] * length[i];
    u[0] -= k % 3 == 0 ? 0.0 : shift;
    const double x_N = -(u[0] + shift);
    const auto distance2 = [&](double N) {
      double sum = std::pow(x_N - N, 2);
      for (int i = 0; i < 3; ++i) sum += std::pow(std::max(length[i] - radius[i] * N, 0.0), 2);
      return sum;
    };
    double low = 0.0, high = 50.0;
    for (int i = 0; i < 200; ++i) {
      const double third = (high - low) / 3.0;
      (distance2(low + third) < distance2(high - third) ? high : low) +=
          distance2(low + third) < distance2(high - third) ? -third : third;
    }
    const double F = natural_map(laws, one, u, zero, zero);
    const double x2 = x_N * x_N + u.tail(size - 1).squaredNorm();
    REQUIRE(x2 - F * F == doctest::Approx(distance2(low)).epsilon(1e-9).scale(x2));
  }
}

TEST_CASE("the residual of rolling contacts does not change with the units") {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  DenseDelassus W, W2;
  constexpr int kRows = 15;
  W.W = random_delassus(kRows, kRows, 0.3, random);
  const Law laws[] = {
      {.kind = LawKind::rolling, .size = 5, .friction = 0.4, .rolling = 0.1},
      {.kind = LawKind::rolling, .first = 5, .size = 3, .friction = 0.4, .rolling = 2},
      {.kind = LawKind::coulomb, .first = 8, .size = 3, .friction = 0.7},
      {.kind = LawKind::rolling, .first = 11, .size = 4, .friction = 0.5, .spinning = 0.3}};
  const bool moment[kRows] = {false, false, false, true,  true,  false, false, true,
                              false, false, false, false, false, false, true};
  const testing::Rows rows(kRows);
  const double mass = 1000.0, length = 4.2e-3, time = 60.0;  // new units in old ones
  for (const bool held : {false, true}) {
    if (held) W.W.row(7).setZero(), W.W.col(7).setZero();  // the second cannot turn
    W2.W = W.W;
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kRows; ++j)
        W2.W(i, j) *= mass * (moment[i] ? length : 1.0) * (moment[j] ? length : 1.0);
    auto laws2 = std::to_array(laws);
    for (Law& law : laws2) law.rolling /= length, law.spinning /= length;
    for (int trial = 0; trial < 50; ++trial) {
      Vector b(kRows), p(kRows), b2(kRows), p2(kRows);
      for (double& x : b) x = uniform(random);
      for (double& x : p) x = uniform(random);
      for (int i = 0; i < kRows; ++i) {
        b2[i] = b[i] * (moment[i] ? time : time / length);
        p2[i] = p[i] * time / (mass * length) / (moment[i] ? length : 1.0);
      }
      const double before = residual({W, b, laws, rows.ids}, p);
      CHECK(before > 1e-3);
      CHECK(residual({W2, b2, laws2, rows.ids}, p2) == doctest::Approx(before).epsilon(1e-12));
    }
  }
}

TEST_CASE("a contact that nothing can turn must not spin, and the residual sees it") {
  Matrix W = Matrix::Identity(5, 5);
  W(3, 3) = W(4, 4) = 0.0;
  const Law law{.kind = LawKind::rolling, .friction = 0.5, .rolling = 0.2};
  CHECK(one_contact(W, vector({-10, 0, 0, 0, 3}), law, vector({10, 0, 0, 0, -2})) < kRoundOff);
  CHECK(one_contact(W, vector({-10, 0, 0, 0, 3}), law, vector({10, 0, 0, 0, 2})) > 0.05);
  CHECK(one_contact(W, vector({-10, 0, 0, 0, 0}), law, vector({10, 0, 0, 0, 1})) < kRoundOff);
  const Law free{.kind = LawKind::rolling, .friction = 0.5};  // mu_R = 0
  CHECK(one_contact(W, vector({-10, 0, 0, 0, 3}), free, vector({10, 0, 0, 0, 0})) < kRoundOff);
  CHECK(one_contact(W, vector({-10, 0, 0, 0, 3}), free, vector({10, 0, 0, 0, 1})) > 0.01);
}

TEST_CASE("rolling contacts of a wrong size and laws that do not cover the rows are refused") {
  for (const int rows : {1, 2, 7})
    CHECK_THROWS_AS(one_contact(Matrix::Identity(rows, rows), Vector::Ones(rows),
                                {.kind = LawKind::rolling}, Vector::Ones(rows)),
                    UsageError);
  const Matrix W = Matrix::Identity(4, 4);
  const Vector b = Vector::Ones(4);
  DenseDelassus delassus;
  delassus.W = W;
  const testing::Rows rows(2);
  CHECK_THROWS_AS(residual({delassus, b, rows.laws, rows.ids}, b), UsageError);
}

}  // namespace
