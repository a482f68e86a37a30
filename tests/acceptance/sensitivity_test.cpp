// Derivatives of runs of event-driven integration against closed forms and against differences of exact solutions, and the reasons for
// which there is none.
#include "saltus/sensitivity/sensitivity.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "saltus/base/error.h"
#include "saltus/bodies/lagrangian.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/mechanisms.h"
#include "saltus/event_driven/event_integrator.h"
#include "support/contacts.h"
#include "support/rigid_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kPi = std::numbers::pi;
using Real = long double;

Model in_event_mode(ModelParts parts, double end, double tolerance = 1e-11) {
  parts.options.mode = TimeMode::events;
  parts.options.end = end;
  parts.options.h = end;
  parts.options.events.tolerance = tolerance;
  parts.options.events.hand_over = false;
  return Model(std::move(parts));
}

/// The run of a model to its end, and its derivatives.
Sensitivity run(const Model& model, const std::vector<SensitivityParameter>& parameters,
                EventTrace* kept = nullptr) {
  EventTrace trace;
  EventIntegrator event_state(model);
  event_state.trace(&trace);
  State state = initial_state(model);
  StepReport report;
  std::vector<Event> events;
  const double end = model.options().end;
  REQUIRE(event_state.advance(state, end, report, events) == EventIntegrator::End::reached);
  if (kept) *kept = trace;
  const Sensitivity s = sensitivities(model, trace, end, parameters);
  const Sensitivity again = sensitivities(model, parameters);
  CHECK(again.validity == s.validity);
  CHECK(again.reason == s.reason);
  CHECK(again.state == s.state);  // bit for bit
  return s;
}

/// Largest relative difference seen, shown at the end of a case.
struct Worst {
  double value = 0.0;
  void check(double got, double exact, const char* what, double bound = 1e-6) {
    CAPTURE(what);
    CAPTURE(got);
    CAPTURE(exact);
    const double error = std::abs(got - exact) / std::max(std::abs(exact), 1e-3);
    CHECK(error <= bound);
    value = std::max(value, error);
  }
  ~Worst() { MESSAGE(fmt::format("largest relative error {:.1e}", value)); }
};

/// A mass that falls on a floor at z = 0.
struct Ball {
  double height = 1.0, speed = 0.0, gravity = 9.81, restitution = 0.5;
  double mass = 2.0;

  Model model(double end, int balls = 1) const {
    LinearSystem system;
    system.mass = SparseMatrix::from(mass * Matrix::Identity(balls, balls));
    system.stiffness = SparseMatrix(balls, {});
    system.load = Vector::Constant(balls, -mass * gravity);
    for (int i = 0; i < balls; ++i) system.points.push_back({Vector3(i, 0.0, 0.0)});
    ModelParts parts = one_group({std::make_shared<Linear>(system), Vector::Constant(balls, height),
                                  Vector::Constant(balls, speed)},
                                 MoreauJeanOptions{}, end);
    for (int i = 0; i < balls; ++i)
      add_stop(parts, {0, i, Vector3::Zero()}, {static_cast<double>(i), 0.0, 0.0}, Vector3::UnitZ(),
               newton_law(restitution));
    return in_event_mode(std::move(parts), end);
  }
  /// (z, z') at t, bounce by bounce.
  std::array<Real, 2> exact(Real t) const {
    Real z = height, v = speed;
    const Real g = gravity, e = restitution;
    for (;;) {
      const Real hit = (v + std::sqrt(v * v + 2 * g * z)) / g;
      if (hit >= t) return {z + v * t - g * t * t / 2, v - g * t};
      v = -e * (v - g * hit);
      z = 0;
      t -= hit;
    }
  }
};

/// Of order 4, of an exact solution.
template <class F>
std::array<double, 2> difference(const F& f, Real x) {
  const Real d = 1e-4L;
  std::array<double, 2> result{};
  const auto p = f(x + d), m = f(x - d), pp = f(x + 2 * d), mm = f(x - 2 * d);
  for (std::size_t i = 0; i < 2; ++i)
    result[i] = static_cast<double>((8 * (p[i] - m[i]) - (pp[i] - mm[i])) / (12 * d));
  return result;
}

}  // namespace

TEST_CASE(
    "the place of a ball after one bounce changes with its start as the exact solution does, not "
    "as time steps say") {
  const Ball ball;
  const double T = 0.7, H = ball.height, g = ball.gravity, e = ball.restitution;
  const double t1 = std::sqrt(2.0 * H / g), v1 = g * t1, left = T - t1;
  const Model model = ball.model(T);
  const auto with = [&](double Ball::*member) {
    return [&ball, member, T](double x) {
      Ball other = ball;
      other.*member = x;
      return other.model(T);
    };
  };
  const Sensitivity s =
      run(model, {start_parameter(model, 0, 0, false), start_parameter(model, 0, 0, true),
                  model_parameter("restitution", with(&Ball::restitution), e),
                  model_parameter("gravity", with(&Ball::gravity), g),
                  model_parameter("height", with(&Ball::height), H)});
  REQUIRE(s.validity == Sensitivity::Validity::saltation);
  Worst worst;
  const double dH = (1.0 + e) * (T / t1 - 1.0) - e;
  MESSAGE(fmt::format("d(height at the end)/d(height at the start) = {:.6f}", dH));
  CHECK(std::abs(dH - 0.3255) < 5e-5);  // a derivative of the time stepping says 1
  worst.check(s.state(0, 0), dH, "dz/dH");
  worst.check(s.state(1, 0), (1.0 + e) / t1, "dv/dH");
  const double dt1 = t1 / v1;
  worst.check(s.state(0, 1), (g * left - e * v1) * dt1, "dz/dv0");
  worst.check(s.state(1, 1), g * dt1, "dv/dv0");
  worst.check(s.state(0, 2), v1 * left, "dz/de");
  worst.check(s.state(1, 2), v1, "dv/de");
  const double dt = -t1 / (2.0 * g), dv = v1 / (2.0 * g);
  worst.check(s.state(0, 3), e * dv * left - e * v1 * dt - left * left / 2.0 + g * left * dt,
              "dz/dg");
  worst.check(s.state(1, 3), e * dv - left + g * dt, "dv/dg");
  // The same number through the start of other models.
  worst.check(s.state(0, 4), dH, "dz/dH of models");
  REQUIRE(s.events.size() == 1);
  worst.check(s.events[0].t, t1, "time of the impact");
  worst.check(s.events[0].dt[0], 1.0 / v1, "dt/dH");
  worst.check(s.events[0].dt[1], dt1, "dt/dv0");
  CHECK(std::abs(s.events[0].dt[2]) < 1e-12);
  worst.check(s.events[0].dt[3], dt, "dt/dg");
}

TEST_CASE("derivatives go through many bounces, and through the tolerance of the run") {
  Ball ball;
  ball.restitution = 0.8;
  ball.speed = 0.3;
  const double T = 2.6;  // behind the fourth
  const Model model = ball.model(T);
  const Sensitivity s =
      run(model, {start_parameter(model, 0, 0, false), start_parameter(model, 0, 0, true),
                  model_parameter(
                      "restitution",
                      [&](double x) {
                        Ball other = ball;
                        other.restitution = x;
                        return other.model(T);
                      },
                      ball.restitution)});
  REQUIRE(s.validity == Sensitivity::Validity::saltation);
  CHECK(s.events.size() == 4);
  Worst worst;
  int column = 0;
  for (double Ball::*member : {&Ball::height, &Ball::speed, &Ball::restitution}) {
    const auto exact = difference(
        [&](Real x) {
          Ball other = ball;
          other.*member = static_cast<double>(x);
          return other.exact(T);
        },
        static_cast<Real>(ball.*member));
    worst.check(s.state(0, column), exact[0], "dz");
    worst.check(s.state(1, column), exact[1], "dv");
    ++column;
  }
}

namespace {

/// x'' + 2 zeta x' + k x = F cos(w t + phase), stop x <= sigma: B02 with its numbers (tests/golden/benchmarks).
struct Oscillator {
  Real zeta = 0.05L, k = 1, F = 1, w = 1.9L, phase = 0.3L, sigma = 0.2L, e = 0.7L, x0 = -0.5L,
       v0 = 0.4L;

  /// Free motion from (x, v) at t over s, exact.
  std::array<Real, 2> free(Real t, Real x, Real v, Real s) const {
    const Real D = (k - w * w) * (k - w * w) + 4 * zeta * zeta * w * w;
    const Real a = F * (k - w * w) / D, b = F * 2 * zeta * w / D;  // a cos + b sin
    const auto p = [&](Real at) {
      return a * std::cos(w * at + phase) + b * std::sin(w * at + phase);
    };
    const auto dp = [&](Real at) {
      return w * (b * std::cos(w * at + phase) - a * std::sin(w * at + phase));
    };
    const Real wd = std::sqrt(k - zeta * zeta), A = x - p(t), B = (v - dp(t) + zeta * A) / wd;
    const Real E = std::exp(-zeta * s), c = std::cos(wd * s), n = std::sin(wd * s);
    const Real y = E * (A * c + B * n);
    return {y + p(t + s), -zeta * y + E * wd * (B * c - A * n) + dp(t + s)};
  }
  /// (x, x') at T; impacts by bisection of the closed form, then Newton's method.
  std::array<Real, 2> exact(Real T, int* impacts = nullptr) const {
    Real t = 0, x = x0, v = v0;
    const Real step = 1e-3L;
    for (;;) {
      Real s = x >= sigma ? step : 0;
      while (t + s < T && free(t, x, v, s)[0] < sigma) s += step;
      if (t + s >= T) {
        const auto end = free(t, x, v, T - t);
        if (end[0] < sigma) return end;
        s = T - t;
      }
      for (int i = 0; i < 50; ++i) {
        const auto at = free(t, x, v, s);
        s -= (at[0] - sigma) / at[1];
      }
      const auto at = free(t, x, v, s);
      t += s;
      x = sigma;
      v = -e * at[1];
      if (impacts) ++*impacts;
    }
  }
  Model model(double end) const {
    LinearSystem system;
    const auto one = [](Real x) {
      return SparseMatrix::from(Matrix::Constant(1, 1, static_cast<double>(x)));
    };
    system.mass = one(1);
    system.damping = one(2 * zeta);
    system.stiffness = one(k);
    system.loads.push_back({{{0, 1.0}},
                            Signal::harmonic(static_cast<double>(F), static_cast<double>(w),
                                             static_cast<double>(phase))});
    ModelParts parts =
        one_group({std::make_shared<Linear>(system), Vector{{static_cast<double>(x0)}},
                   Vector{{static_cast<double>(v0)}}},
                  MoreauJeanOptions{}, end);
    add_stop(parts, {0, 0, Vector3::Zero()}, {0.0, 0.0, static_cast<double>(sigma)},
             -Vector3::UnitZ(), newton_law(static_cast<double>(e)));
    return in_event_mode(std::move(parts), end);
  }
};

}  // namespace

TEST_CASE("derivatives of the forced impact oscillator of B02 are those of its exact solution") {
  const Oscillator oscillator;
  const double T = 25.0;
  const Model model = oscillator.model(T);
  struct Row {
    const char* name;
    Real Oscillator::*member;
  };
  const Row rows[] = {{"x0", &Oscillator::x0},       {"v0", &Oscillator::v0},
                      {"e", &Oscillator::e},         {"k", &Oscillator::k},
                      {"zeta", &Oscillator::zeta},   {"F", &Oscillator::F},
                      {"phase", &Oscillator::phase}, {"sigma", &Oscillator::sigma}};
  std::vector<SensitivityParameter> parameters;
  for (const Row& row : rows)
    parameters.push_back(model_parameter(
        row.name,
        [&](double x) {
          Oscillator other = oscillator;
          other.*row.member = x;
          return other.model(T);
        },
        static_cast<double>(oscillator.*row.member)));
  // the first two as directions of the start, too
  parameters.push_back(start_parameter(model, 0, 0, false));
  parameters.push_back(start_parameter(model, 0, 0, true));
  const Sensitivity s = run(model, parameters);
  CAPTURE(s.reason);
  REQUIRE(s.validity == Sensitivity::Validity::saltation);
  int impacts = 0;
  oscillator.exact(T, &impacts);
  MESSAGE(fmt::format("{} impacts", impacts));
  CHECK(std::ssize(s.events) == impacts);
  CHECK(impacts >= 5);
  Worst worst;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Row& row = rows[i < 8 ? i : i - 8];
    const auto exact = difference(
        [&](Real x) {
          Oscillator other = oscillator;
          other.*row.member = x;
          return other.exact(T);
        },
        oscillator.*row.member);
    worst.check(s.state(0, static_cast<Eigen::Index>(i)), exact[0], row.name);
    worst.check(s.state(1, static_cast<Eigen::Index>(i)), exact[1], row.name);
  }
}

TEST_CASE(
    "a disc that strikes a disc: where both go, by the offset of the stroke, in closed form") {
  const double r = 0.1, V = 1.0, X0 = 0.5, b = r, T = 1.2;
  for (const bool fixed : {false, true}) {
    CAPTURE(fixed);
    RigidScene scene;
    scene.gravity.setZero();
    scene.margin = 1.0;  // in sight from the start
    RigidThing moving{Sphere{r}}, resting{Sphere{r}};
    moving.v = V * Vector3::UnitX();
    moving.x = Vector3(-X0, -b, 0.0);
    scene.add(moving);
    if (fixed)
      scene.fix(Sphere{r});
    else
      scene.add(resting);
    Model stepping = scene.model(rig_mid(), T, newton_law(1.0));
    ModelParts parts;
    parts.groups.assign(stepping.groups().begin(), stepping.groups().end());
    parts.initial.assign(stepping.initial().begin(), stepping.initial().end());
    parts.laws = stepping.parts().laws;
    parts.surfaces = stepping.surfaces();
    parts.solver = find_solver("auto")->make();
    const Model model = in_event_mode(std::move(parts), T);
    const Sensitivity s = run(model, {start_parameter(model, 0, 1, false)});
    CAPTURE(s.reason);
    REQUIRE(s.validity == Sensitivity::Validity::saltation);
    const double sine = b / (2.0 * r), cosine = std::sqrt(1.0 - sine * sine);
    // y = -b: the angle of the line of centres falls when y rises
    const double da = -1.0 / (2.0 * r * cosine);
    const double share = fixed ? 2.0 : 1.0;  // v1 = V (1, 0) - share V cos (cos, sin)
    const double t1 = (X0 - 2.0 * r * cosine) / V, dt1 = 2.0 * r * sine * da / V;
    const double vx = V * (1.0 - share * cosine * cosine), vy = -share * V * cosine * sine;
    const double dvx = share * V * 2.0 * cosine * sine * da,
                 dvy = -share * V * (cosine * cosine - sine * sine) * da;
    Worst worst;
    const Eigen::Index n = s.state.rows() / 2;
    worst.check(s.events.at(0).dt[0], dt1, "dt");
    worst.check(s.state(n + 0, 0), dvx, "dvx");
    worst.check(s.state(n + 1, 0), dvy, "dvy");
    worst.check(s.state(0, 0), 2.0 * r * sine * da + dvx * (T - t1) - vx * dt1, "dx");
    worst.check(s.state(1, 0), 1.0 + dvy * (T - t1) - vy * dt1, "dy");
    if (fixed) continue;
    worst.check(s.state(n + 6, 0), -dvx, "dvx of the other");
    worst.check(s.state(n + 7, 0), -dvy, "dvy of the other");
    worst.check(s.state(6, 0), -dvx * (T - t1) - V * cosine * cosine * dt1, "dx of the other");
  }
}

TEST_CASE("a smooth run has smooth derivatives: a pendulum at large angles") {
  const double T = 2.0, angle = 2.5;
  const auto build = [&](double length) {
    PendulumData data;
    data.length = length;
    return in_event_mode(
        one_group({std::make_shared<Lagrangian>(pendulum(data)), Vector{{angle}}, Vector{{0.3}}},
                  MoreauJeanOptions{}, T),
        T);
  };
  const Model model = build(1.0);
  const Sensitivity s =
      run(model, {start_parameter(model, 0, 0, false), start_parameter(model, 0, 0, true),
                  model_parameter("length", build, 1.0)});
  REQUIRE(s.validity == Sensitivity::Validity::smooth);
  CHECK(s.events.empty());
  // Runge and Kutta's method in long double; its error is below 1e-14.
  const auto exact = [&](Real q, Real v, Real length) {
    const Real h = 2e-4L, k = 9.81L / length;
    for (int i = 0; i < 10'000; ++i) {
      const auto f = [k](Real x) { return -k * std::sin(x); };
      const Real v1 = v, a1 = f(q), v2 = v + h / 2 * a1, a2 = f(q + h / 2 * v1),
                 v3 = v + h / 2 * a2, a3 = f(q + h / 2 * v2), v4 = v + h * a3, a4 = f(q + h * v3);
      q += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
      v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return std::array<Real, 2>{q, v};
  };
  Worst worst;
  const std::array<std::array<double, 2>, 3> expected{
      difference([&](Real x) { return exact(x, 0.3L, 1); }, angle),
      difference([&](Real x) { return exact(angle, x, 1); }, 0.3L),
      difference([&](Real x) { return exact(angle, 0.3L, x); }, 1)};
  for (Eigen::Index j = 0; j < 3; ++j)
    for (Eigen::Index i = 0; i < 2; ++i)
      worst.check(s.state(i, j), expected[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)],
                  "pendulum");
}

TEST_CASE(
    "a body that turns freely keeps its angular momentum, and so does every derivative of it") {
  RigidSystem system;
  RigidBody body;
  body.mass = 1.0;
  body.inertia = Vector3(1.0, 2.0, 2.7).asDiagonal();
  system.bodies = {body};
  const Vector3 spin(0.2, 3.0, 0.1);  // near the unstable axis: it tumbles
  GroupState start;
  start.q = Vector{{0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}};
  start.v = Vector::Zero(6);
  start.v.tail<3>() = spin;
  const double T = 6.0;
  const Model model = in_event_mode(
      one_group({std::make_shared<Rigid>(system), start.q, start.v}, RigMidOptions{}, T), T);
  std::vector<SensitivityParameter> parameters;
  for (int i = 3; i < 6; ++i) parameters.push_back(start_parameter(model, 0, i, false));
  for (int i = 3; i < 6; ++i) parameters.push_back(start_parameter(model, 0, i, true));
  EventTrace trace;
  const Sensitivity s = run(model, parameters, &trace);
  REQUIRE(s.validity == Sensitivity::Validity::smooth);
  EventIntegrator event_state(model);
  State state = initial_state(model);
  StepReport report;
  std::vector<Event> events;
  event_state.advance(state, T, report, events);
  const Matrix3 R = RigidAt(0).R(state.groups[0].q), J = body.inertia;
  const Vector3 Omega = RigidAt(0).spin(state.groups[0].v);
  CHECK((R * J * Omega - J * spin).norm() < 1e-8);
  double most = 0.0;
  for (Eigen::Index j = 0; j < 6; ++j) {
    const Vector3 turn = s.state.col(j).segment<3>(3), rate = s.state.col(j).segment<3>(9);
    const Vector3 at_end = R * (turn.cross(J * Omega) + J * rate);
    Vector3 at_start = Vector3::Zero();
    if (j < 3)
      at_start = Vector3::Unit(j).cross(J * spin);
    else
      at_start = J.col(j - 3);
    const double error = (at_end - at_start).norm() / at_start.norm();
    CHECK(error < 1e-6);
    most = std::max(most, error);
    CHECK(turn.norm() > 0.01);
  }
  MESSAGE(fmt::format("largest relative error {:.1e}", most));
}

TEST_CASE("a block that slides until it sticks: where it stops, by its speed and by the friction") {
  const double g = 9.81, mu = 0.3, v0 = 2.0, T = 1.0;
  const auto build = [&](double friction) {
    RigidSystem rigid;
    RigidBody body;
    body.mass = 2.0;
    body.inertia = Matrix3::Identity();
    body.locked = {false, true, false, true, true, true};
    rigid.bodies = {body};
    rigid.gravity = {0.0, 0.0, -g};
    GroupState start;
    start.q = Vector{{0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}};
    start.v = Vector::Zero(6);
    start.v[0] = v0;
    ModelParts parts =
        one_group({std::make_shared<Rigid>(rigid), start.q, start.v}, RigMidOptions{}, T);
    add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(), Vector3::UnitZ(),
             newton_law(0.0, friction), {Vector3::UnitX()});
    return in_event_mode(std::move(parts), T);
  };
  const Model model = build(mu);
  const Sensitivity s =
      run(model, {start_parameter(model, 0, 0, true), model_parameter("friction", build, mu),
                  start_parameter(model, 0, 0, false)});
  CAPTURE(s.reason);
  REQUIRE(s.validity == Sensitivity::Validity::saltation);
  Worst worst;
  worst.check(s.state(0, 0), v0 / (mu * g), "dx/dv0");
  worst.check(s.state(0, 1), -v0 * v0 / (2.0 * mu * mu * g), "dx/dmu");
  worst.check(s.state(0, 2), 1.0, "dx/dx0");
  for (Eigen::Index j = 0; j < 3; ++j) CHECK(std::abs(s.state(6, j)) < 1e-9);
  REQUIRE(s.events.size() == 1);
  CHECK(s.events[0].kind == Event::Kind::sticks);
  worst.check(s.events[0].dt[0], 1.0 / (mu * g), "dt/dv0");
  // A start above or below the floor is none that has a derivative.
  const Sensitivity none = run(model, {start_parameter(model, 0, 2, false)});
  CHECK(none.validity == Sensitivity::Validity::none);
  CHECK(none.reason.find("which is closed there") != std::string::npos);
}

TEST_CASE("a mass that strikes a spring with a dashpot leaves by the ratio of its speeds") {
  // m y'' + c y' + k y = 0 while N = -(k y + c y') >= 0: all is proportional to the speed.
  const double m = 1.0, k = 400.0, c = 8.0, v0 = 1.5, d = 0.6, T = 1.0;
  const auto build = [&](double damping) {
    LinearSystem system;
    system.mass = SparseMatrix::from(Matrix::Constant(1, 1, m));
    system.stiffness = SparseMatrix(1, {});
    ModelParts parts = one_group({std::make_shared<Linear>(system), Vector{{d}}, Vector{{-v0}}},
                                 MoreauJeanOptions{}, T);
    Compliant law = spring_law(k, 1.0);
    law.damping = damping;
    add_stop(parts, {0, 0, Vector3::Zero()}, Vector3::Zero(), Vector3::UnitZ(), law);
    return in_event_mode(std::move(parts), T);
  };
  const Model model = build(c);
  const Sensitivity s =
      run(model, {start_parameter(model, 0, 0, false), start_parameter(model, 0, 0, true),
                  model_parameter("damping", build, c)});
  CAPTURE(s.reason);
  REQUIRE(s.validity == Sensitivity::Validity::saltation);
  // From y = 0, y' = -v at time 0: y = -v/w exp(-z x) sin(w x) until k y + c y' = 0.
  const auto exact = [&](Real damping) {
    const Real z = damping / (2 * m), w = std::sqrt(k / m - z * z);
    const auto y = [&](Real x) { return -v0 / w * std::exp(-z * x) * std::sin(w * x); };
    const auto dy = [&](Real x) {
      return -v0 / w * std::exp(-z * x) * (w * std::cos(w * x) - z * std::sin(w * x));
    };
    // tan(w x) = -c w/(k - c z)
    const Real end = (static_cast<Real>(kPi) - std::atan(damping * w / (k - damping * z))) / w;
    const Real t = d / v0 + end;
    return std::array<Real, 2>{y(end) + dy(end) * (T - t), dy(end)};
  };
  const auto at = exact(c);
  const double out = static_cast<double>(at[1]);
  Worst worst;
  worst.check(s.state(1, 1), -out / v0, "dv/dv0");
  CHECK(std::abs(s.state(1, 0)) < 1e-8);
  // y = place at the end of the press (proportional to v0) + out (T - d/v0 - time of the press)
  worst.check(s.state(0, 0), -out / v0, "dx/dd");
  worst.check(s.state(0, 1), -static_cast<double>(at[0]) / v0 - out * d / (v0 * v0), "dx/dv0");
  const auto by_c = difference(exact, c);
  worst.check(s.state(0, 2), by_c[0], "dx/dc");
  worst.check(s.state(1, 2), by_c[1], "dv/dc");
}

TEST_CASE("where a derivative does not exist there is a reason instead of a number") {
  struct Row {
    const char* name;
    std::function<Sensitivity()> run;
    const char* reason;
  };
  // Free vibration x = 0.5 cos t from the far side, with the stop at `share` of its amplitude.
  const auto vibration = [](double share) {
    Oscillator o;
    o.zeta = 0;
    o.F = 0;
    o.x0 = -0.5L;
    o.v0 = 0;
    o.sigma = 0.5L * share;
    const Model model = o.model(5.0);
    return run(model, {start_parameter(model, 0, 0, false)});
  };
  const auto dropped = [](double restitution, double end, int balls) {
    Ball ball;
    ball.restitution = restitution;
    const Model model = ball.model(end, balls);
    return run(model, {start_parameter(model, 0, 0, false)});
  };
  // A rod that falls flat with both ends at once.
  const auto rod = [] {
    ModelParts parts = one_group({std::make_shared<Lagrangian>(planar_rod({})),
                                  Vector{{0.0, 1.0, 0.0}}, Vector{{0.2, 0.0, 0.0}}},
                                 MoreauJeanOptions{}, 0.6);
    for (int i = 0; i < 2; ++i)
      add_stop(parts, {0, i, Vector3::Zero()}, Vector3::Zero(), Vector3::UnitZ(), newton_law(0.5));
    const Model model = in_event_mode(std::move(parts), 0.6);
    return run(model, {start_parameter(model, 0, 2, false)});
  };
  const Row rows[] = {
      {"a stop that is just reached", [&] { return vibration(1.0 - 1e-12); }, "grazing"},
      {"a stop that is just missed", [&] { return vibration(1.0 + 1e-12); }, "grazing"},
      {"a rod that lands flat", rod, "same instant"},
      {"a stop that is reached slowly", [&] { return vibration(1.0 - 1e-9); }, "closes at"},
      {"a ball whose bounces end", [&] { return dropped(0.5, 2.0, 1); }, "Zeno sequence"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Sensitivity s = row.run();
    CHECK(s.validity == Sensitivity::Validity::none);
    CHECK(s.state.size() == 0);
    CHECK(s.reason.find(row.reason) != std::string::npos);
    CHECK(!s.reason.empty());
    MESSAGE(fmt::format("{}: {}", row.name, s.reason));
  }
  // Two balls that know nothing of each other may land together.
  const Sensitivity two = dropped(0.5, 0.7, 2), one = dropped(0.5, 0.7, 1);
  REQUIRE(two.validity == Sensitivity::Validity::saltation);
  CHECK(two.events.size() == 2);
  CHECK(std::abs(two.state(0, 0) - one.state(0, 0)) < 1e-9);
  CHECK(std::abs(two.state(2, 0) - one.state(1, 0)) < 1e-9);
  CHECK(std::abs(two.state(1, 0)) + std::abs(two.state(3, 0)) < 1e-9);
  // A stop well inside is no graze, nor is one well outside.
  CHECK(vibration(0.9).validity == Sensitivity::Validity::saltation);
  CHECK(vibration(1.1).validity == Sensitivity::Validity::smooth);
}

TEST_CASE("sensitivities refuse what is not of the model") {
  const Ball ball;
  const Model model = ball.model(0.3);
  EventTrace trace;
  const std::vector<SensitivityParameter> good{start_parameter(model, 0, 0, false)};
  run(model, good, &trace);
  CHECK_THROWS_AS(start_parameter(model, 1, 0, false), UsageError);
  CHECK_THROWS_AS(start_parameter(model, 0, 1, true), UsageError);
  CHECK_THROWS_AS(sensitivities(model, EventTrace{}, 0.3, good), UsageError);
  CHECK_THROWS_AS(sensitivities(model, trace, 0.5, good), UsageError);  // beyond the run
  std::vector<SensitivityParameter> bad = good;
  bad[0].w = Vector::Ones(2);
  CHECK_THROWS_AS(sensitivities(model, trace, 0.3, bad), UsageError);
  bad = good;
  bad[0].plus = model;
  CHECK_THROWS_AS(sensitivities(model, trace, 0.3, bad), UsageError);
  bad[0].minus = ball.model(0.3, 2);
  bad[0].delta = 1.0;
  CHECK_THROWS_AS(sensitivities(model, trace, 0.3, bad), UsageError);
}
