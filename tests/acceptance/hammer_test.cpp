// A hammer with a felt of K d^1.5 against a wall and against a string, and a mass that a relay lets stick and slip.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "../support/contacts.h"
#include "run_scene.h"
#include "saltus/bodies/linear.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"
#include "saltus/bodies/string.h"

using namespace saltus;
using namespace saltus::test;

namespace {

const double kPi = std::numbers::pi;
constexpr double kRate = 44100.0;                    // [Hz]
constexpr double kMass = 0.01, kSpeed = 2.0;         // [kg], [m/s]
constexpr double kStiffness = 1e7, kExponent = 1.5;  // felt, [N/m^1.5]

MovingBody hammer(double place, double velocity) {
  ParticleSystem system;
  system.mass = Vector::Constant(1, kMass);
  return {std::make_shared<Particles>(system), Vector{{0.0, 0.0, place}},
          Vector{{0.0, 0.0, velocity}}};
}

/// The hammer flies down at a wall 0.1 mm below it, free or on a spring [N/m].
Simulation at_wall(const SchemeChoice& scheme, double h, double shank = 0.0) {
  MovingBody body = hammer(1e-4, -kSpeed);
  if (shank > 0.0)
    body = {std::make_shared<Linear>(oscillator(kMass, shank)), Vector::Constant(1, 1e-4),
            Vector::Constant(1, -kSpeed)};
  ModelParts parts = one_group(body, scheme, h);
  add_pair(parts, {0, {}}, world(), Vector3::UnitZ(), spring_law(kStiffness, kExponent));
  return Simulation{Model(parts)};
}

/// Slope of log(error) over log(h), by least squares.
double order_of(const std::vector<double>& h, const std::vector<double>& error) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  const auto n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double x = std::log(h[i]), y = std::log(error[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

struct Named {
  std::string name;
  SchemeChoice scheme;
};
std::vector<Named> second_order() {
  EulerImplicitOptions trapezoidal;
  trapezoidal.trapezoidal = true;
  return {{"moreau-jean theta 1/2", MoreauJeanOptions{}},
          {"newmark", NewmarkOptions{}},
          {"euler-implicit trapezoidal", trapezoidal},
          {"generalized-alpha", GeneralizedAlphaOptions{}},
          {"discrete-gradient", DiscreteGradientOptions{}}};
}

}  // namespace

TEST_CASE("a hammer leaves a rigid wall as fast as it came") {
  for (const Named& s : second_order()) {
    CAPTURE(s.name);
    Simulation sim = at_wall(s.scheme, 1.0 / kRate);
    double unexplained = 0.0, impact = 0.0, impulse = 0.0, deepest = 0.0;
    int touching = 0;
    const double E0 = sim.state().energy_start;
    for (int k = 0; k < 100; ++k) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      unexplained = std::max(unexplained, std::abs(report.unexplained) / E0);
      impact = std::max(impact, std::abs(account(sim, "impact")) / E0);
      impulse += report.impulse;
      touching += report.contacts;
      deepest = std::max(deepest, -sim.state().groups[0].q[2]);
    }
    const double v = velocity_of(sim)[2];
    CHECK(std::abs(v - kSpeed) <= 1e-2);
    CHECK(std::abs(kMass * (v + kSpeed) - impulse) <= 1e-15);
    CHECK(unexplained <= 1e-13);
    // closed form: K d^2.5/2.5 = m v^2/2
    const double d = std::pow(1.25 * kMass * kSpeed * kSpeed / kStiffness, 0.4);
    CHECK(std::abs(deepest / d - 1.0) <= 1e-2);
    CHECK(touching == doctest::Approx(2.9432751843247 * d / kSpeed * kRate).epsilon(0.05));
    MESSAGE(
        fmt::format("{}: exit {:.8f} m/s after {} samples, depth {:.4f} mm ({:.4f}), account "
                    "`impact` at most {:.1e} E0, unexplained {:.1e} E0",
                    s.name, v, touching, 1e3 * deepest, 1e3 * d, impact, unexplained));
  }
}

TEST_CASE("the motion of a hammer on its felt and a springy shank is of order 2") {
  for (const Named& s : second_order()) {
    CAPTURE(s.name);
    const int base = 64, finest = 64 * 64;
    const double end = 60.0 / kRate;
    // q and v at `base` instants
    const auto trajectory = [&](int steps) {
      Simulation sim = at_wall(s.scheme, end / steps, 2e4);
      std::vector<Eigen::Vector2d> x;
      for (int k = 1; k <= steps; ++k) {
        REQUIRE(sim.advance().converged);
        if (k % (steps / base) == 0)
          x.emplace_back(sim.state().groups[0].q[0] / 1e-3, velocity_of(sim)[0] / kSpeed);
      }
      return x;
    };
    const auto exact = trajectory(finest);
    std::vector<double> h, error;
    std::string line;
    for (int steps = base; steps <= 8 * base; steps *= 2) {
      const auto x = trajectory(steps);
      double off = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) off = std::max(off, (x[i] - exact[i]).norm());
      h.push_back(end / steps);
      error.push_back(off);
      line += fmt::format(" {:.2e}", off);
    }
    const double order = order_of(h, error);
    MESSAGE(fmt::format("{}: order {:.3f}; errors{}", s.name, order, line));
    CHECK(std::abs(order - 2.0) <= 0.15);
  }
}

// ---- against a string -------------------------------------------------------------------------------------------------

namespace {

constexpr int kModes = 60;
constexpr double kAt = 0.12, kLength = 1.0;

/// A string of 1 m, 600 N and 6 g/m, damped, struck from below by the hammer at 0.12 m.
struct Struck {
  std::shared_ptr<const Modal> string;
  Simulation sim;
};
Struck strike(double h) {
  const double T = 600.0, mu = 0.006;
  Vector mass(kModes), omega(kModes), sigma(kModes);
  for (int j = 0; j < kModes; ++j) {
    mass[j] = mu;
    omega[j] = kPi * (j + 1) / kLength * std::sqrt(T / mu);
    sigma[j] = 0.5 + 0.02 * j;
  }
  const auto string = std::make_shared<Modal>(
      mass, omega, sigma, std::shared_ptr<const ModeShapes>(sine_shapes(kLength, kModes)));
  const Vector still = Vector::Zero(kModes);
  ModelParts parts = one_group({string, still, still}, MoreauJeanOptions{}, h);
  const MovingBody striker = hammer(-1e-4, kSpeed);
  parts.groups.push_back(
      {"hammer", "particles", striker.dynamics, make_scheme(SchemeChoice(MoreauJeanOptions{}))});
  GroupState state;
  state.q = striker.q;
  state.v = striker.v;
  parts.initial.push_back(state);
  add_pair(parts, {0, {0, 0, Vector3(kAt, 0.0, 0.0)}}, {1, {0, 0, Vector3(kAt, 0.0, 0.0)}},
           Vector3::UnitZ(), spring_law(kStiffness, kExponent));
  return {string, Simulation{Model(parts)}};
}

}  // namespace

TEST_CASE("a hammer and a string exchange momentum without loss, mode by mode") {
  const double h = 1.0 / kRate;
  Struck s = strike(h);
  const ModalData& modes = *s.string->modal();
  Vector shape(kModes);
  s.string->shapes().row(kAt, shape);
  // over the run: m (v1 - v0) = -sum P;   m_j (v1 - v0)_j + sum h (2 sigma m v + m omega^2 q)_j, middle = shape_j sum P
  double P = 0.0, unexplained = 0.0;
  Vector forces = Vector::Zero(kModes), size = Vector::Zero(kModes);
  int touching = 0, strokes = 0;
  bool before = false;
  const double E0 = s.sim.state().energy_start;
  for (int k = 0; k < 2000; ++k) {
    const Vector q0 = s.sim.state().groups[0].q, v0 = s.sim.state().groups[0].v;
    const StepReport report = s.sim.advance();
    REQUIRE(report.converged);
    const Vector q = 0.5 * (q0 + s.sim.state().groups[0].q),
                 v = 0.5 * (v0 + s.sim.state().groups[0].v);
    const Vector damping = 2.0 * h * (modes.sigma.array() * modes.mass.array() * v.array()),
                 elastic = h * (modes.mass.array() * modes.omega.array().square() * q.array());
    forces += damping + elastic;
    size += damping.cwiseAbs() + elastic.cwiseAbs();
    P += report.impulse;
    unexplained = std::max(unexplained, std::abs(report.unexplained) / E0);
    touching += report.contacts;
    strokes += report.contacts > 0 && !before;
    before = report.contacts > 0;
  }
  CHECK(touching > 20);
  CHECK_FALSE(before);
  const double of_hammer = kMass * (velocity_of(s.sim, 1)[2] - kSpeed);
  CHECK(std::abs(of_hammer + P) <= 1e-12 * P);
  const Vector v1 = velocity_of(s.sim, 0);
  double worst_mode = 0.0;
  for (int j = 0; j < kModes; ++j)
    worst_mode = std::max(worst_mode, std::abs(modes.mass[j] * v1[j] + forces[j] - shape[j] * P) /
                                          (size[j] + std::abs(shape[j]) * P));
  CHECK(worst_mode <= 1e-12);
  CHECK(unexplained <= 1e-12);
  CHECK(account(s.sim, "damping") < 0.0);
  MESSAGE(
      fmt::format("{} strokes, {} samples; hammer leaves with {:.4f} m/s; momentum {:.1e}, "
                  "modes {:.1e} relative; account `impact` {:.1e} E0, unexplained {:.1e} E0",
                  strokes, touching, velocity_of(s.sim, 1)[2], std::abs(of_hammer + P) / P,
                  worst_mode, account(s.sim, "impact") / E0, unexplained));
}

TEST_CASE("what the middle rule of a felt makes of energy falls with the square of the step") {
  std::vector<double> h, error;
  std::string line;
  for (int factor : {1, 2, 4, 8, 16}) {
    const double step = 1.0 / (factor * kRate);
    Struck s = strike(step);
    double largest = 0.0;
    for (int k = 0; k < 200 * factor; ++k) {
      REQUIRE(s.sim.advance().converged);
      largest = std::max(largest, std::abs(account(s.sim, "impact")));
    }
    h.push_back(step);
    error.push_back(largest / s.sim.state().energy_start);
    line += fmt::format(" {:.2e}", error.back());
  }
  const double order = order_of(h, error);
  MESSAGE(fmt::format("largest account `impact` [E0]{}; order {:.3f}", line, order));
  CHECK(std::abs(order - 2.0) <= 0.15);
}

// ---- stick and slip ---------------------------------------------------------------------------------------------------

namespace {

/// 1 kg on a spring of 100 N/m to the wall, on a belt that moves with V along x; a relay between both.
constexpr double kBelt = 0.4, kSpring = 100.0, kFriction = 3.0;
Simulation on_belt(double x0, double v0, double h) {
  LinearSystem system = oscillator(1.0, kSpring);
  system.points = {{Vector3::Zero(), Vector3::UnitX()}};
  ModelParts parts = one_group(
      {std::make_shared<Linear>(system), Vector::Constant(1, x0), Vector::Constant(1, v0)},
      MoreauJeanOptions{}, h);
  ParticleSystem belt;
  belt.mass = Vector::Ones(1);
  belt.prescribed.push_back({0, Signal::table({0.0, 100.0}, {0.0, 100.0 * kBelt})});
  parts.groups.push_back({"belt", "particles", std::make_shared<Particles>(belt),
                          make_scheme(SchemeChoice(MoreauJeanOptions{}))});
  GroupState still;
  still.q = still.v = Vector::Zero(2);
  parts.initial.push_back(still);
  add_pair(parts, {0, {}}, {1, {}}, Vector3::UnitX(), relay_law(kFriction));
  return Simulation{Model(parts)};
}

}  // namespace

// In the frame of the wall, w = sqrt(k/m), F the bound, from rest at x0 < F/k, slower than the belt:
//     slips:   x = F/k - A cos wt,  A = F/k - x0;  x' = A w sin wt = V at  w t1 = asin(V/(A w))
//     sticks:  from x1 = F/k - sqrt(A^2 - V^2/w^2) with V until k x = F, for (F/k - x1)/V
//     slips:   x = F/k + V/w sin wt once round, 2 pi/w long; the belt slides V 2 pi/w under the mass
TEST_CASE("a mass on a belt slips, sticks without any slip and slips again as in closed form") {
  const double w = std::sqrt(kSpring), x0 = -0.03, A = kFriction / kSpring - x0;
  const double arm = std::sqrt(A * A - kBelt * kBelt / (w * w)), x1 = kFriction / kSpring - arm;
  const double t1 = std::asin(kBelt / (A * w)) / w, t2 = t1 + arm / kBelt, t3 = t2 + 2.0 * kPi / w;
  REQUIRE(std::abs(x1) * kSpring < kFriction);
  enum Phase { slips_first, sticks, slips_again };
  for (double h : {1e-3, 5e-4, 2.5e-4}) {
    CAPTURE(h);
    Simulation sim = on_belt(x0, 0.0, h);
    Phase phase = slips_first;
    double begin[3] = {}, place = 0.0, slip_in_stick = 0.0, off_bound = 0.0, off_balance = 0.0;
    double unexplained = 0.0, slid = 0.0;
    while (sim.state().t < t3 - 0.5 * h) {
      const double q0 = sim.state().groups[0].q[0];
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      const double t = sim.state().t, q = sim.state().groups[0].q[0];
      const double slip = velocity_of(sim)[0] - kBelt, force = impulse_of(sim, 1)[0] / h;
      unexplained = std::max(unexplained, std::abs(report.unexplained));
      CHECK(slip < 1e-12);  // the belt is never overtaken
      const bool at_bound = std::abs(std::abs(force) - kFriction) <= 1e-12;
      if (phase == slips_first && !at_bound) {
        phase = sticks;
        begin[sticks] = t;
        place = q;
      } else if (phase == sticks && at_bound) {
        phase = slips_again;
        begin[slips_again] = t - h;
      } else if (phase == sticks) {
        off_balance = std::max(off_balance, std::abs(force - 0.5 * kSpring * (q + q0)));
      }
      if (phase == sticks)
        slip_in_stick = std::max(slip_in_stick, std::abs(slip));
      else if (t < t3 - 5.0 * h)  // at the end the mass is as fast as the belt again
        off_bound = std::max(off_bound, std::abs(force - kFriction));
      if (phase == slips_again) slid += kBelt * h - (q - q0);
    }
    CHECK(phase == slips_again);
    CHECK(slip_in_stick <= 1e-13);
    CHECK(off_bound <= 1e-12);
    CHECK(off_balance <= 1e-10);
    CHECK(unexplained <= 1e-14);
    CHECK(std::abs(begin[sticks] - t1) <= 2.0 * h);
    CHECK(std::abs(place - x1) <= 2.0 * kBelt * h);
    CHECK(std::abs(begin[slips_again] - t2) <= 2.0 * h);
    CHECK(std::abs(slid - 2.0 * kPi / w * kBelt) <= kBelt * h);
    MESSAGE(fmt::format(
        "h = {} s: sticks from {:.5f} s ({:.5f}) at {:.5f} m ({:.5f}) with a slip of at most "
        "{:.1e} "
        "m/s, slips from {:.5f} s ({:.5f}) by {:.6f} m ({:.6f}); force off the bound {:.1e} N, off "
        "the balance in sticking {:.1e} N",
        h, begin[sticks], t1, place, x1, slip_in_stick, begin[slips_again], t2, slid,
        2.0 * kPi / w * kBelt, off_bound, off_balance));
  }
}

// The free end of the spring moves with V from rest: the mass sticks until k V t = F, t0 = F/(k V). Then with s the
// stretch beyond F/k:  s'' = -w^2 s,  s' = V at s = 0:  x' = V (1 - cos w(t - t0)), back at rest after 2 pi/w, having
// slid 2 pi V/w; there the spring pulls with F again and the next period begins.
TEST_CASE("a mass pulled by a spring at constant speed slides by 2 pi V/w in every period") {
  const double w = std::sqrt(kSpring), t0 = kFriction / (kSpring * kBelt), period = 2.0 * kPi / w;
  const double slide = period * kBelt;
  for (double h : {1e-3, 5e-4}) {
    CAPTURE(h);
    ParticleSystem system;
    system.mass = Vector::Ones(2);
    Spring spring;
    spring.i = 0;
    spring.j = 1;
    spring.stiffness = kSpring;
    spring.length = 1.0;
    system.springs.push_back(spring);
    for (int dof : {1, 2, 4, 5}) system.prescribed.push_back({dof, Signal::constant(0.0)});
    system.prescribed.push_back({3, Signal::table({0.0, 100.0}, {1.0, 1.0 + 100.0 * kBelt})});
    ModelParts parts =
        one_group({std::make_shared<Particles>(system), Vector::Zero(1), Vector::Zero(1)},
                  MoreauJeanOptions{}, h);
    add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(), Vector3::UnitX(), relay_law(kFriction));
    Simulation sim{Model(parts)};
    double starts = 0.0, moved = 0.0, off = 0.0, force_off = 0.0;
    for (int k = 0; sim.state().t < t0 + 3.0 * period; ++k) {
      REQUIRE(sim.advance().converged);
      const double t = sim.state().t, q = sim.state().groups[0].q[0];
      const double v = velocity_of(sim)[0], force = impulse_of(sim, 1)[0] / h;
      if (t <= t0) {
        moved = std::max(moved, std::abs(q));
      } else {
        if (starts == 0.0 && v > 1e-12) starts = t;
        const double s = t - t0;
        off = std::max(off, std::abs(q - kBelt * (s - std::sin(w * s) / w)));
        if (v > 1e-12) force_off = std::max(force_off, std::abs(force + kFriction));
      }
    }
    CHECK(moved <= 1e-15);
    CHECK(starts > t0);
    CHECK(starts <= t0 + 2.0 * h);
    CHECK(force_off <= 1e-12);
    CHECK(std::abs(sim.state().groups[0].q[0] - 3.0 * slide) <= 3.0 * kBelt * h);
    CHECK(off <= kBelt * h);
    MESSAGE(
        fmt::format("h = {} s: starts at {:.4f} s ({:.4f}), slid {:.6f} m in three periods "
                    "({:.6f}), path {:.1e} m off, moved {:.1e} m before",
                    h, starts, t0, sim.state().groups[0].q[0], 3.0 * slide, off, moved));
  }
}
