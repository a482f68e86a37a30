// Intervals covered by steps whose lengths follow an error estimate (StepOptions::step_tolerance).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "../support/rigid_scene.h"
#include "run_scene.h"
#include "saltus/base/error.h"
#include "saltus/bodies/modal.h"
#include "saltus/bodies/particles.h"
#include "saltus/math/dense.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kGravity = 9.81;

/// A mass on a spring from the origin that swings in the plane: nonlinear, the spring turns and stretches.
MovingBody swing() {
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  system.gravity = Vector3(0.0, 0.0, -kGravity);
  system.springs.push_back({0, -1, 100.0, 1.0, 0.0, Vector3::Zero(), false});
  Vector q = Vector3(0.9, 0.0, -0.6), v = Vector3(0.0, 0.5, 0.0);
  return {std::make_shared<Particles>(system), q, v};
}

ModelParts adaptive(ModelParts parts, double tolerance, OnFailure policy = OnFailure::stop) {
  parts.options.step_tolerance = tolerance;
  parts.options.on_failure = policy;
  return parts;
}

/// Height of a ball let fall from `top` that keeps half of its speed at each impact.
double height(double top, double t) {
  const double first = std::sqrt(2.0 * top / kGravity);
  if (t < first) return top - 0.5 * kGravity * t * t;
  double start = first, u = 0.5 * kGravity * first;
  while (u > 1e-12) {
    const double flight = 2.0 * u / kGravity, s = t - start;
    if (s < flight) return u * s - 0.5 * kGravity * s * s;
    start += flight;
    u *= 0.5;
  }
  return 0.0;
}

ModelParts ball(double h, double top = 1.0, const SchemeChoice& choice = MoreauJeanOptions{}) {
  ParticleSystem system;
  system.mass = Vector::Ones(1);
  system.gravity = Vector3(0.0, 0.0, -kGravity);
  ModelParts parts = one_group(
      {std::make_shared<Particles>(system), Vector3(0.0, 0.0, top), Vector3::Zero()}, choice, h);
  add_stop(parts, {}, Vector3::Zero(), Vector3::UnitZ(), newton_law(0.5));
  return parts;
}

struct Run {
  double error = 0.0;  ///< of the ball: integral of |height - exact| [m s]
  double unexplained = 0.0, estimate = 0.0;
  int steps = 0, rejected = 0, most = 0;
  bool good = true;
  /// At most three steps of the scheme for each pair that counts, and for each that is rejected.
  double solves() const { return 1.5 * steps + 3.0 * rejected; }
};

Run run(Simulation& sim, int intervals, const std::function<void(const StepReport&)>& each = {}) {
  Run r;
  for (int k = 0; k < intervals; ++k) {
    const StepReport report = sim.advance();
    r.good = r.good && report.converged && report.finite;
    r.steps += report.steps;
    r.rejected += report.rejected;
    r.most = std::max(r.most, report.steps);
    r.unexplained = std::max(r.unexplained, std::abs(report.unexplained));
    r.estimate = std::max(r.estimate, report.error);
    if (each) each(report);
  }
  return r;
}

Run bounce(double h, double tolerance, const SchemeChoice& choice = MoreauJeanOptions{},
           ContactInstant instant = ContactInstant::end) {
  ModelParts parts = adaptive(ball(h, 1.0, choice), tolerance);
  parts.options.instant = instant;
  Simulation sim{Model(parts)};
  double error = 0.0;
  Run r = run(sim, static_cast<int>(std::lround(1.5 / h)), [&](const StepReport&) {
    error += h * std::abs(sim.state().groups[0].q[2] - height(1.0, sim.state().t));
  });
  r.error = error;
  return r;
}

/// All that a state holds, apart from what its driver learnt.
bool same(const State& a, const State& b) {
  bool equal = a.t == b.t && a.step == b.step && a.h == b.h && a.ledger == b.ledger &&
               a.energy.kinetic == b.energy.kinetic && a.energy.potential == b.energy.potential &&
               a.groups.size() == b.groups.size() && a.contacts.size() == b.contacts.size() &&
               a.broken == b.broken && a.solvers.size() == b.solvers.size();
  for (std::size_t g = 0; equal && g < a.groups.size(); ++g)
    equal = a.groups[g].q == b.groups[g].q && a.groups[g].v == b.groups[g].v &&
            a.groups[g].memory == b.groups[g].memory;
  for (std::size_t i = 0; equal && i < a.contacts.size(); ++i)
    equal =
        a.contacts[i].key == b.contacts[i].key && a.contacts[i].impulse == b.contacts[i].impulse;
  for (std::size_t i = 0; equal && i < a.solvers.size(); ++i)
    equal = a.solvers[i].active == b.solvers[i].active;
  return equal;
}
bool same_lane(const State& a, const State& b) {
  return a.event_state.next == b.event_state.next && a.event_state.h == b.event_state.h &&
         a.event_state.stepping == b.event_state.stepping &&
         a.event_state.patience == b.event_state.patience;
}

/// A dozen balls that fall into a box of planes.
Model pile(double h, double tolerance) {
  RigidScene scene;
  scene.instant = ContactInstant::middle;
  scene.step_tolerance = tolerance;
  scene.limits = {1e-9, 10'000};
  for (int i = 0; i < 12; ++i) {
    RigidThing thing;
    thing.shape = Sphere{0.1};
    thing.x = Vector3(0.21 * (i % 3 - 1) + 0.003 * i, 0.21 * (i / 3 % 2) - 0.105 + 0.002 * i,
                      0.15 + 0.23 * (i / 6));
    scene.add(thing);
  }
  scene.fix(Plane{});
  for (const Vector3& n :
       {Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0)})
    scene.fix(Plane{}, {-0.36 * n, turn_between(Vector3::UnitZ(), n).toRotationMatrix()});
  return scene.model(rig_mid(), h, newton_law(0.2, 0.4));
}

}  // namespace

TEST_CASE("the error of an interval of a swinging mass is in proportion to the tolerance") {
  constexpr double h = 0.02;
  constexpr int intervals = 50;
  RungeKuttaOptions exact;
  exact.table = RungeKuttaOptions::Table::dormand_prince;
  exact.tolerance = 1e-13;
  for (const SchemeChoice& choice :
       {SchemeChoice(MoreauJeanOptions{}), SchemeChoice(DiscreteGradientOptions{}),
        SchemeChoice(GeneralizedAlphaOptions{})})
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      const bool remembers = choice.index() == SchemeChoice(GeneralizedAlphaOptions{}).index();
      if (remembers && tolerance < 1e-6) continue;  // a start costs it an order
      Simulation sim{Model(adaptive(one_group(swing(), choice, h), tolerance))};
      double worst = 0.0;  // of an interval, from where it began
      Run r;
      for (int k = 0; k < intervals; ++k) {
        MovingBody now = swing();
        now.q = sim.state().groups[0].q;
        now.v = velocity_of(sim);
        Simulation reference{Model(one_group(now, exact, h))};
        reference.advance();
        const Run one = run(sim, 1);
        REQUIRE(one.good);
        CHECK(one.estimate <= tolerance);
        const Vector& v1 = reference.state().groups[0].v;
        const double V = std::max({now.v.norm(), v1.norm(), (v1 - now.v).norm()});
        worst =
            std::max({worst, (velocity_of(sim) - v1).norm() / V,
                      (sim.state().groups[0].q - reference.state().groups[0].q).norm() / (h * V)});
        r.steps += one.steps;
        r.rejected += one.rejected;
        r.unexplained = std::max(r.unexplained, one.unexplained);
      }
      MESSAGE(fmt::format("{} {:.0e}: error {:.2e}, {} steps, {} rejected, {:.2f} solves a pair",
                          make_scheme(choice)->name(), tolerance, worst, r.steps, r.rejected,
                          r.solves() / (0.5 * r.steps)));
      CHECK(worst <= tolerance);
      if (!remembers) CHECK(worst >= 0.05 * tolerance);
      CHECK(r.solves() <= 3.2 * (0.5 * r.steps));
      if (choice.index() == SchemeChoice(DiscreteGradientOptions{}).index())
        CHECK(r.unexplained <= 1e-9);  // others leave over what a curved potential makes
    }
}

TEST_CASE(
    "the error of a bouncing ball falls with the tolerance, and an impact costs a few steps") {
  constexpr double h = 1e-2;
  for (const SchemeChoice& choice :
       {SchemeChoice(MoreauJeanOptions{}), SchemeChoice(GeneralizedAlphaDecoupledOptions{})})
    for (const ContactInstant instant : {ContactInstant::end, ContactInstant::middle}) {
      if (choice.index() != SchemeChoice(MoreauJeanOptions{}).index() &&
          instant == ContactInstant::middle)
        continue;
      double before = 1.0;
      for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5}) {
        const Run r = bounce(h, tolerance, choice, instant);
        MESSAGE(fmt::format("{} tolerance {:.0e}: {:.2e} m s, {} steps, {} rejected, at most {}",
                            make_scheme(choice)->name(), tolerance, r.error, r.steps, r.rejected,
                            r.most));
        CHECK(r.good);
        CHECK(r.error < 0.5 * before);
        CHECK(r.error <= 0.5 * tolerance);
        CHECK(r.unexplained <= 1e-13);
        CHECK(r.steps <= 1200);
        before = r.error;
      }
    }
  // as many solves of equal length
  const Run by_error = bounce(h, 1e-3);
  const Run equal = bounce(1.5 / std::ceil(by_error.solves()), 0.0);
  MESSAGE(fmt::format("{} solves: {:.2e} against {:.2e} m s", by_error.solves(), by_error.error,
                      equal.error));
  CHECK(by_error.error <= equal.error / 9.0);
}

TEST_CASE("a ball at rest costs one pair of steps an interval") {
  Simulation sim{Model(adaptive(ball(1e-3, 0.0), 1e-6))};
  const Run r = run(sim, 50);
  CHECK(r.good);
  CHECK(r.steps <= 110);
  CHECK(r.rejected <= 1);
  CHECK(std::abs(sim.state().groups[0].q[2]) <= 1e-12);
}

TEST_CASE("a pile of a dozen balls settles, its energy accounted for") {
  Simulation sim(pile(5e-3, 3e-2));
  const double start = sim.state().energy_start;
  const Run r = run(sim, 200);
  MESSAGE(
      fmt::format("{} steps, {} rejected, at most {} in an interval", r.steps, r.rejected, r.most));
  CHECK(r.good);
  CHECK(sim.state().energy.kinetic <= 0.02 * start);  // what still rolls
  double explained = 0.0;
  for (std::size_t i = 0; i + 1 < sim.state().ledger.size(); ++i)
    explained += sim.state().ledger[i];
  CHECK(std::abs(sim.state().energy.total() - start - explained) <= 1e-9 * start);
  const Run rest = run(sim, 20);
  CHECK(rest.steps <= 20 * 8);
  for (int i = 0; i < 12; ++i) CHECK(place_of(sim, i)[2] >= 0.1 - 1e-3);
}

TEST_CASE("a rejected step leaves no trace") {
  // The same motion by steps of chosen lengths and by steps of these lengths, made by hand without an estimate.
  for (const SchemeChoice& choice :
       {SchemeChoice(MoreauJeanOptions{}), SchemeChoice(GeneralizedAlphaOptions{})}) {
    constexpr double h = 0.02;
    StepReport report;
    std::optional<Simulation> found;  // rejects, then takes steps of one length
    for (double tolerance = 1e-3; tolerance > 1e-6; tolerance *= 0.7) {
      found.emplace(Model(adaptive(one_group(swing(), choice, h), tolerance)));
      report = found->advance();
      if (report.rejected > 0 && report.steps * found->state().h == h) break;
    }
    const Simulation& sim = *found;
    REQUIRE(report.rejected >= 1);
    REQUIRE(report.steps >= 4);
    REQUIRE(report.steps * sim.state().h == h);
    Simulation by_hand{Model(one_group(swing(), choice, h))};
    for (int k = 0; k < report.steps; ++k) by_hand.advance(h / report.steps);
    CHECK(sim.state().groups[0].q == by_hand.state().groups[0].q);
    CHECK(sim.state().groups[0].v == by_hand.state().groups[0].v);
    CHECK(sim.state().groups[0].memory == by_hand.state().groups[0].memory);
    CHECK(sim.state().ledger == by_hand.state().ledger);
    CHECK(sim.state().t == doctest::Approx(h).epsilon(1e-15));
  }
}

TEST_CASE(
    "a run resumed from a copy of its state, with all that it learnt, ends in the same bits") {
  const auto check = [](const Model& model, int half) {
    Simulation whole(model);
    State middle;
    int rejected_after = 0;
    for (int k = 0; k < 2 * half; ++k) {
      if (k == half) middle = whole.state();
      const StepReport report = whole.advance();
      if (k >= half) rejected_after += report.rejected;
    }
    Simulation resumed(model, middle);
    for (int k = 0; k < half; ++k) resumed.advance();
    CHECK(same(resumed.state(), whole.state()));
    CHECK(same_lane(resumed.state(), whole.state()));
    CHECK(rejected_after > 0);
  };
  check(Model(adaptive(ball(1e-2), 1e-3)), 50);
  check(Model(adaptive(ball(1e-2, 1.0, GeneralizedAlphaDecoupledOptions{}), 1e-3)), 50);
  check(Model(adaptive(one_group(swing(), GeneralizedAlphaOptions{}, 0.02), 1e-5)), 50);
  check(pile(5e-3, 1e-1), 50);
}

TEST_CASE("without a tolerance an interval is one step") {
  Simulation sim{Model(ball(1e-3))};
  for (int k = 0; k < 500; ++k) {
    const StepReport report = sim.advance();
    CHECK(report.steps == 1);
    CHECK(report.error == 0.0);
  }
  CHECK(sim.state().h == 1e-3);
  CHECK(sim.state().event_state.next == 0.0);
}

TEST_CASE("passes that do not converge shorten the step, unless on_failure keeps it") {
  const auto impatient = [](OnFailure policy) {
    ModelParts parts = adaptive(one_group(swing(), MoreauJeanOptions{}, 0.4), 0.09, policy);
    parts.options.pass_limit = 2;
    parts.options.pass_tolerance = 1e-10;
    return Model(parts);
  };
  StepReport report;
  for (const OnFailure policy : {OnFailure::stop, OnFailure::halve}) {
    Simulation shortens(impatient(policy));
    report = shortens.advance();
    CHECK(report.converged);
    CHECK(report.outstanding <= 1e-10);
    CHECK(report.rejected >= 1);
    CHECK(shortens.state().t == doctest::Approx(0.4).epsilon(1e-15));
  }

  Simulation keeps(impatient(OnFailure::accept));
  report = keeps.advance();
  CHECK_FALSE(report.converged);
  CHECK(report.steps == 2);  // its length is kept whatever the error
  CHECK(keeps.state().t == doctest::Approx(0.4).epsilon(1e-15));
  CHECK(keeps.state().step == 1);
}

TEST_CASE("bodies whose step is fixed cannot be stepped by an error") {
  Vector one = Vector::Ones(1);
  ModelParts parts = one_group(
      {std::make_shared<Modal>(one, 10.0 * one, 0.0 * one, sine_shapes(1.0, 1), ModalPlacement{}),
       one, one},
      ModalExactOptions{}, 1e-3);
  CHECK_NOTHROW(Model{parts});
  parts.options.step_tolerance = 1e-3;
  try {
    const Model made(parts);
    FAIL("accepted");
  } catch (const SceneError& error) {
    const std::string text = error.what();
    CHECK(text.find("time.tolerance") != std::string::npos);
    CHECK(text.find("modal-exact") != std::string::npos);
  }
}

TEST_CASE("an exception of the user's leaves the state as before the interval") {
  struct Stop : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  struct Observer final : ContactObserver {
    int left = 12;
    void solved(const SolvedContact&) override {
      if (--left == 0) throw Stop("enough");
    }
  } observer;
  Simulation sim{Model(adaptive(ball(1e-2), 1e-4))}, never{Model(adaptive(ball(1e-2), 1e-4))};
  sim.observe(&observer);
  int k = 0;
  State before;
  try {
    for (; k < 150; ++k) {
      before = sim.state();
      sim.advance();
    }
    FAIL("not thrown");
  } catch (const Stop&) {
    CHECK(sim.state().t == before.t);
    CHECK(sim.state().groups[0].q == before.groups[0].q);
    CHECK(sim.state().groups[0].v == before.groups[0].v);
    CHECK(sim.state().ledger == before.ledger);
  }
  sim.observe(nullptr);
  for (; k < 150; ++k) sim.advance();
  for (int i = 0; i < 150; ++i) never.advance();
  CHECK(sim.state().groups[0].q == never.state().groups[0].q);
  CHECK(sim.state().ledger == never.state().ledger);
}

TEST_CASE(
    "a hinged arm keeps any tolerance at every level of its joint, with steps as few as the order "
    "allows") {
  const std::string arm = R"(saltus: 1
time: {end: 0.1 s, step: 10 ms, tolerance: 1e-5}
gravity: [0, 0, -9.81]
bodies:
  - {name: arm, kind: rigid, rigid: {mass: 2 kg, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], touches: false}}
joints:
  - {name: pin, kind: revolute, between: [world, arm], at: [0, 0, 0], axis: [0, -1, 0]}
)";
  // (J + m r^2) theta'' = -m g r cos theta from rest: theta' = sqrt(2 m g r sin(-theta)/I), downwards
  constexpr double m = 2.0, r = 0.5, I = 0.1 + m * r * r, g = 9.81;
  double theta = 0.0, rate = 0.0;
  constexpr int n = 10000;
  for (int i = 0; i < n; ++i) {  // Runge-Kutta
    const double h = 0.1 / n;
    const auto a = [&](double x) { return -m * g * r / I * std::cos(x); };
    const double k1 = a(theta), k2 = a(theta + h / 2 * rate),
                 k3 = a(theta + h / 2 * rate + h * h / 4 * k1),
                 k4 = a(theta + h * rate + h * h / 2 * k2);
    theta += h * rate + h * h / 6 * (k1 + k2 + k3);
    rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  for (const char* level : {"position", "velocity", "both"}) {
    CAPTURE(level);
    long steps = 0;
    for (const double tolerance : {1e-4, 1e-5, 1e-7}) {
      CAPTURE(tolerance);
      steps = 0;
      const Shown s = run_text(
          arm, {fmt::format("time.tolerance={}", tolerance), std::string("joint.level=") + level},
          [&](const Simulation&, const StepReport& report) { steps += report.steps; });
      CHECK(s.converged);
      CHECK(std::abs(std::abs(s.sim.state().groups[0].v[4]) - std::abs(rate)) <
            20.0 * tolerance * std::abs(rate));
      CHECK(steps < 0.1 / std::sqrt(tolerance) + 20.0);
    }
    CHECK(steps > 50);
  }
}
