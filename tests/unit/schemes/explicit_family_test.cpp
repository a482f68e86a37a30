// The explicit schemes, the two-step schemes and the variational ones by themselves: steps of reference, orders of the
// tables, stability limits, energy, impulses, memory.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/math/tableaus.h"
#include "saltus/schemes/central_difference.h"
#include "saltus/schemes/def_exp.h"
#include "saltus/schemes/euler_explicit.h"
#include "saltus/schemes/runge_kutta.h"
#include "saltus/schemes/schatzman_paoli.h"
#include "saltus/schemes/variational_symplectic.h"
#include "systems.h"

using namespace saltus;
using namespace saltus::test;

namespace {

using Form = VariationalSymplecticOptions::Form;
using Table = RungeKuttaOptions::Table;
using SchemePtr = std::shared_ptr<const Scheme>;

SchemePtr runge_kutta(Table table, std::optional<double> tolerance = {},
                      Compat compat = Compat::none) {
  return make_runge_kutta({table, tolerance, compat});
}
SchemePtr variational(Form form, Compat compat = Compat::none, std::optional<int> steps = {},
                      std::optional<double> tolerance = {}) {
  return make_variational_symplectic({form, steps, tolerance, compat});
}
SchemePtr paoli(bool implicit,
                SchatzmanPaoliOptions::Start start = SchatzmanPaoliOptions::Start::half) {
  return make_schatzman_paoli({implicit, start});
}

struct Named {
  std::string name;
  SchemePtr scheme;
  double order;
};

/// Our forms.
std::vector<Named> family() {
  return {{"euler-explicit", make_euler_explicit({}), 1},
          {"euler-explicit standard", make_euler_explicit({false}), 1},
          {"variational-symplectic explicit", variational(Form::explicit_form), 1},
          {"variational-symplectic implicit",
           variational(Form::implicit_form, Compat::none, 40, 1e-13), 2},
          {"midpoint", runge_kutta(Table::midpoint), 2},
          {"heun", runge_kutta(Table::heun), 2},
          {"rk3", runge_kutta(Table::rk3), 3},
          {"rk4", runge_kutta(Table::rk4), 4},
          {"dormand-prince", runge_kutta(Table::dormand_prince), 5},
          {"dormand-prince in parts", runge_kutta(Table::dormand_prince, 1e-6), 0},
          {"central-difference", make_central_difference({}), 2},
          {"schatzman-paoli", paoli(false), 2},
          {"schatzman-paoli implicit", paoli(true), 2},
          {"def-exp", make_def_exp({}), 1},
          {"def-exp with implicit viscosity", make_def_exp({true}), 2}};
}

struct MovingBody {
  System body;
  Vector q, v;
  double T;  ///< [s]
};

Matrix one(double x) { return Matrix::Constant(1, 1, x); }
Vector at(double x) { return Vector::Constant(1, x); }

/// x'' + 0.9 x' + (2 pi)^2 x = 10 cos 5 t
MovingBody forced() {
  SystemData d;
  d.mass = one(1.0);
  d.stiffness = one(39.4784176043574344753);
  d.damping = one(0.9);
  d.amplitude = 10.0;
  d.angular_frequency = 5.0;
  return {System(d), at(1.0), at(2.0), 1.3};
}

MovingBody two_masses(bool rayleigh) {
  SystemData d;
  d.mass.resize(2, 2);
  d.mass << 2.0, 0.5, 0.5, 1.0;
  d.stiffness.resize(2, 2);
  d.stiffness << 300.0, -100.0, -100.0, 150.0;
  d.constant = Eigen::Vector2d(-3.0, 1.0);
  if (rayleigh) d.rayleigh = {0.3, 0.004};
  return {System(d), Eigen::Vector2d(0.1, -0.05), Eigen::Vector2d(0.2, 0.3), 0.7};
}

/// x'' + x + 10 x^3 = 0
MovingBody duffing() {
  SystemData d;
  d.mass = d.stiffness = one(1.0);
  d.cubic = 10.0;
  return {System(d), at(1.0), at(0.0), 2.0};
}

/// x'' + x + 10 x^3 + (0.3 + x'^2) x' = 0
MovingBody braked() {
  SystemData d;
  d.mass = d.stiffness = one(1.0);
  d.damping = one(0.3);
  d.cubic = 10.0;
  d.drag = 1.0;
  return {System(d), at(0.8), at(1.1), 1.0};
}

double deviation(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

double scale_of(const Energy& E) { return E.kinetic + std::abs(E.potential); }

}  // namespace

// Saltus reference data, own computation, 40-digit arithmetic
TEST_CASE("every scheme repeats steps that were computed with forty digits") {
  struct Row {
    MovingBody of;
    int steps;
    SchemePtr scheme;
    Vector q, v;
    Vector p = {};
    bool stored = false;  ///< v as the scheme holds it
  };
  const auto pair = [](double a, double b) { return Vector(Eigen::Vector2d(a, b)); };
  const SchemePtr sofa_implicit = variational(Form::implicit_form, Compat::sofa, 100, 0.0);
  const std::vector<Row> rows{
      {forced(), 52, make_euler_explicit({true, Compat::sofa}), at(6.4292792241761079e-1),
       at(-9.685034544679564e-1)},
      {forced(), 52, make_euler_explicit({false}), at(9.0680367173647468e-1),
       at(-3.3740551704070534)},
      {two_masses(true), 70, make_euler_explicit({true, Compat::sofa}),
       pair(5.6770137489103624e-2, -8.8439793846633754e-2),
       pair(-1.6809688982032861e-1, 1.2163854414313079)},
      {two_masses(true), 70, make_euler_explicit({}),
       pair(2.6961723003702616e-2, -4.9156030573920896e-2),
       pair(-2.3566260289035261e-2, 8.5909538063880908e-1)},
      {two_masses(true), 70, runge_kutta(Table::midpoint),
       pair(2.7567064655969555e-2, -5.3200343234377168e-2),
       pair(-1.8239304108314938e-2, 8.6549213114090994e-1)},
      {two_masses(true), 70, runge_kutta(Table::rk4, {}, Compat::sofa),
       pair(5.8628668472772989e-2, -9.442098387916406e-2),
       pair(-1.3638471763782389e-1, 1.1889086332729434)},
      {forced(), 52, runge_kutta(Table::rk4), at(6.9870648155338924e-1), at(-1.1686737052894694)},
      {duffing(), 100, runge_kutta(Table::rk4), at(8.1483587630462352e-1), at(1.7697015230620091)},
      {two_masses(true), 70, variational(Form::explicit_form, Compat::sofa),
       pair(4.9659106998422075e-2, -8.0006894532993818e-2),
       pair(-1.5905065087785593e-1, 1.1146133549623341),
       pair(2.3920537572545516e-1, 1.0350880295234061)},
      {forced(), 52, variational(Form::implicit_form, Compat::sofa), at(6.4358790959848916e-1),
       at(-9.0175124103745695e-1), at(-1.0947823235899531)},
      {duffing(), 100, variational(Form::implicit_form, Compat::sofa), at(8.1258470310353993e-1),
       at(1.835448906726834), at(1.7774064329961566)},
      {duffing(), 100, sofa_implicit, at(8.1261344789901226e-1), at(1.8353622743023219),
       at(1.7773139006287252)},
      {two_masses(true), 70, variational(Form::implicit_form),
       pair(2.8908546381090967e-2, -5.595788511953202e-2),
       pair(5.7763917806897431e-2, 7.5864462672731427e-1),
       pair(4.94850148977452e-1, 7.8752658563076299e-1)},
      {duffing(), 100, variational(Form::implicit_form, Compat::none, 40, 0.0),
       at(8.1261344789901226e-1), at(1.7773139006287252), at(1.7773139006287252)},
      {two_masses(true),
       70,
       make_central_difference({Compat::sofa}),
       pair(4.978581476916964e-2, -8.0694423102716772e-2),
       pair(-1.479193454546725e-1, 1.0986405096964678),
       {},
       true},
      {two_masses(true), 70, make_central_difference({}),
       pair(2.8177082349857738e-2, -5.4524755055355554e-2),
       pair(2.1151179705901036e-2, 8.0967751767543518e-1)},
      {forced(), 52, make_central_difference({}), at(6.963546240987481e-1),
       at(-1.1762118075862464)},
      {duffing(), 100, make_central_difference({}), at(8.1503225674911165e-1),
       at(1.7670000438912677)}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    CAPTURE(i);
    CAPTURE(row.scheme->name());
    Run run(row.of.body, row.scheme, row.of.q, row.of.v, row.of.T / row.steps);
    run.steps(row.steps);
    CHECK(run.converged);
    CHECK(deviation(run.state.q, row.q) <= 1e-12);
    CHECK(deviation(row.stored ? run.state.v : run.velocity(), row.v) <= 1e-12);
    if (row.p.size() > 0) CHECK(deviation(run.state.memory.at(0), row.p) <= 1e-12);
  }
}

// Saltus reference data, own computation, 34-digit (rigid) and 80-bit (deformable) arithmetic
TEST_CASE("def-exp repeats the oscillator of reference with and without viscosity") {
  struct Row {
    double eta;
    int steps;
    double q, v;
  };
  for (const Row& row : {Row{0.0, 32, 8.4112753525099616e-01, 3.3412349473226129e+00},
                         Row{0.0, 128, 8.0185027531016091e-01, 3.6237556766109045e+00},
                         Row{0.01, 128, 5.5273144365289228e-01, 2.4963616476063116e+00}}) {
    CAPTURE(row.eta);
    SystemData d;
    d.mass = one(1.0);
    d.stiffness = one(36.0);
    d.rayleigh.stiffness = row.eta;
    const System body(d);
    const SchemePtr scheme = make_def_exp({});
    Run run(body, scheme, at(1.0), at(0.5), 2.0 / row.steps);
    run.steps(row.steps);
    CHECK(std::abs(run.state.q[0] - row.q) <= 1e-13);
    CHECK(std::abs(run.state.v[0] - row.v) <= 1e-13 * std::abs(row.v));
  }
}

TEST_CASE("the tables meet the conditions of their order, the embedded method those of order 4") {
  struct Method {
    const Tableau* table;
    const Tableau::Weights* b;
    int stages, order;
  };
  const Method methods[] = {{&kMidpoint, &kMidpoint.b, 2, 2},
                            {&kHeun, &kHeun.b, 2, 2},
                            {&kKutta3, &kKutta3.b, 3, 3},
                            {&kKutta4, &kKutta4.b, 4, 4},
                            {&kDormandPrince, &kDormandPrince.b, 6, 5},
                            {&kDormandPrince, &kDormandPrince.embedded, 7, 4}};
  for (const Method& method : methods) {
    const int n = method.stages;
    CAPTURE(n);
    CAPTURE(method.order);
    Matrix A(n, n);
    Vector b(n), c(n);
    for (int i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      b[i] = (*method.b)[row];
      c[i] = method.table->c[row];
      for (int j = 0; j < n; ++j) A(i, j) = method.table->a[row][static_cast<std::size_t>(j)];
    }
    CHECK((A.rowwise().sum() - c).norm() <= 1e-14);
    const auto times = [](const Vector& x, const Vector& y) { return Vector(x.cwiseProduct(y)); };
    const Vector Ac = A * c, c2 = times(c, c), c3 = times(c2, c), Ac2 = A * c2, AAc = A * Ac;
    // trees by their number of nodes: sum_i b_i Phi_i = 1/gamma
    struct Condition {
      int nodes;
      Vector phi;
      double gamma;
    };
    const std::vector<Condition> conditions{{1, Vector::Ones(n), 1},
                                            {2, c, 2},
                                            {3, c2, 3},
                                            {3, Ac, 6},
                                            {4, c3, 4},
                                            {4, times(c, Ac), 8},
                                            {4, Ac2, 12},
                                            {4, AAc, 24},
                                            {5, times(c3, c), 5},
                                            {5, times(c2, Ac), 10},
                                            {5, times(c, Ac2), 15},
                                            {5, times(c, AAc), 30},
                                            {5, times(Ac, Ac), 20},
                                            {5, A * c3, 20},
                                            {5, A * times(c, Ac), 40},
                                            {5, A * Ac2, 60},
                                            {5, A * AAc, 120}};
    bool higher = true;  // meets all conditions of one order more
    for (const Condition& condition : conditions) {
      const double off = std::abs(b.dot(condition.phi) - 1.0 / condition.gamma);
      if (condition.nodes <= method.order) CHECK(off <= 1e-15 * n);
      if (condition.nodes == method.order + 1) higher = higher && off <= 1e-12;
    }
    if (method.order < 5) CHECK_FALSE(higher);
  }
}

TEST_CASE("stability limits of damped oscillators are where the modulus of the step reaches 1") {
  struct Row {
    SchemePtr scheme;
    double at[3];  ///< xi = 0, 0.05, 0.2
  };
  const double inf = std::numeric_limits<double>::infinity(), xi[] = {0.0, 0.05, 0.2};
  const Row rows[] = {{make_euler_explicit({}), {2.0, 1.9025, 1.6396}},
                      {make_euler_explicit({false}), {0.0, 0.1, 0.4}},
                      {variational(Form::explicit_form), {2.0, 1.9025, 1.6396}},
                      {variational(Form::implicit_form), {inf, inf, inf}},
                      {runge_kutta(Table::midpoint), {0.0, 0.8, 1.3939}},
                      {runge_kutta(Table::heun), {0.0, 0.8, 1.3939}},
                      {runge_kutta(Table::rk3), {std::sqrt(3.0), NAN, NAN}},
                      {runge_kutta(Table::rk4), {std::sqrt(8.0), 2.9098, 2.9401}},
                      {runge_kutta(Table::dormand_prince, 1e-6), {inf, inf, inf}},
                      {make_central_difference({}), {2.0, 2.0, 2.0}},
                      {paoli(false), {2.0, 2.0, 2.0}},
                      {paoli(true), {inf, inf, inf}},
                      {make_def_exp({}), {2.0, 1.902498, 1.639608}},
                      {make_def_exp({true}), {2.0, 2.0, 2.0}}};
  for (const Row& row : rows)
    for (int i = 0; i < 3; ++i) {
      if (std::isnan(row.at[i])) continue;
      CAPTURE(row.scheme->name());
      CAPTURE(xi[i]);
      const double z = row.scheme->stability_limit(xi[i]);
      CHECK((z == row.at[i] || std::abs(z - row.at[i]) <= 6e-5));
    }
}

TEST_CASE("a step of a damped oscillator grows from the stability limit on and not before") {
  for (const Named& of : family())
    for (double xi : {0.0, 0.05, 0.3, 1.0, 1.5}) {
      const double z = of.scheme->stability_limit(xi);
      if (z == 0.0 || std::isinf(z)) continue;
      CAPTURE(of.name);
      CAPTURE(xi);
      SystemData d;
      d.mass = d.stiffness = one(1.0);
      d.damping = one(2.0 * xi);
      const System body(d);
      const auto largest = [&](double h) {  // modulus of the roots of l^2 - tr l + det
        Eigen::Matrix2d S;
        for (int j = 0; j < 2; ++j) {
          Run run(body, of.scheme, at(1.0 - j), at(j), h);
          run.step();
          S.col(j) << run.state.q[0], run.velocity()[0];
        }
        const std::complex<double> half = 0.5 * S.trace(),
                                   root = std::sqrt(half * half -
                                                    (S(0, 0) * S(1, 1) - S(0, 1) * S(1, 0)));
        return std::max(std::abs(half + root), std::abs(half - root));
      };
      CHECK(largest(0.999 * z) <= 1.0 + 1e-13);
      CHECK(largest(1.001 * z) > 1.0 + 1e-8);
    }
}

TEST_CASE("every scheme converges with its order where forces are curved in q and in v") {
  const MovingBody of = braked();
  for (const Named& scheme : family()) {
    if (scheme.order == 0) continue;
    CAPTURE(scheme.name);
    const bool fifth = scheme.order == 5;  // terms of higher order hide the fifth on this motion
    const int steps = scheme.order == 1 ? 1024 : scheme.order <= 3 ? 256 : fifth ? 16 : 64;
    std::vector<Vector> q, v;
    for (int i = 0; i < 3; ++i) {
      Run run(of.body, scheme.scheme, of.q, of.v, of.T / (steps << i));
      run.steps(steps << i);
      q.push_back(run.state.q);
      v.push_back(run.velocity());
    }
    const double of_q = std::log2((q[0] - q[1]).norm() / (q[1] - q[2]).norm()),
                 of_v = std::log2((v[0] - v[1]).norm() / (v[1] - v[2]).norm());
    CHECK(of_q > scheme.order - 0.15);
    CHECK(of_v > scheme.order - 0.15);
    if (!fifth) CHECK(std::max(of_q, of_v) < scheme.order + 0.15);
  }
}

TEST_CASE("on linear bodies the accounts explain every step to round-off, impulses included") {
  for (const Named& scheme : family())
    for (const MovingBody& of : {forced(), two_masses(true), two_masses(false)}) {
      CAPTURE(scheme.name);
      Run run(of.body, scheme.scheme, of.q, of.v, 0.01);
      const Vector push = 0.3 * Vector::LinSpaced(of.q.size(), 1.0, -0.7);
      double worst = 0.0, numerical = 0.0;
      for (int k = 0; k < 60; ++k) {
        run.step(k % 7 == 3 ? &push : nullptr);
        worst = std::max(worst, std::abs(run.unexplained) / scale_of(run.energy));
        numerical += std::abs(run.scheme_work) / scale_of(run.energy);
      }
      CHECK(worst <= 1e-14);
      if (scheme.name == "variational-symplectic implicit" || scheme.scheme->velocity_at() != 1.0)
        CHECK(numerical == 0.0);
      else if (scheme.name != "dormand-prince in parts")
        CHECK(numerical > 1e-9);
    }
}

TEST_CASE(
    "what the accounts cannot explain of a curved motion falls with the order of the scheme") {
  const MovingBody of = braked();
  for (const Named& scheme : family()) {
    if (scheme.order == 0 || scheme.order > 4) continue;
    CAPTURE(scheme.name);
    const int steps = scheme.order <= 2 ? 200 : 40;
    double sum[2] = {0.0, 0.0};
    for (int i = 0; i < 2; ++i) {
      Run run(of.body, scheme.scheme, of.q, of.v, of.T / (steps << i));
      for (int k = 0; k < steps << i; ++k) {
        run.step();
        sum[i] += run.unexplained;
      }
    }
    CHECK(std::abs(sum[0]) <= 1e-2);
    CHECK(std::log2(std::abs(sum[0] / sum[1])) > scheme.order - 0.2);
  }
}

TEST_CASE("the discrete energy of the two-step schemes is constant for any step below the limit") {
  SystemData d;
  d.mass = Matrix(Eigen::Vector3d(1.0, 2.0, 0.5).asDiagonal());
  d.stiffness.resize(3, 3);
  d.stiffness << 5.0, -2.0, 0.0, -2.0, 4.0, -1.0, 0.0, -1.0, 3.0;
  const System body(d);
  for (const SchemePtr& scheme :
       {SchemePtr(make_central_difference({})), paoli(false), paoli(true)})
    for (double h : {0.01, 0.3, 0.7}) {
      CAPTURE(scheme->name());
      CAPTURE(h);
      Run run(body, scheme, Eigen::Vector3d(0.3, -0.2, 0.5), Eigen::Vector3d(1.0, 0.4, -0.6), h);
      const double E = run.energy.total();
      for (int k = 0; k < 1000; ++k) {
        run.step();
        REQUIRE(std::abs(run.energy.total() - E) <= 1e-13 * E);
      }
    }
}

TEST_CASE("physical velocities and starting data of a scheme are inverse to each other") {
  for (const MovingBody& of : {forced(), two_masses(true), braked()})
    for (const Named& scheme : family()) {
      CAPTURE(scheme.name);
      const double h = 0.02, t = 0.37;
      Run run(of.body, scheme.scheme, of.q, of.v, h, t);
      CHECK(deviation(run.velocity(), of.v) <= 1e-14);
      run.steps(3);
      Run again(of.body, scheme.scheme, run.state.q, run.velocity(), h, run.t());
      CHECK(deviation(again.state.v, run.state.v) <= 1e-14);
    }
}

TEST_CASE(
    "half-step velocities start a half step back, and the first position is of second order") {
  const MovingBody of = forced();
  const double h = 0.05, F = -39.4784176043574344753 - 0.9 * 2.0 + 10.0;
  for (const SchemePtr& scheme : {SchemePtr(make_central_difference({})), paoli(false)}) {
    Run run(of.body, scheme, of.q, of.v, h);
    CHECK(run.state.v[0] == doctest::Approx(2.0 - 0.5 * h * F).epsilon(1e-14));
    run.step();
    CHECK(run.state.q[0] == doctest::Approx(1.0 + h * 2.0 + 0.5 * h * h * F).epsilon(1e-14));
  }
  SystemData free;
  free.mass = one(2.0);
  free.stiffness = one(0.0);
  free.constant = at(-9.81 * 2.0);
  const System ball(free);
  using Start = SchatzmanPaoliOptions::Start;
  for (bool implicit : {false, true}) {
    Run half(ball, paoli(implicit), at(1.0), at(0.3), h),
        full(ball, paoli(implicit, Start::full), at(1.0), at(0.3), h);
    half.step();
    full.step();
    CHECK(half.state.q[0] == doctest::Approx(1.0 + 0.3 * h - 0.5 * 9.81 * h * h).epsilon(1e-15));
    CHECK(full.state.q[0] == doctest::Approx(1.0 + 0.3 * h - 9.81 * h * h).epsilon(1e-15));
  }
}

TEST_CASE(
    "the impulse that brings q1 to -e q_- makes a ball bounce between steps without loss of e") {
  SystemData free;
  free.mass = one(2.0);
  free.stiffness = one(0.0);
  free.constant = at(-9.81 * 2.0);
  const System ball(free);
  const double h = 0.01, e = 0.8;
  for (bool implicit : {false, true}) {
    const SchemePtr scheme = paoli(implicit);
    Run run(ball, scheme, at(0.1), at(-1.0), h);
    int impacts = 0;
    for (int k = 0; k < 40; ++k) {
      const double w = run.state.v[0], before = run.state.q[0] - h * w,
                   free_end = run.state.q[0] + h * (w - 9.81 * h);
      const Vector push = at(2.0 * (-e * before - free_end) / h);
      const bool hit = push[0] > 0.0;
      run.step(hit ? &push : nullptr);
      if (hit) CHECK(run.state.q[0] == doctest::Approx(-e * before).epsilon(1e-12));
      impacts += hit ? 1 : 0;
    }
    CHECK(impacts >= 1);
  }
}

TEST_CASE("the explicit variational scheme is symplectic Euler, its momentum M v1") {
  const MovingBody of = two_masses(true);
  const SchemePtr a = variational(Form::explicit_form), b = make_euler_explicit({});
  Run x(of.body, a, of.q, of.v, 0.01), y(of.body, b, of.q, of.v, 0.01);
  const Vector push = Eigen::Vector2d(0.2, -0.1);
  for (int k = 0; k < 50; ++k) {
    x.step(k == 20 ? &push : nullptr);
    y.step(k == 20 ? &push : nullptr);
    Vector p(2);
    of.body.multiply({1.0, 0.0, 0.0}, 0.0, x.state.q, x.state.v, x.state.v, p);
    CHECK((x.state.memory.at(0) - p).norm() == 0.0);
  }
  CHECK(deviation(x.state.q, y.state.q) <= 1e-13);
  CHECK(deviation(x.state.v, y.state.v) <= 1e-13);
}

TEST_CASE("the form of SOFA forgets impulses in its momentum, ours keeps them") {
  const MovingBody of = two_masses(false);
  const Vector push = Eigen::Vector2d(0.2, -0.1);
  for (Form form : {Form::explicit_form, Form::implicit_form})
    for (Compat compat : {Compat::none, Compat::sofa}) {
      const SchemePtr scheme = variational(form, compat);
      Run pushed(of.body, scheme, of.q, of.v, 1e-6), free(of.body, scheme, of.q, of.v, 1e-6);
      pushed.step(&push);
      free.step();
      const Vector kept = pushed.state.memory.at(0) - free.state.memory.at(0);
      CHECK((kept - (compat == Compat::none ? push : Vector(Vector::Zero(2)))).norm() <= 1e-6);
    }
}

TEST_CASE("an impulse changes v by A^-1 r and q by gain h A^-1 r in every scheme") {
  const MovingBody of = two_masses(true);
  const Vector push = Eigen::Vector2d(0.2, -0.1);
  for (const Named& scheme : family()) {
    CAPTURE(scheme.name);
    const double h = 0.03;
    Run pushed(of.body, scheme.scheme, of.q, of.v, h), free(of.body, scheme.scheme, of.q, of.v, h);
    pushed.step(&push);
    free.step();
    Vector answer = push;
    solve(pushed.trial.A, answer);
    CHECK(deviation(pushed.state.v - free.state.v, answer) <= 1e-13);
    CHECK(pushed.trial.gain == scheme.scheme->gain());
    const Vector dq = pushed.state.q - free.state.q;
    CHECK((dq - scheme.scheme->gain() * h * answer).norm() <= 1e-13 * h * answer.norm());
  }
}

TEST_CASE("dormand-prince meets the tolerance of one long step by dividing it") {
  for (const MovingBody& of : {forced(), two_masses(true), braked()}) {
    const SchemePtr fine = runge_kutta(Table::dormand_prince);
    Run exact(of.body, fine, of.q, of.v, of.T / 4096);
    exact.steps(4096);
    double before = 1.0;
    for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(tolerance);
      const SchemePtr scheme = runge_kutta(Table::dormand_prince, tolerance);
      Run run(of.body, scheme, of.q, of.v, of.T);
      run.step();
      CHECK(run.trial.failure.empty());
      const double off =
          std::max(deviation(run.state.q, exact.state.q), deviation(run.state.v, exact.state.v));
      CHECK(off <= 20.0 * tolerance);  // the motion itself may spread what a part errs
      CHECK(off < before);
      before = off;
    }
  }
}

TEST_CASE("the division of a step does not depend on units and remembers nothing") {
  const SchemePtr scheme = runge_kutta(Table::dormand_prince, 1e-7);
  const auto end = [&](double mass, double time) {  // powers of 2, of which round-off knows nothing
    SystemData d;
    d.mass = one(mass);
    d.stiffness = one(40.0 * mass / (time * time));
    d.damping = one(0.9 * mass / time);
    const System body(d);
    Run run(body, scheme, at(1.0), at(2.0 / time), 0.5 * time);
    run.steps(3);
    return Eigen::Vector2d(run.state.q[0], run.state.v[0] * time);
  };
  const Eigen::Vector2d x = end(1.0, 1.0);
  CHECK((end(1024.0, 1.0) - x).norm() == 0.0);
  CHECK((end(1.0, 0.125) - x).norm() == 0.0);

  const MovingBody of = duffing();
  Run through(of.body, scheme, of.q, of.v, 0.3), first(of.body, scheme, of.q, of.v, 0.3);
  through.steps(2);
  first.step();
  Run second(of.body, scheme, first.state.q, first.state.v, 0.3, first.t());
  second.step();
  CHECK((second.state.q - through.state.q).norm() == 0.0);
  CHECK((second.state.v - through.state.v).norm() == 0.0);
}

TEST_CASE("a tolerance that cannot be met is a failure of the step, not an endless one") {
  const MovingBody of = forced();
  Run hopeless(of.body, runge_kutta(Table::dormand_prince, 1e-18), of.q, of.v, 0.1);
  hopeless.step();
  CHECK_FALSE(hopeless.trial.failure.empty());
  SystemData broken;
  broken.mass = broken.stiffness = one(1.0);
  broken.constant = at(std::numeric_limits<double>::quiet_NaN());
  const System body(broken);
  Run lost(body, runge_kutta(Table::dormand_prince, 1e-6), at(1.0), at(0.0), 0.1);
  lost.step();
  CHECK_FALSE(lost.trial.failure.empty());
}

TEST_CASE("options without a meaning are refused") {
  CHECK_THROWS_AS(runge_kutta(Table::rk4, 1e-6), UsageError);
  CHECK_THROWS_AS(runge_kutta(Table::rk4, {}, Compat::seed), UsageError);
  CHECK_THROWS_AS(variational(Form::explicit_form, Compat::seed), UsageError);
  CHECK_THROWS_AS(make_central_difference({Compat::seed}), UsageError);
}
