// Newton's passes with the contact inside: one step is made with 1, 2, 3, ... passes allowed, and what each pass still
// changes is measured.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/sim/inspect.h"
#include "support/one_group.h"

using namespace saltus;
using namespace saltus::test;
using Newton = MoreauJeanOptions::Newton;
using Quadrature = MoreauJeanOptions::Quadrature;
using Tangent = MoreauJeanOptions::Tangent;
using Criterion = MoreauJeanOptions::Criterion;

namespace {

NewtonImpact newton_impact(double e) {
  NewtonImpact law;
  law.restitution = e;
  return law;
}

/// Two masses of 1 kg joined by a cubic spring; the first strikes the stop, the second hangs on a soft spring.
//     f = k s + k3 s^3,  s = x2 - x1;     F = (f - c v1, - f - ka x2 - c v2)
struct TwoMasses final : LagrangianModel {
  double m = 1.0, k = 20.0, k3 = 4e4, ka = 5.0, c = 0.5;

  int size() const override { return 2; }
  bool constant_mass() const override { return true; }
  bool symmetric() const override { return true; }
  bool has_tangents() const override { return true; }
  void mass(View, Matrix& M) const override { M = m * Matrix::Identity(2, 2); }
  double potential(View q) const override {
    const double s = q[1] - q[0];
    return 0.5 * k * s * s + 0.25 * k3 * s * s * s * s + 0.5 * ka * q[1] * q[1];
  }
  void potential_force(View q, Out f) const override {
    const double s = q[1] - q[0];
    f[0] = k * s + k3 * s * s * s;
    f[1] = -f[0] - ka * q[1];
  }
  void applied(double, View, View v, Out f) const override { f = -c * v; }
  void inertial(View, View, Out f) const override { f.setZero(); }
  void potential_tangent(View q, Matrix& K) const override {
    const double s = q[1] - q[0], stiff = k + 3.0 * k3 * s * s;
    K << stiff, -stiff, -stiff, stiff + ka;
  }
  void tangents(double, View q, View, Matrix& K, Matrix& C) const override {
    potential_tangent(q, K);
    C = c * Matrix::Identity(2, 2);
  }
  int points() const override { return 1; }
  Vector3 point(int, View q) const override { return {0.0, 0.0, q[0]}; }
  void point_jacobian(int, View, Matrix& J) const override {
    J.setZero();
    J(2, 0) = 1.0;
  }
  Vector force(const Vector& q, const Vector& v) const {
    Vector f(2);
    potential_force(q, f);
    return f - c * v;
  }
};
const Vector kPlace{{0.03, 0.08}}, kSpeed{{-4.0, 1.0}};  // [m], [m/s]

/// Thrown at a stop under the first mass.
ModelParts cubic_spring(const MoreauJeanOptions& o, double h = 0.02) {
  ModelParts parts = one_group(
      {std::make_shared<Lagrangian>(std::make_shared<TwoMasses>()), kPlace, kSpeed}, o, h);
  add_stop(parts, {}, Vector3(0.0, 0.0, 0.02), Vector3::UnitZ(), newton_impact(0.5));
  return parts;
}

/// Two bobs, the lower one thrown at a wall that it would reach midway through the step.
ModelParts double_pendulum(const MoreauJeanOptions& o, double h = 0.02) {
  const MovingBody body{std::make_shared<Lagrangian>(n_pendulum({})), Vector{{0.1, -0.05}},
                        Vector{{-1.0, -6.0}}};
  ModelParts parts = one_group(body, o, h);
  add_stop(parts, {0, 1, Vector3::Zero()},
           Vector3(std::sin(0.1) + std::sin(-0.05) - 3.5 * h, 0.0, 0.0), Vector3::UnitX(),
           newton_impact(0.5));
  return parts;
}

/// A bar of St Venant-Kirchhoff material whose free end is thrown at a stop.
ModelParts stvk(const MoreauJeanOptions& o, double h = 0.01) {
  StvkBarData data;
  const auto body = std::make_shared<Lagrangian>(stvk_bar(data));
  const Eigen::Index n = body->positions();
  Vector v(n);
  for (Eigen::Index i = 0; i < n; ++i)
    v[i] = 8.0 * static_cast<double>(i + 1) / static_cast<double>(n);
  ModelParts parts = one_group({body, Vector::Zero(n), v}, o, h);
  add_stop(parts, {0, static_cast<int>(n) - 1, Vector3::Zero()}, Vector3(1.0 + 2.4 * h, 0.0, 0.0),
           -Vector3::UnitX(), newton_impact(0.0));
  return parts;
}

/// Change of velocity by each pass of the first step, relative, until it reaches round-off.
std::vector<double> changes(ModelParts parts) {
  std::vector<double> change;
  for (int passes = 1; passes <= 15; ++passes) {
    parts.options.pass_limit = passes;
    parts.options.pass_tolerance = 1e-300;
    parts.options.on_failure = OnFailure::accept;
    Simulation sim{Model(parts)};
    const StepReport report = sim.advance();
    CHECK(sim.state().contacts.size() == 1);
    CHECK(report.passes <= passes);
    if (report.outstanding < 1e-13) break;
    change.push_back(report.outstanding);
  }
  return change;
}

/// p of e_{k+1} = c e_k^p from the last three of the changes.
double exponent(const std::vector<double>& e) {
  const std::size_t n = e.size();
  return std::log(e[n - 1] / e[n - 2]) / std::log(e[n - 2] / e[n - 3]);
}

std::string text(const std::vector<double>& e) {
  std::string line;
  for (double x : e) line += fmt::format(" {:.1e}", x);
  return line;
}

MoreauJeanOptions with(Quadrature quadrature, double theta = 0.5) {
  MoreauJeanOptions o;
  o.quadrature = quadrature;
  o.theta = theta;
  return o;
}

}  // namespace

TEST_CASE("passes through an impact converge with the square of the error where M is constant") {
  for (Quadrature quadrature : {Quadrature::ends, Quadrature::mid})
    for (double theta : {0.5, 1.0})
      for (bool bar : {false, true}) {
        CAPTURE(theta);
        CAPTURE(bar);
        const MoreauJeanOptions o = with(quadrature, theta);
        const std::vector<double> e = changes(bar ? stvk(o) : cubic_spring(o));
        const std::string line = text(e);
        CAPTURE(line);
        REQUIRE(e.size() >= 3);
        CHECK(exponent(e) > 1.8);
        CHECK(exponent(e) < 2.2);
        MESSAGE(fmt::format("{} theta {}: changes{}, exponent {:.2f}",
                            bar ? "St Venant-Kirchhoff bar" : "cubic spring", theta, line,
                            exponent(e)));
      }
}

// A leaves out dM/dq (v1 - v0): each pass divides the error by a number proportional to 1/h.
TEST_CASE("passes of a double pendulum at a wall gain a factor that doubles when h is halved") {
  std::vector<double> rate;
  for (double h : {0.02, 0.01, 0.005}) {
    const std::vector<double> e = changes(double_pendulum(with(Quadrature::ends), h));
    const std::string line = text(e);
    CAPTURE(line);
    REQUIRE(e.size() >= 3);
    rate.push_back(e[e.size() - 1] / e[e.size() - 2]);
    MESSAGE(fmt::format("h = {} s: changes{}", h, line));
  }
  CHECK(rate[0] < 0.03);
  for (std::size_t i = 1; i < rate.size(); ++i) {
    CHECK(rate[i - 1] / rate[i] > 1.7);
    CHECK(rate[i - 1] / rate[i] < 2.3);
  }
}

TEST_CASE("with the slope of M in the tangent they converge with the square of the error") {
  for (double h : {0.02, 0.01, 0.005})
    for (double theta : {0.5, 1.0}) {
      MoreauJeanOptions o = with(Quadrature::mid, theta);
      o.tangent = Tangent::exact;
      o.operators =
          MoreauJeanOptions::Operators::frozen;  // rows at one place: theirs is another slope
      const std::vector<double> e = changes(double_pendulum(o, h));
      const std::string line = text(e);
      CAPTURE(line);
      REQUIRE(e.size() >= 3);
      CHECK(exponent(e) > 1.8);
      CHECK(exponent(e) < 2.2);
      MESSAGE(fmt::format("h = {} s, theta {}: changes{}, exponent {:.2f}", h, theta, line,
                          exponent(e)));
    }
}

TEST_CASE("with a frozen tangent the same end of the step is reached in more passes") {
  for (bool bar : {false, true}) {
    MoreauJeanOptions o = with(Quadrature::ends);
    const auto made = [&] { return bar ? stvk(o, 0.01) : cubic_spring(o, 0.01); };
    Simulation refreshed{Model(made())};
    const StepReport fast = refreshed.advance();
    o.tangent = Tangent::frozen;
    o.newton_iterations = 100;
    Simulation frozen{Model(made())};
    const StepReport slow = frozen.advance();
    REQUIRE(fast.converged);
    REQUIRE(slow.converged);
    CHECK(slow.passes > fast.passes);
    const Vector &a = refreshed.state().groups[0].v, &b = frozen.state().groups[0].v;
    CHECK((a - b).norm() <= 1e-9 * a.norm());
    MESSAGE(fmt::format("{} passes refreshed, {} frozen", fast.passes, slow.passes));
  }
}

// Whatever the criterion, what it limits is measured here by hand on the finished step.
TEST_CASE("the tolerance asked for is met by the equation of the step") {
  const TwoMasses body;
  const double h = 0.02;
  for (Criterion criterion :
       {Criterion::velocity_change, Criterion::residual, Criterion::relative_increment}) {
    int fewest = 100;
    for (double tolerance : {1e-10, 1e-6, 1e-2}) {
      MoreauJeanOptions o = with(Quadrature::ends);
      o.criterion = criterion;
      o.newton_tolerance = tolerance;
      Simulation sim{Model(cubic_spring(o, h))};
      const StepReport report = sim.advance();
      CHECK(report.converged);
      CHECK(report.outstanding <= tolerance);
      CHECK(report.passes <= fewest);
      fewest = report.passes;
      REQUIRE(report.contacts == 1);
      const Vector &q1 = sim.state().groups[0].q, &v1 = sim.state().groups[0].v;
      const Vector r = report.impulse * Vector::Unit(2, 0);
      const Vector F = 0.5 * (body.force(kPlace, kSpeed) + body.force(q1, v1));
      const Vector rest = body.m * (v1 - kSpeed) - h * F - r;
      const double scale = std::max({body.m * kSpeed.norm(), h * F.norm(), r.norm()});
      if (criterion == Criterion::residual)
        CHECK(rest.norm() == doctest::Approx(report.outstanding * scale).epsilon(0.01));
      CHECK(rest.norm() <= tolerance * scale);
      CHECK(std::abs(v1[0] + 0.5 * kSpeed[0]) <= 1e-12);
    }
    CHECK(fewest < 5);
  }
}

TEST_CASE("a step that runs out of passes says so and is kept only under accept") {
  for (OnFailure policy : {OnFailure::stop, OnFailure::accept}) {
    MoreauJeanOptions o = with(Quadrature::ends);
    o.newton_iterations = 1;
    ModelParts parts = cubic_spring(o);
    parts.options.on_failure = policy;
    Simulation sim{Model(parts)};
    const StepReport report = sim.advance();
    CHECK_FALSE(report.converged);
    CHECK(report.finite);
    CHECK(report.passes == 1);
    CHECK(report.outstanding > o.newton_tolerance);
    CHECK(report.group == 0);
    CHECK(sim.state().step == (policy == OnFailure::accept ? 1 : 0));
    CHECK((sim.state().groups[0].q == kPlace) == (policy == OnFailure::stop));
  }
}

// The spring is stiffer than its tangent: the predicted end of the first mass is below the converged one. The stop stands
// between the two.
TEST_CASE("contacts found again in every pass let go of a stop that only the prediction reached") {
  const double h = 0.02;
  MoreauJeanOptions o = with(Quadrature::ends);
  ModelParts without = cubic_spring(o, h);
  without.pairs.clear();
  Simulation free{Model(without)};
  const Inspection step(free);
  const double predicted = step.position(0, step.free_velocity(0))[0];
  REQUIRE(free.advance().converged);
  const Vector q = free.state().groups[0].q, v = free.state().groups[0].v;
  REQUIRE(predicted < q[0] - 1e-4);
  for (Newton newton : {Newton::full, Newton::full_with_detection}) {
    o.newton = newton;
    ModelParts parts = cubic_spring(o, h);
    parts.pairs[0].b.ref.local.z() = 0.5 * (predicted + q[0]);
    Simulation sim{Model(parts)};
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    if (newton == Newton::full) {
      CHECK(report.contacts == 1);
      CHECK(sim.state().groups[0].v[0] == doctest::Approx(-0.5 * kSpeed[0]).epsilon(1e-12));
    } else {
      CHECK(report.contacts == 0);
      CHECK((sim.state().groups[0].v - v).norm() <= 1e-9 * v.norm());
    }
  }
}

TEST_CASE(
    "one pass is one linear solve about the start, refreshed it is one about the prediction") {
  const double h = 0.02, m = 1.0, k = 20.0, k3 = 4e4, c = 0.5, q0 = 0.03, v0 = 4.0;
  const auto F = [&](double q, double v) { return -k * q - k3 * q * q * q - c * v; };
  const auto q1 = [&](double v) { return q0 + 0.5 * h * (v0 + v); };
  const auto solved = [&](double v) {  // Newton's step from v
    const double A = m + 0.5 * h * c + 0.25 * h * h * (k + 3.0 * k3 * q1(v) * q1(v));
    return v - (m * (v - v0) - 0.5 * h * (F(q0, v0) + F(q1(v), v))) / A;
  };
  const double once = solved(v0), twice = solved(once);
  for (Newton newton : {Newton::one_pass, Newton::one_pass_refreshed}) {
    MoreauJeanOptions o = with(Quadrature::ends);
    o.newton = newton;
    const MovingBody body{std::make_shared<Lagrangian>(duffing({m, k, k3, c})),
                          Vector::Constant(1, q0), Vector::Constant(1, v0)};
    Simulation sim{Model(one_group(body, o, h))};
    const StepReport report = sim.advance();
    CHECK(report.converged);
    CHECK(report.passes == 1);
    const double expected = newton == Newton::one_pass ? once : twice;
    CHECK(sim.state().groups[0].v[0] == doctest::Approx(expected).epsilon(1e-14));
    CHECK(sim.state().groups[0].q[0] == doctest::Approx(q1(expected)).epsilon(1e-14));
  }
  CHECK(std::abs(once - twice) > 1e-4);
}

TEST_CASE(
    "a mass matrix taken at the start or the end of the step costs an order, in between it keeps "
    "two") {
  using MassAt = MoreauJeanOptions::MassAt;
  const auto end = [](MoreauJeanOptions o, int steps) {
    o.newton_tolerance = 1e-12;
    const MovingBody body{std::make_shared<Lagrangian>(n_pendulum({})), Vector{{0.9, -0.4}},
                          Vector{{1.0, -2.0}}};
    Simulation sim{Model(one_group(body, o, 0.4 / steps))};
    for (int k = 0; k < steps; ++k) REQUIRE(sim.advance().converged);
    return sim.state().groups[0].q;
  };
  for (Quadrature quadrature : {Quadrature::ends, Quadrature::mid}) {
    const Vector exact = end(with(quadrature), 12800);
    for (MassAt at : {MassAt::theta, MassAt::iterate, MassAt::start}) {
      MoreauJeanOptions o = with(quadrature);
      o.mass_at = at;
      const double order = std::log2((end(o, 200) - exact).norm() / (end(o, 400) - exact).norm());
      MESSAGE(fmt::format("mass at {}: order {:.2f}", name_of(at), order));
      CHECK(std::abs(order - (at == MassAt::theta ? 2.0 : 1.0)) < 0.15);
    }
  }
}

TEST_CASE(
    "passes that do not get there say whether they ran out or stagnate, and leave the state") {
  MoreauJeanOptions o = with(Quadrature::mid);
  o.newton_iterations = 2;
  ModelParts parts = double_pendulum(o, 0.02);
  Simulation few{Model(parts)};
  const Vector q0 = few.state().groups[0].q;
  const StepReport out = few.advance();
  CHECK(!out.converged);
  CHECK(out.finite);
  CHECK(out.passes == 2);
  CHECK(out.outstanding > 1e-10);
  CHECK(out.failure.find("reached their limit") != out.failure.npos);
  CHECK(few.state().groups[0].q == q0);
  CHECK(few.state().step == 0);
  // a step of seconds: the passes wander about
  o.newton_iterations = 40;
  bool stagnates = false;
  for (double h : {1.0, 1.5, 2.5, 3.0, 4.0}) {
    Simulation wild{Model(double_pendulum(o, h))};
    for (int k = 0; k < 5; ++k) {
      const StepReport report = wild.advance();
      if (report.converged) continue;
      CHECK(report.outstanding > 1e-10);
      stagnates = stagnates || report.failure.find("stagnate") != report.failure.npos;
      break;
    }
  }
  CHECK(stagnates);
}
