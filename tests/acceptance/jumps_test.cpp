// Functions of time by points: drives whose rate jumps, and pulses that are shorter than anything else in the scene.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "../support/contacts.h"
#include "run_scene.h"
#include "saltus/study/scene_sensitivity.h"

using namespace saltus;
using namespace saltus::test;

namespace {

/// A crank of 0.2 m that a drive turns by 2 rad/s from 0.1 s to 0.2 s, and a rod on its end that nothing else holds.
const char* const kCrank = R"(saltus: 1
time: {end: 0.25 s, step: 1 ms}
bodies:
  - {name: crank, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0], touches: false}}
  - {name: rod, kind: rigid, rigid: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.4, 0, 0], touches: false}}
joints:
  - {name: drive, kind: revolute, between: [world, crank], at: [0, 0, 0], axis: [0, 0, 1], turn: {drive: {table: [[0, 0], [0.1, 0], [0.2, 0.2]]}}}
  - {name: elbow, kind: revolute, between: [crank, rod], at: [0.2, 0, 0], axis: [0, 0, 1]}
)";

/// What spin it leaves the rod [rad/s]. About the elbow, at a = l (cos phi, sin phi), m (J/m + r^2) theta'' + m r n . a'' = 0
/// with n across the rod; where the drive jumps, theta' jumps by -m r n . [a']/(J + m r^2).
double spin_of_rod() {
  constexpr double m = 1.0, J = 0.02, r = 0.2, l = 0.2, rate = 2.0, time = 0.1, I = J + m * r * r;
  constexpr int n = 2000;
  const auto slope = [&](double t, double theta) {
    return -m * r * l * rate * rate / I * std::sin(theta - rate * t);
  };
  double theta = 0.0, spin = -m * r * rate * l / I;
  for (int i = 0; i < n; ++i) {  // Runge-Kutta
    const double h = time / n, t = i * h;
    const double k1 = slope(t, theta), k2 = slope(t + h / 2, theta + h / 2 * spin),
                 k3 = slope(t + h / 2, theta + h / 2 * spin + h * h / 4 * k1),
                 k4 = slope(t + h, theta + h * spin + h * h / 2 * k2);
    theta += h * spin + h * h / 6 * (k1 + k2 + k3);
    spin += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return spin + m * r * rate * l / I * std::cos(theta - rate * time);
}

/// A slider that a drive sends off at 1 m/s from 0.1 s to 0.2 s, against a block that touches it.
const char* const kSlider = R"(saltus: 1
time: {end: 0.3 s, step: 1 ms}
bodies:
  - {name: slider, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0], shape: {sphere: {radius: 0.1}}}}
  - {name: block, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.2, 0, 0], shape: {sphere: {radius: 0.1}}}}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.5}}
joints:
  - {name: drive, kind: prismatic, between: [world, slider], at: [0, 0, 0], axis: [1, 0, 0], slide: {drive: {table: [[0, 0], [0.1, 0], [0.2, 0.1]]}}}
)";

const std::string kStepping = "time.mode=stepping", kEvents = "time.mode=events";

}  // namespace

TEST_CASE(
    "a drive that starts and stops by a table leaves what hangs on it the spin of mechanics") {
  const double exact = spin_of_rod();
  REQUIRE(exact == doctest::Approx(-0.0288104787).epsilon(1e-8));
  std::vector<double> error;
  for (const char* step : {"2 ms", "1 ms", "0.5 ms"}) {
    double off = 0.0;  // of the rate of the drive
    const Shown s = run_text(kCrank, {kStepping, std::string("time.step=") + step},
                             [&](const Simulation& sim, const StepReport&) {
                               const double t = sim.state().t, w = sim.state().groups[0].v[5];
                               const bool turns = t > 0.0999 && t < 0.1999;
                               if (std::abs(t - 0.2) > 1e-4)
                                 off = std::max(off, std::abs(w - 2.0 * turns));
                             });
    CHECK(s.converged);
    CHECK(std::abs(account(s.sim, "unexplained")) < 1e-15);
    CHECK(off < 1e-5);  // h^2
    error.push_back(std::abs(s.sim.state().groups[0].v[11] - exact));
    const double E = s.sim.state().energy.total();
    CHECK(account(s.sim, "prescribed") == doctest::Approx(E).epsilon(1e-3));
  }
  const double order = std::log2(error[0] / error[2]) / 2.0;
  MESSAGE(fmt::format("errors {:.2g}, {:.2g}, {:.2g} rad/s, order {:.3f}", error[0], error[1],
                      error[2], order));
  CHECK(order > 1.9);
  CHECK(order < 2.1);

  const Shown mode = run_text(kCrank, {kEvents});
  const double off = std::abs(mode.sim.state().groups[0].v[11] - exact);
  MESSAGE(fmt::format("event-driven integration: {:.2g} rad/s", off));
  CHECK(off < 1e-10);
  CHECK(account(mode.sim, "prescribed") ==
        doctest::Approx(mode.sim.state().energy.total()).epsilon(1e-8));
  CHECK(std::abs(account(mode.sim, "scheme")) < 1e-11);
}

TEST_CASE("drives that jump within a step, and at every step, keep their rates") {
  // jumps at 0.1 s and 0.2 s are not on this grid
  const Shown within = run_text(kCrank, {kStepping, "time.step=0.3 ms"});
  CHECK(std::abs(within.sim.state().groups[0].v[11] - spin_of_rod()) < 1e-4);
  // samples of a parabola, one a step: at a point the rate is that of the piece on one of its sides
  std::string points;
  for (int i = 0; i <= 250; ++i)
    points += fmt::format("{}[{}, {}]", i > 0 ? ", " : "", i * 1e-3, i * i * 1e-6);
  double off = 0.0;
  const Shown sampled =
      run_text(kCrank, {kStepping, "joints[0].turn.drive.table=[" + points + "]"},
               [&](const Simulation& sim, const StepReport&) {
                 if (sim.state().t < 0.2495)
                   off = std::max(off, std::abs(sim.state().groups[0].v[5] - 2.0 * sim.state().t));
               });
  CHECK(sampled.converged);
  CHECK(off < 1.01e-3);
}

TEST_CASE("what a drive jerks against others goes off with it, and does not bounce from it") {
  using Ways = std::vector<std::string>;
  for (const Ways& way :
       {Ways{kEvents}, Ways{kStepping, "joint.level=position"},
        Ways{kStepping, "joint.level=velocity"}, Ways{kStepping, "joint.level=both"}}) {
    CAPTURE(way);
    const Shown s = run_text(kSlider, way);
    CHECK(s.converged);
    CHECK(s.worst_after < 1e-8);
    CHECK(s.sim.state().groups[0].v[0] == doctest::Approx(0.0));
    CHECK(s.sim.state().groups[0].v[6] == doctest::Approx(1.0).epsilon(1e-12));
    CHECK(s.sim.state().energy.total() == doctest::Approx(0.5).epsilon(1e-12));
    // what a drive jerks it takes along: nothing is lost
    CHECK(account(s.sim, "prescribed") == doctest::Approx(0.5).epsilon(1e-12));
    CHECK(std::abs(account(s.sim, "impact")) < 1e-12);
    CHECK(std::abs(account(s.sim, "joints")) < 1e-12);
  }
}

TEST_CASE("a support that starts and stops throws what lies on it") {
  // by 2 m/s from 0.2 s to 0.4 s
  const std::string scene = R"(saltus: 1
gravity: [0, 0, -9.81]
time: {end: 0.6 s, step: 10 ms, mode: events}
bodies:
  - {name: table, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], shape: {box: {size: [1, 1, 0.2]}}, motion: {z: {table: [[0, 0], [0.2, 0], [0.4, 0.4]]}}}}
  - {name: ball, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.2], shape: {sphere: {radius: 0.1}}}}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.5}}
)";
  const Shown s = run_text(scene);
  CHECK(s.converged);
  const auto ball_of = [](const Simulation& sim) {
    const auto& groups = sim.state().groups;
    return groups[0].v.size() > 0 ? groups[0] : groups[1];
  };
  const GroupState ball = ball_of(s.sim);
  CHECK(ball.q[2] == doctest::Approx(0.6 + 0.4 - 0.5 * 9.81 * 0.04).epsilon(1e-12));
  CHECK(ball.v[2] == doctest::Approx(2.0 - 9.81 * 0.2).epsilon(1e-12));
  CHECK(account(s.sim, "prescribed") == doctest::Approx(2.0 + 9.81 * 0.4).epsilon(1e-12));
  CHECK(std::abs(account(s.sim, "impact")) < 1e-12);
  // steps of the schemes come to the same
  const Shown steps = run_text(scene, {kStepping, "time.step=0.1 ms"});
  CHECK(ball_of(steps.sim).v[2] == doctest::Approx(ball.v[2]).epsilon(1e-9));
  CHECK(account(steps.sim, "prescribed") ==
        doctest::Approx(account(s.sim, "prescribed")).epsilon(1e-3));
}

TEST_CASE("a belt that starts and stops drags what lies on it, by friction alone") {
  // 1 m/s from 0.2 s to 0.4 s under a box: it slips all the time, forwards and back
  constexpr double a = 0.3 * 9.81, way = 0.5 * a * 0.2 * 0.2;
  double fastest = 0.0, worst = 0.0;
  const Shown s = run_text(R"(saltus: 1
gravity: [0, 0, -9.81]
time: {end: 0.7 s, step: 10 ms, mode: events}
bodies:
  - {name: belt, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], shape: {box: {size: [4, 1, 0.2]}}, motion: {x: {table: [[0, 0], [0.2, 0], [0.4, 0.2]]}}}}
  - {name: box, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.2], shape: {box: {size: [0.2, 0.2, 0.2]}}}}
surfaces:
  - {law: {kind: newton-impact, friction: 0.3}}
)",
                           {}, [&](const Simulation& sim, const StepReport& report) {
                             for (const GroupState& group : sim.state().groups)
                               if (group.v.size() > 0) fastest = std::max(fastest, group.v[0]);
                             worst = std::max(worst, report.residual_after);
                           });
  CHECK(s.converged);
  CHECK(fastest == doctest::Approx(a * 0.2).epsilon(1e-12));
  for (const GroupState& group : s.sim.state().groups) {
    if (group.v.size() == 0) continue;
    CHECK(std::abs(group.v[0]) < 1e-12);
    CHECK(group.q[0] == doctest::Approx(2.0 * way).epsilon(1e-12));
  }
  CHECK(account(s.sim, "prescribed") == doctest::Approx(a * 0.2).epsilon(1e-12));
  CHECK(account(s.sim, "friction") == doctest::Approx(-a * 0.2).epsilon(1e-12));
  CHECK(worst < 1e-12);  // bodies that only slide have normal rates that are all round-off
}

TEST_CASE("a pendulum on a cart that starts and stops gets the spin of mechanics") {
  constexpr double m = 1.0, J = 0.02, r = 0.2, V = 2.0, time = 0.1,
                   spin = m * r * V / (J + m * r * r);
  const std::string scene = R"(saltus: 1
time: {end: 0.3 s, step: 1 ms}
bodies:
  - {name: cart, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], shape: {sphere: {radius: 0.01}}, motion: {x: {table: [[0, 0], [0.1, 0], [0.2, 0.2]]}}}}
  - {name: rod, kind: rigid, rigid: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, -0.2, 0], touches: false}}
joints:
  - {name: pivot, kind: revolute, between: [cart, rod], at: [0, 0, 0], axis: [0, 0, 1]}
)";
  // in the frame of the cart it turns freely from the start to the stop
  const double last = -spin * (1.0 - std::cos(spin * time));
  for (const auto& [set, near] : {std::pair{kEvents, 1e-9}, std::pair{kStepping, 1e-4}}) {
    CAPTURE(set);
    const Shown s = run_text(scene, {set});
    CHECK(s.converged);
    for (const GroupState& group : s.sim.state().groups)
      if (group.v.size() > 0) CHECK(std::abs(std::abs(group.v[5]) - std::abs(last)) < near);
    CHECK(account(s.sim, "prescribed") ==
          doctest::Approx(s.sim.state().energy.total()).epsilon(set == kEvents ? 1e-9 : 1e-3));
  }
}

TEST_CASE(
    "a run of event-driven integration is taken up at the jump of a drive, to the same bits") {
  const Scene scene = read_scene_text(kCrank, "crank.yaml", std::vector{kEvents});
  Simulation whole(build(scene));
  std::vector<State> at;
  for (int k = 0; k < 250; ++k) {
    whole.advance();
    if (k == 98 || k == 99 || k == 150) at.push_back(whole.state());
  }
  for (const State& state : at) {
    Simulation part(build(scene), state);
    while (part.state().t < 0.2495) part.advance();
    CHECK((part.state().groups[0].q.array() == whole.state().groups[0].q.array()).all());
    CHECK((part.state().groups[0].v.array() == whole.state().groups[0].v.array()).all());
  }
}

TEST_CASE("a drive rests behind the end of its table, wherever that lies on the steps") {
  // 0.25 + 0.05 is a point, the time of the sixth step one ulp behind it; two jumps in the first step, one of them at 0
  struct Case {
    const char *step, *table;
  };
  for (const Case& one : {Case{"50 ms", "[[0, 0], [0.1, 0], [0.3, 0.2]]"},
                          Case{"1 ms", "[[0, 0], [0.0003, 0.0006], [0.1, 0.0006]]"}})
    for (const char* level : {"position", "velocity", "both"})
      for (const std::string& mode : {kStepping, kEvents, std::string("time.tolerance=1e-4")}) {
        CAPTURE(one.step);
        CAPTURE(level);
        CAPTURE(mode);
        const Shown s = run_text(
            R"(saltus: 1
time: {end: 1 s, step: 50 ms}
bodies:
  - {name: crank, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0], touches: false}}
joints:
  - {name: drive, kind: revolute, between: [world, crank], at: [0, 0, 0], axis: [0, 0, 1], turn: {drive: {table: [[0, 0], [0.1, 0]]}}}
)",
            {mode, fmt::format("time.step={}", one.step), fmt::format("joint.level={}", level),
             fmt::format("joints[0].turn.drive.table={}", one.table)});
        CHECK(s.converged);
        CHECK(s.sim.state().groups[0].v.cwiseAbs().maxCoeff() < 1e-8);
        CHECK(s.sim.state().energy.total() < 1e-16);
      }
}

TEST_CASE("points on the ends of intervals leave the control of steps its estimate") {
  // 6 x 0.02 is less than 0.12 by an ulp
  double q = 0.0;
  const Shown s = run_text(R"(saltus: 1
time: {end: 0.14 s, step: 20 ms, tolerance: 1e-6}
bodies:
  - {name: b, kind: linear, oscillator: {mass: 1, stiffness: 1e6}, scheme: moreau-jean, loads: [{dof: 0, table: [[0, 0], [0.1, 0], [0.12, 1e6]]}]}
)",
                           {}, [&](const Simulation& sim, const StepReport&) {
                             if (std::abs(sim.state().t - 0.12) < 1e-9)
                               q = sim.state().groups[0].q[0];
                           });
  CHECK(s.converged);
  CHECK(q == doctest::Approx(1.0 - 0.05 * std::sin(20.0)).epsilon(1e-5));
}

TEST_CASE("what a gentle support jerks, and what meets one that jumps, bounces as it did") {
  std::string points;
  for (int i = 0; i <= 1000; ++i)
    points += fmt::format("{}[{}, {}]", i > 0 ? ", " : "", i * 1e-3, 2e-4 * i * i * 1e-6);
  // of a table by samples, under a block; a ball falls on another floor
  const Shown apart = run_text(R"(saltus: 1
time: {end: 0.6 s, step: 10 ms, mode: events}
gravity: [0, 0, -9.81]
bodies:
  - {name: plate, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -0.1], shape: {box: {size: [1, 1, 0.2]}}, motion: {z: {table: [)" +
                               points + R"(]}}}}
  - {name: block, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], shape: {sphere: {radius: 0.1}}}}
  - {name: floor, kind: rigid, rigid: {shape: {box: {size: [1, 1, 0.2]}}, position: [5, 0, -0.1], fixed: true}}
  - {name: ball, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [5, 0, 1.1], shape: {sphere: {radius: 0.1}}}}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.8}}
)");
  const double hit = std::sqrt(2.0 / 9.81), speed = std::sqrt(2.0 * 9.81);
  double least = 0.0;
  for (const GroupState& group : apart.sim.state().groups)
    for (Eigen::Index i = 2; i < group.v.size(); i += 6)
      if (std::abs(group.v[i]) > 0.1) least = group.v[i];
  CHECK(least == doctest::Approx(0.8 * speed - 9.81 * (0.6 - hit)).epsilon(1e-9));
  // a floor that sets off at 0.5 m/s at the instant at which a ball falls on it, by the time to the last bit or nearly so
  const double fall = std::sqrt(0.2 / 9.81), v = std::sqrt(0.2 * 9.81);
  const Shown together = run_text(fmt::format(
      R"(saltus: 1
time: {{end: 0.2 s, step: 10 ms, mode: events}}
gravity: [0, 0, -9.81]
bodies:
  - {{name: plate, kind: rigid, rigid: {{mass: 1, inertia: [1, 1, 1], position: [0, 0, -0.1], shape: {{box: {{size: [1, 1, 0.2]}}}}, motion: {{z: {{table: [[0, 0], [{:.17g}, 0], [1.{:s}, 0.5]]}}}}}}}}
  - {{name: ball, kind: rigid, rigid: {{mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.2], shape: {{sphere: {{radius: 0.1}}}}}}}}
surfaces:
  - {{law: {{kind: newton-impact, restitution: 0.5}}}}
)",
      fall, fmt::format("{:.17g}", fall).substr(2)));
  const double left = 0.2 - fall;
  for (const GroupState& group : together.sim.state().groups) {
    if (group.v.size() == 0) continue;
    const double after = group.v[2] + 9.81 * left;  // before the jump, or behind it
    CHECK((std::abs(after - 0.5 * v) < 1e-9 || std::abs(after - (0.5 + 0.5 * (v + 0.5))) < 1e-9));
  }
}

TEST_CASE("jumps of a support that are an ulp apart are one") {
  const std::string scene = R"(saltus: 1
time: {end: 0.5 s, step: 10 ms, mode: events}
bodies:
  - {name: cart, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], shape: {sphere: {radius: 0.01}}, motion: {x: {table: [[0, 0], [0.3, 0], [LATER, 0], [0.4, 0.2]]}}}}
  - {name: rod, kind: rigid, rigid: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, -0.2, 0], touches: false}}
joints:
  - {name: pivot, kind: revolute, between: [cart, rod], at: [0, 0, 0], axis: [0, 0, 1]}
)";
  std::vector<double> spin;
  for (const char* later :
       {"0.30000000000000004", "0.3000000000000001", "0.3000000000000002", "0.30000000000001"}) {
    std::string text = scene;
    bool handed_over = false;
    const Shown s = run_text(text.replace(text.find("LATER"), 5, later), {},
                             [&](const Simulation& sim, const StepReport&) {
                               for (const Event& event : sim.events())
                                 handed_over |= event.kind == Event::Kind::hand_over;
                             });
    CHECK(s.converged);
    CHECK(!handed_over);
    for (const GroupState& group : s.sim.state().groups)
      if (group.v.size() > 0) spin.push_back(group.v[5]);
  }
  REQUIRE(spin.size() == 4);
  for (const double x : spin) CHECK(x == doctest::Approx(spin[0]).epsilon(1e-9));
}

TEST_CASE(
    "a run of event-driven integration is taken up at the jump of a support, to the same bits") {
  const Scene scene = read_scene_text(R"(saltus: 1
time: {end: 0.5 s, step: 10 ms, mode: events}
gravity: [0, 0, -9.81]
bodies:
  - {name: plate, kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -0.1], shape: {box: {size: [10, 10, 0.2]}}, motion: {x: {table: [[0, 0], [0.3, 0.9]]}, angle: {table: [[0, 0], [0.1, 0], [0.2, 0.1], [0.3, 0.12], [0.7, 0.12]]}, axis: [0, 0, 1]}}}
  - {name: ball, kind: rigid, rigid: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], velocity: [0, 2, 0], shape: {sphere: {radius: 0.1}}}}
surfaces:
  - {law: {kind: newton-impact, restitution: 0.5, friction: 0.3}}
)",
                                      "ball.yaml");
  Simulation whole(build(scene));
  std::vector<State> at;
  for (int k = 1; k <= 50; ++k) {
    whole.advance();
    if (k % 5 == 0 && k < 50) at.push_back(whole.state());
  }
  for (const State& state : at) {
    CAPTURE(state.t);
    Simulation part(build(scene), state);
    while (part.state().t < 0.495) part.advance();
    for (std::size_t g = 0; g < whole.state().groups.size(); ++g)
      CHECK((part.state().groups[g].v.array() == whole.state().groups[g].v.array()).all());
  }
}

TEST_CASE(
    "no step of event-driven integration passes over a pulse: bodies at rest get its impulse") {
  // 1 N s within 2 ms, in a second in which nothing else happens
  const std::string pulse = "table: [[0.499, 0], [0.5, 1000], [0.501, 0]]";
  struct Case {
    const char* name;
    std::string body;
    double speed;  ///< at 1 s [m/s], [rad/s]
  };
  const std::array cases{
      Case{"oscillator",
           "kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, " + pulse + "}]",
           std::cos(0.5) * 2.0 * (1.0 - std::cos(1e-3)) * 1e6},
      Case{"smooth",
           "kind: linear, oscillator: {mass: 1, stiffness: 0}, loads: [{dof: 0, smooth: true, " +
               pulse + "}]",
           1.25},  // the natural spline through them
      Case{"particle",
           "kind: particles, particles: {mass: [1], positions: [[0, 0, 0]]}, scheme: moreau-jean, "
           "loads: [{particle: 0, direction: [1, 0, 0], " +
               pulse + "}]",
           1.0},
      Case{"rigid",
           "kind: rigid, rigid: {mass: 1, inertia: [1, 1, 1], touches: false}, "
           "loads: [{force: [1, 0, 0], " +
               pulse + "}]",
           1.0},
      Case{"pseudo-rigid",
           "kind: pseudo-rigid, pseudo_rigid: {shape: {box: {size: [0.1, 0.1, 0.1]}}, "
           "material: {law: neo_hooke, young: 1e6, poisson: 0.3, density: 1000}, touches: false}, "
           "loads: [{force: [1, 0, 0], " +
               pulse + "}]",
           1.0},
      Case{"pendulum",
           "kind: lagrangian, n_pendulum: {mass: [1], length: [1], gravity: 0}, loads: [{dof: 0, " +
               pulse + "}]",
           1.0},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const std::string text =
        "saltus: 1\ntime: {end: 1 s, step: 10 ms, mode: events}\nbodies:\n  - {name: b, " +
        one.body + "}\n";
    const Shown s = run_text(text);
    CHECK(s.converged);
    CHECK(s.sim.state().groups[0].v.maxCoeff() == doctest::Approx(one.speed).epsilon(1e-9));
  }
}

TEST_CASE("steps of controlled length see a pulse of a hundredth of the interval") {
  const std::string text =
      "saltus: 1\ntime: {end: 1 s, step: 0.1 s, tolerance: 1e-6}\nbodies:\n"
      "  - {name: b, kind: linear, oscillator: {mass: 1, stiffness: 1}, loads: [{dof: 0, "
      "table: [[0.532, 0], [0.5325, 2000], [0.533, 0]]}]}\n";
  const Shown s = run_text(text);
  CHECK(s.converged);
  const double t = 1.0 - 0.5325;  // 1 N s there
  CHECK(s.sim.state().groups[0].v[0] == doctest::Approx(std::cos(t)).epsilon(1e-5));
  CHECK(s.sim.state().groups[0].q[0] == doctest::Approx(std::sin(t)).epsilon(1e-5));
}

TEST_CASE("a drive that jumps has no sensitivities, and says so, at the end of the run too") {
  for (const char* end : {"time.end=0.25", "time.end=0.1"}) {
    CAPTURE(end);
    const SceneSensitivity s = scene_sensitivities(
        read_scene_text(std::string(kCrank) + "outputs:\n  - {probe: drive, name: w}\n",
                        "crank.yaml", std::vector<std::string>{kEvents, end}),
        std::vector<std::string>{"bodies[1].rigid.mass"});
    CHECK(s.states.validity == Sensitivity::Validity::none);
    CHECK(s.states.reason.find("rate of a drive or support jumps at t = 0.1 s") !=
          std::string::npos);
  }
}
