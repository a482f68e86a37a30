// Pendulums that touch their stops so briefly that the ends of steps show nothing of it: event-driven integration finds every impact, at
// every tolerance, and at the price of few evaluations.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "../support/event_run.h"
#include "../support/impacting_pendulum.h"
#include "../support/joint_scene.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kStart = -1.0, kStop = 0.9, kE = 0.9, kEnd = 30.0;

/// A pendulum from rest at angle `start`, its bob stopped by the ray at angle `stop`: gap = sin(stop - q).
Model pendulum(double start, double stop, double e, double h, double end,
               const EventOptions& events) {
  const test::MovingBody body{std::make_shared<Lagrangian>(auto_model(Pendulum{})), Vector{{start}},
                              Vector{{0.0}}};
  ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
  add_pair(parts, {0, {0, 0, Vector3::Zero()}}, world(),
           Vector3(-std::cos(stop), 0.0, -std::sin(stop)), newton_law(e));
  return in_event_mode(Model(std::move(parts)), h, end, events);
}

/// The same as a rigid rod of 1.5 m, which swings like a bob at 1 m, with a limit on the angle of its hinge.
Model rod_on_hinge(double start, double stop, double e, double h, const EventOptions& events) {
  JointScene scene;
  const double length = 1.5;
  const int rod =
      scene.rod(1.0, Vector3::Zero(), length * Vector3(std::sin(start), 0.0, -std::cos(start)));
  const int hinge = scene.join(JointKind::revolute, -1, rod, Vector3::Zero(), -Vector3::UnitY());
  scene.act(hinge, 0, newton_law(e), -1.0, stop - start);
  return in_event_mode(scene.model(make_scheme(RigMidOptions{})), h, kEnd, events);
}

Model double_pendulum(double a, double b, double wall, double e, double h,
                      const EventOptions& events) {
  const test::MovingBody body{std::make_shared<Lagrangian>(auto_model(DoublePendulum{})),
                              Vector{{a, b}}, Vector{{0.0, 0.0}}};
  ModelParts parts = one_group(body, MoreauJeanOptions{}, h);
  add_pair(parts, {0, {0, 1, Vector3::Zero()}}, world(Vector3(wall, 0.0, 0.0)), -Vector3::UnitX(),
           newton_law(e));
  return in_event_mode(Model(std::move(parts)), h, kEnd, events);
}

/// The impacts of a run beside those of the reference.
struct Beside {
  int impacts = 0;
  double time = 0.0;   ///< largest error of the time of an impact [s]
  double speed = 0.0;  ///< of its speed, relative
};
template <class Motion>
Beside beside(const EventRun& run, const Motion& exact, double per_metre = 1.0) {
  const std::vector<Event> found = run.of(Event::Kind::impact);
  Beside b;
  b.impacts = static_cast<int>(found.size());
  for (std::size_t i = 0; i < std::min(found.size(), exact.impacts.size()); ++i) {
    b.time = std::max(b.time, std::abs(found[i].t - static_cast<double>(exact.impacts[i].t)));
    const auto rate = static_cast<double>(exact.impacts[i].rate) * per_metre;
    b.speed = std::max(b.speed, std::abs(found[i].speed / rate - 1.0));
  }
  return b;
}

}  // namespace

TEST_CASE("a pendulum that hits its stop ever more softly for 30 s: no impact is missed") {
  StoppedMotion<1> exact = stopped_pendulum(kStart, kStop, kE);
  exact.to(kEnd);
  const int impacts = static_cast<int>(exact.impacts.size());
  REQUIRE(impacts == 15);
  // The speeds are known: e v of the one before, for the energy is kept between them.
  for (std::size_t i = 1; i < exact.impacts.size(); ++i)
    CHECK(static_cast<double>(exact.impacts[i].rate / exact.impacts[i - 1].rate) ==
          doctest::Approx(kE).epsilon(1e-12));
  const auto shortest = static_cast<double>(exact.impacts.back().behind);
  for (const double interval : {kEnd, 0.5, 1.0 / 60.0})
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10})
      for (const OdeKind method :
           {OdeKind::automatic, OdeKind::dormand_prince_5, OdeKind::dormand_prince_8}) {
        if (interval < 0.1 && method != OdeKind::automatic) continue;
        CAPTURE(interval);
        CAPTURE(tolerance);
        CAPTURE(name_of(method));
        Simulation sim(
            pendulum(kStart, kStop, kE, interval, kEnd, with_tolerance(tolerance, method)));
        const EventRun run = run_events(sim, kEnd);
        const Beside b = beside(run, exact);
        CHECK(b.impacts == impacts);
        CHECK(b.time <= 1e3 * tolerance);
        CHECK(b.speed <= 2e3 * tolerance + 1e-10);
        CHECK(run.gap >= -1e-9);
        if (interval == kEnd && method == OdeKind::automatic)
          MESSAGE(
              fmt::format("{:.0e}: {} impacts, times within {:.1e} s, speeds {:.1e}, {} steps "
                          "of {:.3f} s, {} evaluations; least time behind the stop {:.3f} s",
                          tolerance, b.impacts, b.time, b.speed, run.steps,
                          kEnd / static_cast<double>(run.steps), run.evaluations, shortest));
        // The test can fail: the ends of steps of this length see next to nothing of the last impacts.
        if (tolerance == 1e-4 && interval == kEnd && method == OdeKind::dormand_prince_8)
          CHECK(kEnd / static_cast<double>(run.steps) > shortest);
      }
}

TEST_CASE("a rod on a hinge with a limit shows the same impacts as the pendulum of its length") {
  StoppedMotion<1> exact = stopped_pendulum(kStart, kStop, kE);
  exact.to(kEnd);
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(tolerance);
    Simulation sim(rod_on_hinge(kStart, kStop, kE, 0.5, with_tolerance(tolerance)));
    const EventRun run = run_events(sim, kEnd);
    const Beside b = beside(run, exact);
    CHECK(b.impacts == static_cast<int>(exact.impacts.size()));
    CHECK(b.time <= 1e3 * tolerance);
    CHECK(b.speed <= 2e3 * tolerance + 1e-10);
    CHECK(run.joint_gap <= 1e-12);
    MESSAGE(fmt::format(
        "{:.0e}: {} impacts, times within {:.1e} s, speeds {:.1e}, {} steps, {} "
        "evaluations, joint {:.1e} m",
        tolerance, b.impacts, b.time, b.speed, run.steps, run.evaluations, run.joint_gap));
  }
}

TEST_CASE("a double pendulum beside a wall for 30 s: every impact, however brief") {
  struct Case {
    double a, b, wall;
    std::size_t impacts;
  };
  // Chosen so that a start off by 1e-3 rad changes no count: softest impact 0.06 m/s, next miss 9 mm.
  for (const Case& c : {Case{-0.55, 0.45, 0.55, 10}, Case{-0.25, -0.30, 0.30, 8},
                        Case{-0.35, -0.60, 0.55, 7}, Case{-0.45, -0.60, 0.55, 10}}) {
    CAPTURE(c.a);
    CAPTURE(c.b);
    StoppedMotion<2> exact = stopped_double_pendulum(c.a, c.b, c.wall, 0.7L);
    exact.to(kEnd);
    REQUIRE(exact.impacts.size() == c.impacts);
    REQUIRE(exact.nearest > 5e-3L);
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(tolerance);
      Simulation sim(double_pendulum(c.a, c.b, c.wall, 0.7, 0.5, with_tolerance(tolerance)));
      const EventRun run = run_events(sim, kEnd);
      const Beside b = beside(run, exact);
      CHECK(b.impacts == static_cast<int>(c.impacts));
      CHECK(run.gap >= -1e-9);
      if (tolerance <= 1e-8) CHECK(b.time <= 1e4 * tolerance);
      MESSAGE(
          fmt::format("({}, {}) rad, {} m, {:.0e}: {} impacts, times within {:.1e} s, {} steps, "
                      "{} evaluations",
                      c.a, c.b, c.wall, tolerance, b.impacts, b.time, run.steps, run.evaluations));
    }
  }
}

TEST_CASE("a pendulum through five impacts to 1e-9 costs at most 2000 evaluations") {
  // From 60 degrees onto a stop 10 degrees behind the lowest point.
  const double start = -std::numbers::pi / 3.0, stop = std::numbers::pi / 18.0, e = 0.8, end = 6.0;
  StoppedMotion<1> exact = stopped_pendulum(start, stop, e);
  exact.step = 2e-4L;
  exact.to(end);
  REQUIRE(exact.impacts.size() == 5);
  bool cheap = false;
  for (const double tolerance : {1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    CAPTURE(tolerance);
    long evaluations = 0;
    for (const double interval : {end, 1.0 / 60.0}) {
      Simulation sim(pendulum(start, stop, e, interval, end, with_tolerance(tolerance)));
      const EventRun run = run_events(sim, end);
      REQUIRE(run.impacts() == 5);
      const double q = std::abs(sim.state().groups[0].q[0] - static_cast<double>(exact.y[0])),
                   v = std::abs(sim.state().groups[0].v[0] - static_cast<double>(exact.y[1]));
      const double error = std::max(q, v);
      MESSAGE(
          fmt::format("{:.0e}, {} intervals: {} evaluations, {} steps, error {:.1e} rad, {:.1e} "
                      "rad/s",
                      tolerance, run.intervals, run.evaluations, run.steps, q, v));
      // Who looks more often pays for nothing.
      if (evaluations == 0) evaluations = run.evaluations;
      CHECK(run.evaluations <= evaluations + evaluations / 10);
      if (interval < end) cheap = cheap || (error <= 1e-9 && run.evaluations <= 2000);
    }
  }
  CHECK(cheap);
}
