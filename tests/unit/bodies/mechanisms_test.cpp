#include "saltus/bodies/mechanisms.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "body_checks.h"
#include "saltus/base/error.h"
#include "saltus/bodies/auto_model.h"
#include "saltus/math/dense.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Case {
  const char* name;
  std::shared_ptr<const LagrangianModel> model;
  Vector q, v;
};

Vector numbers(std::initializer_list<double> x) {
  return Eigen::Map<const Vector>(x.begin(), static_cast<Eigen::Index>(x.size()));
}

std::vector<Case> library() {
  PendulumData braked{.mass = 0.7, .length = 1.3, .dashpot = 0.4, .pivot = {0.1, 0.2, 0.3}};
  NPendulumData chain{.mass = {1.0, 0.4, 2.0, 0.3}, .length = {0.5, 1.1, 0.7, 0.2}};
  chain.pivot = {0.1, 0.2, 0.3};
  DuffingData soft{.mass = 1.4, .stiffness = -1.0, .cubic = 3.0, .dashpot = 0.2};
  SliderCrankData crank;
  crank.torque = 0.7;
  return {
      {"pendulum", pendulum(braked), numbers({0.8}), numbers({-1.1})},
      {"n pendulum", n_pendulum(chain), numbers({0.8, -0.3, 2.0, 1.1}),
       numbers({-1.1, 0.6, 0.9, -3.0})},
      {"Duffing oscillator", duffing(soft), numbers({0.8}), numbers({-1.1})},
      {"spring pendulum", spring_pendulum({.pivot = {0.1, 0.2, 0.3}}), numbers({0.6, -1.1}),
       numbers({0.3, 0.8})},
      {"planet", planet({.mass = 2.0, .mu = 0.7}), numbers({0.6, -1.1}), numbers({0.3, 0.8})},
      {"rod", planar_rod({.mass = 2.0, .length = 0.7}), numbers({0.1, 0.4, 0.6}),
       numbers({1.0, 2.0, 3.0})},
      {"slider-crank", slider_crank(crank), numbers({0.7, -0.4, 0.1}), numbers({3.0, -2.0, 0.5})},
      {"bar", stvk_bar({.elements = 4, .length = 2.0, .young = 50.0}),
       numbers({0.1, -0.05, 0.2, 0.4}), numbers({0.4, 0.1, -0.2, 0.3})}};
}

Vector force_of_potential(const LagrangianModel& model, const Vector& q) {
  Vector f(model.size());
  model.potential_force(q, f);
  return f;
}
Matrix mass(const LagrangianModel& model, const Vector& q) {
  Matrix M(model.size(), model.size());
  model.mass(q, M);
  return M;
}
Vector inertial(const LagrangianModel& model, const Vector& q, const Vector& v) {
  Vector c(model.size());
  model.inertial(q, v, c);
  return c;
}
Vector total(const LagrangianModel& model, const Vector& q, const Vector& v) {
  Vector Q(model.size());
  model.applied(0.0, q, v, Q);
  return force_of_potential(model, q) + Q - inertial(model, q, v);
}

// The crank again, from nothing but its energies.
struct Crank {
  static constexpr int size = 3;
  SliderCrankData d;
  auto kinetic(const auto& q, const auto& v) const {
    using std::cos;
    const double l1 = d.crank_length, l2 = d.rod_length;
    const auto both = cos(q[0] - q[1]) * v[0] * v[1];
    const auto square = [](const auto& x) { return x * x; };
    const auto crank = 0.25 * l1 * l1 * square(v[0]);  // velocities of the centres, squared
    const auto rod = l1 * l1 * square(v[0]) + 0.25 * l2 * l2 * square(v[1]) + l1 * l2 * both;
    const auto pin = l1 * l1 * square(v[0]) + l2 * l2 * square(v[1]) + 2.0 * l1 * l2 * both;
    return 0.5 * (d.crank_mass * crank + d.rod_mass * rod + d.slider_mass * pin +
                  d.crank_inertia * square(v[0]) + d.rod_inertia * square(v[1]) +
                  d.slider_inertia * square(v[2]));
  }
  auto potential(const auto& q) const {
    using std::sin;
    const auto z1 = d.crank_length * sin(q[0]), z2 = d.rod_length * sin(q[1]);
    return d.gravity *
           (0.5 * d.crank_mass * z1 + d.rod_mass * (z1 + 0.5 * z2) + d.slider_mass * (z1 + z2));
  }
  void applied(double, const auto&, const auto&, auto& f) const { f[0] = d.torque; }
};

struct Chain {
  static constexpr int size = 4;
  NPendulumData d;
  auto kinetic(const auto& q, const auto& v) const {
    using std::cos, std::sin;
    auto x = 0.0 * v[0], z = x, T = x;
    for (std::size_t i = 0; i < 4; ++i) {
      x += d.length[i] * cos(q[i]) * v[i];
      z += d.length[i] * sin(q[i]) * v[i];
      T += 0.5 * d.mass[i] * (x * x + z * z);
    }
    return T;
  }
  auto potential(const auto& q) const {
    using std::cos;
    auto z = 0.0 * q[0], V = z;
    for (std::size_t i = 0; i < 4; ++i) {
      z += d.length[i] * (1.0 - cos(q[i]));
      V += d.mass[i] * d.gravity * z;
    }
    return V;
  }
};

}  // namespace

TEST_CASE("forces with a potential are minus the slope of the potential") {
  for (const Case& c : library()) {
    CAPTURE(c.name);
    const Matrix D =
        slope([&](const Vector& q) { return Vector::Constant(1, c.model->potential(q)); }, c.q);
    CHECK(largest(D.transpose() + force_of_potential(*c.model, c.q)) < 1e-7);
  }
}

TEST_CASE("inertial forces follow from the kinetic energy") {
  for (const Case& c : library()) {
    CAPTURE(c.name);
    // c = (dM/ds along v) v - d(v.Mv/2)/dq
    const Matrix along =
        slope([&](const Vector& s) { return Vector(mass(*c.model, c.q + s[0] * c.v) * c.v); },
              Vector::Zero(1));
    const Matrix dT = slope(
        [&](const Vector& q) {
          return Vector::Constant(1, 0.5 * c.v.dot(mass(*c.model, q) * c.v));
        },
        c.q);
    CHECK(largest(along - dT.transpose() - inertial(*c.model, c.q, c.v)) < 1e-8);
    if (c.model->constant_mass()) CHECK(inertial(*c.model, c.q, c.v).isZero(0.0));
  }
}

TEST_CASE("mass matrices are symmetric positive definite") {
  for (const Case& c : library()) {
    CAPTURE(c.name);
    Matrix M = mass(*c.model, c.q);
    CHECK(M == M.transpose());
    CHECK(cholesky_lower(M));
  }
}

TEST_CASE("tangents of the mechanisms are slopes of their forces") {
  for (const Case& c : library()) {
    CAPTURE(c.name);
    const int n = c.model->size();
    Matrix K(n, n), C(n, n), V2(n, n);
    K.setConstant(7.0), C.setConstant(7.0), V2.setConstant(7.0);
    REQUIRE(c.model->has_tangents());
    c.model->tangents(0.0, c.q, c.v, K, C);
    c.model->potential_tangent(c.q, V2);
    const double scale = 1e-8 * (1.0 + largest(K));
    CHECK(largest(K + slope([&](const Vector& q) { return total(*c.model, q, c.v); }, c.q)) <
          scale);
    CHECK(largest(C + slope([&](const Vector& v) { return total(*c.model, c.q, v); }, c.v)) <
          scale);
    CHECK(largest(V2 + slope([&](const Vector& q) { return force_of_potential(*c.model, q); },
                             c.q)) < scale);
    if (c.model->symmetric()) {
      CHECK(K == K.transpose());
      CHECK(C == C.transpose());
    }
  }
}

TEST_CASE("point Jacobians are slopes of the points, and points have names") {
  for (const Case& c : library()) {
    CAPTURE(c.name);
    CHECK(c.model->points() > 0);
    for (int i = 0; i < c.model->points(); ++i) {
      Matrix J(3, c.model->size());
      J.setConstant(7.0);
      c.model->point_jacobian(i, c.q, J);
      const Matrix D = slope([&](const Vector& q) { return Vector(c.model->point(i, q)); }, c.q);
      CHECK(largest(J - D) < 1e-9);
      CHECK(!c.model->point_name(i).empty());
    }
  }
}

TEST_CASE("the hand-written linkages are those of their energies") {
  SliderCrankData crank;
  crank.torque = 0.7;
  const NPendulumData chain{.mass = {1.0, 0.4, 2.0, 0.3}, .length = {0.5, 1.1, 0.7, 0.2}};
  struct Pair {
    std::shared_ptr<const LagrangianModel> hand, derived;
    Vector q, v;
  };
  const Pair pairs[] = {{slider_crank(crank), auto_model(Crank{crank}), numbers({0.7, -0.4, 0.1}),
                         numbers({30.0, -20.0, 5.0})},
                        {n_pendulum(chain), auto_model(Chain{chain}),
                         numbers({0.8, -0.3, 2.0, 1.1}), numbers({-1.1, 0.6, 0.9, -3.0})}};
  for (const Pair& p : pairs) {
    const int n = p.hand->size();
    CHECK(largest(mass(*p.hand, p.q) - mass(*p.derived, p.q)) < 1e-14);
    CHECK(p.hand->potential(p.q) == doctest::Approx(p.derived->potential(p.q)).epsilon(1e-14));
    CHECK(largest(total(*p.hand, p.q, p.v) - total(*p.derived, p.q, p.v)) < 1e-12);
    Matrix K[2], C[2];
    for (int i : {0, 1}) {
      K[i].resize(n, n);
      C[i].resize(n, n);
      (i == 0 ? p.hand : p.derived)->tangents(0.0, p.q, p.v, K[i], C[i]);
    }
    CHECK(largest(K[0] - K[1]) < 1e-12);
    CHECK(largest(C[0] - C[1]) < 1e-12);
  }
}

TEST_CASE("mechanisms without brakes keep their energy") {
  std::vector<Case> free = library();
  free[0].model = pendulum({});
  free[2].model = duffing({});
  free[6].model = slider_crank({});
  for (const Case& c : free) {
    CAPTURE(c.name);
    const Lagrangian body(c.model);
    Vector q = c.q, v = c.v;
    const double E = body.energy(0.0, q, v).total();
    carry(body, q, v, 0.0, 1.0, 4000);
    CHECK(body.energy(1.0, q, v).total() == doctest::Approx(E).epsilon(1e-9));
    CHECK(largest(q - c.q) > 0.01);
  }
}

TEST_CASE("a pendulum swings with the period of its amplitude") {
  // From the horizontal: T = 4 sqrt(l/g) K(sin 45 deg) = 2.3678419475762374 s; one second later the bob is at
  // x = 0.98629175113187532 l, z = -0.16501085312554117 l on the other side.
  const Lagrangian body(pendulum({}));
  Vector q = numbers({-0.5 * kPi}), v = numbers({0.0});
  carry(body, q, v, 0.0, 1.0, 4000);
  const Vector3 x = body.model().point(0, q);
  CHECK(x.x() == doctest::Approx(0.98629175113187532).epsilon(1e-11));
  CHECK(x.z() == doctest::Approx(-0.16501085312554117).epsilon(1e-11));
  carry(body, q, v, 1.0, 2.3678419475762374, 4000);
  CHECK(q[0] == doctest::Approx(-0.5 * kPi).epsilon(1e-10));

  // Small: T = 2 pi sqrt(l/g) (1 + a^2/16 + 11 a^4/3072)
  const double a = 0.05;
  q << a, v << 0.0;
  const double T =
      2.0 * kPi * std::sqrt(1.0 / 9.81) * (1.0 + a * a / 16.0 + 11.0 / 3072.0 * a * a * a * a);
  carry(body, q, v, 0.0, T, 4000);
  CHECK(q[0] == doctest::Approx(a).epsilon(1e-10));
  CHECK(std::abs(v[0]) < 1e-8);
}

TEST_CASE("a double pendulum has two modes") {
  // Equal masses and lengths: omega^2 = (2 -+ sqrt 2) g/l, shapes (1, +-sqrt 2)
  const Lagrangian body(n_pendulum({}));
  for (const double sign : {1.0, -1.0}) {
    const double omega = std::sqrt((2.0 - sign * std::sqrt(2.0)) * 9.81);
    const Vector shape = numbers({1.0, sign * std::sqrt(2.0)}), zero = Vector::Zero(2);
    const Matrix K = matrix(body, {0.0, 0.0, 1.0}, zero, zero);
    const Matrix M = matrix(body, {1.0, 0.0, 0.0}, zero, zero);
    CHECK(largest(K * shape - omega * omega * M * shape) < 1e-12);
    Vector q = 1e-5 * shape, v = zero;
    carry(body, q, v, 0.0, 2.0 * kPi / omega, 2000);
    CHECK(largest(q - 1e-5 * shape) < 1e-13);
  }
}

TEST_CASE("one bob of the chain is the pendulum, and a folded chain is its sum") {
  const Vector q = numbers({0.7}), v = numbers({1.3});
  const Lagrangian one(n_pendulum({.mass = {0.6}, .length = {1.4}}));
  const Lagrangian same(pendulum({.mass = 0.6, .length = 1.4}));
  CHECK(force(one, 0.0, q, v) == force(same, 0.0, q, v));
  CHECK(largest(matrix(one, {1.0, 0.5, 2.0}, q, v) - matrix(same, {1.0, 0.5, 2.0}, q, v)) < 1e-14);

  // All angles and rates equal: one rigid body with sum m r^2
  const Lagrangian chain(n_pendulum({.mass = {1.0, 2.0, 3.0}, .length = {0.5, 0.25, 0.25}}));
  const Vector w = Vector::Constant(3, 2.0);
  const double inertia = 1.0 * 0.25 + 2.0 * 0.75 * 0.75 + 3.0;
  CHECK(chain.energy(0.0, Vector::Constant(3, 0.4), w).kinetic ==
        doctest::Approx(0.5 * inertia * 4.0).epsilon(1e-14));
}

TEST_CASE("a Duffing oscillator without its cubic is harmonic") {
  const Lagrangian body(duffing({.mass = 2.0, .stiffness = 8.0, .cubic = 0.0}));
  Vector q = numbers({0.3}), v = numbers({0.4});
  carry(body, q, v, 0.0, 1.0, 2000);
  CHECK(q[0] == doctest::Approx(0.3 * std::cos(2.0) + 0.2 * std::sin(2.0)).epsilon(1e-11));
}

TEST_CASE("a spring pendulum of length zero is two oscillators") {
  const Lagrangian body(
      spring_pendulum({.mass = 2.0, .stiffness = 8.0, .length = 0.0, .gravity = 0.0}));
  Vector q = numbers({0.3, 0.0}), v = numbers({0.0, 0.4});
  carry(body, q, v, 0.0, 1.0, 2000);
  CHECK(q[0] == doctest::Approx(0.3 * std::cos(2.0)).epsilon(1e-11));
  CHECK(q[1] == doctest::Approx(0.2 * std::sin(2.0)).epsilon(1e-11));
  const Vector zero = Vector::Zero(2);
  CHECK(force(body, 0.0, zero, zero).isZero(0.0));
  CHECK(matrix(body, {0.0, 0.0, 1.0}, zero, zero) == Matrix(8.0 * Matrix::Identity(2, 2)));
  // with a length the force on the pivot counts as zero, and nothing else does
  const Lagrangian long_one(spring_pendulum({}));
  CHECK(force(long_one, 0.0, zero, zero) == numbers({0.0, -9.81}));
  CHECK(matrix(long_one, {0.0, 0.0, 1.0}, zero, zero).isZero(0.0));
}

TEST_CASE("a planet on a circle comes back after Kepler's period") {
  const double r = 1.4, mu = 0.7;
  const Lagrangian body(planet({.mass = 2.0, .mu = mu}));
  Vector q = numbers({r, 0.0}), v = numbers({0.0, std::sqrt(mu / r)});
  carry(body, q, v, 0.0, 2.0 * kPi * std::sqrt(r * r * r / mu), 4000);
  CHECK(largest(q - numbers({r, 0.0})) < 1e-10);
}

TEST_CASE("a rod has the moment of a thin rod, and its ends are half a length away") {
  const auto rod = planar_rod({.mass = 2.0, .length = 0.6});
  const Vector q = numbers({0.1, 0.2, 0.5 * kPi});
  CHECK(mass(*rod, q)(2, 2) == doctest::Approx(2.0 * 0.36 / 12.0).epsilon(1e-15));
  CHECK(largest(rod->point(0, q) - Vector3(0.1, 0.0, -0.1)) < 1e-15);
  CHECK(largest(rod->point(1, q) - Vector3(0.1, 0.0, 0.5)) < 1e-15);
  CHECK(largest(rod->point(2, q) - Vector3(0.1, 0.0, 0.2)) < 1e-15);
  CHECK(mass(*planar_rod({.mass = 2.0, .length = 0.6, .inertia = 0.5}), q)(2, 2) == 0.5);
}

TEST_CASE("a slider on a straight line moves as the crank says") {
  const SliderCrankData data;
  const auto model = slider_crank(data);
  const double a = 0.5 * data.slider_length, b = 0.5 * data.slider_height;
  // Slider in its guide: z = 0, so sin a2 = -(l1/l2) sin a1 and x = l1 cos a1 + sqrt(l2^2 - l1^2 sin^2 a1)
  for (const double a1 : {0.0, 0.5, 1.5, 2.5, 4.0}) {
    const double l1 = data.crank_length, l2 = data.rod_length, s = l1 * std::sin(a1);
    const Vector q = numbers({a1, std::asin(-s / l2), 0.0});
    Vector3 centre = Vector3::Zero();
    for (int i = 0; i < 4; ++i) centre += 0.25 * model->point(i, q);
    CHECK(centre.x() == doctest::Approx(l1 * std::cos(a1) + std::sqrt(l2 * l2 - s * s)));
    CHECK(std::abs(centre.z()) < 1e-16);
    CHECK(largest(model->point(1, q) - centre - Vector3(a, 0.0, -b)) < 1e-15);
    CHECK(largest(model->point(2, q) - centre - Vector3(-a, 0.0, b)) < 1e-15);
    // Rates: a2' = -l1 cos a1/(l2 cos a2) a1' keeps it in the guide
    const double rate = -l1 * std::cos(a1) / (l2 * std::cos(q[1]));
    Matrix J(3, 3);
    model->point_jacobian(0, q, J);
    CHECK(std::abs((J * Vector3(1.0, rate, 0.0)).z()) < 1e-16);
  }
  CHECK(model->point_name(0) == "rear_lower");
  CHECK(model->point_name(3) == "front_upper");
}

TEST_CASE("an element of the bar pulls with the stress of its strain") {
  // Stretch F = 1.2: G = (1.44 - 1)/2 = 0.22, force E A G F = 5 * 2 * 0.22 * 1.2
  const auto bar =
      stvk_bar({.elements = 1, .length = 0.5, .young = 5.0, .density = 3.0, .area = 2.0});
  const Vector q = numbers({0.1});
  CHECK(force_of_potential(*bar, q)[0] == doctest::Approx(-2.64).epsilon(1e-14));
  CHECK(bar->potential(q) == doctest::Approx(0.5 * 5.0 * 2.0 * 0.5 * 0.22 * 0.22).epsilon(1e-14));
  CHECK(mass(*bar, q)(0, 0) == doctest::Approx(3.0 * 2.0 * 0.5 / 3.0).epsilon(1e-15));
  // Small strain: the linear bar, E A/le and the mass of the whole
  const auto fine = stvk_bar({.elements = 5, .length = 1.0, .young = 7.0, .density = 3.0});
  Matrix K(5, 5);
  fine->potential_tangent(Vector::Zero(5), K);
  CHECK(K(0, 0) == doctest::Approx(70.0));
  CHECK(K(4, 4) == doctest::Approx(35.0));
  CHECK(K(2, 3) == doctest::Approx(-35.0));
  // a uniform stretch pulls at the end alone
  const Vector f = force_of_potential(*fine, 0.1 * numbers({0.2, 0.4, 0.6, 0.8, 1.0}));
  CHECK(largest(f.head(4)) < 1e-14);
  CHECK(f[4] == doctest::Approx(-7.0 * 0.105 * 1.1).epsilon(1e-13));
}

TEST_CASE("mechanisms refuse data that make no machine") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(pendulum({.mass = 0.0}), UsageError);
  CHECK_THROWS_AS(pendulum({.gravity = nan}), UsageError);
  CHECK_THROWS_AS(pendulum({.dashpot = -1.0}), UsageError);
  CHECK_THROWS_AS(n_pendulum({.mass = {1.0}, .length = {1.0, 1.0}}), UsageError);
  CHECK_THROWS_AS(n_pendulum({.mass = {}, .length = {}}), UsageError);
  CHECK_THROWS_AS(
      n_pendulum({.mass = std::vector<double>(257, 1.0), .length = std::vector<double>(257, 1.0)}),
      UsageError);
  CHECK_THROWS_AS(n_pendulum({.mass = {1.0, -1.0}}), UsageError);
  CHECK_THROWS_AS(duffing({.cubic = nan}), UsageError);
  CHECK_THROWS_AS(spring_pendulum({.stiffness = -1.0}), UsageError);
  CHECK_THROWS_AS(planet({.mass = -1.0}), UsageError);
  CHECK_THROWS_AS(planar_rod({.length = 0.0}), UsageError);
  CHECK_THROWS_AS(slider_crank({.rod_inertia = 0.0}), UsageError);
  CHECK_THROWS_AS(stvk_bar({.elements = 0}), UsageError);
  CHECK_THROWS_AS(stvk_bar({.young = 0.0}), UsageError);
}

TEST_CASE("a hundred bobs hang together") {
  NPendulumData data;
  data.mass.assign(100, 0.01);
  data.length.assign(100, 0.01);
  const Lagrangian body(n_pendulum(data));
  Vector q = Vector::Constant(100, 0.3), v = Vector::Zero(100);
  const double E = body.energy(0.0, q, v).total();
  CHECK(E == doctest::Approx(9.81 * 0.01 * 0.01 * 5050 * (1.0 - std::cos(0.3))));
  carry(body, q, v, 0.0, 0.01, 20);
  CHECK(body.energy(0.01, q, v).total() == doctest::Approx(E).epsilon(1e-9));
}
