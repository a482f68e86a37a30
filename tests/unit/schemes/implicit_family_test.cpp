// The implicit family: euler-implicit, newmark, def-lim, discrete-gradient and the generalised-alpha schemes, driven by
// hand on small systems. Figures called reference data: Saltus reference data, own computation, 40-digit arithmetic.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "saltus/base/error.h"
#include "saltus/schemes/def_lim.h"
#include "saltus/schemes/discrete_gradient.h"
#include "saltus/schemes/euler_implicit.h"
#include "saltus/schemes/generalized_alpha.h"
#include "saltus/schemes/generalized_alpha_decoupled.h"
#include "saltus/schemes/newmark.h"
#include "support/dense.h"

using namespace saltus;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Vector vec(std::initializer_list<double> x) {
  return Eigen::Map<const Vector>(x.begin(), static_cast<Eigen::Index>(x.size()));
}
Matrix one(double x) { return Matrix::Constant(1, 1, x); }

/// M v' = -dV/dq - (D + rM M + rK K(q)) v + amplitude cos(rate t).
struct System final : Dynamics {
  Matrix M, D;
  Rayleigh R;
  Vector amplitude;
  double rate = 0.0;
  bool linear = false;
  std::function<double(const Vector&)> V;
  std::function<Vector(const Vector&)> slope;  ///< dV/dq
  std::function<Matrix(const Vector&)> K;

  explicit System(const Matrix& mass)
      : M(mass), D(Matrix::Zero(mass.rows(), mass.rows())), amplitude(Vector::Zero(mass.rows())) {}
  int positions() const override { return static_cast<int>(M.rows()); }
  int velocities() const override { return positions(); }
  unsigned traits() const override {
    const unsigned common = Trait::tangents | Trait::symmetric | Trait::second_order |
                            Trait::constant_mass | Trait::potential;
    return linear ? common | Trait::affine | Trait::fixed_points : common;
  }
  Rayleigh rayleigh() const override { return R; }
  Matrix combine(Combination s, const Vector& q) const {
    Matrix A = s.m * M + s.c * (D + R.mass * M);
    const double k = s.k + s.c * R.stiffness;
    if (k != 0.0) A += k * K(q);
    return A;
  }
  void force(double t, View q, View v, Out f) const override {
    f = -slope(q) - combine({0.0, 1.0, 0.0}, q) * v + amplitude * std::cos(rate * t);
  }
  void potential_force(double, View q, Out f) const override { f = -slope(q); }
  void multiply(Combination s, double, View q, View, View x, Out y) const override {
    y = combine(s, q) * x;
  }
  void factorise(Combination s, double, View q, View, Factor& A) const override {
    auto dense = std::make_unique<DenseOperator>();
    dense->factorise(combine(s, q));
    A.form = std::move(dense);
  }
  void points(double, View, std::span<const PointRef>, Out) const override {}
  void point_rows(View, View, std::span<const PointRef>, PointRows&) const override {}
  std::span<const Source> sources() const override { return sources_; }
  Energy energy(double, View q, View v) const override { return {0.5 * v.dot(M * v), V(q)}; }
  void power(double t, std::optional<double>, View q, View v, View w,
             std::span<double> by_source) const override {
    by_source[0] = -slope(q).dot(w);
    by_source[1] = -w.dot(combine({0.0, 1.0, 0.0}, q) * v);
    by_source[2] = w.dot(amplitude) * std::cos(rate * t);
  }

 private:
  std::array<Source, 3> sources_{{{"potential", true}, {"damping", false}, {"load", false}}};
};

/// V = q.Kq/2 - weight.q
System linear_system(const Matrix& M, const Matrix& K, const Vector& weight) {
  System s(M);
  s.linear = true;
  s.V = [=](const Vector& q) { return 0.5 * q.dot(K * q) - weight.dot(q); };
  s.slope = [=](const Vector& q) -> Vector { return K * q - weight; };
  s.K = [=](const Vector&) { return K; };
  return s;
}

System two_masses() {
  Matrix M(2, 2), K(2, 2);
  M << 2.0, 0.5, 0.5, 1.0;
  K << 300.0, -100.0, -100.0, 150.0;
  return linear_system(M, K, vec({-3.0, 1.0}));
}

System forced_oscillator() {
  System s =
      linear_system(one(1.0), one(4.0 * std::numbers::pi * std::numbers::pi), Vector::Zero(1));
  s.D = one(0.9);
  s.amplitude = vec({10.0});
  s.rate = 5.0;
  return s;
}

/// A spring of length 1 with a cubic part.
System duffing() {
  System s(one(1.0));
  s.V = [](const Vector& q) { return 0.5 * q[0] * q[0] + 2.5 * std::pow(q[0], 4); };
  s.slope = [](const Vector& q) { return vec({q[0] + 10.0 * q[0] * q[0] * q[0]}); };
  s.K = [](const Vector& q) { return one(1.0 + 30.0 * q[0] * q[0]); };
  return s;
}

/// A unit mass on a spring of length 1 in gravity along -y; the second coordinate counts in units of 1/scale metres.
System spring_pendulum(double stiffness, double scale = 1.0) {
  const Eigen::Vector2d to_metres(1.0, 1.0 / scale);
  const auto place = [=](const Vector& q) { return Eigen::Vector2d(to_metres.cwiseProduct(q)); };
  System s(Matrix(to_metres.cwiseAbs2().asDiagonal()));
  s.V = [=](const Vector& q) {
    const Eigen::Vector2d x = place(q);
    return 0.5 * stiffness * std::pow(x.norm() - 1.0, 2) + 9.81 * x[1];
  };
  s.slope = [=](const Vector& q) -> Vector {
    const Eigen::Vector2d x = place(q);
    const Eigen::Vector2d f = stiffness * (1.0 - 1.0 / x.norm()) * x + Eigen::Vector2d(0.0, 9.81);
    return to_metres.cwiseProduct(f);
  };
  s.K = [=](const Vector& q) -> Matrix {
    const Eigen::Vector2d x = place(q), n = x.normalized();
    const Eigen::Matrix2d along = n * n.transpose(), I = Eigen::Matrix2d::Identity();
    const Eigen::Matrix2d K = stiffness * (along + (1.0 - 1.0 / x.norm()) * (I - along));
    return to_metres.asDiagonal() * K * to_metres.asDiagonal();
  };
  return s;
}

System falling_mass() { return linear_system(one(2.0), one(0.0), vec({-19.62})); }

/// One group, at most one contact  normal . q >= level  with Newton's law, stage by stage as the step driver does.
struct Bench {
  const Dynamics& body;
  const Scheme& scheme;
  double h;
  std::unique_ptr<Prepared> prepared;
  GroupState state, end;
  Trial x;
  Energy energy;
  Vector normal, impulse;
  double level = 0.0, restitution = 0.0;
  double t = 0.0, scale = 0.0, worst = 0.0, unexplained = 0.0, numerical = 0.0, projection = 0.0;
  int passes = 0, impacts = 0;
  bool converged = true;

  Bench(const Dynamics& b, const Scheme& s, const Vector& q, const Vector& v, double step)
      : body(b), scheme(s), h(step), prepared(s.prepare(b, step)), state{q, v, {}} {
    scheme.start(body, prepared.get(), 0.0, h, state);
    end = state;
    x.q = q;
    x.v = x.v_free = v;
    x.r = Vector::Zero(body.velocities());
    x.prepared = prepared.get();
    x.h = h;
    energy = scheme.energy(body, prepared.get(), 0.0, h, state);
    scale = energy.kinetic + std::abs(energy.potential);
  }

  // P of  0 <= b + W P  perp  P >= 0
  double push(Level level_of) {
    Vector response = normal;
    solve(x.A, response);
    double b = normal.dot(x.v_free) + restitution * normal.dot(state.v);
    if (level_of == Level::position)
      b = (normal.dot(x.q) - level) / h + x.gain * normal.dot(x.v_free - x.v);
    return std::max(0.0, -b / normal.dot(response));
  }

  void solve_stage(int index) {
    const Level at = scheme.stages()[static_cast<std::size_t>(index)].level;
    x.stage = index;
    x.pass = 0;
    x.r.setZero();
    scheme.begin(body, x);
    const bool touches =
        normal.size() > 0 && (at == Level::position || normal.dot(x.q) <= level + 1e-12);
    double outstanding = 0.0;
    do {
      ++x.pass;
      scheme.linearise(body, x);
      x.r.setZero();
      if (touches) x.r = push(at) * normal;
      if (at == Level::velocity && impulse.size() > 0) x.r = impulse;
      outstanding = scheme.correct(body, x);
    } while (!scheme.one_pass(body) && outstanding > scheme.pass_limits().tolerance &&
             x.pass < scheme.pass_limits().passes);
    passes = std::max(passes, x.pass);
    converged = converged && x.failure.empty() &&
                (scheme.one_pass(body) || outstanding <= scheme.pass_limits().tolerance);
    if (at == Level::velocity && x.r.norm() > 0.0) ++impacts;
  }

  void step() {
    x.t0 = t;
    x.start = &state;
    for (int s = 0; s < static_cast<int>(scheme.stages().size()); ++s) solve_stage(s);
    scheme.finish(body, x, end);
    std::vector<double> by_source(body.sources().size());
    StepWork work{by_source};
    scheme.work(body, x, end, work);
    Vector w(body.velocities());
    scheme.work_velocity(x, end, w);
    double booked = work.scheme + work.projection + x.r.dot(w);
    for (double p : by_source) booked += p;
    const double missing = work.energy.total() - energy.total() - booked;
    scale = std::max(scale, work.energy.kinetic + std::abs(work.energy.potential));
    worst = std::max(worst, std::abs(missing) / scale);
    unexplained += missing;
    numerical += work.scheme;
    projection += work.projection;
    energy = work.energy;
    t += h;
    std::swap(state, end);
  }
  Bench& run(int steps) {
    for (int k = 0; k < steps; ++k) step();
    return *this;
  }
};

using Made = std::unique_ptr<Scheme>;
struct Euler : EulerImplicitOptions {
  Euler& midpoint() { return trapezoidal = true, *this; }
  Euler& once() { return solver = EquationSolver::linear, *this; }
  Euler& damped(double c) { return vdamping = c, *this; }
  Euler& as(Compat c) { return compat = c, *this; }
  Made make() const { return make_euler_implicit(*this); }
};
struct Newm : NewmarkOptions {
  Newm& with(double b, double g) { return beta = b, gamma = g, *this; }
  Newm& once() { return solver = EquationSolver::linear, *this; }
  Newm& damped(double c) { return vdamping = c, *this; }
  Newm& as(Compat c) { return compat = c, *this; }
  Made make() const { return make_newmark(*this); }
};
Made def_lim(bool iterate = false) {
  DefLimOptions o;
  o.iterate = iterate;
  return make_def_lim(o);
}
Made alpha(double rho, bool decoupled = false) {
  GeneralizedAlphaOptions o;
  o.rho_infinity = rho;
  GeneralizedAlphaDecoupledOptions d;
  d.rho_infinity = rho;
  return decoupled ? make_generalized_alpha_decoupled(d) : make_generalized_alpha(o);
}

/// The linear map of (q, v, memory) in one step of an undamped or damped oscillator of frequency 1.
double spectral_radius(const Scheme& scheme, double z, double xi) {
  System s = linear_system(one(1.0), one(1.0), Vector::Zero(1));
  s.R.mass = 2.0 * xi;
  Bench bench(s, scheme, vec({0.0}), vec({0.0}), z);
  const auto memory = static_cast<Eigen::Index>(bench.state.memory.size());
  Matrix A(2 + memory, 2 + memory);
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    bench.state.q[0] = j == 0;
    bench.state.v[0] = j == 1;
    for (Eigen::Index i = 0; i < memory; ++i)
      bench.state.memory[static_cast<std::size_t>(i)][0] = j == 2 + i;
    bench.step();
    A(0, j) = bench.state.q[0];
    A(1, j) = bench.state.v[0];
    for (Eigen::Index i = 0; i < memory; ++i)
      A(2 + i, j) = bench.state.memory[static_cast<std::size_t>(i)][0];
  }
  return test::spectral_radius(A);
}

}  // namespace

TEST_CASE("euler-implicit and newmark meet the figures of the reference data") {
  struct Figure {
    std::string name;
    Made scheme;
    double q, v;
  };
  const auto sofa = Compat::sofa;
  const double linear = 1e-12, nonlinear = 1e-10;
  SUBCASE("forced oscillator with a dashpot, 52 steps to t = 1.3") {
    const Figure figures[] = {
        {"newton", Euler().make(), 5.9011865713694409e-1, 7.2196135299950887e-3},
        {"midpoint", Euler().midpoint().make(), 7.0573444887395397e-1, -1.149592500840581},
        {"midpoint once", Euler().midpoint().once().make(), 7.0573444887395397e-1,
         -1.149592500840581},
        {"sofa", Euler().as(sofa).make(), 5.5164560403687721e-1, 3.0101896491561413e-1},
        {"sofa midpoint", Euler().midpoint().as(sofa).make(), 5.9282893709473212e-1,
         -2.4899315097328404e-1},
        {"sofa vdamping", Euler().damped(0.3).as(sofa).make(), 5.1080793562481227e-1,
         4.8696624538439853e-1},
        {"seed", Euler().as(Compat::seed).make(), 7.4220836922909266e-1, -8.4125307058046543e-1},
        {"newmark", Newm().make(), 7.044686614110683e-1, -1.1547101587955268},
        {"newmark once", Newm().with(0.3025, 0.6).once().make(), 6.9555107341834199e-1,
         -1.0222624629262584},
        {"newmark sofa", Newm().as(sofa).make(), 5.0091200636199034e-1, 1.768234742384005e-1}};
    const System s = forced_oscillator();
    for (const Figure& f : figures) {
      CAPTURE(f.name);
      Bench b(s, *f.scheme, vec({1.0}), vec({2.0}), 1.3 / 52);
      b.run(52);
      CHECK(std::abs(b.state.q[0] - f.q) <= linear * std::abs(f.q));
      CHECK(std::abs(b.state.v[0] - f.v) <= 10.0 * linear * std::abs(f.v));
    }
  }
  SUBCASE("Duffing spring, 100 steps to t = 2") {
    const Figure figures[] = {
        {"newton", Euler().make(), 5.4159217691067666e-1, 1.8306236254919411},
        {"once", Euler().once().make(), 5.338800712123477e-1, 1.8352626689221049},
        {"midpoint", Euler().midpoint().make(), 8.1261344789901226e-1, 1.7773139006287252},
        {"def-lim iterated", def_lim(true), 8.1261344789901226e-1, 1.7773139006287252},
        {"midpoint once", Euler().midpoint().once().make(), 8.1060481196929039e-1,
         1.7833036955999379},
        {"sofa midpoint", Euler().midpoint().as(sofa).make(), 6.827554133869854e-1,
         1.8471380160896002},
        {"seed", Euler().as(Compat::seed).make(), 7.7185663141882769e-1, 1.836327743059323},
        {"newmark", Newm().make(), 8.144458134913704e-1, 1.7713868811892349},
        {"newmark once", Newm().once().make(), 8.0643991659045292e-1, 1.7948585306992617},
        {"newmark .6 once", Newm().with(0.3025, 0.6).once().make(), 7.7510884461966027e-1,
         1.8189168657994709}};
    const System s = duffing();
    for (const Figure& f : figures) {
      CAPTURE(f.name);
      Bench b(s, *f.scheme, vec({1.0}), vec({0.0}), 0.02);
      b.run(100);
      CHECK(b.converged);
      CHECK(std::abs(b.state.q[0] - f.q) <= nonlinear * f.q);
      CHECK(std::abs(b.state.v[0] - f.v) <= nonlinear * f.v);
    }
  }
}

TEST_CASE("a first-order system moves like its own implicit Euler and midpoint rule") {
  Matrix M(2, 2), K(2, 2);  // reference data: 40 steps to t = 0.5, here x is the velocity
  M << 2.0, 0.5, 0.5, 1.0;
  K << 30.0, -10.0, -10.0, 15.0;
  System s = linear_system(M, Matrix::Zero(2, 2), vec({-3.0, 1.0}));
  s.D = K;
  const Vector x0 = vec({0.1, -0.05}), zero = Vector::Zero(2);
  const Vector euler = Bench(s, *Euler().make(), zero, x0, 0.5 / 40).run(40).state.v;
  const Vector middle = Bench(s, *Euler().midpoint().make(), zero, x0, 0.5 / 40).run(40).state.v;
  CHECK((euler - vec({-9.5125603094773649e-2, 6.8932153688762289e-3})).norm() <= 1e-14);
  CHECK((middle - vec({-9.5605291116965836e-2, 6.2150470726292127e-3})).norm() <= 1e-14);
}

TEST_CASE(
    "the books of a linear system close to round-off in every step, impulses and vdamping too") {
  System s = two_masses();
  s.D << 0.3, 0.1, 0.1, 0.8;
  s.R = {0.3, 0.004};
  s.amplitude = vec({3.0, 2.0});
  s.rate = 7.0;
  struct Case {
    std::string name;
    Made scheme;
    int sign;  ///< of the numerical dissipation, 0: none, 1: it goes either way
  };
  const Case cases[] = {
      {"euler", Euler().make(), -1},
      {"euler damped", Euler().damped(0.7).make(), -1},
      {"midpoint", Euler().midpoint().make(), 0},
      {"midpoint damped", Euler().midpoint().damped(0.7).make(), -1},
      {"sofa midpoint", Euler().midpoint().as(Compat::sofa).damped(0.3).make(), -1},
      {"seed", Euler().as(Compat::seed).make(), 1},
      {"newmark", Newm().make(), 0},
      {"newmark .3 .6", Newm().with(0.3, 0.6).make(), -1},
      {"newmark 0 .5", Newm().with(0.0, 0.5).make(), -1},  // with these impulses
      {"newmark .2 .7 damped", Newm().with(0.2, 0.7).damped(0.9).make(), -1},
      {"newmark once", Newm().with(0.2, 0.7).damped(0.9).once().make(), -1},
      {"def-lim", def_lim(), 0},
      {"discrete-gradient", make_discrete_gradient({}), 0}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Bench b(s, *c.scheme, vec({0.1, -0.05}), vec({0.2, 0.3}), 0.01);
    for (int k = 0; k < 70; ++k) {
      b.impulse = Vector::Zero(2);
      if (k % 7 == 3) b.impulse[k % 2] = 1.3;
      b.step();
    }
    CHECK(b.worst <= 1e-13);
    if (c.sign == 0) CHECK(b.numerical == 0.0);
    if (c.sign < 0) CHECK(b.numerical < 0.0);
  }
}

TEST_CASE(
    "on a nonlinear spring with dashpot and drive the errors fall with the order of the scheme") {
  System s = duffing();
  s.D = one(0.4);
  s.amplitude = vec({2.0});
  s.rate = 3.0;
  struct Case {
    std::string name;
    Made scheme;
    double order;
  };
  const Case cases[] = {{"euler", Euler().make(), 1.0},
                        {"midpoint", Euler().midpoint().make(), 2.0},
                        {"midpoint once", Euler().midpoint().once().make(), 2.0},
                        {"sofa midpoint", Euler().midpoint().as(Compat::sofa).make(), 1.0},
                        {"newmark", Newm().make(), 2.0},
                        {"newmark once", Newm().once().make(), 2.0},
                        {"newmark 1/6", Newm().with(1.0 / 6.0, 0.5).make(), 2.0},
                        {"newmark .6", Newm().with(0.3, 0.6).make(), 1.0},
                        {"def-lim", def_lim(), 2.0},
                        {"def-lim iterated", def_lim(true), 2.0},
                        {"discrete-gradient", make_discrete_gradient({}), 2.0},
                        {"alpha 0", alpha(0.0), 2.0},
                        {"alpha .8", alpha(0.8), 2.0},
                        {"decoupled .8", alpha(0.8, true), 2.0}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Vector q[3], v[3];
    for (int i = 0; i < 3; ++i) {
      const int steps = 800 << i;
      Bench b(s, *c.scheme, vec({0.5}), vec({2.0}), 0.8 / steps);
      b.run(steps);
      CHECK(b.converged);
      q[i] = b.state.q;
      v[i] = b.state.v;
    }
    CHECK(std::abs(std::log2((q[0] - q[1]).norm() / (q[1] - q[2]).norm()) - c.order) < 0.15);
    CHECK(std::abs(std::log2((v[0] - v[1]).norm() / (v[1] - v[2]).norm()) - c.order) < 0.15);
  }
}

TEST_CASE("beyond its limit of stability an oscillation grows, and not before") {
  const double none = std::numeric_limits<double>::infinity();
  struct Case {
    std::string name;
    Made scheme;
    double undamped;
  };
  const Case cases[] = {{"euler", Euler().make(), none},
                        {"seed", Euler().as(Compat::seed).make(), none},
                        {"midpoint", Euler().midpoint().make(), none},
                        {"sofa midpoint", Euler().midpoint().as(Compat::sofa).make(), 2.0},
                        {"newmark", Newm().make(), none},
                        {"newmark 1/6", Newm().with(1.0 / 6.0, 0.5).make(), 2.0 * std::sqrt(3.0)},
                        {"newmark 0", Newm().with(0.0, 0.5).make(), 2.0},
                        {"newmark .2 .7", Newm().with(0.2, 0.7).make(), 1.0 / std::sqrt(0.15)},
                        {"alpha", alpha(0.5), none}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    if (c.undamped == none) CHECK(c.scheme->stability_limit(0.0) == none);
    if (c.undamped != none)
      CHECK(c.scheme->stability_limit(0.0) == doctest::Approx(c.undamped).epsilon(1e-14));
    for (double xi : {0.0, 0.05, 0.2}) {
      CAPTURE(xi);
      const double limit = c.scheme->stability_limit(xi);
      const double below = std::isfinite(limit) ? 0.999 * limit : 1e3;
      CHECK(spectral_radius(*c.scheme, below, xi) <= 1.0 + 1e-9);
      if (std::isfinite(limit)) CHECK(spectral_radius(*c.scheme, 1.001 * limit, xi) > 1.0 + 1e-5);
    }
  }
}

TEST_CASE("generalised-alpha keeps slow modes and leaves rho of the fastest") {
  for (double rho : {0.0, 0.3, 0.8, 1.0}) {
    CAPTURE(rho);
    CHECK(spectral_radius(*alpha(rho), 1e6, 0.0) == doctest::Approx(rho).epsilon(2e-4).scale(1.0));
    CHECK(spectral_radius(*alpha(rho), 0.01, 0.0) >= 1.0 - 1e-6);
    for (double z = 0.01; z < 1e4; z *= 2.0)
      CHECK(spectral_radius(*alpha(rho), z, 0.0) <= 1.0 + 1e-12);
  }
}

TEST_CASE("with vdamping an impulse still changes v1 by A^-1 r and q1 by gain h A^-1 r") {
  const System s = two_masses();
  const Made schemes[] = {Euler().damped(3.0).make(), Euler().midpoint().damped(3.0).make(),
                          Newm().damped(3.0).make(), Newm().once().damped(3.0).make()};
  for (const Made& scheme : schemes) {
    Bench free(s, *scheme, vec({0.1, -0.05}), vec({0.2, 0.3}), 0.05),
        hit = Bench(s, *scheme, vec({0.1, -0.05}), vec({0.2, 0.3}), 0.05);
    hit.impulse = vec({0.7, -0.4});
    free.step();
    hit.step();
    Vector dv = hit.impulse;
    solve(hit.x.A, dv);
    CHECK((hit.state.v - free.state.v - dv).norm() <= 1e-13);
    CHECK((hit.state.q - free.state.q - hit.x.gain * hit.h * dv).norm() <= 1e-14);
    CHECK(hit.x.gain > scheme->gain());
  }
}

TEST_CASE("the discrete gradient keeps the energy of a bouncing nonlinear pendulum to round-off") {
  for (double e : {1.0, 0.7})
    for (double stiffness : {30.0, 1e4}) {
      CAPTURE(e);
      CAPTURE(stiffness);
      const System s = spring_pendulum(stiffness);
      const Made scheme = make_discrete_gradient({});
      Bench b(s, *scheme, vec({1.2, 0.3}), vec({0.5, 1.0}), 0.01);
      b.normal = vec({0.0, 1.0});
      b.level = -0.6;
      b.restitution = e;
      b.run(4000);
      CHECK(b.converged);
      CHECK(b.passes <= 8);
      CHECK(b.impacts >= 10);
      CHECK(b.worst <= 1e-13);
      CHECK(std::abs(b.unexplained) <= 1e-12 * b.scale);
    }
}

TEST_CASE("the discrete gradient does not know in which units its coordinates are counted") {
  const Made scheme = make_discrete_gradient({});
  const System metres = spring_pendulum(100.0), mixed = spring_pendulum(100.0, 1000.0);
  Bench a(metres, *scheme, vec({1.2, 0.3}), vec({0.5, 1.0}), 0.02);
  Bench b(mixed, *scheme, vec({1.2, 300.0}), vec({0.5, 1000.0}), 0.02);
  a.run(200);
  b.run(200);
  CHECK(std::abs(a.state.q[0] - b.state.q[0]) <= 1e-10);
  CHECK(std::abs(a.state.q[1] - b.state.q[1] / 1000.0) <= 1e-10);
}

TEST_CASE("a stiff body at rest, where nothing is above round-off, converges") {
  for (double stiffness : {1e4, 1e6}) {
    const System s = spring_pendulum(stiffness);
    const Made schemes[] = {Euler().make(), Euler().midpoint().make(),  Newm().make(),
                            def_lim(true),  make_discrete_gradient({}), alpha(0.8)};
    for (const Made& scheme : schemes)
      for (double off : {0.0, 1e-9}) {
        CAPTURE(scheme->name());
        CAPTURE(stiffness);
        CAPTURE(off);
        Bench b(s, *scheme, vec({off, -1.0 - 9.81 / stiffness}), vec({0.0, off}), 0.01);
        b.run(1000);
        CHECK(b.converged);
        CHECK(b.state.q.cwiseAbs().maxCoeff() <= 1.0 + 9.81 / stiffness + 1e-8);
      }
  }
}

TEST_CASE(
    "a smooth prediction of decoupled generalised-alpha that does not converge is a failure of the "
    "step") {
  GeneralizedAlphaDecoupledOptions o;
  o.newton_iterations = 1;
  const Made scheme = make_generalized_alpha_decoupled(o);
  const System s = duffing();
  Bench b(s, *scheme, vec({1.0}), vec({2.0}), 0.2);
  b.step();
  CHECK_FALSE(b.converged);
  CHECK_FALSE(b.x.failure.empty());
  const Made patient = alpha(0.8, true);
  Bench enough(s, *patient, vec({1.0}), vec({2.0}), 0.2);
  CHECK(enough.run(100).converged);
}

TEST_CASE("a body on the ground stays where it is under both generalised-alpha schemes") {
  const System s = falling_mass();
  for (bool decoupled : {false, true})
    for (double rho : {0.0, 0.8, 1.0}) {
      CAPTURE(decoupled);
      CAPTURE(rho);
      const Made scheme = alpha(rho, decoupled);
      Bench b(s, *scheme, vec({0.0}), vec({0.0}), 0.01);
      b.normal = vec({1.0});
      b.run(1000);
      CHECK(b.impacts == 1000);
      CHECK(std::abs(b.state.q[0]) <= 1e-12);
      CHECK(std::abs(b.state.v[0]) <= 1e-12);
    }
}

TEST_CASE(
    "decoupled generalised-alpha bounces without penetration and books what it costs to lift") {
  const System s = falling_mass();
  const Made scheme = alpha(0.8, true);
  Bench b(s, *scheme, vec({0.1}), vec({0.0}), 0.004);
  b.normal = vec({1.0});
  b.restitution = 0.8;
  double lowest = 0.1;
  for (int k = 0; k < 500; ++k) {
    b.step();
    lowest = std::min(lowest, b.state.q[0]);
  }
  CHECK(lowest >= -10.0 * kEpsilon);
  CHECK(b.impacts >= 3);
  CHECK(b.projection > 0.0);
  CHECK(b.worst <= 1e-13);  // without elastic forces nothing is left over
}

TEST_CASE("a printed formula that does not exist is refused") {
  CHECK_THROWS_AS(Euler().midpoint().as(Compat::seed).make(), UsageError);
}
