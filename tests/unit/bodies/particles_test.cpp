#include "saltus/bodies/particles.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "body_checks.h"
#include "saltus/base/error.h"
#include "saltus/bodies/mechanisms.h"

using namespace saltus;
using namespace saltus::test;

namespace {

Vector numbers(std::initializer_list<double> x) {
  return Eigen::Map<const Vector>(x.begin(), static_cast<Eigen::Index>(x.size()));
}

// Four particles, springs of every sort, everything that acts.
ParticleSystem web() {
  ParticleSystem s;
  s.mass = numbers({1.0, 0.5, 2.0, 0.7});
  s.springs.push_back({.i = 0, .j = 1, .stiffness = 30.0, .length = 0.8, .damping = 0.4});
  s.springs.push_back({.i = 2, .j = 1, .stiffness = 20.0, .length = 0.0, .damping = 0.2});
  s.springs.push_back({.i = 3, .j = 2, .stiffness = 50.0, .length = 1.4});
  s.springs.push_back({.i = 0,
                       .stiffness = 10.0,
                       .length = 0.5,
                       .damping = 0.1,
                       .anchor = Vector3(0.1, -0.2, 1.0)});
  s.springs.push_back(
      {.i = 1, .j = 3, .stiffness = 25.0, .length = 0.3, .damping = 0.3, .tension_only = true});
  s.springs.push_back(
      {.i = 0, .j = 2, .stiffness = 25.0, .length = 9.0, .damping = 0.3, .tension_only = true});
  s.gravity = Vector3(0.1, 0.2, -9.81);
  return s;
}

const Vector kPlace = numbers({0.0, 0.1, 0.0, 1.0, 0.2, -0.1, 1.1, 1.0, 0.3, 0.2, 1.2, 0.9});
const Vector kRate = numbers({0.5, -0.1, 0.2, 0.3, 0.9, -0.4, 0.1, -0.7, 0.3, 0.6, 0.2, -0.8});

}  // namespace

TEST_CASE("springs and gravity pull down the slope of their potential") {
  const Particles body(web());
  Vector f(12);
  body.potential_force(0.0, kPlace, f);
  const Matrix D = slope(
      [&](const Vector& q) { return Vector::Constant(1, body.energy(0.0, q, kRate).potential); },
      kPlace);
  CHECK(largest(D.transpose() + f) < 1e-7);
  CHECK(largest(force(body, 0.0, kPlace, Vector::Zero(12)) - f) < 1e-14);
  CHECK(body.energy(0.0, kPlace, kRate).kinetic > 0.0);
}

TEST_CASE("K is the slope of the springs, C of the dashpots, and both are symmetric") {
  ParticleSystem system = web();
  system.drag = 0.3;
  system.rayleigh = {0.2, 0.05};
  const Particles body(system);
  const Matrix K = matrix(body, {0.0, 0.0, 1.0}, kPlace, kRate);
  const Matrix C = matrix(body, {0.0, 1.0, 0.0}, kPlace, kRate);
  CHECK(largest(K - K.transpose()) < 1e-13);
  CHECK(largest(C - C.transpose()) < 1e-13);
  const Matrix slope_q = slope(
      [&](const Vector& q) {
        Vector f(12);
        body.potential_force(0.0, q, f);
        return f;
      },
      kPlace);
  CHECK(largest(K + slope_q) < 1e-7);
  const Matrix slope_v = slope([&](const Vector& v) { return force(body, 0.0, kPlace, v); }, kRate);
  CHECK(largest(C + slope_v) < 1e-8);
  const Matrix M = matrix(body, {1.0, 0.0, 0.0}, kPlace, kRate);
  CHECK(M.isDiagonal(0.0));
  CHECK(M(4, 4) == 0.5);
  // Rayleigh and drag are parts of C
  const Matrix D = matrix(Particles(web()), {0.0, 1.0, 0.0}, kPlace, kRate);
  CHECK(largest(C - D - 0.2 * M - 0.05 * K - 0.3 * Matrix::Identity(12, 12)) < 1e-13);
}

TEST_CASE("factors of particles solve what multiply multiplies") {
  ParticleSystem system = web();
  system.drag = 0.3;
  system.rayleigh = {0.2, 0.05};
  system.prescribed.push_back({4, Signal::constant(0.2)});
  const Particles held(system);
  system.prescribed.clear();
  const Particles free(system);
  Factor A;
  for (const Particles* body : {&free, &held}) {
    const int n = body->positions();
    const Vector q = kPlace.head(n), v = kRate.head(n), b = Vector::LinSpaced(n, -1.0, 2.0);
    for (const Combination s :
         {Combination{1.0, 0.1, 0.02}, Combination{1.0, 0.0, 0.3}, Combination{2.0, 0.0, 0.0}}) {
      Vector x = b;
      body->factorise(s, 0.0, q, v, A);
      solve(A, x);
      CHECK(largest(matrix(*body, s, q, v) * x - b) < 1e-12);
      CHECK(symmetric(A));
      CHECK(std::holds_alternative<Diagonal>(A.form) == (s.c == 0.0 && s.k == 0.0));
    }
  }
}

TEST_CASE("free particles fall, drag brakes them, and they are affine") {
  ParticleSystem system;
  system.mass = numbers({2.0, 0.5});
  system.gravity = Vector3(0.0, 0.0, -9.81);
  system.drag = 0.4;
  system.rayleigh = {0.1, 3.0};
  const Particles body(system);
  CHECK(body.bodies() == 2);
  CHECK(trait_names(body.traits()) ==
        "tangents, affine, symmetric, fixed-points, second-order, constant-mass, potential");
  CHECK(trait_names(Particles(web()).traits()) ==
        "tangents, symmetric, fixed-points, second-order, constant-mass, potential");
  Vector q = Vector::Zero(6), v = Vector::Zero(6);
  carry(body, q, v, 0.0, 1.0, 400);
  for (int i : {0, 1}) {  // v' = -g - (drag/m + rM) v
    const double rate = 0.4 / system.mass[i] + 0.1;
    CHECK(v[3 * i + 2] == doctest::Approx(-9.81 / rate * (1.0 - std::exp(-rate))).epsilon(1e-10));
  }
  Factor A;
  body.factorise({1.0, 0.5, 0.25}, 0.0, q, v, A);
  REQUIRE(std::holds_alternative<Diagonal>(A.form));
  CHECK(std::get<Diagonal>(A.form).inverse[3] == doctest::Approx(1.0 / (0.5 + 0.2 + 0.025)));
}

TEST_CASE("two particles on a spring swing about their centre") {
  // omega^2 = k (1/m1 + 1/m2), damped: sigma = c (1/m1 + 1/m2)/2
  ParticleSystem system;
  system.mass = numbers({1.0, 3.0});
  system.springs.push_back({.i = 0, .j = 1, .stiffness = 12.0, .length = 1.0, .damping = 0.6});
  const Particles body(system);
  Vector q = numbers({0.0, 0.0, 0.0, 1.1, 0.0, 0.0}), v = Vector::Zero(6);
  carry(body, q, v, 0.0, 1.0, 2000);
  const double sigma = 0.5 * 0.6 * 4.0 / 3.0, omega = std::sqrt(16.0 - sigma * sigma);
  const double stretch =
      0.1 * std::exp(-sigma) * (std::cos(omega) + sigma / omega * std::sin(omega));
  CHECK(q[3] - q[0] == doctest::Approx(1.0 + stretch).epsilon(1e-11));
  CHECK(q[0] + 3.0 * q[3] == doctest::Approx(3.3).epsilon(1e-12));
}

TEST_CASE("a particle on an anchored spring is the spring pendulum") {
  ParticleSystem system;
  system.mass = numbers({1.0});
  system.gravity = Vector3(0.0, 0.0, -9.81);
  system.springs.push_back({.i = 0, .stiffness = 100.0, .length = 1.0});
  const Particles body(system);
  const Lagrangian same(spring_pendulum({}));
  const Vector q = numbers({0.6, 0.0, -1.1}), p = numbers({0.6, -1.1}),
               v = numbers({0.3, 0.0, 0.8}), u = numbers({0.3, 0.8});
  const Vector f = force(body, 0.0, q, v), g = force(same, 0.0, p, u);
  CHECK(f[0] == doctest::Approx(g[0]).epsilon(1e-14));
  CHECK(f[2] == doctest::Approx(g[1]).epsilon(1e-14));
  CHECK(body.energy(0.0, q, v).total() ==
        doctest::Approx(same.energy(0.0, p, u).total()).epsilon(1e-14));
  const Matrix K = matrix(body, {0.0, 0.0, 1.0}, q, v), L = matrix(same, {0.0, 0.0, 1.0}, p, u);
  CHECK(K(0, 2) == doctest::Approx(L(0, 1)).epsilon(1e-14));
  CHECK(K(2, 2) == doctest::Approx(L(1, 1)).epsilon(1e-14));
}

TEST_CASE("springs keep momentum, angular momentum and energy") {
  ParticleSystem system = web();
  system.gravity.setZero();
  system.springs.erase(system.springs.begin() + 3);  // the anchor
  for (Spring& s : system.springs) s.damping = 0.0;
  const Particles body(system);
  const auto momenta = [&](const Vector& q, const Vector& v) {
    Vector sum = Vector::Zero(6);
    for (int i = 0; i < 4; ++i) {
      const Vector3 p = system.mass[i] * v.segment<3>(3 * i), x = q.segment<3>(3 * i);
      sum.head<3>() += p;
      sum[3] += x.y() * p.z() - x.z() * p.y();
      sum[4] += x.z() * p.x() - x.x() * p.z();
      sum[5] += x.x() * p.y() - x.y() * p.x();
    }
    return sum;
  };
  Vector q = kPlace, v = kRate;
  const double E = body.energy(0.0, q, v).total();
  const Vector before = momenta(q, v);
  carry(body, q, v, 0.0, 0.5, 2000);
  CHECK(body.energy(0.5, q, v).total() == doctest::Approx(E).epsilon(1e-10));
  CHECK(largest(momenta(q, v) - before) < 1e-11);
}

TEST_CASE("a rope does not push, and its dashpot rests with it") {
  ParticleSystem system;
  system.mass = numbers({1.0});
  system.springs.push_back(
      {.i = 0, .stiffness = 10.0, .length = 1.0, .damping = 2.0, .tension_only = true});
  const Particles rope(system);
  const Vector slack = numbers({0.7, 0.0, 0.0}), tight = numbers({1.2, 0.0, 0.0}),
               v = numbers({0.5, 0.4, 0.0});
  CHECK(force(rope, 0.0, slack, v).isZero(0.0));
  CHECK(matrix(rope, {0.0, 1.0, 1.0}, slack, v).isZero(0.0));
  CHECK(rope.energy(0.0, slack, Vector::Zero(3)).total() == 0.0);
  CHECK(force(rope, 0.0, tight, v)[0] == doctest::Approx(-2.0 - 1.0));
  CHECK(rope.energy(0.0, tight, Vector::Zero(3)).total() == doctest::Approx(0.2));
}

TEST_CASE("a spring whose ends coincide has no direction and no force") {
  ParticleSystem system;
  system.mass = numbers({1.0, 1.0});
  system.springs.push_back({.i = 0, .j = 1, .stiffness = 10.0, .length = 1.0, .damping = 2.0});
  const Vector q = numbers({0.3, 0.2, 0.1, 0.3, 0.2, 0.1}), v = numbers({1, 2, 3, 4, 5, 6});
  const Particles one(system);
  CHECK(force(one, 0.0, q, v).isZero(0.0));
  CHECK(matrix(one, {0.0, 1.0, 1.0}, q, v).isZero(0.0));
  CHECK(one.energy(0.0, q, Vector::Zero(6)).potential == doctest::Approx(5.0));
  system.springs[0].length = 0.0;  // length zero: k times the distance, in every direction
  const Particles zero(system);
  CHECK(force(zero, 0.0, q, v).isZero(0.0));
  CHECK(matrix(zero, {0.0, 0.0, 1.0}, q, v).topLeftCorner(3, 3) ==
        Matrix(10.0 * Matrix::Identity(3, 3)));
}

TEST_CASE("a particle on a moving rail feels what its rail does") {
  // x prescribed, y and z free, spring of length L to the origin: F = -k (1 - L/r) (y, z) - c (n.v) n
  const double W = 3.0, t = 0.8;
  ParticleSystem system;
  system.mass = numbers({2.0});
  system.gravity = Vector3(0.0, 0.0, -9.81);
  system.springs.push_back({.i = 0, .stiffness = 40.0, .length = 0.5, .damping = 0.7});
  system.prescribed.push_back({0, Signal::harmonic(0.2, W, 0.0, 0.6)});
  system.loads.push_back({{{0, 1.0}, {1, 2.0}}, Signal::constant(0.3)});
  system.drag = 0.1;
  const Particles body(system);
  CHECK(body.positions() == 2);
  CHECK(body.bodies() == 1);
  CHECK(body.free_index(0) == -1);
  CHECK(body.free_index(2) == 1);
  const double u = 0.6 + 0.2 * std::cos(W * t), du = -0.2 * W * std::sin(W * t),
               ddu = -0.2 * W * W * std::cos(W * t);
  const Vector q = numbers({0.3, -0.4}), v = numbers({0.5, 0.9});
  const Vector3 x(u, 0.3, -0.4), dx(du, 0.5, 0.9), n = x.normalized();
  const Vector3 pull = -(40.0 * (x.norm() - 0.5) + 0.7 * n.dot(dx)) * n - 0.1 * dx;
  const Vector f = force(body, t, q, v);
  CHECK(f[0] == doctest::Approx(pull.y() + 0.6).epsilon(1e-13));
  CHECK(f[1] == doctest::Approx(pull.z() - 2.0 * 9.81).epsilon(1e-13));
  Vector rail(1), all(3);
  body.reactions(t, q, v, f, rail);
  CHECK(rail[0] == doctest::Approx(2.0 * ddu - pull.x() - 0.3).epsilon(1e-12));
  body.full(t, q, all);
  CHECK(largest(all - x) < 1e-15);

  std::string names;
  for (const Source& s : body.sources()) names += s.name + (s.potential ? "* " : " ");
  CHECK(names == "elastic* gravity* damping load prescribed ");
  const Vector w = numbers({0.8, -0.3});
  CHECK(powers(body, t, q, v, w).sum() == doctest::Approx(f.dot(w)).epsilon(1e-12));
  CHECK(input(body, t, q, v) == doctest::Approx(energy_rate(body, t, q, v)).epsilon(1e-6));

  const PointRef mark{0, 0, Vector3(0.0, 0.0, 0.1)};
  Vector place(3), drift(3);
  PointRows J;
  body.points(t, q, {&mark, 1}, place);
  CHECK(largest(place - x - Vector3(0.0, 0.0, 0.1)) < 1e-15);
  body.point_rows(q, q, {&mark, 1}, J);
  CHECK(J.width == 1);
  CHECK(J.column == std::vector<int>{0, 1});
  CHECK(J.value == std::vector<double>{0, 1, 0, 0, 0, 1});
  body.point_drift(t, q, {&mark, 1}, drift);
  CHECK(largest(drift - Vector3(du, 0.0, 0.0)) < 1e-15);

  const Vector3 up = Vector3::UnitZ(), along = Vector3::UnitX();
  CHECK(body.table({&mark, 1}, {&along, 1}) == nullptr);
  REQUIRE(body.table({&mark, 1}, {&up, 1}) != nullptr);
  CHECK(body.table({&mark, 1}, {&up, 1})->rest()[0] == doctest::Approx(0.1));
}

TEST_CASE("a chain whose end is driven at resonance of the rest follows its closed form") {
  // Free mass between a wall and a hand, springs of length zero: m x'' = -2 k x + k u
  ParticleSystem system;
  system.mass = numbers({1.0, 1.0});
  const double k = 8.0, W = 3.0;
  system.springs.push_back({.i = 0, .stiffness = k});
  system.springs.push_back({.i = 0, .j = 1, .stiffness = k});
  for (int axis : {0, 1, 2})
    system.prescribed.push_back({3 + axis, axis == 0 ? Signal::harmonic(0.1, W) : Signal()});
  const Particles body(system);
  const double amplitude = 0.1 * k / (2.0 * k - W * W);
  Vector q = numbers({amplitude, 0.0, 0.0}), v = Vector::Zero(3);
  carry(body, q, v, 0.0, 2.0, 4000);
  CHECK(q[0] == doctest::Approx(amplitude * std::cos(W * 2.0)).epsilon(1e-10));
  Vector hand(3);
  body.reactions(2.0, q, v, acceleration(body, 2.0, q, v), hand);
  const double u = 0.1 * std::cos(6.0);
  CHECK(hand[0] == doctest::Approx(-W * W * u + k * (u - q[0])).epsilon(1e-10));
  CHECK(hand[1] == 0.0);
}

TEST_CASE("sources of particles share out the whole force") {
  ParticleSystem system = web();
  system.drag = 0.3;
  system.rayleigh = {0.2, 0.05};
  system.loads.push_back({{{0, 1.0}, {7, -2.0}}, Signal::harmonic(3.0, 2.0)});
  const Particles body(system);
  const Vector p = powers(body, 0.4, kPlace, kRate, kRate.reverse());
  CHECK(p.sum() ==
        doctest::Approx(force(body, 0.4, kPlace, kRate).dot(kRate.reverse())).epsilon(1e-13));
  CHECK(input(body, 0.4, kPlace, kRate) ==
        doctest::Approx(energy_rate(body, 0.4, kPlace, kRate)).epsilon(1e-6));
  CHECK(body.rayleigh().stiffness == 0.05);
  ParticleSystem quiet;
  quiet.mass = numbers({1.0});
  CHECK(Particles(quiet).sources().empty());
}

TEST_CASE("tables and rows of particles agree") {
  ParticleSystem system = web();
  system.prescribed.push_back({4, Signal::constant(0.25)});
  system.prescribed = {{4, Signal::constant(0.25)}};
  const Particles held(system), free(web());
  const std::vector<PointRef> at = {
      {0, 1, Vector3(0.1, 0.2, 0.3)}, {0, 3, Vector3::Zero()}, {0, 1, Vector3::Zero()}};
  const std::vector<Vector3> direction = {Vector3(0.6, 0.8, 0.0), Vector3::UnitZ(),
                                          Vector3(0.0, -0.6, 0.8)};
  for (const Particles* body : {&free, &held}) {
    const int n = body->positions();
    const Vector q = kPlace.head(n);
    const auto table = body->table(at, direction);
    REQUIRE(table != nullptr);
    PointScratch scratch;
    Vector y(3), x(9), r = Vector::Zero(n);
    table->apply(q, scratch, y);
    body->points(0.0, q, at, x);
    PointRows J;
    body->point_rows(q, q, at, J);
    Matrix S = Matrix::Zero(3, n);
    for (int i = 0; i < 3; ++i) {
      CHECK(table->rest()[i] + y[i] ==
            doctest::Approx(direction[static_cast<std::size_t>(i)].dot(x.segment<3>(3 * i))));
      for (int k = J.offset[static_cast<std::size_t>(i)];
           k < J.offset[static_cast<std::size_t>(i) + 1]; ++k)
        for (int j = 0; j < J.width; ++j)
          for (int axis = 0; axis < 3; ++axis)
            S(i, J.column[static_cast<std::size_t>(k)] + j) +=
                direction[static_cast<std::size_t>(i)][axis] *
                J.value[static_cast<std::size_t>(3 * J.width * k + J.width * axis + j)];
    }
    CHECK(largest(S * q - y) < 1e-15);
    const std::vector<int> rows = {2, 0};
    Vector some(2);
    table->apply(rows, q, scratch, some);
    CHECK(some == numbers({y[2], y[0]}));
    table->accumulate(rows, numbers({0.5, -2.0}), scratch, r);
    CHECK(largest(r - S.transpose() * numbers({-2.0, 0.0, 0.5})) < 1e-15);
    Factor A;
    body->factorise({1.0, 0.1, 0.01}, 0.0, q, q, A);
    Matrix D, X = S.transpose();
    table->response(A, D);
    solve(A, X);
    CHECK(largest(D - S * X) < 1e-14);
  }
}

TEST_CASE("particles say what is wrong with them") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuse = [](auto&& change) {
    ParticleSystem system = web();
    change(system);
    CHECK_THROWS_AS(Particles{system}, UsageError);
  };
  refuse([](ParticleSystem& s) { s.mass.resize(0); });
  refuse([](ParticleSystem& s) { s.mass[1] = 0.0; });
  refuse([&](ParticleSystem& s) { s.mass[1] = nan; });
  refuse([](ParticleSystem& s) { s.springs[0].i = 4; });
  refuse([](ParticleSystem& s) { s.springs[0].i = -1; });
  refuse([](ParticleSystem& s) { s.springs[0].j = 4; });
  refuse([](ParticleSystem& s) { s.springs[0].j = 0; });
  refuse([](ParticleSystem& s) { s.springs[0].stiffness = -1.0; });
  refuse([](ParticleSystem& s) { s.springs[0].length = -1.0; });
  refuse([](ParticleSystem& s) { s.springs[0].damping = -1.0; });
  refuse([&](ParticleSystem& s) { s.springs[3].anchor.x() = nan; });
  refuse([&](ParticleSystem& s) { s.gravity.x() = nan; });
  refuse([](ParticleSystem& s) { s.drag = -1.0; });
  refuse([](ParticleSystem& s) { s.rayleigh.stiffness = -1.0; });
  refuse([](ParticleSystem& s) { s.loads.push_back({{{12, 1.0}}, Signal()}); });
  refuse([&](ParticleSystem& s) { s.loads.push_back({{{1, nan}}, Signal()}); });
  refuse([](ParticleSystem& s) { s.prescribed = {{12, Signal()}}; });
  refuse([](ParticleSystem& s) { s.prescribed = {{1, Signal()}, {1, Signal()}}; });
  refuse([](ParticleSystem& s) {
    for (int i = 0; i < 12; ++i) s.prescribed.push_back({i, Signal()});
  });
  ParticleSystem between = web();
  between.springs[0].anchor.x() = nan;  // joins two particles: it has none
  CHECK_NOTHROW(Particles{between});
  const Particles body(web());
  const PointRef nowhere{0, 4, Vector3::Zero()};
  Vector x(3);
  CHECK_THROWS_AS(body.points(0.0, kPlace, {&nowhere, 1}, x), UsageError);
  CHECK_THROWS_AS(body.free_index(12), UsageError);
}
