#include "saltus/bodies/lagrangian.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "body_checks.h"
#include "saltus/base/error.h"
#include "saltus/bodies/auto_model.h"
#include "saltus/bodies/mechanisms.h"
#include "support/count_malloc.h"
#include "support/skip.h"

using namespace saltus;
using namespace saltus::test;

namespace {

Vector numbers(std::initializer_list<double> x) {
  return Eigen::Map<const Vector>(x.begin(), static_cast<Eigen::Index>(x.size()));
}

// A bead on a wire z = x^2/2 with a brake that grows with time and place.
struct Bead {
  static constexpr int size = 1;
  double m = 1.3, g = 9.81;
  auto kinetic(const auto& q, const auto& v) const {
    return 0.5 * m * (1.0 + q[0] * q[0]) * v[0] * v[0];
  }
  auto potential(const auto& q) const { return 0.5 * m * g * q[0] * q[0]; }
  void applied(double t, const auto& q, const auto& v, auto& f) const {
    using std::exp;
    f[0] = -(1.0 + t) * exp(q[0]) * v[0];
  }
  static constexpr int points = 1;
  void point(int, const auto& q, auto& x) const { x[0] = q[0], x[2] = 0.5 * q[0] * q[0]; }
  std::string point_name(int) const { return "bead"; }
};

// A cart (mass a) that carries a pendulum: q = (place, angle). Mass coupling, M_22 constant.
struct Cart {
  static constexpr int size = 2;
  double a = 2.0, m = 0.7, l = 1.1, g = 9.81;
  auto kinetic(const auto& q, const auto& v) const {
    using std::cos;
    return 0.5 * (a + m) * v[0] * v[0] + m * l * cos(q[1]) * v[0] * v[1] +
           0.5 * m * l * l * v[1] * v[1];
  }
  auto potential(const auto& q) const {
    using std::cos;
    return m * g * l * (1.0 - cos(q[1]));
  }
  static constexpr int points = 1;
  void point(int, const auto& q, auto& x) const {
    using std::cos, std::sin;
    x[0] = q[0] + l * sin(q[1]);
    x[2] = -l * cos(q[1]);
  }
};

// Polar coordinates (r, angle): M_22 = m r^2.
struct Polar {
  static constexpr int size = 2;
  auto kinetic(const auto& q, const auto& v) const {
    return 0.5 * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]);
  }
  auto potential(const auto& q) const { return 0.5 * q[0] * q[0]; }
};

// The same with its point: dx/dr turns with the angle.
struct Radial : Polar {
  static constexpr int points = 1;
  void point(int, const auto& q, auto& x) const {
    using std::cos, std::sin;
    x[0] = q[0] * cos(q[1]);
    x[2] = q[0] * sin(q[1]);
  }
};

// Everything by hand but the tangents; V = q.q/2 + x^2 y
class Plain : public LagrangianModel {
 public:
  int size() const override { return 2; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  void mass(View, Matrix& M) const override { M = mass_; }
  double potential(View q) const override { return 0.5 * q.dot(q) + q[0] * q[0] * q[1]; }
  void potential_force(View q, Out f) const override {
    f[0] = -q[0] - 2.0 * q[0] * q[1];
    f[1] = -q[1] - q[0] * q[0];
  }
  void applied(double, View, View v, Out f) const override { f = -0.3 * v; }
  void inertial(View, View, Out f) const override { f.setZero(); }
  Matrix mass_ = 2.0 * Matrix::Identity(2, 2);
};

// M, C, K of a body are those of its force
void check_tangents(const Dynamics& body, const Vector& q, const Vector& v, double tolerance) {
  const Matrix K = matrix(body, {0.0, 0.0, 1.0}, q, v), C = matrix(body, {0.0, 1.0, 0.0}, q, v);
  CHECK(largest(K + slope([&](const Vector& x) { return force(body, 0.0, x, v); }, q)) < tolerance);
  CHECK(largest(C + slope([&](const Vector& x) { return force(body, 0.0, q, x); }, v)) < tolerance);
}

}  // namespace

TEST_CASE("a model that throws leaves nothing that a later call takes for its own") {
  // M(q) and tangents of a unit mass in a cubic spring; `left` calls go well
  struct Fragile final : LagrangianModel {
    mutable int left = 1000;
    void count() const {
      if (left-- == 0) throw std::runtime_error("the model gives up");
    }
    int size() const override { return 1; }
    bool has_tangents() const override { return true; }
    void mass(View q, Matrix& M) const override {
      M(0, 0) = -1.0;
      count();
      M(0, 0) = 2.0 + std::cos(q[0]);
    }
    double potential(View q) const override { return 0.25 * std::pow(q[0], 4); }
    void potential_force(View q, Out f) const override { f[0] = -std::pow(q[0], 3); }
    void applied(double, View, View, Out f) const override { f.setZero(); }
    void inertial(View q, View v, Out f) const override {
      f[0] = -0.5 * std::sin(q[0]) * v[0] * v[0];
    }
    void tangents(double, View q, View, Matrix& K, Matrix& C) const override {
      count();
      K(0, 0) = 3.0 * q[0] * q[0];
      C(0, 0) = 0.0;
    }
    void potential_tangent(View q, Matrix& K) const override { K(0, 0) = 3.0 * q[0] * q[0]; }
  };
  const auto model = std::make_shared<Fragile>();
  const Lagrangian body(model);
  const Vector v = Vector::Constant(1, 0.5);
  const Combination all{1.0, 0.0, 1.0};
  const auto at = [&](double q) { return matrix(body, all, Vector::Constant(1, q), v)(0, 0); };
  const double one = at(1.0), two = at(2.0);
  for (int good = 0; good < 2; ++good) {
    CHECK(at(1.0) == one);
    model->left = good;
    CHECK_THROWS_AS(at(2.0), std::runtime_error);
    model->left = 1000;
    CHECK(at(2.0) == two);
    model->left = good;
    CHECK_THROWS_AS(at(3.0), std::runtime_error);
    model->left = 1000;
    CHECK(at(2.0) == two);
    CHECK(at(1.0) == one);
  }
}

TEST_CASE("dual numbers carry derivatives through every function") {
  using Two = Dual<Dual<double>>;
  const auto check = [](auto f, double x) {
    CAPTURE(x);
    const auto value = f(Two(Dual<double>(x, 1.0), Dual<double>(1.0)));
    const double h = 1e-4;
    CHECK(value.value.value == doctest::Approx(f(x)).epsilon(1e-14));
    CHECK(value.rate.value == doctest::Approx((f(x + h) - f(x - h)) / (2.0 * h)).epsilon(1e-6));
    CHECK(value.value.rate == value.rate.value);
    CHECK(value.rate.rate ==
          doctest::Approx((f(x + h) - 2.0 * f(x) + f(x - h)) / (h * h)).epsilon(1e-5));
  };
  using std::abs, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::log, std::pow,
      std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  for (const double x : {0.4, 1.3}) {
    check([](auto y) { return sin(y) * cos(2.0 * y) - tan(y); }, x);
    check([](auto y) { return exp(-y) / (1.0 + y * y) + log(y); }, x);
    check([](auto y) { return sqrt(3.0 + y) * tanh(y) - sinh(y) / cosh(y + 1.0); }, x);
    check([](auto y) { return pow(y, 2.5) + pow(y, 2.0) - pow(y, 0.0) + abs(-y * y * y); }, x);
    check([](auto y) { return atan(y * y) + atan2(y, 2.0 - y) + 2.0 / y - (y - 1.0) / 3.0; }, x);
    check(
        [](auto y) {
          auto z = y;
          z += y;
          z *= y;
          z /= 2.0 + y;
          z -= +y;
          return y > 0.0 * y ? z : -z;
        },
        x);
  }
}

TEST_CASE("a model derived from its energies has their forces and tangents") {
  const Lagrangian body(auto_model(Bead{}));
  const Vector q = numbers({0.4}), v = numbers({1.7});
  // M = m (1 + x^2), c = m x v^2, F = -m g x - e^x v (1 + t) - c
  const double m = 1.3;
  CHECK(matrix(body, {1.0, 0.0, 0.0}, q, v)(0, 0) == doctest::Approx(m * 1.16).epsilon(1e-15));
  const double expected = -m * 9.81 * 0.4 - 3.0 * std::exp(0.4) * 1.7 - m * 0.4 * 1.7 * 1.7;
  CHECK(force(body, 2.0, q, v)[0] == doctest::Approx(expected).epsilon(1e-14));
  check_tangents(body, q, v, 1e-7);
  CHECK(body.model().point_name(0) == "bead");
  CHECK(largest(body.model().point(0, q) - Vector3(0.4, 0.0, 0.08)) < 1e-16);
  CHECK(auto_model(Cart{})->point_name(0) == "point_0");
  CHECK(auto_model(Polar{})->points() == 0);
  CHECK_THROWS_AS(auto_model(Polar{})->point(0, numbers({1.0, 0.0})), UsageError);
}

TEST_CASE("traits are those of the model") {
  const auto traits = [](std::shared_ptr<const LagrangianModel> model) {
    return trait_names(Lagrangian(std::move(model)).traits());
  };
  CHECK(traits(pendulum({})) == "tangents, symmetric, second-order, constant-mass, potential");
  CHECK(traits(n_pendulum({})) == "tangents, second-order, potential");
}

TEST_CASE("combinations are sums of M, C and K, and their factor solves them") {
  SliderCrankData crank;
  crank.torque = 0.1;
  LagrangianOptions damped;
  damped.rayleigh = {0.3, 0.02};
  for (const auto& options : {LagrangianOptions{}, damped}) {
    const Lagrangian body(slider_crank(crank), options);
    const Vector q = numbers({0.7, -0.4, 0.1}), v = numbers({3.0, -2.0, 0.5});
    const Matrix M = matrix(body, {1.0, 0.0, 0.0}, q, v), C = matrix(body, {0.0, 1.0, 0.0}, q, v),
                 K = matrix(body, {0.0, 0.0, 1.0}, q, v);
    const Matrix A = M + 0.1 * C + 0.02 * K;
    CHECK(largest(matrix(body, {1.0, 0.1, 0.02}, q, v) - A) < 1e-15);
    Factor factor;
    const Vector b = numbers({1.0, -2.0, 3.0});
    for (int twice = 0; twice < 2; ++twice) {
      body.factorise({1.0, 0.1, 0.02}, 0.0, q, v, factor);
      Vector x = b;
      solve(factor, x);
      CHECK(largest(A * x - b) < 1e-12);
    }
    CHECK(!symmetric(factor));
  }
  // the result belongs to the arguments, whatever was asked before
  const Lagrangian body(slider_crank(crank));
  const Vector q = numbers({0.7, -0.4, 0.1}), p = numbers({0.1, 0.9, 0.0}),
               v = numbers({3.0, -2.0, 0.5});
  const Matrix first = matrix(body, {1.0, 0.1, 0.02}, q, v);
  matrix(body, {1.0, 0.1, 0.02}, p, v);
  CHECK(matrix(body, {1.0, 0.1, 0.02}, q, v) == first);
  matrix(body, {1.0, 0.1, 0.02}, q, p);
  CHECK(matrix(body, {1.0, 0.1, 0.02}, q, v) == first);
}

TEST_CASE("one coordinate and diagonal masses have diagonal factors") {
  Factor A;
  const Lagrangian one(pendulum({.mass = 2.0, .dashpot = 0.5}));
  one.factorise({1.0, 0.1, 0.01}, 0.0, numbers({0.0}), numbers({0.0}), A);
  REQUIRE(std::holds_alternative<Diagonal>(A.form));
  CHECK(std::get<Diagonal>(A.form).inverse[0] ==
        doctest::Approx(1.0 / (2.0 + 0.05 + 0.01 * 2.0 * 9.81)));
  const Lagrangian rod(planar_rod({}));
  const Vector zero = Vector::Zero(3);
  rod.factorise({2.0, 0.0, 0.0}, 0.0, zero, zero, A);
  REQUIRE(std::holds_alternative<Diagonal>(A.form));
  CHECK(largest(std::get<Diagonal>(A.form).inverse - numbers({0.5, 0.5, 6.0})) < 1e-14);
  const Lagrangian bar(stvk_bar({.elements = 3}));
  bar.factorise({1.0, 0.0, 0.0}, 0.0, zero, zero, A);
  CHECK(std::holds_alternative<std::unique_ptr<Operator>>(A.form));
  CHECK(symmetric(A));
}

TEST_CASE("finite differences stand in for tangents, and only where asked") {
  LagrangianOptions differences;
  differences.tangents = Tangents::differences;
  differences.rayleigh = {0.2, 0.1};
  LagrangianOptions given = differences;
  given.tangents = Tangents::given;
  const Vector q = numbers({0.7, -0.4, 0.1}), v = numbers({3.0, -2.0, 0.5});
  const Lagrangian exact(slider_crank({}), given), near(slider_crank({}), differences);
  const Combination s{0.0, 1.0, 1.0};
  const Matrix A = matrix(exact, s, q, v), B = matrix(near, s, q, v);
  CHECK(largest(A - B) < 1e-9 * largest(A));
  CHECK(A != B);
  CHECK(largest(force(exact, 0.0, q, v) - force(near, 0.0, q, v)) < 1e-9);

  CHECK_THROWS_AS(Lagrangian(std::make_shared<Plain>()), UsageError);
  const Lagrangian plain(std::make_shared<Plain>(), differences);
  const Vector x = numbers({0.3, -0.2}), u = numbers({0.5, 0.1});
  const Matrix K = matrix(plain, {0.0, 0.0, 1.0}, x, u);
  CHECK(K == K.transpose());
  CHECK(largest(K - (Matrix(2, 2) << 0.6, 0.6, 0.6, 1.0).finished()) < 1e-9);
}

TEST_CASE("Rayleigh damping is a part of the force, of C and of the account of damping") {
  LagrangianOptions options;
  options.rayleigh = {0.3, 0.02};
  const Lagrangian damped(n_pendulum({}), options), free(n_pendulum({}));
  const Vector q = numbers({0.9, -0.4}), v = numbers({1.1, 0.7});
  const Matrix M = matrix(free, {1.0, 0.0, 0.0}, q, v);
  Matrix V2(2, 2);
  free.model().potential_tangent(q, V2);
  const Matrix Rd = 0.3 * M + 0.02 * V2;
  CHECK(largest(force(damped, 0.0, q, v) - force(free, 0.0, q, v) + Rd * v) < 1e-13);
  CHECK(largest(matrix(damped, {0.0, 1.0, 0.0}, q, v) - matrix(free, {0.0, 1.0, 0.0}, q, v) - Rd) <
        1e-13);
  CHECK(matrix(damped, {0.0, 0.0, 1.0}, q, v) == matrix(free, {0.0, 0.0, 1.0}, q, v));
  CHECK(damped.rayleigh().mass == 0.3);
  CHECK(damped.sources()[2].name == "damping");
  CHECK(powers(damped, 0.0, q, v, v)[2] == doctest::Approx(-v.dot(Rd * v)).epsilon(1e-13));
}

TEST_CASE("sources share out the whole force, and those without a potential change the energy") {
  LagrangianOptions options;
  options.rayleigh = {0.3, 0.02};
  options.loads.push_back({{{0, 1.0}, {2, -0.5}}, Signal::harmonic(0.02, 7.0, 0.4)});
  SliderCrankData crank;
  crank.torque = 0.05;
  const Lagrangian body(slider_crank(crank), options);
  std::string names;
  for (const Source& s : body.sources()) names += s.name + (s.potential ? "* " : " ");
  CHECK(names == "potential* inertial* damping applied load ");
  const Vector q = numbers({0.7, -0.4, 0.1}), v = numbers({3.0, -2.0, 0.5}),
               w = numbers({0.3, 0.6, -0.8});
  const Vector p = powers(body, 0.3, q, v, w);
  CHECK(p.sum() == doctest::Approx(force(body, 0.3, q, v).dot(w)).epsilon(1e-13));
  CHECK(p[4] == doctest::Approx(0.02 * std::cos(2.5) * (0.3 + 0.4)).epsilon(1e-13));
  CHECK(input(body, 0.3, q, v) == doctest::Approx(energy_rate(body, 0.3, q, v)).epsilon(1e-6));
  Vector f(3);
  body.potential_force(0.0, q, f);
  CHECK(p[0] == doctest::Approx(f.dot(w)).epsilon(1e-14));
}

TEST_CASE("the prescribed cart shakes its pendulum") {
  // l a'' = -g sin a - u'' cos a, and the hand on the cart feels (a + m) u'' + m l (cos a a'' - sin a a'^2)
  const Cart cart;
  const double A = 0.2, W = 5.0, t = 0.7;
  LagrangianOptions options;
  options.prescribed.push_back({0, Signal::harmonic(A, W)});
  const Lagrangian body(auto_model(cart), options);
  CHECK(body.positions() == 1);
  CHECK(body.prescribed() == 1);
  CHECK(body.free_index(0) == -1);
  CHECK(body.free_index(1) == 0);
  const Vector q = numbers({0.6}), v = numbers({1.5});
  const double u = A * std::cos(W * t), du = -A * W * std::sin(W * t), ddu = -W * W * u;
  const double angular = -(9.81 * std::sin(0.6) + ddu * std::cos(0.6)) / cart.l;
  const Vector a = acceleration(body, t, q, v);
  CHECK(a[0] == doctest::Approx(angular).epsilon(1e-13));
  Vector hand(1), all(2);
  body.reactions(t, q, v, a, hand);
  const double expected = (cart.a + cart.m) * ddu +
                          cart.m * cart.l * (std::cos(0.6) * angular - std::sin(0.6) * 1.5 * 1.5);
  CHECK(hand[0] == doctest::Approx(expected).epsilon(1e-13));
  body.full(t, q, all);
  CHECK(all == numbers({u, 0.6}));

  // energy: what the hand adds is in its own account
  CHECK(body.sources().back().name == "prescribed");
  const Vector w = numbers({0.8});
  CHECK(powers(body, t, q, v, w).sum() == doctest::Approx(force(body, t, q, v).dot(w)));
  CHECK(powers(body, t, q, v, w)[3] ==
        doctest::Approx(-cart.m * cart.l * std::cos(0.6) * ddu * 0.8).epsilon(1e-12));
  CHECK(input(body, t, q, v) == doctest::Approx(energy_rate(body, t, q, v)).epsilon(1e-6));

  // the bob: its place holds u, its rows only the angle, its drift u'
  const PointRef bob;
  Vector x(3), drift(3);
  PointRows J;
  body.points(t, q, {&bob, 1}, x);
  CHECK(largest(x - Vector3(u + 1.1 * std::sin(0.6), 0.0, -1.1 * std::cos(0.6))) < 1e-15);
  body.point_rows(q, q, {&bob, 1}, J);
  CHECK(J.width == 1);
  CHECK(J.value[0] == doctest::Approx(1.1 * std::cos(0.6)));
  CHECK(J.value[2] == doctest::Approx(1.1 * std::sin(0.6)));
  body.point_drift(t, q, {&bob, 1}, drift);
  CHECK(largest(drift - Vector3(du, 0.0, 0.0)) < 1e-15);
}

TEST_CASE("a rod on a turning arm swings in its frame") {
  // No gravity, arm at angle W t: b = q2 - W t obeys b'' = -(l1/l2) W^2 sin b, so b'^2/2 - (l1/l2) W^2 cos b stays. The
  // arm is a straight signal, so u'' = 0.
  const double W = 3.0, l1 = 0.5, l2 = 0.8;
  LagrangianOptions options;
  options.prescribed.push_back({0, Signal::table({0.0, 10.0}, {0.0, 30.0})});
  const Lagrangian body(n_pendulum({.mass = {1.0, 2.0}, .length = {l1, l2}, .gravity = 0.0}),
                        options);
  Vector q = numbers({0.9}), v = numbers({W - 0.4});
  const auto integral = [&](double t) {
    const double b = q[0] - W * t, rate = v[0] - W;
    return 0.5 * rate * rate - l1 / l2 * W * W * std::cos(b);
  };
  const double before = integral(0.0);
  carry(body, q, v, 0.0, 2.0, 4000);
  CHECK(integral(2.0) == doctest::Approx(before).epsilon(1e-11));
  // torque on the arm: m2 l1 l2 (cos(q1 - q2) a2 + sin(q1 - q2) v2^2)
  const Vector a = acceleration(body, 2.0, q, v);
  Vector torque(1);
  body.reactions(2.0, q, v, a, torque);
  const double turn = 2.0 * W - q[0];
  CHECK(torque[0] ==
        doctest::Approx(2.0 * l1 * l2 * (std::cos(turn) * a[0] + std::sin(turn) * v[0] * v[0])));
  // "inertial" is that of the rod alone, the rest belongs to the arm; together they are the force
  CHECK(input(body, 2.0, q, v) == doctest::Approx(energy_rate(body, 2.0, q, v)).epsilon(1e-6));
  const Vector w = numbers({1.0});
  CHECK(powers(body, 2.0, q, v, w).sum() == doctest::Approx(force(body, 2.0, q, v)[0]));
}

TEST_CASE("a spring pendulum on a rail") {
  // x = u(t): m z'' = -k (1 - l/r) z - m g, the rail pushes m u'' + k (1 - l/r) u
  LagrangianOptions options;
  options.prescribed.push_back({0, Signal::harmonic(0.3, 2.0, 0.0, 0.4)});
  options.rayleigh = {0.1, 0.02};
  const Lagrangian body(spring_pendulum({}), options);
  const double t = 0.9, u = 0.4 + 0.3 * std::cos(1.8), du = -0.6 * std::sin(1.8),
               ddu = -1.2 * std::cos(1.8);
  const Vector q = numbers({-0.8}), v = numbers({0.7});
  const double r = std::hypot(u, 0.8), part = 1.0 / r, k = 100.0;
  const double Kzz = k * (1.0 - part + part * 0.64 / (r * r)), Kxz = k * part * u * -0.8 / (r * r);
  const double Kxx = k * (1.0 - part + part * u * u / (r * r));
  const double fz = -k * (1.0 - part) * -0.8 - 9.81 - 0.1 * 0.7 - 0.02 * (Kzz * 0.7 + Kxz * du);
  CHECK(force(body, t, q, v)[0] == doctest::Approx(fz).epsilon(1e-13));
  Vector rail(1);
  body.reactions(t, q, v, numbers({fz}), rail);
  const double push = ddu + k * (1.0 - part) * u + 0.1 * du + 0.02 * (Kxx * du + Kxz * 0.7);
  CHECK(rail[0] == doctest::Approx(push).epsilon(1e-13));
  const Vector w = numbers({1.3});
  CHECK(powers(body, t, q, v, w).sum() == doctest::Approx(fz * 1.3).epsilon(1e-12));
  CHECK(input(body, t, q, v) == doctest::Approx(energy_rate(body, t, q, v)).epsilon(1e-6));
  // tangents are those of the time they are asked for
  for (const double at : {t, 0.2}) {
    LagrangianOptions still;
    still.prescribed.push_back({0, Signal::constant(options.prescribed[0].signal.value(at))});
    still.rayleigh = options.rayleigh;
    const Lagrangian held(spring_pendulum({}), still);
    CHECK(matrix(body, {1.0, 0.1, 0.2}, q, v, at) == matrix(held, {1.0, 0.1, 0.2}, q, v, at));
    // a coordinate held still gives nothing to its account
    CHECK(powers(held, t, q, v, w)[3] == 0.0);
    CHECK(held.sources()[3].name == "prescribed");
  }
}

TEST_CASE("masses and rows that would need the time are refused") {
  LagrangianOptions radius, angle;
  radius.prescribed.push_back({0, Signal::harmonic(0.1, 1.0, 0.0, 1.0)});
  angle.prescribed.push_back({1, Signal::harmonic(0.1, 1.0)});
  CHECK_THROWS_AS(Lagrangian(auto_model(Polar{}), radius), UsageError);
  CHECK_NOTHROW(Lagrangian(auto_model(Polar{}), angle));
  LagrangianOptions held;
  held.prescribed.push_back({0, Signal::constant(2.0)});
  const Lagrangian circle(auto_model(Polar{}), held);
  CHECK(matrix(circle, {1.0, 0.0, 0.0}, numbers({0.3}), numbers({0.1}))(0, 0) == 4.0);

  // x of a rod's end depends on its angle, dx/dx does not; a bob's dx/d(angle 0) does not depend on angle 1
  LagrangianOptions turn;
  turn.prescribed.push_back({2, Signal::harmonic(0.1, 1.0)});
  const Lagrangian rod(planar_rod({}), turn);
  PointRows J;
  const PointRef end;
  CHECK_NOTHROW(rod.point_rows(numbers({0.0, 0.0}), numbers({0.0, 0.0}), {&end, 1}, J));
  CHECK(J.value == std::vector<double>{1.0, 0.0, 0.0, 0.0, 0.0, 1.0});

  // a point on a bar that turns about a slider: dx/dr = (cos, sin) of the prescribed angle
  const Lagrangian radial(auto_model(Radial{}), angle);
  CHECK_THROWS_AS(radial.point_rows(numbers({1.0}), numbers({1.0}), {&end, 1}, J), UsageError);
}

TEST_CASE("points of a group of coordinates have whole rows") {
  const Lagrangian body(n_pendulum({}));
  const Vector q = numbers({0.9, -0.4}), v = numbers({1.1, 0.7});
  const std::vector<PointRef> at = {{0, 1, Vector3::Zero()}, {0, 0, Vector3::Zero()}};
  PointRows J;
  body.point_rows(q, q, at, J);
  CHECK(J.width == 2);
  CHECK(J.offset == std::vector<int>{0, 1, 2});
  CHECK(J.column == std::vector<int>{0, 0});
  Vector x(6), drift(6);
  body.points(0.0, q, at, x);
  CHECK(x.head<3>() == body.model().point(1, q));
  Matrix D(3, 2);
  body.model().point_jacobian(1, q, D);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 2; ++column)
      CHECK(J.value[static_cast<std::size_t>(2 * row + column)] == D(row, column));
  body.point_drift(0.0, q, at, drift);
  CHECK(drift.isZero(0.0));
  const PointRef nowhere{0, 2, Vector3::Zero()};
  CHECK_THROWS_AS(body.point_rows(q, q, {&nowhere, 1}, J), UsageError);
}

TEST_CASE("a Lagrangian says what is wrong with its options") {
  const auto refuse = [](LagrangianOptions options) {
    CHECK_THROWS_AS(Lagrangian(n_pendulum({}), options), UsageError);
  };
  LagrangianOptions options;
  options.loads.push_back({{{2, 1.0}}, Signal::constant(1.0)});
  refuse(options);
  options = {};
  options.loads.push_back({{{1, std::numeric_limits<double>::infinity()}}, Signal::constant(1.0)});
  refuse(options);
  options = {};
  options.prescribed = {{-1, {}}};
  refuse(options);
  options.prescribed = {{0, {}}, {0, {}}};
  refuse(options);
  options.prescribed = {{0, {}}, {1, {}}};
  refuse(options);
  options = {};
  options.rayleigh.mass = -1.0;
  refuse(options);
  CHECK_THROWS_AS(Lagrangian(nullptr), UsageError);
  LagrangianOptions differences;
  differences.tangents = Tangents::differences;
  auto broken = std::make_shared<Plain>();
  broken->mass_(0, 1) = 0.5;
  CHECK_THROWS_AS(Lagrangian(broken, differences), UsageError);
  broken->mass_(1, 0) = 0.5;
  broken->mass_(1, 1) = 0.01;
  CHECK_THROWS_AS(Lagrangian(broken, differences), UsageError);
  CHECK_THROWS_AS(Lagrangian(n_pendulum({})).free_index(2), UsageError);
}

TEST_CASE("a warm step of a mechanism takes nothing from the heap") {
#if SALTUS_COUNTS_MALLOC
  LagrangianOptions options;
  options.rayleigh = {0.3, 0.02};
  options.prescribed.push_back({0, Signal::harmonic(0.1, 2.0)});
  options.loads.push_back({{{1, 1.0}}, Signal::harmonic(0.1, 2.0)});
  LagrangianOptions differences = options;
  differences.tangents = Tangents::differences;
  const Lagrangian bodies[] = {Lagrangian(n_pendulum({})), Lagrangian(slider_crank({}), options),
                               Lagrangian(slider_crank({}), differences),
                               Lagrangian(auto_model(Cart{}), options)};
  for (const Lagrangian& body : bodies) {
    const int n = body.positions();
    const Vector w = Vector::Constant(n, 0.5);
    Vector q = Vector::Constant(n, 0.3), v = w, f(n), x(3), p(8);
    Factor A;
    PointRows J;
    const PointRef at;
    long before = 0;
    for (int step = 0; step < 3; ++step) {
      if (step == 1) before = allocations;
      q.array() += 0.1;
      const double t = 0.1 * step;
      body.force(t, q, v, f);
      body.potential_force(t, q, f);
      body.multiply({1.0, 0.1, 0.02}, 0.0, q, v, w, f);
      body.factorise({1.0, 0.1, 0.02}, 0.0, q, v, A);
      body.points(t, q, {&at, 1}, x);
      body.point_rows(q, q, {&at, 1}, J);
      body.point_drift(t, q, {&at, 1}, x);
      body.energy(t, q, v);
      body.power(t, {}, q, v, w, {p.data(), body.sources().size()});
    }
    CHECK(allocations == before);
  }
#else
  SALTUS_SKIP("allocations are counted with glibc and without sanitizers");
#endif
}
