// Motors, servos and given torques of joints, with set-points that change in time or are set during a run.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run_scene.h"
#include "saltus/base/error.h"

using namespace saltus;
using namespace saltus::test;

namespace {

constexpr double kJ = 0.02;  // [kg m^2]

/// A wheel about x on a hinge to the world, or to a shaft that turns freely the other way: the relative inertia is
/// kJ in both cases.
std::string wheel(const std::string& turn, bool shaft = false,
                  const std::string& scheme = "rig-mid") {
  const auto body = [&](const char* name, double J, const std::string& by) {
    return fmt::format(
        "  - {{name: {}, kind: rigid, scheme: {}, rigid: {{mass: 2, inertia: [{}, 0.05, 0.05], "
        "position: "
        "[0.1, 0.3, -0.2]}}}}\n",
        name, by, J);
  };
  std::string text = "saltus: 1\ntime: {end: 1.5 s, step: 2 ms}\nbodies:\n" +
                     body("wheel", shaft ? 2.0 * kJ : kJ, scheme);
  if (shaft) text += body("shaft", 2.0 * kJ, scheme == "rig-mid" ? "moreau-jean" : "rig-mid");
  text += "joints:\n";
  const std::string at = "at: [0.1, 0.3, -0.2], axis: [1, 0, 0]";
  if (shaft) text += "  - {name: bearing, kind: revolute, between: [world, shaft], " + at + "}\n";
  return text + "  - {name: hub, kind: revolute, between: [" + (shaft ? "shaft" : "world") +
         ", wheel], " + at + ", turn: {" + turn +
         "}}\noutputs:\n  - {probe: hub, name: angle, quantity: displacement}\n"
         "  - {probe: hub, name: rate, quantity: velocity}\n";
}

/// J a'' = clip(k (r - a) - c a', B) from rest: a'' = B/J until k (r - a) - c a' = B, then a damped oscillator.
std::array<double, 2> saturated_servo(double k, double c, double B, double r, double t) {
  const double a0 = B / kJ;
  // k (r - a0 s^2/2) - c a0 s = B
  const double p = c / k, s = -p + std::sqrt(p * p + 2.0 * (r - B / k) / a0);
  if (t <= s) return {0.5 * a0 * t * t, a0 * t};
  const double x = 0.5 * a0 * s * s - r, u = a0 * s, d = c / (2.0 * kJ),
               w = std::sqrt(k / kJ - d * d), e = t - s;
  const double b = (u + d * x) / w, fall = std::exp(-d * e);
  const double value = fall * (x * std::cos(w * e) + b * std::sin(w * e));
  const double rate = -d * value + fall * w * (b * std::cos(w * e) - x * std::sin(w * e));
  return {r + value, rate};
}

double energy_of_account(const Simulation& sim, std::string_view name) {
  const auto accounts = sim.model().accounts();
  const auto at = std::find(accounts.begin(), accounts.end(), name);
  return at == accounts.end() ? 0.0
                              : sim.state().ledger[static_cast<std::size_t>(at - accounts.begin())];
}

Simulation started(const std::string& text, const std::vector<std::string>& set = {}) {
  return Simulation(build(read_scene_text(text, "test.yaml", set)));
}

void go(Simulation& sim, int steps) {
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.advance();
    REQUIRE(report.converged);
    REQUIRE(report.finite);
  }
}

}  // namespace

TEST_CASE("a servo with bounded torque moves as its closed form says, over any number of turns") {
  struct Row {
    double k, c, B, r;
  };
  for (const Row x :
       {Row{3.0, 0.45, 0.8, 1.1}, Row{0.5, 0.02, 0.4, 40.0}, Row{2.0, 0.5, 30.0, -9.0}})
    for (const bool shaft : {false, true})
      for (const char* scheme : {"rig-mid", "moreau-jean"}) {
        CAPTURE(x.r);
        CAPTURE(shaft);
        CAPTURE(scheme);
        if (std::abs(x.k * x.r) < x.B) continue;
        const std::string servo =
            wheel(fmt::format("servo: {{target: {}, stiffness: {}, damping: {}, torque: {}}}", x.r,
                              x.k, x.c, x.B),
                  shaft, scheme);
        const double sign = x.r > 0.0 ? 1.0 : -1.0;
        const auto exact = saturated_servo(x.k, x.c, x.B, std::abs(x.r), 1.5);
        const Shown by_events = run_text(servo, {"time.mode=events", "time.tolerance=1e-11"});
        CHECK(by_events.converged);
        CHECK(std::abs(by_events.sim.probe(0) - sign * exact[0]) < 1e-9 * std::abs(x.r));
        CHECK(std::abs(by_events.sim.probe(1) - sign * exact[1]) < 1e-8 * std::abs(x.r));
        double error[2];
        for (const int k : {0, 1}) {
          const Shown run = run_text(servo, {k == 0 ? "time.step=1e-3" : "time.step=2.5e-4"});
          CHECK(run.converged);
          CHECK(run.sim.notices().empty());
          error[k] = std::abs(run.sim.probe(0) - sign * exact[0]) +
                     0.1 * std::abs(run.sim.probe(1) - sign * exact[1]);
          const double E = run.sim.state().energy.total() - run.sim.state().energy_start;
          CHECK(std::abs(energy_of_account(run.sim, "actuators") - E) < 1e-9 * (1.0 + std::abs(E)));
        }
        // order 2, also where the torque leaves its bound
        CHECK(error[1] < std::max(error[0] / 8.0, 1e-11));
        CHECK(error[0] < 2e-3 * std::abs(x.r));
      }
}

TEST_CASE("a servo follows a target with corners to the order of the scheme") {
  // J a'' = k (r - a) + c (r' - a') with r = t, then constant: the deviation is 0 while the target moves at 2 rad/s from
  // the start, where the wheel rests, and decays
  const std::string text =
      wheel("servo: {target: {table: [[0, 0], [0.4, 0.8], [1, 0.8]]}, stiffness: 5, damping: 0.4}");
  const auto exact = [](double t) {
    const double d = 0.4 / (2.0 * kJ), w = std::sqrt(5.0 / kJ - d * d);
    const auto after = [&](double x, double u, double e) {
      const double b = (u + d * x) / w;
      return std::array{
          std::exp(-d * e) * (x * std::cos(w * e) + b * std::sin(w * e)),
          std::exp(-d * e) * (u * std::cos(w * e) - (d * b + w * x) * std::sin(w * e))};
    };
    const auto corner = after(0.0, -2.0, 0.4);
    return 0.8 + after(corner[0], corner[1] + 2.0, t - 0.4)[0];
  };
  CHECK(std::abs(run_text(text, {"time.mode=events", "time.end=0.6", "time.tolerance=1e-11"})
                     .sim.probe(0) -
                 exact(0.6)) < 1e-9);
  const double coarse = std::abs(run_text(text, {"time.end=0.6"}).sim.probe(0) - exact(0.6)),
               fine = std::abs(run_text(text, {"time.end=0.6", "time.step=0.5 ms"}).sim.probe(0) -
                               exact(0.6));
  CHECK(coarse < 1e-4);
  CHECK(fine < coarse / 8.0);
  CHECK(fine > coarse / 40.0);
}

TEST_CASE("a given torque gives the impulse of its function, whatever the step") {
  for (const bool shaft : {false, true})
    for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-5"})
      for (const char* scheme : {"rig-mid", "moreau-jean", "rig-neg"}) {
        CAPTURE(shaft);
        CAPTURE(way);
        CAPTURE(scheme);
        // the corners are inside steps
        const Shown run = run_text(
            wheel("torque: {table: [[0, 0], [0.1007, 0.3], [0.3011, -0.1], [0.7003, 0.2]]}", shaft,
                  scheme),
            {way});
        CHECK(run.converged);
        const double impulse = 0.5 * 0.1007 * 0.3 + 0.2004 * 0.1 + 0.3992 * 0.05 + 0.7997 * 0.2;
        const bool events = std::string_view(way) == "time.mode=events";
        CHECK(std::abs(run.sim.probe(1) - impulse / kJ) < (events ? 1e-8 : 1e-10) * impulse / kJ);
        const double E = run.sim.state().energy.total();
        CHECK(std::abs(energy_of_account(run.sim, "actuators") - E) < 1e-3 * E);
        CHECK(run.sim.notices().empty());
      }
}

TEST_CASE("a motor keeps a velocity that changes in time as long as its torque suffices") {
  for (const bool shaft : {false, true})
    for (const char* mode : {"stepping", "events"}) {
      CAPTURE(shaft);
      CAPTURE(mode);
      const std::string way = std::string("time.mode=") + mode;
      // 4 rad/s in 0.5 s: 0.16 N m
      const std::string course = "motor: {velocity: {table: [[0, 0], [0.5, 4], [1, 4]]}, torque: ";
      const Shown strong = run_text(wheel(course + "0.17}", shaft), {way});
      CHECK(strong.converged);
      const double cay = mode[0] == 's' ? 3e-5 : 1e-7;  // 5 rad (h 4 rad/s)^2/12
      CHECK(std::abs(strong.sim.probe(0) - 5.0) < cay);
      CHECK(std::abs(strong.sim.probe(1) - 4.0) < 1e-9);
      CHECK(std::abs(energy_of_account(strong.sim, "actuators") -
                     strong.sim.state().energy.total()) < 1e-7);
      // with 0.1 N m it takes 0.8 s
      const Shown weak = run_text(wheel(course + "0.1}", shaft), {way});
      CHECK(weak.converged);
      CHECK(std::abs(weak.sim.probe(0) - 0.5 * 5.0 * 0.64 - 4.0 * 0.7) <
            (mode[0] == 'e' ? 1e-8 : 2e-2));
      CHECK(std::abs(weak.sim.probe(1) - 4.0) < 1e-9);
      double torque = 0.0;
      run_text(wheel(course + "0.1}", shaft), {way, "time.end=0.4"},
               [&](const Simulation& sim, const StepReport&) { torque = sim.actuator_force(0); });
      CHECK(std::abs(torque - 0.1) < 1e-9);
    }
}

TEST_CASE("a spring whose rest value is a function of time winds a wheel") {
  // J a'' = k (r t - a):  a = r t - (r/w) sin w t
  const std::string text = wheel("spring: {stiffness: 0.5, rest: {rate: 20}}");
  const double w = std::sqrt(0.5 / kJ), exact = 20.0 * 1.5 - 20.0 / w * std::sin(1.5 * w);
  CHECK(std::abs(run_text(text, {"time.mode=events"}).sim.probe(0) - exact) < 1e-7 * exact);
  CHECK(std::abs(run_text(text).sim.probe(0) - exact) < 1e-3 * exact);
}

TEST_CASE("a servo of a slide holds a mass against gravity within its force") {
  const std::string lift =
      "saltus: 1\ntime: {end: 2 s, step: 2 ms}\ngravity: [0, 0, -9.81]\nbodies:\n  - {name: cabin, "
      "kind: rigid, rigid: "
      "{mass: 3, inertia: [1, 1, 1]}}\njoints:\n  - {name: rail, kind: prismatic, between: [world, "
      "cabin], at: [0, 0, "
      "0], axis: [0, 0, 1], slide: {servo: {target: 0.5, stiffness: 2000, damping: 150, force: ";
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    Simulation sim = started(lift + "60}}}\n", {mode});
    go(sim, 1000);
    CHECK(std::abs(sim.joint_coordinate(0, 0)[0] - (0.5 - 3.0 * 9.81 / 2000.0)) < 1e-9);
    CHECK(std::abs(sim.actuator_force(0) - 3.0 * 9.81) < 1e-6);
    Simulation weak = started(lift + "20}}}\n", {mode});  // it falls with 9.81 - 20/3 m/s^2
    go(weak, 500);
    CHECK(std::abs(weak.joint_coordinate(0, 0)[0] + 0.5 * (9.81 - 20.0 / 3.0)) < 1e-9);
  }
}

TEST_CASE("a servo that holds its torque over a step is a program that sets it before each step") {
  const std::string rule = "stiffness: 3, damping: 0.1, torque: 0.5";
  for (const bool shaft : {false, true})
    for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
      CAPTURE(shaft);
      CAPTURE(mode);
      Simulation held =
          started(wheel("servo: {target: {rate: 3}, hold: step, " + rule + "}", shaft), {mode});
      Simulation set = started(wheel("torque: 0", shaft), {mode});
      for (int k = 0; k < 400; ++k) {
        const auto [x, rate] = set.joint_coordinate(shaft ? 1 : 0, 0);
        SetPoint torque;
        torque.effort = std::clamp(3.0 * (3.0 * set.state().t - x) + 0.1 * (3.0 - rate), -0.5, 0.5);
        set.set(0, torque);
        go(set, 1);
        go(held, 1);
      }
      CHECK(std::abs(held.probe(0)) > 1.0);
      CHECK(std::abs(held.probe(0) - set.probe(0)) <= 1e-12 * std::abs(set.probe(0)));
      CHECK(std::abs(held.probe(1) - set.probe(1)) <= 1e-12 * std::abs(set.probe(1)));
    }
}

TEST_CASE(
    "a servo that is stiff for the step has the slow motion of its closed form, without "
    "alternating rates") {
  // J a'' + d a' + k (a - r) = 0:  two rates, of which h resolves the slow one
  struct Row {
    double k, d;
    const char* bound;
  };
  for (const Row x : {Row{1e4, 200.0, ""}, Row{4e4, 2e3, ""}, Row{1e6, 1e4, ", torque: 500"},
                      Row{400.0, 2e4, ""}})
    for (const bool shaft : {false, true}) {
      CAPTURE(x.d);
      CAPTURE(shaft);
      const std::string text = wheel(
          fmt::format("servo: {{target: 0.2, stiffness: {}, damping: {}{}}}", x.k, x.d, x.bound),
          shaft);
      const double root = std::sqrt(0.25 * x.d * x.d - kJ * x.k), slow = x.k / (0.5 * x.d + root),
                   fast = (0.5 * x.d + root) / kJ;
      Simulation sim = started(text, {"time.step=1e-3"});
      double before = 0.0;
      for (int k = 0; k < 1000; ++k) {
        go(sim, 1);
        const double t = sim.state().t, rate = sim.probe(1);
        if (t > 0.02 && x.bound[0] == 0) {
          const double exact =
              0.2 * slow * fast / (fast - slow) * (std::exp(-slow * t) - std::exp(-fast * t));
          CHECK(std::abs(rate - exact) < 0.06 * exact + 1e-9);
        }
        if (t > 0.05) CHECK(rate * before >= -1e-18);
        before = rate;
      }
      CHECK(sim.notices().empty());
    }
}

TEST_CASE("forces of actuators and joints are means over the interval, whatever its length") {
  for (const char* mode : {"time.mode=stepping", "time.mode=events"}) {
    CAPTURE(mode);
    Simulation sim = started(wheel("torque: 0.7") + "gravity: [0, 0, -9.81]\n", {mode});
    for (const double h : {2e-3, 3e-4, 5e-3}) {
      sim.advance(h);
      CHECK(std::abs(sim.actuator_force(0) - 0.7) < 1e-9);
      CHECK(std::abs(sim.joint_load(0)[0].norm() - 2.0 * 9.81) < 1e-6);
    }
  }
}

TEST_CASE("a motor follows a velocity that swings through zero") {
  for (const char* turn : {"motor: {velocity: {harmonic: {amplitude: 1, frequency: 1}}, torque: 5}",
                           "motor: {velocity: {harmonic: {amplitude: 3, frequency: 10, phase: "
                           "-1.5707963267948966}}, torque: 50}"})
    for (const bool shaft : {false, true}) {
      CAPTURE(turn);
      CAPTURE(shaft);
      const Shown run = run_text(wheel(turn, shaft), {"time.mode=events", "time.tolerance=1e-9"});
      CHECK(run.converged);
      CHECK(run.sim.notices().empty());
      const double t = 1.5;
      const bool fast = std::string_view(turn).find("10,") != std::string_view::npos;
      const double w = 2.0 * std::numbers::pi * (fast ? 10.0 : 1.0);
      const double rate = fast ? 3.0 * std::sin(w * t) : std::cos(w * t);
      CHECK(std::abs(run.sim.probe(1) - rate) < 1e-7);
    }
}

TEST_CASE("set-points that a run sets belong to its state") {
  const std::string text = wheel(
      "servo: {target: 0, stiffness: 3, damping: 0.1}, torque: {harmonic: {amplitude: 0.1, "
      "frequency: 2}}");
  for (const char* way : {"time.mode=stepping", "time.mode=events", "time.tolerance=1e-5"}) {
    CAPTURE(way);
    Simulation whole = started(text, {way});
    go(whole, 50);
    SetPoint point;
    point.target = 30.0;
    whole.set(0, point);
    go(whole, 20);
    Simulation again(whole.model(), whole.state());
    CHECK(again.set_point(0).target == 30.0);
    go(whole, 100);
    go(again, 100);
    CHECK(whole.state().groups[0].q == again.state().groups[0].q);
    CHECK(whole.state().groups[0].v == again.state().groups[0].v);
    CHECK(whole.probe(0) > 10.0);
    whole.set(0, {});  // the scene's target again
    go(whole, 400);
    CHECK(std::abs(whole.probe(0)) < 10.0);
  }
}

TEST_CASE("a program that sets what an actuator does not have is told") {
  Simulation sim = started(wheel("servo: {target: 0, stiffness: 3}, torque: 0"));
  SetPoint effort, velocity, infinite;
  effort.effort = velocity.velocity = 1.0;
  infinite.target = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(sim.set(0, effort), UsageError);
  CHECK_THROWS_AS(sim.set(1, velocity), UsageError);
  CHECK_THROWS_AS(sim.set(0, infinite), UsageError);
  CHECK_THROWS_AS(sim.set(2, effort), UsageError);
  CHECK_NOTHROW(sim.set(1, effort));
}

TEST_CASE("entries of actuators that contradict each other are refused") {
  struct Row {
    const char* turn;
    const char* says;
  };
  for (const Row x :
       {Row{"servo: {target: 0, stiffness: 1}, motor: {velocity: 1, torque: 1}", "servo"},
        Row{"servo: {target: 0, stiffness: 1}, drive: {rate: 1}", "servo"},
        Row{"servo: {target: 0, stiffness: 0}", "no force"},
        Row{"torque: 1, drive: {rate: 1}", "torque"},
        Row{"servo: {target: 0, stiffness: 1, torque: 0}", "torque"},
        Row{"servo: {target: 0, stiffness: 1, force: 2}", "force"}, Row{"force: 1", "force"}}) {
    CAPTURE(x.turn);
    try {
      started(wheel(x.turn));
      FAIL("accepted");
    } catch (const SceneError& error) {
      CHECK(std::string(error.what()).find(x.says) != std::string::npos);
    }
  }
}

TEST_CASE("event-driven integration of a wheel at the origin comes to rest without small steps") {
  // its rotation has round-off, though its position has none
  for (const char* turn : {"servo: {target: 0.3, stiffness: 50, damping: 0.5}",
                           "spring: {stiffness: 50, rest: 0.3}, damping: 0.5"}) {
    CAPTURE(turn);
    std::string text = wheel(turn);
    for (std::size_t at = 0; (at = text.find("[0.1, 0.3, -0.2]", at)) != std::string::npos;)
      text.replace(at, 16, "[0, 0, 0]");
    Simulation sim = started(text, {"time.mode=events"});
    long evaluations = 0;
    for (int k = 0; k < 750; ++k) {
      const StepReport report = sim.advance();
      REQUIRE(report.converged);
      if (k >= 500) evaluations += report.evaluations;
    }
    CHECK(std::abs(sim.probe(0) - 0.3) < 1e-8);  // exp(-c t/2 J)
    CHECK(evaluations < 50 * 250);
  }
}
